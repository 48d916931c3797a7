package transformers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"edged/ai"
)

// ErrUnsupportedTool is matched by the error of a Generator whose model cannot
// be offered one of the tools of a context.
var ErrUnsupportedTool = errors.New("transformers: tool not supported by this model")

// Tool is what a model may be offered: *FuncTool or *SearchWebTool. The set is
// closed.
type Tool interface{ tool() }

// FuncTool is a function that the model may ask to have called. Its name,
// description and schema are those of the ai.Tool it is made of.
type FuncTool struct {
	ai.Tool
}

// NewFuncTool offers tool, which must not be nil: usually an *ai.FuncTool, but
// as well a tool of a device or of another server.
func NewFuncTool(tool ai.Tool) *FuncTool { return &FuncTool{Tool: tool} }

// Name returns the name that the model calls the tool by.
func (t *FuncTool) Name() string { return t.Info().Name }

// JSONSchema returns the schema of the arguments object: the tool's own
// document if it has one (see ai.SchemaTool), else what its Info can express.
func (t *FuncTool) JSONSchema() json.RawMessage {
	if own, ok := t.Tool.(ai.SchemaTool); ok {
		return own.JSONSchema()
	}
	parameters := t.Info().Parameters
	if parameters == nil {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	schema, err := json.Marshal(parameters)
	if err != nil { // an Enum value that JSON has no word for
		return json.RawMessage(`{"type":"object"}`)
	}
	return schema
}

func (*FuncTool) tool() {}

// SearchWebTool lets a model search the web by means of its provider. Nobody
// here runs it.
type SearchWebTool struct{}

func (*SearchWebTool) tool() {}

// FuncCall is a model's call of a FuncTool, not yet run.
type FuncCall struct {
	// ID pairs the call with its result.
	ID   string
	Name string
	// Arguments is a JSON object as the model wrote it.
	Arguments string
	// Tool is the tool that was asked for.
	Tool *FuncTool
}

// Invoke runs the tool with the arguments of the call. The owner of the tool
// calls it, never a Generator.
func (c *FuncCall) Invoke(ctx context.Context) (string, error) {
	return c.Tool.Invoke(ctx, c.Arguments)
}

// Decode reads the arguments into the value that into points to. Its error
// matches ai.ErrInvalidArguments and holds the arguments.
func (c *FuncCall) Decode(into any) error {
	if err := json.Unmarshal([]byte(c.Arguments), into); err != nil {
		return fmt.Errorf("transformers: call of %s with %s: %w: %w", c.Name, c.Arguments, ai.ErrInvalidArguments, err)
	}
	return nil
}
