package realtime

import "time"

// Role says whose content a chunk or message holds.
type Role string

const (
	RoleUser  Role = "user"
	RoleModel Role = "model"
	RoleTool  Role = "tool"
)

// MessageChunk is one increment of a Stream: a piece of content, a tool call, a
// boundary, or several of these at once.
//
// A chunk is immutable once it was handed to a stream: nobody writes to it, to
// its Ctrl or to the bytes of its Blob again. The receiver may keep it as long
// as it likes; chunks are never pooled.
type MessageChunk struct {
	Role Role
	// Name tells apart several speakers or models of one role. Usually empty.
	Name string
	// Part is the content: Text, *Blob or *Gap; nil for a control-only chunk.
	Part Part
	// ToolCall is a request of the model to run a tool.
	ToolCall *ToolCall
	// Ctrl routes the chunk and marks boundaries. It may be nil.
	Ctrl *StreamCtrl
}

// IsBeginOfStream reports whether the chunk is a starting boundary. It is false
// for a nil chunk and for one without Ctrl.
func (c *MessageChunk) IsBeginOfStream() bool {
	return c != nil && c.Ctrl != nil && c.Ctrl.BeginOfStream
}

// IsEndOfStream reports whether the chunk is an end boundary. It is false for a
// nil chunk and for one without Ctrl.
func (c *MessageChunk) IsEndOfStream() bool {
	return c != nil && c.Ctrl != nil && c.Ctrl.EndOfStream
}

// Route returns the chunk's StreamID, "" without Ctrl.
func (c *MessageChunk) Route() string {
	if c == nil || c.Ctrl == nil {
		return ""
	}
	return c.Ctrl.StreamID
}

// ForHistory reports whether the chunk is kept for history only
// (LabelHistoryUserAudio) and is not to be forwarded to a peer as output.
func (c *MessageChunk) ForHistory() bool {
	return c != nil && c.Ctrl != nil && c.Ctrl.Label == LabelHistoryUserAudio
}

// StreamCtrl is the routing and boundary information of a chunk.
type StreamCtrl struct {
	// StreamID names the logical route. Text, audio, transcript and tool chunks
	// may share one and keep independent lifecycles per MIME channel.
	StreamID string `json:"stream_id,omitempty"`
	// Label tags the use of the substream (LabelTranscript, ...). It is never
	// part of the routing key.
	Label string `json:"label,omitempty"`
	// Error is the failure text of the channel or route that the chunk belongs
	// to. It does not end the enclosing Stream.
	Error string `json:"error,omitempty"`
	// BeginOfStream with a Part begins or announces that Part's MIME channel;
	// without one it begins the route.
	BeginOfStream bool `json:"begin_of_stream,omitempty"`
	// EndOfStream with a Part ends that Part's MIME channel, after the data the
	// chunk carries; without one it ends the route with all its channels.
	EndOfStream bool `json:"end_of_stream,omitempty"`
	// Timestamp is media time in milliseconds. Live timestamps start at 1; 0
	// means unset.
	Timestamp int64 `json:"timestamp,omitempty"`
}

// Labels in use. They travel verbatim.
const (
	// LabelTranscript tags the final text of what a user said.
	LabelTranscript = "transcript"
	// LabelPartial tags a preliminary transcript; each one replaces the one
	// before it on the same route.
	LabelPartial = "transcript.partial"
	// LabelAssistant tags what the model says, as text or audio.
	LabelAssistant = "assistant"
	// LabelHistoryUserAudio tags user audio that is kept for history and not
	// forwarded as ordinary output.
	LabelHistoryUserAudio = "history.user_audio"
)

// Part is the content of a chunk: Text, *Blob or *Gap. The set is closed.
type Part interface{ part() }

// Text is UTF-8 text. Its MIME channel is text/plain.
type Text string

// Blob is typed binary content.
type Blob struct {
	// MIMEType is kept exactly as its producer wrote it, for example
	// "audio/pcm;rate=16000" (signed 16-bit little endian, mono unless a
	// channels parameter says otherwise) or "audio/opus".
	MIMEType string
	// Data belongs to the receiver and is never written again.
	Data []byte
}

// Gap stands for media of the channel MIMEType that was lost or dropped, so
// that media time advances all the same.
type Gap struct {
	MIMEType string
	Duration time.Duration
}

func (Text) part()  {}
func (*Blob) part() {}
func (*Gap) part()  {}

// ToolCall is a request of the model to run the tool Name.
type ToolCall struct {
	// ID pairs the call with its result.
	ID   string
	Name string
	// Arguments is a JSON object.
	Arguments string
}

// ToolResult answers the ToolCall of the same ID.
type ToolResult struct {
	ID      string
	Content string
}
