package session

import (
	"bytes"
	"context"
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
		cfg := Config{Engines: s.engines(t), Profile: profile, Log: st.log.recorder(true), Journal: &st.journal}
		cfg.Phrases = phrasebook(t, profile)
		go func() { st.ended <- Run(ctx, st.testDevice, cfg) }()
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

// phrasebook speaks the profile's phrases with a voice in good health.
func phrasebook(t *testing.T, profile Profile) *Phrasebook {
	t.Helper()
	book, err := Prepare(context.Background(), (&script{}).engines(t), profile)
	if err != nil {
		t.Fatal(err)
	}
	return book
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
			if got := st.replyOf(1); got != DefaultPhrases("en")[PhraseNothingHeard] {
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
