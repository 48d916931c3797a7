package ai

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
)

// FuncTool is a Tool made of a Go function. It validates the arguments of every
// call against its JSON Schema before the function runs. Make one with
// NewFuncTool or NewRawTool; it never changes afterwards.
type FuncTool struct {
	info   ToolInfo
	schema *argumentSchema
	invoke func(ctx context.Context, arguments json.RawMessage) (string, error)
}

var _ SchemaTool = (*FuncTool)(nil)

// toolName is what all the model providers accept as the name of a function.
var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// NewFuncTool returns a tool that decodes its arguments into In, calls fn, and
// returns fn's result to the model: a string as it is, anything else as JSON.
//
// In is a struct (struct{} for a tool without arguments) or a map with string
// keys. Its schema comes from the json tags (a field is required unless it has
// omitempty or omitzero) and the jsonschema tags of
// github.com/invopop/jsonschema, for instance
//
//	Level int `json:"level" jsonschema:"minimum=0,maximum=100,description=percent"`
//
// An error means that name, In or the tags cannot be used.
func NewFuncTool[In, Out any](name, description string, fn func(ctx context.Context, in In) (Out, error)) (*FuncTool, error) {
	doc, err := reflectSchema(reflect.TypeFor[In]())
	if err != nil {
		return nil, fmt.Errorf("ai: tool %q: %w", name, err)
	}
	return NewRawTool(name, description, doc, func(ctx context.Context, arguments json.RawMessage) (string, error) {
		var in In
		if err := decodeArguments(arguments, &in); err != nil {
			return "", err
		}
		out, err := fn(ctx, in)
		if err != nil {
			return "", err
		}
		return resultText(out)
	})
}

// NewRawTool returns a tool whose schema is given as a document, for tools that
// are announced by somebody else: a device, another server. fn gets arguments
// that fit the schema, as the model wrote them; empty ones have become {}. An
// empty schema means a tool without arguments.
//
// The schema is a JSON Schema (draft 2020-12 unless it says otherwise) of type
// object. References to anything outside the document are refused. The tool
// keeps schema; the caller must not change it any more.
func NewRawTool(name, description string, schema json.RawMessage, fn func(ctx context.Context, arguments json.RawMessage) (string, error)) (*FuncTool, error) {
	if !toolName.MatchString(name) {
		return nil, fmt.Errorf("ai: tool name %q: want 1 to 64 letters, digits, underscores or hyphens", name)
	}
	if len(strings.TrimSpace(string(schema))) == 0 {
		schema = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	compiled, err := compileSchema(schema)
	if err != nil {
		return nil, fmt.Errorf("ai: tool %q: %w", name, err)
	}
	return &FuncTool{
		info:   ToolInfo{Name: name, Description: description, Parameters: compiled.parameters()},
		schema: compiled,
		invoke: fn,
	}, nil
}

// Info describes the tool in the subset that ToolInfo can express.
func (t *FuncTool) Info() *ToolInfo { return &t.info }

// JSONSchema returns the whole schema of the arguments.
func (t *FuncTool) JSONSchema() json.RawMessage { return t.schema.document }

// Invoke validates arguments and calls the function. Empty arguments stand for
// {}. Every error is a *ToolError: arguments that do not fit match
// ErrInvalidArguments and hold an *ArgumentError that names the argument;
// otherwise the cause is the function's own error.
func (t *FuncTool) Invoke(ctx context.Context, arguments string) (string, error) {
	if strings.TrimSpace(arguments) == "" {
		arguments = "{}"
	}
	if err := t.schema.validate(arguments); err != nil {
		return "", NewToolError(t.info.Name, err)
	}
	out, err := t.invoke(ctx, json.RawMessage(arguments))
	if err != nil {
		return "", asToolError(t.info.Name, err)
	}
	return out, nil
}

func resultText(out any) (string, error) {
	switch v := out.(type) {
	case string:
		return v, nil
	case json.RawMessage:
		return string(v), nil
	}
	text, err := json.Marshal(out)
	if err != nil {
		return "", fmt.Errorf("encode result: %w", err)
	}
	return string(text), nil
}
