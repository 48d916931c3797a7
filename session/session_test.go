package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"edged/dialog"
	"edged/realtime"
	"edged/session/log"
	"edged/transformers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stage is one session under test.
type stage struct {
	*testDevice
	script  *script
	log     *sessionLog
	journal bytes.Buffer
	ended   chan error
	cancel  context.CancelFunc
}

// perform runs a session in virtual time while story acts as the user.
func perform(t *testing.T, s *script, profile Profile, prepare func(*testDevice), story func(st *stage)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		if s.answer == nil {
			s.answer = echo
		}
		st := &stage{testDevice: newTestDevice(t), script: s, log: &sessionLog{}, ended: make(chan error, 1), cancel: cancel}
		if prepare != nil {
			prepare(st.testDevice)
		}
		profile.ASR, profile.Generator, profile.TTS = "asr", "generator", "tts"
		go func() {
			st.ended <- Run(ctx, st.testDevice, Config{
				Engines: s.engines(t), Profile: profile, Log: st.log.recorder(true), Journal: &st.journal,
			})
		}()
		story(st)
		if !st.gone {
			st.disconnect()
		}
		if err := <-st.ended; err != nil {
			t.Errorf("the session ended with %v", err)
		}
		st.replayed()
		time.Sleep(time.Minute) // timers of the device
	})
}

// replayed checks that the journal of every performance can be fed again.
func (st *stage) replayed() {
	entries, err := ReadJournal(bytes.NewReader(st.journal.Bytes()))
	if err != nil {
		st.t.Fatalf("journal: %v", err)
	}
	first, second := Replay(entries), Replay(entries)
	if len(first) != len(entries) || !reflect.DeepEqual(first, second) {
		st.t.Errorf("two replays of one journal differ")
	}
}

func (st *stage) transcripts() (finals []string) {
	for _, e := range tells[dialog.Transcript](st.testDevice) {
		if e.Final {
			finals = append(finals, fmt.Sprintf("%d:%s", e.Turn, e.Text))
		}
	}
	return finals
}

func TestQuestionAndAnswer(t *testing.T) {
	s := &script{heard: []string{"what time is it"}}
	perform(t, s, Profile{}, nil, func(st *stage) {
		st.ask()
		time.Sleep(5 * time.Second)

		if got := st.transcripts(); !reflect.DeepEqual(got, []string{"1:what time is it"}) {
			st.t.Errorf("transcripts %q", got)
		}
		if got, want := st.replyOf(1), "You said what time is it."; got != want {
			st.t.Errorf("reply %q, want %q", got, want)
		}
		started, stopped := tells[dialog.SpeechStarted](st.testDevice), tells[dialog.SpeechStopped](st.testDevice)
		if len(started) != 1 || len(stopped) != 1 {
			st.t.Fatalf("told %d speech started and %d stopped, want one each", len(started), len(stopped))
		}
		// Speech lies at 200-1200 ms; windows of 32 ms blur its edges.
		if at := started[0].At; at < 160*time.Millisecond || at > 240*time.Millisecond {
			st.t.Errorf("onset told at %v, want 200 ms", at)
		}
		if at := stopped[0].At; at < 1160*time.Millisecond || at > 1240*time.Millisecond {
			st.t.Errorf("end of speech told at %v, want 1.2 s", at)
		}
		done := logged[log.ReplyDone](st.t, st.log)
		if len(done) != 1 || time.Duration(done[0].AudioMS) != 25*perCharacter || !done[0].Acknowledged {
			st.t.Errorf("reply.done %+v, want 25 characters of audio, acknowledged", done)
		}
		commits := logged[log.HistoryCommit](st.t, st.log)
		if len(commits) != 1 || commits[0].Cut || commits[0].User != "what time is it" || commits[0].Assistant != "You said what time is it." {
			st.t.Errorf("history.commit %+v", commits)
		}
		if usage := logged[log.Usage](st.t, st.log); len(usage) != 1 || usage[0].GeneratedTokens != 5 {
			st.t.Errorf("usage %+v", usage)
		}
	})
}

// The stages are measured from the end of speech, in causal order (F62).
func TestTiming(t *testing.T) {
	wait := func(d time.Duration) func(context.Context) error {
		return func(context.Context) error { time.Sleep(d); return nil }
	}
	s := &script{
		heard:       []string{"hello"},
		recognizing: wait(100 * time.Millisecond),
		answer: func(ctx context.Context, mc transformers.ModelContext, say func(string)) ([]realtime.ToolCall, error) {
			time.Sleep(200 * time.Millisecond)
			return echo(ctx, mc, say)
		},
		speaking: func(context.Context, string) error { time.Sleep(50 * time.Millisecond); return nil },
	}
	perform(t, s, Profile{}, nil, func(st *stage) {
		st.ask()
		time.Sleep(5 * time.Second)
		all := tells[dialog.Timing](st.testDevice)
		if len(all) != 1 {
			st.t.Fatalf("told %d timings, want 1", len(all))
		}
		got := all[0]
		near := func(name string, got, want time.Duration) {
			if got < want-40*time.Millisecond || got > want+40*time.Millisecond {
				st.t.Errorf("%s after %v, want about %v", name, got, want)
			}
		}
		near("ASR final after the endpoint", got.ASRFinal-got.Endpoint, 100*time.Millisecond)
		near("first token after the final", got.FirstToken-got.ASRFinal, 200*time.Millisecond)
		near("first audio after the token", got.FirstAudio-got.FirstToken, 50*time.Millisecond)
		near("first packet after the audio", got.FirstPacket-got.FirstAudio, 0)
		if got.Endpoint < 300*time.Millisecond || got.Endpoint > 900*time.Millisecond {
			st.t.Errorf("endpoint after %v, which the silence that was spoken does not allow", got.Endpoint)
		}
	})
}

// Speech synthesis begins with the first complete sentence while the generator
// goes on.
func TestSpeaksBeforeTheAnswerIsComplete(t *testing.T) {
	s := &script{
		heard: []string{"tell me"},
		answer: func(ctx context.Context, _ transformers.ModelContext, say func(string)) ([]realtime.ToolCall, error) {
			say("First sentence. ")
			say("And ")
			time.Sleep(10 * time.Second)
			say("a second.")
			return nil, nil
		},
	}
	perform(t, s, Profile{}, nil, func(st *stage) {
		st.ask()
		time.Sleep(2 * time.Second)
		if audio := logged[log.TTSFirstAudio](st.t, st.log); len(audio) != 1 {
			st.t.Errorf("after 2 s of a 10 s generation nothing was spoken")
		}
		time.Sleep(15 * time.Second)
		if got, want := st.replyOf(1), "First sentence. And a second."; got != want {
			st.t.Errorf("reply %q, want %q", got, want)
		}
	})
}

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

func TestPushToTalk(t *testing.T) {
	t.Run("pauses do not end it, the button does", func(t *testing.T) {
		perform(t, &script{heard: []string{"a long question"}}, Profile{}, nil, func(st *stage) {
			st.open(dialog.ModeManual)
			st.speak(500*time.Millisecond, loud)
			st.speak(2*time.Second, 0)
			st.speak(500*time.Millisecond, loud)
			if got := st.transcripts(); got != nil {
				st.t.Errorf("a pause ended the utterance: %q", got)
			}
			st.shut()
			time.Sleep(4 * time.Second)
			if got := st.replyOf(1); got != "You said a long question." {
				st.t.Errorf("reply %q", got)
			}
		})
	})
	t.Run("without a word", func(t *testing.T) {
		perform(t, &script{}, Profile{}, nil, func(st *stage) {
			st.open(dialog.ModeManual)
			st.speak(500*time.Millisecond, 0)
			st.shut()
			time.Sleep(4 * time.Second)
			if got := st.replyOf(1); got != DefaultPhrases()[PhraseNothingHeard] {
				st.t.Errorf("reply %q", got)
			}
		})
	})
	t.Run("pressed during the reply, it stops the reply", func(t *testing.T) {
		perform(t, &script{heard: []string{strings.Repeat("long ", 30), "two"}}, Profile{}, nil, func(st *stage) {
			st.ask()
			time.Sleep(time.Second)
			st.open(dialog.ModeManual)
			st.speak(500*time.Millisecond, loud)
			st.shut()
			time.Sleep(4 * time.Second)
			cuts := logged[log.Interrupt](st.t, st.log)
			if len(cuts) != 1 || cuts[0].Cause != dialog.CauseListen {
				st.t.Errorf("interrupt %+v, want one by listen", cuts)
			}
			if got := st.replyOf(2); got != "You said two." {
				st.t.Errorf("reply %q", got)
			}
		})
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

// What people say is in the log only where that is enabled.
func TestTranscriptsStayOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{heard: []string{"my secret question"}, answer: echo}
		d, lines := newTestDevice(t), &sessionLog{}
		ended := make(chan error, 1)
		go func() {
			ended <- Run(context.Background(), d, Config{Engines: s.engines(t), Profile: Profile{ASR: "a", Generator: "g", TTS: "t"}, Log: lines.recorder(false)})
		}()
		d.ask()
		time.Sleep(5 * time.Second)
		d.disconnect()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if log := lines.lines.String(); strings.Contains(log, "secret") || !strings.Contains(log, `"text_chars":18`) {
			t.Errorf("the log holds what was said, or not its length:\n%s", log)
		}
	})
}
