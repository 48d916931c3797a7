package ai

import (
	"errors"
	"fmt"
)

var (
	// ErrProviderNotFound: no ModelProvider of that name is registered.
	ErrProviderNotFound = errors.New("ai: model provider not found")
	// ErrModelNotSupported: the provider has no such model.
	ErrModelNotSupported = errors.New("ai: model not supported")
	// ErrAgentNotFound: no AgentFactory of that name is registered.
	ErrAgentNotFound = errors.New("ai: agent not found")
	// ErrToolNotFound: a model asked for a tool that it was not offered.
	ErrToolNotFound = errors.New("ai: tool not found")
	// ErrInvalidArguments: the arguments of a tool call do not fit its schema.
	ErrInvalidArguments = errors.New("ai: invalid arguments")
	// ErrMaxIterationsReached: an agent used up its rounds without an answer.
	ErrMaxIterationsReached = errors.New("ai: maximum number of iterations reached")
	// ErrNoContent: the model answered with neither text nor tool calls.
	ErrNoContent = errors.New("ai: no content")
	// ErrStreamClosed: a stream was read after Close.
	ErrStreamClosed = errors.New("ai: stream closed")
)

// ToolError is the failure of one tool.
type ToolError struct {
	ToolName string
	// Err is the cause.
	Err error
}

// NewToolError returns a *ToolError for the tool name with the cause err.
func NewToolError(name string, err error) *ToolError {
	return &ToolError{ToolName: name, Err: err}
}

// Error names the tool and the cause.
func (e *ToolError) Error() string { return fmt.Sprintf("ai: tool %s: %v", e.ToolName, e.Err) }

// Unwrap returns the cause.
func (e *ToolError) Unwrap() error { return e.Err }

// asToolError wraps err unless it already says that this tool failed.
func asToolError(name string, err error) error {
	var te *ToolError
	if errors.As(err, &te) && te.ToolName == name {
		return err
	}
	return NewToolError(name, err)
}

// ModelError is the failure of a provider.
type ModelError struct {
	Provider string
	// StatusCode is the HTTP status or the provider's equivalent, 0 if there
	// was none. It is not part of the text.
	StatusCode int
	Message    string
}

// NewModelError returns a *ModelError.
func NewModelError(provider string, statusCode int, message string) *ModelError {
	return &ModelError{Provider: provider, StatusCode: statusCode, Message: message}
}

// Error names the provider and what it said.
func (e *ModelError) Error() string { return fmt.Sprintf("ai: %s: %s", e.Provider, e.Message) }

// ArgumentError says which argument of a tool call does not fit. It matches
// ErrInvalidArguments.
type ArgumentError struct {
	// Argument is the path of the argument ("seconds", "items/0/name"). Empty
	// means the arguments as a whole.
	Argument string
	// Reason says what is wrong with it, in words a model can act on.
	Reason string
}

// Error names the argument and the reason.
func (e *ArgumentError) Error() string {
	if e.Argument == "" {
		return "arguments: " + e.Reason
	}
	return fmt.Sprintf("argument %q: %s", e.Argument, e.Reason)
}

// Unwrap returns ErrInvalidArguments.
func (e *ArgumentError) Unwrap() error { return ErrInvalidArguments }
