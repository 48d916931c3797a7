package ai

import "encoding/json"

// Role says who speaks in a message.
type Role string

const (
	// RoleSystem is the instruction of whoever runs the dialogue.
	RoleSystem Role = "system"
	// RoleUser is the person.
	RoleUser Role = "user"
	// RoleAssistant is the model.
	RoleAssistant Role = "assistant"
	// RoleTool is the result of a tool that the model asked for.
	RoleTool Role = "tool"
)

// Message is one entry of a dialogue.
//
// Besides its public fields a message carries opaque state of the provider
// that wrote it (see ProviderState). That state travels with the message in
// memory; encoding/json does not see it, so whoever stores messages stores
// ProviderState beside them.
type Message struct {
	Role Role
	// Content is the text. It is empty in a tool message, whose text is
	// ToolResult.Content, and may be empty in an assistant message that only
	// asks for tools.
	Content string
	// ToolCalls are the tools an assistant message asks for.
	ToolCalls []ToolCall
	// ToolResult is set in a tool message, nil in all others.
	ToolResult *ToolResult
	// Usage is what the answer cost. Nil means that nobody counted.
	Usage *TokenUsage

	state *ProviderState
}

// ToolCall is a model's request to run the tool Name.
type ToolCall struct {
	// ID pairs the call with its result.
	ID   string
	Name string
	// Arguments is a JSON object in text form. Empty stands for {}.
	Arguments string
}

// ToolResult is the answer to the ToolCall whose ID is CallID.
type ToolResult struct {
	CallID  string
	Content string
}

// TokenUsage counts the tokens of one answer. What a token is depends on the
// model.
type TokenUsage struct {
	// PromptTokens were read by the model.
	PromptTokens int
	// CompletionTokens were written by it.
	CompletionTokens int
	// TotalTokens is the sum as the provider reports it.
	TotalTokens int
}

// ProviderState is whatever a provider wants to find again on its own message
// in a later request (a signature of its reasoning, the id of a stored
// response). Nobody but that provider looks inside.
type ProviderState struct {
	// Provider is the name of the ModelProvider that wrote Data. A provider
	// ignores state with another name: a dialogue may change models.
	Provider string
	Data     json.RawMessage
}

// NewSystemMessage returns an instruction.
func NewSystemMessage(content string) *Message {
	return &Message{Role: RoleSystem, Content: content}
}

// NewUserMessage returns what the person said.
func NewUserMessage(content string) *Message {
	return &Message{Role: RoleUser, Content: content}
}

// NewAssistantMessage returns an answer in words.
func NewAssistantMessage(content string) *Message {
	return &Message{Role: RoleAssistant, Content: content}
}

// NewAssistantMessageWithToolCalls returns an answer that asks for tools.
// It keeps toolCalls without copying.
func NewAssistantMessageWithToolCalls(content string, toolCalls []ToolCall) *Message {
	return &Message{Role: RoleAssistant, Content: content, ToolCalls: toolCalls}
}

// NewToolMessage returns the result of the tool call callID. The text is found
// in ToolResult.Content; the message's own Content stays empty.
func NewToolMessage(callID, content string) *Message {
	return &Message{Role: RoleTool, ToolResult: &ToolResult{CallID: callID, Content: content}}
}

// IsSystem reports whether the message is an instruction.
func (m *Message) IsSystem() bool { return m.Role == RoleSystem }

// IsUser reports whether the message is the person's.
func (m *Message) IsUser() bool { return m.Role == RoleUser }

// IsAssistant reports whether the message is the model's.
func (m *Message) IsAssistant() bool { return m.Role == RoleAssistant }

// IsTool reports whether the message is a tool result.
func (m *Message) IsTool() bool { return m.Role == RoleTool }

// HasToolCalls reports whether the message asks for at least one tool.
func (m *Message) HasToolCalls() bool { return len(m.ToolCalls) > 0 }

// ProviderState returns the opaque state that SetProviderState left, nil if
// there is none. The caller must not change it.
func (m *Message) ProviderState() *ProviderState { return m.state }

// SetProviderState attaches opaque state, or removes it when s is nil. Only the
// provider that writes the message (or whoever restores a stored one) calls it,
// before the message is handed on.
func (m *Message) SetProviderState(s *ProviderState) { m.state = s }
