package ai_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"testing"

	"edged/ai"
)

// FuzzRawTool: a schema from outside is refused or compiled, in little time and
// memory; arguments fit it or are refused as such, twice in the same way; and what
// a model is told of the tool can be encoded.
func FuzzRawTool(f *testing.F) {
	f.Fuzz(func(t *testing.T, schema []byte, arguments string) {
		if len(schema) > 4096 || len(arguments) > 8192 {
			return // as the wire has it
		}
		called := 0
		tool, err := ai.NewRawTool("t", "", schema, func(_ context.Context, arguments json.RawMessage) (string, error) {
			called++
			if !json.Valid(arguments) {
				t.Fatalf("%q passed for JSON", arguments)
			}
			return "done", nil
		})
		if err != nil {
			return
		}
		if _, err := json.Marshal(tool.Info()); err != nil {
			t.Fatalf("what a model is told cannot be encoded: %v", err)
		}
		if len(bytes.TrimSpace(schema)) > 0 && !bytes.Equal(tool.JSONSchema(), schema) {
			t.Fatalf("%q became %q", schema, tool.JSONSchema())
		}
		result, err := tool.Invoke(context.Background(), arguments)
		if err == nil && (called != 1 || result != "done") || err != nil && (called != 0 || result != "" || !errors.Is(err, ai.ErrInvalidArguments)) {
			t.Fatalf("%q: %q, %v after %d calls", arguments, result, err, called)
		}
		var fault *ai.ToolError
		if err != nil && !errors.As(err, &fault) {
			t.Fatalf("%v is no *ToolError", err)
		}
		if _, again := tool.Invoke(context.Background(), arguments); (again == nil) != (err == nil) {
			t.Fatalf("%q: %v, then %v", arguments, err, again)
		}
	})
}
