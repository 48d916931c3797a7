package transformers

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"edged/realtime"
)

// ModelContextBuilder assembles a ModelContext. The zero value is ready. It
// may be used further after Build; what was built does not change.
type ModelContextBuilder struct {
	prompts  []*Prompt
	messages []*realtime.Message
	cots     []string
	tools    []Tool
	params   *ModelParams
}

// Prompt adds a system instruction. It joins the one added before, with a
// newline, if that has the same name.
func (b *ModelContextBuilder) Prompt(name, text string) {
	if n := len(b.prompts); n > 0 && b.prompts[n-1].Name == name {
		// A new value in place of the old one: built contexts hold that.
		b.prompts[n-1] = &Prompt{Name: name, Text: b.prompts[n-1].Text + "\n" + text}
		return
	}
	b.prompts = append(b.prompts, &Prompt{Name: name, Text: text})
}

// Message adds m to the history. Contents join those of the message before if
// role and name are the same; tool calls and results stay by themselves. The
// builder keeps the parts of m, which nobody may write to any more.
func (b *ModelContextBuilder) Message(m realtime.Message) {
	contents, ok := m.Payload.(realtime.Contents)
	if ok {
		m.Payload = slices.Clone(contents)
	}
	if n := len(b.messages); ok && n > 0 {
		last := b.messages[n-1]
		if before, joins := last.Payload.(realtime.Contents); joins && last.Role == m.Role && last.Name == m.Name {
			m.Payload = slices.Concat(before, contents)
			b.messages[n-1] = &m
			return
		}
	}
	b.messages = append(b.messages, &m)
}

// Text adds a message of text.
func (b *ModelContextBuilder) Text(role realtime.Role, name, text string) {
	b.Message(realtime.Message{Role: role, Name: name, Payload: realtime.Contents{realtime.Text(text)}})
}

// ToolCall adds a call that the model made.
func (b *ModelContextBuilder) ToolCall(call realtime.ToolCall) {
	b.Message(realtime.Message{Role: realtime.RoleModel, Payload: &call})
}

// ToolResult adds the answer to an earlier call.
func (b *ModelContextBuilder) ToolResult(result realtime.ToolResult) {
	b.Message(realtime.Message{Role: realtime.RoleTool, Payload: &result})
}

// AddToolCallResult adds a call of the tool name and its result as if the model
// had made it, with one new id for both, which it returns. Strings are taken as
// they are, everything else as JSON; what JSON cannot express is an error, and
// then nothing is added.
func (b *ModelContextBuilder) AddToolCallResult(name string, arguments, result any) (id string, err error) {
	argumentText, err := jsonText(arguments)
	if err != nil {
		return "", fmt.Errorf("transformers: arguments of %s: %w", name, err)
	}
	resultText, err := jsonText(result)
	if err != nil {
		return "", fmt.Errorf("transformers: result of %s: %w", name, err)
	}
	id = "call_" + rand.Text()
	b.ToolCall(realtime.ToolCall{ID: id, Name: name, Arguments: argumentText})
	b.ToolResult(realtime.ToolResult{ID: id, Content: resultText})
	return id, nil
}

func jsonText(v any) (string, error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	text, err := json.Marshal(v)
	return string(text), err
}

// CoT adds reasoning that the model is to take up.
func (b *ModelContextBuilder) CoT(text string) { b.cots = append(b.cots, text) }

// Tool offers tools to the model.
func (b *ModelContextBuilder) Tool(tools ...Tool) { b.tools = append(b.tools, tools...) }

// Params sets the settings of the request; nil leaves them to the model. They
// are copied.
func (b *ModelContextBuilder) Params(params *ModelParams) { b.params = params.clone() }

// Build returns what was added so far.
func (b *ModelContextBuilder) Build() ModelContext {
	return &builtContext{
		prompts:  slices.Clone(b.prompts),
		messages: slices.Clone(b.messages),
		cots:     slices.Clone(b.cots),
		tools:    slices.Clone(b.tools),
		params:   b.params.clone(),
	}
}

type builtContext struct {
	prompts  []*Prompt
	messages []*realtime.Message
	cots     []string
	tools    []Tool
	params   *ModelParams
}

func (c *builtContext) Prompts() iter.Seq[*Prompt]            { return slices.Values(c.prompts) }
func (c *builtContext) Messages() iter.Seq[*realtime.Message] { return slices.Values(c.messages) }
func (c *builtContext) CoTs() iter.Seq[string]                { return slices.Values(c.cots) }
func (c *builtContext) Tools() iter.Seq[Tool]                 { return slices.Values(c.tools) }
func (c *builtContext) Params() *ModelParams                  { return c.params.clone() }
