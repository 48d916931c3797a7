package session

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"edged/dialog"
	"edged/realtime"
	"edged/session/log"
	"edged/transformers"
)

// When a stage fails or hangs the device is told which one, and hears a phrase.
func TestFailures(t *testing.T) {
	broken := errors.New("broken")
	hang := func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }
	tests := []struct {
		name   string
		script *script
		code   dialog.ErrorCode
		phrase string
	}{
		{"recogniser fails", &script{recognizing: func(context.Context) error { return broken }}, dialog.ErrorASR, "went wrong"},
		{"recogniser hangs", &script{recognizing: hang}, dialog.ErrorASR, "went wrong"},
		{"generator fails", &script{answer: func(context.Context, transformers.ModelContext, func(string)) ([]realtime.ToolCall, error) {
			return nil, broken
		}}, dialog.ErrorGenerate, "went wrong"},
		{"generator hangs", &script{answer: func(ctx context.Context, _ transformers.ModelContext, _ func(string)) ([]realtime.ToolCall, error) {
			return nil, hang(ctx)
		}}, dialog.ErrorGenerate, "went wrong"},
		{"generator says nothing", &script{answer: func(context.Context, transformers.ModelContext, func(string)) ([]realtime.ToolCall, error) {
			return nil, nil
		}}, dialog.ErrorGenerate, "went wrong"},
		{"generator asks for tools without end", &script{answer: func(context.Context, transformers.ModelContext, func(string)) ([]realtime.ToolCall, error) {
			return []realtime.ToolCall{{ID: "x", Name: "list_timers"}}, nil
		}}, dialog.ErrorGenerate, "went wrong"},
		{"generator panics", &script{answer: func(context.Context, transformers.ModelContext, func(string)) ([]realtime.ToolCall, error) {
			panic("at the disco")
		}}, dialog.ErrorGenerate, "went wrong"},
		{"voice fails", &script{speaking: func(context.Context, string) error { return broken }}, dialog.ErrorTTS, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := tt.script
			s.heard = []string{"one", "two"}
			perform(t, s, Profile{ReplyDeadline: 3 * time.Second}, nil, func(st *stage) {
				st.ask()
				time.Sleep(10 * time.Second)
				failures := tells[dialog.Failure](st.testDevice)
				if len(failures) != 1 || failures[0].Code != tt.code {
					st.t.Errorf("told %+v, want one %s", failures, tt.code)
				}
				if got := st.replyOf(2); !strings.Contains(got, tt.phrase) {
					st.t.Errorf("said %q afterwards, want %q in it", got, tt.phrase)
				}
				if errs := logged[log.Error](st.t, st.log); len(errs) != 1 || errs[0].Stage != stageOf(tt.code) {
					st.t.Errorf("logged %+v, want one error of stage %s", errs, stageOf(tt.code))
				}
			})
		})
	}
}

// An utterance in which nothing was understood is not answered with silence.
func TestNothingUnderstood(t *testing.T) {
	perform(t, &script{heard: []string{""}}, Profile{Phrases: map[Phrase]string{PhraseNotUnderstood: "Pardon?"}}, nil, func(st *stage) {
		st.ask()
		time.Sleep(4 * time.Second)
		if got := st.replyOf(1); got != "Pardon?" {
			st.t.Errorf("reply %q, want the profile's phrase", got)
		}
	})
}
