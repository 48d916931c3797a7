package ai

import (
	"context"
	"encoding/json"
	"fmt"
)

// Tool is something a model can ask to have done. Invoke may be called by
// several goroutines at once.
type Tool interface {
	// Info describes the tool. The caller must not change it.
	Info() *ToolInfo
	// Invoke runs the tool. arguments is the JSON object the model wrote; the
	// tool decodes and validates it and wraps ErrInvalidArguments when it does
	// not fit. The result is the text that goes back to the model.
	Invoke(ctx context.Context, arguments string) (string, error)
}

// StreamableTool is a Tool whose result can be read while it is made.
type StreamableTool interface {
	Tool
	// InvokeStream is Invoke with the result in pieces. The caller closes the
	// stream.
	InvokeStream(ctx context.Context, arguments string) (StringStream, error)
}

// SchemaTool is a Tool whose arguments need more than ParameterSchema can say.
type SchemaTool interface {
	Tool
	// JSONSchema returns the schema of the arguments object. Providers send it
	// as it is. The caller must not change it.
	JSONSchema() json.RawMessage
}

// ToolInfo describes a tool to a model.
type ToolInfo struct {
	Name string
	// Description tells the model what the tool does and when to use it.
	Description string
	// Parameters is the schema of the arguments object. Nil means none.
	Parameters *ParameterSchema
}

// ParameterSchema is the schema of an arguments object.
type ParameterSchema struct {
	// Type is "object".
	Type       string                     `json:"type"`
	Properties map[string]*PropertySchema `json:"properties"`
	// Required names the properties that must be there.
	Required []string `json:"required,omitempty"`
}

// PropertySchema is the schema of one argument, or of the items of one.
type PropertySchema struct {
	// Type is a JSON Schema type: "string", "number", "integer", "boolean",
	// "array" or "object". Empty means any.
	Type        string `json:"type,omitempty"`
	Description string `json:"description,omitempty"`
	// Enum lists the allowed values. Empty means no restriction.
	Enum []any `json:"enum,omitempty"`
	// Items is the schema of the elements of an array.
	Items *PropertySchema `json:"items,omitempty"`
}

// Invoke runs the tool that call names. A tool that is not among tools is an
// error that matches ErrToolNotFound and holds the name. An error of the tool
// is a *ToolError; arguments that do not fit match ErrInvalidArguments.
func Invoke(ctx context.Context, tools []Tool, call ToolCall) (string, error) {
	for _, tool := range tools {
		if tool.Info().Name != call.Name {
			continue
		}
		out, err := tool.Invoke(ctx, call.Arguments)
		if err != nil {
			return "", asToolError(call.Name, err)
		}
		return out, nil
	}
	return "", fmt.Errorf("%w: %q is not among the %d tools offered", ErrToolNotFound, call.Name, len(tools))
}
