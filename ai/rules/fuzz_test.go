package rules

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"edged/ai"
)

// FuzzGenerate: whatever was said and whatever a tool answered, there is a reply
// in words that can be spoken, short enough to be listened to, or a well-formed
// call of a tool that was offered, and tools are not asked for without end.
func FuzzGenerate(f *testing.F) {
	tools := []string{"set_timer", "list_timers", "cancel_timer", "set_volume", "get_volume"}
	model := New(Config{Seed: 1}).WithTools(named(f, tools...)...)
	f.Fuzz(func(t *testing.T, said, result string) {
		messages := []*ai.Message{ai.NewUserMessage(said)}
		for range 4 {
			msg, err := model.Generate(context.Background(), messages)
			if err != nil {
				t.Fatal(err)
			}
			if !msg.HasToolCalls() {
				checkReply(t, said, msg.Content)
				return
			}
			call := msg.ToolCalls[0]
			var arguments map[string]any
			if err := json.Unmarshal([]byte(call.Arguments), &arguments); err != nil || arguments == nil || !slices.Contains(tools, call.Name) || call.ID == "" {
				t.Fatalf("%q: the call %+v: %v", said, call, err)
			}
			messages = append(messages, msg, ai.NewToolMessage(call.ID, result))
		}
		t.Fatalf("%q: tools are asked for without end", said)
	})
}

func checkReply(t *testing.T, said, reply string) {
	t.Helper()
	if strings.TrimSpace(reply) == "" {
		t.Fatalf("%q was answered with silence", said)
	}
	if !utf8.ValidString(reply) || strings.ContainsFunc(reply, unicode.IsControl) {
		t.Fatalf("%q was answered with %q", said, reply)
	}
	// The longest story takes about two minutes; twice that is no answer.
	if len(reply) > 4000+2*len(said) {
		t.Fatalf("%q was answered with %d bytes", said, len(reply))
	}
}
