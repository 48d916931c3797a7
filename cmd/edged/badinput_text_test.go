package main

import (
	"context"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"edged/firmware-protocol/wire"
	"edged/internal/edgetest"
)

// "Bad input" from the recogniser: whatever it understands, the device gets a
// transcript that the protocol can carry, the model the question, and the next
// question is answered.
func TestOddTranscripts(t *testing.T) {
	question := recording(t, "what time is it")
	tests := []struct {
		name, heard string
		transcript  string // as the device gets it
		says        string // what it hears in answer
	}{
		{"nothing", "", "", ""},
		{"spaces", " \t\n ", "", ""},
		{"a megabyte", strings.Repeat("word ", 200_000), strings.Repeat("word ", 820)[:wire.MaxText], "Yes."},
		{"control characters", "what\x00 time\x1b[2J is\x07 it", "what\x00 time\x1b[2J is\x07 it", "Yes."},
		{"bytes that are not UTF-8", "what \xff\xfe time", "what \uFFFD time", "Yes."},
		{"only pictures", "😀😀😀", "😀😀😀", "Yes."},
		{"marks that turn the writing around", "what \u202e time", "what \u202e time", "Yes."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			engines, err := scripted(tt.heard, "Yes.", counted)
			if err != nil {
				t.Fatal(err)
			}
			converseWith(t, engines, func(t *testing.T, h *house) {
				d := h.dial(nil)
				for turn := range 2 {
					a, err := d.Ask(context.Background(), edgetest.Question{PCM: question})
					if err != nil {
						t.Fatalf("question %d: %v, %v", turn+1, a, err)
					}
					if strings.TrimSpace(a.Transcript) != strings.TrimSpace(tt.transcript) {
						t.Errorf("question %d: the device is told %.80q, want %.80q", turn+1, a.Transcript, tt.transcript)
					}
					if tt.says == "" {
						// It is told that nothing was understood, in words of the profile.
						if a.Failure != nil || a.Received == 0 || a.Reply == "Yes." {
							t.Errorf("question %d: %v, want a phrase that says so", turn+1, a)
						}
					} else if a.Reply != tt.says || a.Received == 0 {
						t.Errorf("question %d: %v", turn+1, a)
					}
				}
				h.hangUp(d)
				h.scrape().want(t, map[string]float64{"edged_turns_ended_total outcome=done": 2})
			})
		})
	}
}

// "Bad input" from the model: whatever it says, the device gets text that the protocol
// can carry and a voice for what can be spoken, can stop it, and the next question is
// answered.
func TestOddReplies(t *testing.T) {
	question := recording(t, "what time is it")
	tests := []struct {
		name, answer string
		stop         bool           // by the button, after two seconds
		fails        wire.ErrorCode // of the turn
		text         string         // as the device gets it; empty: the answer
		untold       bool           // it gets none
		silent       bool
	}{
		{name: "10 MB", answer: strings.Repeat("Alpha bravo charlie. ", 500_000), stop: true},
		{name: "a word of 256 KB", answer: strings.Repeat("a", 1<<18), stop: true},
		{name: "a line of 256 KB without a stop", answer: strings.Repeat("alpha, bravo ", 20_000), stop: true},
		{name: "nothing", answer: "", fails: wire.CodeGenerate},
		{name: "spaces", answer: " \n\t ", fails: wire.CodeGenerate},
		{name: "control characters", answer: "It is\x00 half\x1b[2J past\x07 nine."},
		{name: "bytes that are not UTF-8", answer: "It is \xff\xfe half past nine.", text: "It is \uFFFD half past nine."},
		{name: "only pictures", answer: "😀🎉😀", silent: true},
		{name: "pictures and words", answer: "😀 It is half past nine. 🎉"},
		{name: "only a thought", answer: "<think>What do I say?</think>", untold: true, silent: true},
		{name: "a thought without an end", answer: "<think>What do I say? It is nine."},
		{name: "only code", answer: "```\nrm -rf /\n```\n", silent: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			engines, err := scripted("what time is it", "", counted)
			if err != nil {
				t.Fatal(err)
			}
			told := &witness{}
			engines.Generator = told
			converseWith(t, engines, func(t *testing.T, h *house) {
				d := h.dial(func(cfg *edgetest.Config) { cfg.Forget = true })
				told.say(tt.answer)
				q := edgetest.Question{PCM: question}
				if tt.stop {
					q.AbortAfter = 2 * time.Second
				}
				a, err := d.Ask(context.Background(), q)
				if err != nil {
					t.Fatalf("%v, %v", a, err)
				}
				switch {
				case tt.fails != "":
					if a.Failure == nil || a.Failure.Code != tt.fails {
						t.Errorf("%v, want the turn to fail with %s", a, tt.fails)
					}
				case tt.stop:
					if !a.Interrupted || a.Played < 2*time.Second || a.Played > 3*time.Second {
						t.Errorf("played %v, interrupted %v; want it to stop after 2 s", a.Played, a.Interrupted)
					}
				default:
					want := tt.text
					if want == "" && !tt.untold {
						want = tt.answer
					}
					if a.Reply != want || !utf8.ValidString(a.Reply) {
						t.Errorf("the device is told %q, want %q", a.Reply, want)
					}
					if (a.Received == 0) != tt.silent {
						t.Errorf("%v of sound, want silence: %v", a.Received, tt.silent)
					}
				}
				told.say("Yes.")
				if next := h.ask(d, question); next.Reply != "Yes." {
					t.Errorf("the next question is answered %q", next.Reply)
				}
				h.hangUp(d)
				if tt.fails != "" {
					h.scrape().want(t, map[string]float64{"edged_errors_total code=generate_failed stage=generate": 1})
				}
			})
		})
	}
}
