package wire

import "encoding/json"

// ToolCall asks the device to run one of the tools of its hello.
type ToolCall struct {
	// ID pairs the call with its result.
	ID   string `json:"id"`
	Name string `json:"name"`
	// Arguments is a JSON object; nil means none.
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// Kind returns KindToolCall.
func (ToolCall) Kind() Kind { return KindToolCall }

func (m ToolCall) check(c *checker) {
	c.ident("id", m.ID)
	c.tool("name", m.Name)
	c.json("arguments", m.Arguments, MaxToolData)
}

func decodeToolCall(o *object) Message {
	o.require("id", "name")
	return ToolCall{ID: o.str("id"), Name: o.str("name"), Arguments: o.raw("arguments")}
}

// ToolResult answers a ToolCall.
type ToolResult struct {
	ID string `json:"id"`
	// Content is what the model gets to see, text or JSON as text.
	Content string `json:"content"`
	// Error says why the tool failed; empty when it did not.
	Error string `json:"error,omitempty"`
}

// Kind returns KindToolResult.
func (ToolResult) Kind() Kind { return KindToolResult }

func (m ToolResult) check(c *checker) {
	c.ident("id", m.ID)
	c.text("content", m.Content, MaxToolData)
	c.text("error", m.Error, MaxErrorText)
}

func decodeToolResult(o *object) Message {
	o.require("id")
	return ToolResult{ID: o.str("id"), Content: o.str("content"), Error: o.str("error")}
}

// Failure is the error message: something went wrong.
type Failure struct {
	Code ErrorCode `json:"code"`
	// Message is an explanation for people.
	Message string `json:"message"`
	// Fatal: the server closes the connection after this message, with the
	// code's CloseCode.
	Fatal bool `json:"fatal"`
	// RetryAfterMS is how long to wait before the next attempt, in
	// milliseconds. 0 means unstated.
	RetryAfterMS uint32 `json:"retry_after_ms,omitempty"`
}

// Kind returns KindError.
func (Failure) Kind() Kind { return KindError }

func (m Failure) check(c *checker) {
	c.ident("code", string(m.Code))
	c.text("message", m.Message, MaxErrorText)
}

func decodeFailure(o *object) Message {
	o.require("code", "message", "fatal")
	return Failure{
		Code: ErrorCode(o.str("code")), Message: o.str("message"), Fatal: o.flag("fatal"),
		RetryAfterMS: o.count("retry_after_ms"),
	}
}

// Ping asks the other side for a Pong of the same ID.
type Ping struct {
	ID uint32 `json:"id"`
}

// Kind returns KindPing.
func (Ping) Kind() Kind { return KindPing }

func (Ping) check(*checker) {}

func decodePing(o *object) Message {
	o.require("id")
	return Ping{ID: o.count("id")}
}

// Pong answers a Ping.
type Pong struct {
	ID uint32 `json:"id"`
}

// Kind returns KindPong.
func (Pong) Kind() Kind { return KindPong }

func (Pong) check(*checker) {}

func decodePong(o *object) Message {
	o.require("id")
	return Pong{ID: o.count("id")}
}

// Bye announces the normal end of the connection; the receiver closes it.
type Bye struct {
	// Reason is free text for the log.
	Reason string `json:"reason,omitempty"`
}

// Kind returns KindBye.
func (Bye) Kind() Kind { return KindBye }

func (m Bye) check(c *checker) { c.text("reason", m.Reason, MaxLabel) }

func decodeBye(o *object) Message { return Bye{Reason: o.str("reason")} }
