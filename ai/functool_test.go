package ai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"edged/ai"
)

type timerArguments struct {
	Seconds int      `json:"seconds" jsonschema:"minimum=1,maximum=86400,description=how long"`
	Label   string   `json:"label,omitempty"`
	Tone    string   `json:"tone,omitempty" jsonschema:"enum=bell,enum=buzz"`
	Days    []string `json:"days,omitempty"`
	Ratio   float64  `json:"ratio,omitempty"`
}

// newTimer returns a tool that answers with its arguments as Go prints them.
func newTimer(t *testing.T) *ai.FuncTool {
	t.Helper()
	f, err := ai.NewFuncTool("set_timer", "Sets a timer.", func(_ context.Context, in timerArguments) (string, error) {
		return fmt.Sprintf("%+v", in), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestV19ArgumentsAreOneJSONString(t *testing.T) {
	var tool ai.Tool = newTimer(t)
	got, err := tool.Invoke(t.Context(), `{"seconds":300,"label":"tea","days":["mon","tue"]}`)
	if want := "{Seconds:300 Label:tea Tone: Days:[mon tue] Ratio:0}"; err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestV20InfoOfAFunction(t *testing.T) {
	got := newTimer(t).Info()
	want := &ai.ToolInfo{
		Name: "set_timer", Description: "Sets a timer.",
		Parameters: &ai.ParameterSchema{
			Type: "object",
			Properties: map[string]*ai.PropertySchema{
				"seconds": {Type: "integer", Description: "how long"},
				"label":   {Type: "string"},
				"tone":    {Type: "string", Enum: []any{"bell", "buzz"}},
				"days":    {Type: "array", Items: &ai.PropertySchema{Type: "string"}},
				"ratio":   {Type: "number"},
			},
			Required: []string{"seconds"},
		},
	}
	if !reflect.DeepEqual(got, want) {
		g, _ := json.MarshalIndent(got, "", " ")
		w, _ := json.MarshalIndent(want, "", " ")
		t.Errorf("got %s\nwant %s", g, w)
	}
}

// TestV20Subset: ParameterSchema on the wire holds no keyword beyond the small
// set, whatever the full schema says.
func TestV20Subset(t *testing.T) {
	f := rawTool(t, `{"type":"object","additionalProperties":false,"required":["a"],"properties":{
		"a":{"type":["integer","null"],"minimum":1,"description":"first"},
		"b":{"type":"array","items":{"type":"object","properties":{"x":{"type":"string"}}},"minItems":2},
		"c":true}}`)
	text, err := json.Marshal(f.Info().Parameters)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"object","properties":{"a":{"type":"integer","description":"first"},` +
		`"b":{"type":"array","items":{"type":"object"}},"c":{}},"required":["a"]}`
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

// TestSchemaPassesUnchanged: a schema richer than ParameterSchema reaches the
// provider byte for byte.
func TestSchemaPassesUnchanged(t *testing.T) {
	doc := `{ "type":"object", "properties":{"a":{"type":"integer","minimum":1,"x-unit":"percent"}} }`
	var tool ai.SchemaTool = rawTool(t, doc)
	if got := string(tool.JSONSchema()); got != doc {
		t.Errorf("got %s, want it as given", got)
	}
	var full struct{ Properties map[string]map[string]any }
	if err := json.Unmarshal(newTimer(t).JSONSchema(), &full); err != nil {
		t.Fatal(err)
	}
	if got := full.Properties["seconds"]["maximum"]; got != 86400.0 {
		t.Errorf("the generated schema lost its maximum: %v", full.Properties["seconds"])
	}
}

func rawTool(t *testing.T, schema string) *ai.FuncTool {
	t.Helper()
	f, err := ai.NewRawTool("raw", "", json.RawMessage(schema), func(_ context.Context, a json.RawMessage) (string, error) {
		return string(a), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// countTool streams its result: the smallest StreamableTool.
type countTool struct{ *ai.FuncTool }

func (c countTool) InvokeStream(ctx context.Context, arguments string) (ai.StringStream, error) {
	text, err := c.Invoke(ctx, arguments)
	if err != nil {
		return nil, err
	}
	return words(strings.SplitAfter(text, ",")...), nil
}

func TestV21StreamableTool(t *testing.T) {
	f, err := ai.NewFuncTool("count", "", func(context.Context, struct{}) (string, error) { return "1,2,3", nil })
	if err != nil {
		t.Fatal(err)
	}
	var tool ai.StreamableTool = countTool{f}
	stream, err := tool.InvokeStream(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if first, err := stream.Recv(); err != nil || first != "1," {
		t.Errorf("first piece %q, %v, want \"1,\"", first, err)
	}
	if rest, err := stream.Collect(); err != nil || rest != "2,3" {
		t.Errorf("the rest is %q, %v, want \"2,3\"", rest, err)
	}
}

// V19: the tool itself checks what it is given.
func TestArgumentsThatDoNotFit(t *testing.T) {
	tests := []struct{ name, arguments, argument string }{
		{"missing", `{}`, "seconds"},
		{"wrong type", `{"seconds":"five"}`, "seconds"},
		{"out of range", `{"seconds":0}`, "seconds"},
		{"not whole", `{"seconds":1.5}`, "seconds"},
		{"not in the list", `{"seconds":1,"tone":"siren"}`, "tone"},
		{"unknown", `{"seconds":1,"volume":3}`, "volume"},
		{"inside a list", `{"seconds":1,"days":["mon",2]}`, "days/1"},
		{"too large for the Go type", `{"seconds":1,"ratio":1e999}`, "ratio"},
		{"not an object", `[1]`, ""},
		{"null", `null`, ""},
		{"not JSON", `{"seconds":`, ""},
		{"two values", `{"seconds":1}{}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := newTimer(t).Invoke(t.Context(), tt.arguments)
			if !errors.Is(err, ai.ErrInvalidArguments) {
				t.Fatalf("error %v, want ErrInvalidArguments", err)
			}
			var te *ai.ToolError
			var ae *ai.ArgumentError
			if !errors.As(err, &te) || te.ToolName != "set_timer" || !errors.As(err, &ae) {
				t.Fatalf("error %v, want a ToolError of set_timer around an ArgumentError", err)
			}
			if ae.Argument != tt.argument || !strings.Contains(err.Error(), tt.argument) {
				t.Errorf("blamed %q in %q, want %q", ae.Argument, err, tt.argument)
			}
		})
	}
}

func TestArgumentsThatFit(t *testing.T) {
	tests := []struct{ name, arguments, want string }{
		{"whole number with a point", `{"seconds":300.0}`, "Seconds:300 "},
		{"whole number with an exponent", `{"seconds":3e2}`, "Seconds:300 "},
		{"fraction kept", `{"seconds":1,"ratio":0.25}`, "Ratio:0.25"},
		{"unicode", `{"seconds":1,"label":"茶"}`, "Label:茶"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := newTimer(t).Invoke(t.Context(), tt.arguments)
			if err != nil || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, %v, want %q in it", got, err, tt.want)
			}
		})
	}
}

func TestEmptyArguments(t *testing.T) {
	for _, arguments := range []string{"", " \n", "{}"} {
		if got, err := rawTool(t, "").Invoke(t.Context(), arguments); err != nil || got != "{}" {
			t.Errorf("arguments %q: got %q, %v, want {}", arguments, got, err)
		}
	}
}

func TestResults(t *testing.T) {
	type place struct {
		X int `json:"x"`
	}
	invoke := func(f *ai.FuncTool, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		out, err := f.Invoke(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	tests := []struct{ name, got, want string }{
		{"string as it is", invoke(ai.NewFuncTool("t", "", func(context.Context, struct{}) (string, error) { return `say "hi"`, nil })), `say "hi"`},
		{"struct as JSON", invoke(ai.NewFuncTool("t", "", func(context.Context, struct{}) (place, error) { return place{1}, nil })), `{"x":1}`},
		{"raw JSON as it is", invoke(ai.NewFuncTool("t", "", func(context.Context, map[string]any) (json.RawMessage, error) {
			return json.RawMessage(`{"a": 1}`), nil
		})), `{"a": 1}`},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}

func TestFunctionErrorIsTheCause(t *testing.T) {
	f, err := ai.NewFuncTool("t", "", func(context.Context, struct{}) (string, error) { return "", io.ErrUnexpectedEOF })
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Invoke(t.Context(), "")
	if !errors.Is(err, io.ErrUnexpectedEOF) || err.Error() != "ai: tool t: unexpected EOF" {
		t.Errorf("error %v, want the function's own under the tool's name, once", err)
	}
	if errors.Is(err, ai.ErrInvalidArguments) {
		t.Error("a failure of the function is blamed on the arguments")
	}
}

type loop struct {
	Next *loop `json:"next"`
}

func TestToolsThatCannotBe(t *testing.T) {
	raw := func(name, schema string) error {
		_, err := ai.NewRawTool(name, "", json.RawMessage(schema), func(context.Context, json.RawMessage) (string, error) { return "", nil })
		return err
	}
	_, chanErr := ai.NewFuncTool("t", "", func(context.Context, struct{ C chan int }) (string, error) { return "", nil })
	_, intErr := ai.NewFuncTool("t", "", func(context.Context, int) (string, error) { return "", nil })
	_, loopErr := ai.NewFuncTool("t", "", func(context.Context, loop) (string, error) { return "", nil })
	tests := []struct {
		name string
		err  error
		says string
	}{
		{"empty name", raw("", ""), "name"},
		{"name with a space", raw("set timer", ""), "set timer"},
		{"schema that is not JSON", raw("t", "{"), "schema"},
		{"schema of a list", raw("t", `{"type":"array"}`), "object"},
		{"schema with a wrong keyword", raw("t", `{"type":"object","required":7}`), "schema"},
		{"schema that reads a file", raw("t", `{"properties":{"a":{"$ref":"file:///etc/passwd"}}}`), "reference"},
		{"schema that reads the network", raw("t", `{"properties":{"a":{"$ref":"http://127.0.0.1:1/x"}}}`), "reference"},
		{"type without JSON", chanErr, "chan"},
		{"arguments that are no object", intErr, "struct"},
		{"type that contains itself", loopErr, "itself"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.err == nil || !strings.Contains(tt.err.Error(), tt.says) {
				t.Errorf("error %v, want one that says %q", tt.err, tt.says)
			}
		})
	}
}

func FuzzArguments(f *testing.F) {
	for _, s := range []string{`{}`, `{"seconds":1}`, `{"seconds":1e400000}`, `{"seconds":-0.0}`, `[`, `{"seconds":1,"days":[[]]}`} {
		f.Add(s)
	}
	tool, err := ai.NewFuncTool("t", "", func(_ context.Context, in timerArguments) (string, error) {
		if in.Seconds < 1 || in.Seconds > 86400 {
			return "", fmt.Errorf("seconds %d passed validation", in.Seconds)
		}
		return "", nil
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, arguments string) {
		_, err := tool.Invoke(context.Background(), arguments)
		if err != nil && !errors.Is(err, ai.ErrInvalidArguments) {
			t.Errorf("%q: %v", arguments, err)
		}
	})
}
