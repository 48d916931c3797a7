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

// F27: when a stage fails, hangs or gives nothing, the device is told which one
// and hears a phrase by the deadline, and then the user is listened to again.
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
		{"generator hangs in the middle", &script{answer: func(ctx context.Context, _ transformers.ModelContext, say func(string)) ([]realtime.ToolCall, error) {
			say("The first sentence. ")
			return nil, hang(ctx)
		}}, dialog.ErrorGenerate, "went wrong"},
		{"generator fails in the middle", &script{answer: func(ctx context.Context, _ transformers.ModelContext, say func(string)) ([]realtime.ToolCall, error) {
			say("The first sentence. ")
			time.Sleep(200 * time.Millisecond)
			return nil, broken
		}}, dialog.ErrorGenerate, "went wrong"},
		{"voice hangs", &script{speaking: func(ctx context.Context, _ string) error { return hang(ctx) }}, dialog.ErrorTTS, "went wrong"},
		{"voice fails", &script{speaking: func(context.Context, string) error { return broken }}, dialog.ErrorTTS, "went wrong"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := tt.script
			s.heard = []string{"one", "two"}
			perform(t, s, Profile{Deadlines: Deadlines{ASR: 3 * time.Second, Generate: 3 * time.Second, TTS: 3 * time.Second}}, nil, func(st *stage) {
				st.ask()
				time.Sleep(10 * time.Second)
				failures := tells[dialog.Failure](st.testDevice)
				if len(failures) != 1 || failures[0].Code != tt.code {
					st.t.Errorf("told %+v, want one %s", failures, tt.code)
				}
				if got := st.replyOf(2); !strings.Contains(got, tt.phrase) {
					st.t.Errorf("said %q afterwards, want %q in it", got, tt.phrase)
				}
				if errs := logged[log.Error](st.t, st.log); len(errs) != 1 || errs[0].Stage != stageOf(tt.code) || errs[0].MS <= 0 || errs[0].MS > log.MS(5*time.Second) {
					st.t.Errorf("logged %+v, want one error of stage %s and its time", errs, stageOf(tt.code))
				}
				tt.script.recover()
				st.ask()
				time.Sleep(5 * time.Second)
				if got := st.replyOf(3); !strings.HasPrefix(got, "You said ") {
					st.t.Errorf("reply %q to the question after the failure", got)
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
