package session

import (
	"context"
	"strings"
	"testing"
	"time"

	"edged/dialog"
	"edged/realtime"
	"edged/session/log"
	"edged/transformers"
)

// duplex is a device whose microphone is open while it speaks.
func duplex(d *testDevice) { d.hello.Capabilities.FullDuplex, d.hello.Capabilities.AEC = true, true }

// holding is one that can pause, too.
func holding(d *testDevice) {
	duplex(d)
	d.hello.Capabilities.Hold = true
}

// story answers "story" with ten seconds of words, and anything else with itself.
func story(ctx context.Context, mc transformers.ModelContext, say func(string)) ([]realtime.ToolCall, error) {
	if lastQuestion(mc) == "story" {
		say(strings.Repeat("alpha bravo charlie delta. ", 8)) // 27 characters: 1.35 s
		return nil, nil
	}
	return echo(ctx, mc, say)
}

// talk opens the microphone for good and asks for the story, which plays when
// talk returns.
func (st *stage) talk() {
	st.open(dialog.ModeRealtime)
	st.speak(200*time.Millisecond, 0)
	st.speak(time.Second, loud)
	st.speak(700*time.Millisecond, 0)
	st.quiet(2 * time.Second)
}

// quiet is silence on the open microphone.
func (st *stage) quiet(d time.Duration) { st.speak(d, 0) }

// The user talks over the reply: it stops, its heard part is remembered with the
// cut marked, and what was said is answered.
func TestBargeIn(t *testing.T) {
	for _, tt := range []struct {
		name   string
		device func(*testDevice)
		within time.Duration // onset of the speech to the flush
	}{
		{"device without hold: by the length of the speech", duplex, 300 * time.Millisecond},
		{"device with hold: by length, silent meanwhile", holding, 700 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &script{heard: []string{"story", "what time is it"}, answer: story}
			perform(t, s, Profile{}, tt.device, func(st *stage) {
				st.talk()
				st.speak(time.Second, loud)
				at := st.position(1)
				st.quiet(5 * time.Second)

				cuts := logged[log.Interrupt](st.t, st.log)
				if len(cuts) != 1 || cuts[0].Cause != dialog.CauseSpeech {
					st.t.Fatalf("interrupt %+v, want one by speech", cuts)
				}
				if got := time.Duration(cuts[0].ReactionMS); got <= 0 || got > tt.within {
					st.t.Errorf("reaction after %v, want within %v", got, tt.within)
				}
				if got := time.Duration(cuts[0].PlayedMS); got != at {
					st.t.Errorf("settled at %v, the device played %v", got, at)
				}
				words := int(at / perCharacter)
				all := strings.Repeat("alpha bravo charlie delta. ", 8)
				if heard := string(cuts[0].Heard); !strings.HasPrefix(all, heard) || len(heard) > words+1 || len(heard) < words-9 {
					st.t.Errorf("heard %q, the device played %d characters", heard, words)
				}
				if got := st.replyOf(2); got != "You said what time is it." {
					st.t.Errorf("reply %q", got)
				}
				if want := strings.TrimSpace(string(cuts[0].Heard)) + " " + cutMark + " | user: what time is it"; !strings.HasSuffix(s.last(), want) {
					st.t.Errorf("the model was told %q, want the heard part and the mark", s.last())
				}
			})
		})
	}
}

// F16, F17: what is no interruption costs nothing but a pause.
func TestNoBargeIn(t *testing.T) {
	tests := []struct {
		name    string
		device  func(*testDevice)
		policy  BargeIn
		speech  time.Duration
		heard   string
		held    bool
		reasons string
	}{
		{"mhmm, with hold", holding, BargeIn{}, 360 * time.Millisecond, "mhmm", true, "final"},
		{"a cough, with hold", holding, BargeIn{}, 160 * time.Millisecond, "", true, "final"},
		{"mhmm, by words", duplex, BargeIn{MinWords: 1}, 500 * time.Millisecond, "Mm-hmm, I see.", false, "final"},
		{"one word of two", duplex, BargeIn{MinWords: 2}, 500 * time.Millisecond, "stop", false, "final"},
		{"switched off", holding, BargeIn{Off: true}, time.Second, "what time is it", false, ""},
		{"a device that cannot hold is left alone", duplex, BargeIn{IgnoreWithoutHold: true}, time.Second, "what", false, ""},
		{"in the protected opening", duplex, BargeIn{Protect: 8 * time.Second}, time.Second, "what time is it", false, "final"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &script{heard: []string{"story", tt.heard, "and now"}, answer: story, partials: []string{"", "", ""}}
			perform(t, s, Profile{BargeIn: tt.policy}, tt.device, func(st *stage) {
				st.talk()
				st.speak(tt.speech, loud)
				st.quiet(14 * time.Second)
				if cuts := logged[log.Interrupt](st.t, st.log); len(cuts) != 0 {
					st.t.Fatalf("interrupted: %+v", cuts)
				}
				if got, want := st.replyOf(1), strings.Repeat("alpha bravo charlie delta. ", 8); got != want {
					st.t.Errorf("reply %q, want all of it", got)
				}
				done := logged[log.ReplyDone](st.t, st.log)
				if len(done) != 1 || time.Duration(done[0].AudioMS) != st.position(1) {
					st.t.Errorf("reply.done %+v, the device played %v", done, st.position(1))
				}
				holds := logged[log.Hold](st.t, st.log)
				if (len(holds) == 1) != tt.held {
					st.t.Errorf("held %d times, want held: %v", len(holds), tt.held)
				}
				rejected := logged[log.BargeInReject](st.t, st.log)
				if tt.reasons != "" && (len(rejected) != 1 || rejected[0].Reason != tt.reasons) {
					st.t.Errorf("rejected %+v, want once by %s", rejected, tt.reasons)
				}
				// And the next question is one.
				st.speak(time.Second, loud)
				st.quiet(3 * time.Second)
				if finals := st.transcripts(); !strings.HasPrefix(finals[len(finals)-1], "2:") {
					st.t.Errorf("transcripts %q, want the next question as turn 2", finals)
				}
			})
		})
	}
}

// F26: many turns from one listen start.
func TestManyTurnsInOnePeriod(t *testing.T) {
	s := &script{heard: []string{"one", "two", "three", "four"}}
	perform(t, s, Profile{}, duplex, func(st *stage) {
		st.open(dialog.ModeRealtime)
		for range 4 {
			st.quiet(200 * time.Millisecond)
			st.speak(700*time.Millisecond, loud)
			st.quiet(4 * time.Second)
		}
		if got, want := strings.Join(st.transcripts(), " "), "1:one 2:two 3:three 4:four"; got != want {
			st.t.Errorf("transcripts %q, want %q", got, want)
		}
		if got := st.replyOf(4); got != "You said four." {
			st.t.Errorf("reply %q", got)
		}
	})
}

// F25: the wake word stops the reply; it is no part of the question.
func TestWakeWord(t *testing.T) {
	s := &script{heard: []string{"story", "Hello lamp, what time is it"}, answer: story}
	perform(t, s, Profile{}, nil, func(st *stage) {
		st.ask()
		time.Sleep(3 * time.Second)
		st.events <- dialog.Wake{Phrase: "hello lamp"}
		st.ask()
		time.Sleep(6 * time.Second)
		cuts := logged[log.Interrupt](st.t, st.log)
		if len(cuts) != 1 || cuts[0].Cause != dialog.CauseWake {
			st.t.Errorf("interrupt %+v, want one by the wake word", cuts)
		}
		if got := st.replyOf(2); got != "You said what time is it." {
			st.t.Errorf("reply %q: the wake word is no part of the question", got)
		}
		if st.state() != 2 {
			st.t.Errorf("%d turns, want 2", st.state())
		}
	})
}

// The wake word alone is answered with attention.
func TestWakeWordAlone(t *testing.T) {
	perform(t, &script{heard: []string{"hello lamp"}}, Profile{}, nil, func(st *stage) {
		st.events <- dialog.Wake{Phrase: "Hello, lamp!"}
		st.ask()
		time.Sleep(4 * time.Second)
		if got := st.replyOf(1); got != DefaultPhrases("en")[PhraseAttending] {
			st.t.Errorf("reply %q", got)
		}
	})
}

func TestPolicyWords(t *testing.T) {
	for _, tt := range []struct {
		language, text string
		want           int
	}{
		{"en", "", 0}, {"en", "Mm-hmm.", 0}, {"en", "yeah, I see", 0}, {"en", "I see a dog", 2}, {"en", "okay stop", 1}, {"en", "no", 1},
		{"de", "ach so, ja", 0}, {"de", "nein warte", 2}, {"es", "sí, claro", 0}, {"es", "para ya", 1}, {"fr", "d'accord, très bien", 0},
		{"fr", "attends une minute", 3}, {"zh", "嗯嗯，对", 0}, {"zh", "停一下", 2}, {"zh", "好的，停", 1}, {"ja", "うん、なるほど", 0}, {"ja", "ちょっと待って", 4},
	} {
		p := BargeIn{Backchannels: Backchannels(tt.language)}
		if got := p.Words(tt.text); got != tt.want {
			t.Errorf("%s %q has %d words, want %d", tt.language, tt.text, got, tt.want)
		}
	}
}

func TestAfterWakeWord(t *testing.T) {
	for _, tt := range []struct {
		text, phrase, rest string
		cut                bool
	}{
		{"hello lamp what time is it", "Hello Lamp", "what time is it", true},
		{"Hello, lamp! What time is it?", "hello lamp", "What time is it?", true},
		{"hello lamp", "hello lamp", "", true},
		{"hello lampshade", "hello lamp", "hello lampshade", false},
		{"what time is it", "hello lamp", "what time is it", false},
		{"what time is it", "", "what time is it", false},
	} {
		if rest, cut := afterWakeWord(tt.text, tt.phrase); rest != tt.rest || cut != tt.cut {
			t.Errorf("%q after %q: %q, %v; want %q, %v", tt.text, tt.phrase, rest, cut, tt.rest, tt.cut)
		}
	}
}
