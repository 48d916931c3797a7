package transformers

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"edged/ai"
)

func clockTool(t *testing.T) *ai.FuncTool {
	t.Helper()
	tool, err := ai.NewFuncTool("clock", "tells the time", func(_ context.Context, in struct {
		Zone string `json:"zone"`
	}) (string, error) {
		return "noon in " + in.Zone, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func TestG57ToolIsAClosedSet(t *testing.T) {
	sealed := reflect.TypeFor[Tool]().Method(0)
	if sealed.PkgPath == "" {
		t.Fatalf("method %s of Tool is exported: a foreign type could implement it", sealed.Name)
	}
	for _, member := range []any{&FuncTool{}, &SearchWebTool{}} {
		if _, ok := member.(Tool); !ok {
			t.Errorf("%T is no Tool", member)
		}
	}
	if _, ok := any(clockTool(t)).(Tool); ok {
		t.Error("an ai.Tool is a Tool by itself, want only FuncTool and SearchWebTool")
	}
}

// plainTool has no schema document of its own.
type plainTool struct{ parameters *ai.ParameterSchema }

func (p plainTool) Info() *ai.ToolInfo {
	return &ai.ToolInfo{Name: "plain", Description: "does it", Parameters: p.parameters}
}
func (plainTool) Invoke(context.Context, string) (string, error) { return "done", nil }

func TestG58FuncTool(t *testing.T) {
	tool := NewFuncTool(clockTool(t))
	if tool.Name() != "clock" || tool.Info().Description != "tells the time" {
		t.Errorf("name and description = %q, %q", tool.Name(), tool.Info().Description)
	}
	for name, schema := range map[string]json.RawMessage{
		"its own document":  tool.JSONSchema(),
		"made of its infos": NewFuncTool(plainTool{&ai.ParameterSchema{Type: "object", Properties: map[string]*ai.PropertySchema{"zone": {Type: "string"}}, Required: []string{"zone"}}}).JSONSchema(),
	} {
		var doc struct {
			Type       string
			Properties map[string]struct{ Type string }
			Required   []string
		}
		if err := json.Unmarshal(schema, &doc); err != nil || doc.Type != "object" || doc.Properties["zone"].Type != "string" || len(doc.Required) != 1 {
			t.Errorf("schema (%s) = %s, %v, want an object with the string zone", name, schema, err)
		}
	}
	if schema := NewFuncTool(plainTool{}).JSONSchema(); !json.Valid(schema) || !strings.Contains(string(schema), `"object"`) {
		t.Errorf("schema of a tool without arguments = %s", schema)
	}
	out, err := tool.Invoke(t.Context(), `{"zone":"UTC"}`)
	if err != nil || out != "noon in UTC" {
		t.Errorf("Invoke = %q, %v", out, err)
	}
	_, err = tool.Invoke(t.Context(), `{"zone":7}`)
	if !errors.Is(err, ai.ErrInvalidArguments) || !strings.Contains(err.Error(), "zone") || !strings.Contains(err.Error(), "clock") {
		t.Errorf("bad arguments: %v, want ai.ErrInvalidArguments naming tool and argument", err)
	}
}

func TestFuncCall(t *testing.T) {
	call := &FuncCall{ID: "1", Name: "clock", Arguments: `{"zone":"CET"}`, Tool: NewFuncTool(clockTool(t))}
	var in struct{ Zone string }
	if err := call.Decode(&in); err != nil || in.Zone != "CET" {
		t.Errorf("Decode = %+v, %v", in, err)
	}
	if out, err := call.Invoke(t.Context()); err != nil || out != "noon in CET" {
		t.Errorf("Invoke = %q, %v", out, err)
	}
	call.Arguments = `{"zone":`
	if err := call.Decode(&in); !errors.Is(err, ai.ErrInvalidArguments) || !strings.Contains(err.Error(), `{"zone":`) {
		t.Errorf("Decode of broken JSON = %v, want ai.ErrInvalidArguments holding the arguments", err)
	}
}
