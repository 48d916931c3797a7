package session

import (
	"context"
	"strings"
	"testing"
	"time"

	"edged/dialog"
	"edged/realtime"
	"edged/transformers"
)

// F12, F60: a tool that returns after the abort changes nothing.
func TestLateToolResultIsSilent(t *testing.T) {
	s := &script{heard: []string{"louder", "again"}}
	s.answer = func(_ context.Context, mc transformers.ModelContext, say func(string)) ([]realtime.ToolCall, error) {
		if lastQuestion(mc) == "louder" {
			return []realtime.ToolCall{{ID: "c1", Name: "set_volume", Arguments: `{"level":80}`}}, nil
		}
		say("Fine.")
		return nil, nil
	}
	volume := func(d *testDevice) {
		d.hello.Tools = []dialog.Tool{{Name: "set_volume", Parameters: []byte(`{"type":"object","properties":{"level":{"type":"integer"}},"required":["level"]}`)}}
	}
	perform(t, s, Profile{}, volume, func(st *stage) {
		st.ask()
		time.Sleep(1100 * time.Millisecond)
		calls := tells[dialog.ToolCall](st.testDevice)
		if len(calls) != 1 || calls[0].Name != "set_volume" {
			st.t.Fatalf("tool calls %+v", calls)
		}
		st.events <- dialog.Abort{}
		time.Sleep(100 * time.Millisecond)
		st.events <- dialog.ToolResult{Call: calls[0].Call, Content: "80"}
		time.Sleep(time.Second)
		if got := st.replyOf(1); got != "" {
			st.t.Errorf("the late result spoke: %q", got)
		}
		st.ask()
		time.Sleep(3 * time.Second)
		if got := st.replyOf(2); got != "Fine." {
			st.t.Errorf("reply %q", got)
		}
	})
}

// A device tool is called with the model's arguments and its result goes back
// to the model; a failed one is an error result (F61); one that does not answer
// is given up (F60).
func TestDeviceTools(t *testing.T) {
	tests := []struct {
		name      string
		arguments string
		answer    func(dialog.ToolCall) dialog.ToolResult
		result    string
	}{
		{"answered", `{"level":80}`, func(c dialog.ToolCall) dialog.ToolResult {
			return dialog.ToolResult{Call: c.Call, Content: string(c.Arguments)}
		}, `result {"level":80}`},
		{"failed", `{"level":80}`, func(c dialog.ToolCall) dialog.ToolResult {
			return dialog.ToolResult{Call: c.Call, Error: "amplifier is off"}
		}, "amplifier is off"},
		{"wrong arguments", `{"level":"loud"}`, func(c dialog.ToolCall) dialog.ToolResult {
			return dialog.ToolResult{Call: c.Call, Content: "must not be called"}
		}, "level"},
		{"no answer", `{"level":80}`, nil, "no answer within 2s"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &script{heard: []string{"louder"}}
			s.answer = func(_ context.Context, mc transformers.ModelContext, say func(string)) ([]realtime.ToolCall, error) {
				if told := transcript(mc); !strings.Contains(told, "result") {
					return []realtime.ToolCall{{ID: "c1", Name: "set_volume", Arguments: tt.arguments}}, nil
				}
				say("Done.")
				return nil, nil
			}
			prepare := func(d *testDevice) {
				d.calls = tt.answer
				d.hello.Tools = []dialog.Tool{{Name: "set_volume", Parameters: []byte(`{"type":"object","properties":{"level":{"type":"integer"}},"required":["level"]}`)}}
			}
			perform(t, s, Profile{ToolTimeout: 2 * time.Second}, prepare, func(st *stage) {
				st.ask()
				time.Sleep(8 * time.Second)
				if !strings.Contains(s.last(), tt.result) || strings.Contains(s.last(), "must not") {
					st.t.Errorf("the model was told %q, want %q in it", s.last(), tt.result)
				}
				if got := st.replyOf(1); got != "Done." {
					st.t.Errorf("reply %q", got)
				}
			})
		})
	}
}

// A timer that was set by voice speaks by itself when it is due, but never into
// something else that is being said.
func TestTimerSpeaksByItself(t *testing.T) {
	s := &script{heard: []string{"set a timer", "tell me a story"}}
	s.answer = func(_ context.Context, mc transformers.ModelContext, say func(string)) ([]realtime.ToolCall, error) {
		switch told := transcript(mc); {
		case strings.HasSuffix(told, "user: set a timer"):
			return []realtime.ToolCall{{ID: "c1", Name: "set_timer", Arguments: `{"seconds":20}`}}, nil
		case strings.Contains(told, "user: tell me a story"):
			say(strings.Repeat("Once upon a time. ", 20)) // 360 characters, 18 s
			return nil, nil
		}
		say("Set.")
		return nil, nil
	}
	perform(t, s, Profile{}, nil, func(st *stage) {
		st.ask() // until 1.2 s; set soon after 1.8 s
		time.Sleep(13 * time.Second)
		st.ask()
		time.Sleep(10 * time.Second) // the timer is due at about 22 s, in the middle of the story
		if got := st.replyOf(3); got != "" {
			st.t.Errorf("the timer %q spoke into the story", got)
		}
		time.Sleep(15 * time.Second)
		if got, want := st.replyOf(3), "Your 20 second timer is done."; got != want {
			st.t.Errorf("the timer said %q, want %q", got, want)
		}
	})
}
