package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"edged/dialog"
	"edged/realtime"
	"edged/session/log"
	"edged/transformers"
)

// F14: an abort in the middle of the reply leaves in the history what was
// heard, with the cut marked, and the next question is answered.
func TestAbortKeepsWhatWasHeard(t *testing.T) {
	s := &script{heard: []string{"one", "two"}}
	s.answer = func(_ context.Context, mc transformers.ModelContext, say func(string)) ([]realtime.ToolCall, error) {
		say("Alpha bravo charlie delta echo foxtrot golf hotel india juliet. ")
		return nil, nil
	}
	perform(t, s, Profile{}, nil, func(st *stage) {
		st.ask()
		for len(logged[log.ReplyFirstPacket](st.t, st.log)) == 0 {
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(time.Second) // 20 characters of the reply, as many as "Alpha bravo charlie " has
		st.events <- dialog.Abort{Turn: 1, Reason: "button"}
		time.Sleep(100 * time.Millisecond)

		cuts := logged[log.Interrupt](st.t, st.log)
		if len(cuts) != 1 || cuts[0].Cause != dialog.CauseAbort {
			st.t.Fatalf("interrupt %+v, want one by abort", cuts)
		}
		if heard := string(cuts[0].Heard); heard != "Alpha bravo charlie " {
			st.t.Errorf("heard %q, want the words of one second", heard)
		}
		st.ask()
		time.Sleep(5 * time.Second)
		if want := "user: one | model: Alpha bravo charlie " + cutMark + " | user: two"; s.last() != want {
			st.t.Errorf("the model was told %q, want %q", s.last(), want)
		}
		if len(st.flushes) != 1 || st.flushes[0] != 1 {
			st.t.Errorf("flushes %v, want one of turn 1", st.flushes)
		}
	})
}

// F11, F18: an abort while the server still thinks is answered by a flush, and
// nothing of that turn is ever spoken.
func TestAbortBeforeTheFirstSound(t *testing.T) {
	s := &script{heard: []string{"slow", "quick"}}
	s.answer = func(ctx context.Context, mc transformers.ModelContext, say func(string)) ([]realtime.ToolCall, error) {
		if lastQuestion(mc) == "slow" {
			select {
			case <-time.After(5 * time.Second):
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		return echo(ctx, mc, say)
	}
	perform(t, s, Profile{}, nil, func(st *stage) {
		st.ask()
		time.Sleep(1100 * time.Millisecond)
		st.events <- dialog.Abort{}
		time.Sleep(10 * time.Second)
		if got := st.replyOf(1); got != "" {
			st.t.Errorf("turn 1 was spoken after its abort: %q", got)
		}
		if len(st.flushes) != 1 {
			st.t.Errorf("%d flushes, want 1", len(st.flushes))
		}
		st.ask()
		time.Sleep(5 * time.Second)
		if got := st.replyOf(2); got != "You said quick." {
			st.t.Errorf("reply %q to the question after the abort", got)
		}
	})
}

// F13: ten ask/abort cycles leave the history paired and the last question
// answered.
func TestTenAborts(t *testing.T) {
	s := &script{}
	for i := range 11 {
		s.heard = append(s.heard, fmt.Sprintf("question %d", i+1))
	}
	perform(t, s, Profile{}, nil, func(st *stage) {
		for i := range 10 {
			st.ask()
			// From the moment the end of speech is noticed, on into the reply.
			time.Sleep(650*time.Millisecond + time.Duration(i*37)*time.Millisecond)
			st.events <- dialog.Abort{}
			time.Sleep(200 * time.Millisecond)
		}
		st.ask()
		time.Sleep(5 * time.Second)
		if got := st.replyOf(11); got != "You said question 11." {
			st.t.Errorf("reply %q", got)
		}
		told := strings.Split(s.last(), " | ")
		for i := 0; i+1 < len(told); i += 2 {
			if !strings.HasPrefix(told[i], "user: ") || !strings.HasPrefix(told[i+1], "model: ") {
				st.t.Errorf("the history is not paired: %q", told)
				break
			}
		}
	})
}

// A device without acknowledgements is believed to play at the pace of sending.
func TestWithoutAcknowledgements(t *testing.T) {
	silent := func(d *testDevice) { d.hello.Capabilities.Ack = false }
	s := &script{heard: []string{"one", "two"}}
	perform(t, s, Profile{}, silent, func(st *stage) {
		st.ask()
		time.Sleep(4 * time.Second)
		done := logged[log.ReplyDone](st.t, st.log)
		if len(done) != 1 || done[0].Acknowledged {
			st.t.Errorf("reply.done %+v, want one, estimated", done)
		}
		st.ask()
		for len(logged[log.ReplyFirstPacket](st.t, st.log)) < 2 {
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(450 * time.Millisecond) // "You said two.": "You said " is 9 characters
		st.events <- dialog.Abort{}
		time.Sleep(100 * time.Millisecond)
		cuts := logged[log.Interrupt](st.t, st.log)
		if len(cuts) != 1 || cuts[0].Acknowledged || cuts[0].Heard != "You said " {
			st.t.Errorf("interrupt %+v, want an estimate of %q", cuts, "You said ")
		}
	})
}

// Leaving in any phase ends the session and joins all that worked for it.
func TestEnds(t *testing.T) {
	for _, after := range []time.Duration{100, 900, 1900, 2300, 3000, 6000} {
		t.Run(fmt.Sprint("disconnect after ", after*time.Millisecond), func(t *testing.T) {
			perform(t, &script{heard: []string{"a question that is long enough to be still spoken"}}, Profile{}, nil, func(st *stage) {
				go st.ask()
				time.Sleep(after * time.Millisecond)
				st.disconnect()
				synctest.Wait()
				ends := logged[log.SessionEnd](st.t, st.log)
				if len(ends) != 1 || ends[0].Reason != dialog.CauseDisconnect {
					st.t.Errorf("session.end %+v", ends)
				}
				time.Sleep(5 * time.Second)
			})
		})
		t.Run(fmt.Sprint("shutdown after ", after*time.Millisecond), func(t *testing.T) {
			perform(t, &script{heard: []string{"a question"}}, Profile{}, nil, func(st *stage) {
				go st.ask()
				time.Sleep(after * time.Millisecond)
				st.cancel()
				synctest.Wait()
				ends := logged[log.SessionEnd](st.t, st.log)
				if len(ends) != 1 || ends[0].Reason != dialog.CauseShutdown {
					st.t.Errorf("session.end %+v", ends)
				}
				time.Sleep(5 * time.Second)
			})
		})
	}
}

// A context tells a lost connection from a server that stops.
func TestEndOf(t *testing.T) {
	for _, tt := range []struct {
		cause error
		want  dialog.Cause
	}{
		{nil, dialog.CauseShutdown},
		{fmt.Errorf("gone: %w", dialog.ErrShutdown), dialog.CauseShutdown},
		{errors.New("connection reset by peer"), dialog.CauseDisconnect},
	} {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(tt.cause)
		if got := endOf(ctx); got != tt.want {
			t.Errorf("cancelled with %v: %s, want %s", tt.cause, got, tt.want)
		}
	}
}
