package realtime

import "strings"

// Message is one complete input or output of a dialogue, as it stands in the
// history that a model is given. (A MessageChunk is an increment of one.)
//
// Messages are shared between contexts; nobody writes to one, or to what it
// refers to, after it was handed on.
type Message struct {
	Role Role
	// Name tells apart several speakers or models of one role. Usually empty.
	Name string
	// Payload is what was said or done: Contents, *ToolCall or *ToolResult.
	Payload Payload
}

// Payload is the substance of a Message: Contents, *ToolCall or *ToolResult.
// The set is closed.
type Payload interface{ payload() }

// Contents is multi-modal content: text and blobs in order.
type Contents []Part

func (Contents) payload()    {}
func (*ToolCall) payload()   {}
func (*ToolResult) payload() {}

// Text returns the text of the contents, one line per Text part, leaving out
// everything else.
func (c Contents) Text() string {
	var lines []string
	for _, part := range c {
		if t, ok := part.(Text); ok {
			lines = append(lines, string(t))
		}
	}
	return strings.Join(lines, "\n")
}
