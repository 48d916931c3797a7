package session

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"edged/dialog"
)

// Every event has exactly one cell in every phase: what is ignored is ignored
// on purpose.
func TestTableIsComplete(t *testing.T) {
	count := make(map[cellKey]int)
	events := make(map[reflect.Type]bool)
	for _, c := range table() {
		events[reflect.TypeOf(c.event)] = true
		if c.why == "" {
			t.Errorf("the cell of %s in %v does not say why", kind(c.event), c.from)
		}
		for _, p := range c.from {
			count[cellKey{p, reflect.TypeOf(c.event)}]++
		}
	}
	for e := range events {
		for _, p := range phases {
			if n := count[cellKey{p, e}]; n != 1 {
				t.Errorf("%s in phase %q has %d cells, want 1", e.Name(), p, n)
			}
		}
	}
	for _, e := range eventVariants(State{}) {
		delete(events, reflect.TypeOf(e))
	}
	for e := range events {
		t.Errorf("the walk below feeds no %s", e.Name())
	}
}

// statesIn returns dialogues in the phase, with the differences that steps look
// at.
func statesIn(p Phase) []State {
	var out []State
	for _, mode := range []dialog.Mode{dialog.ModeAuto, dialog.ModeManual, dialog.ModeRealtime} {
		for _, canHold := range []bool{false, true} {
			base := State{Phase: p, Mode: mode, Turn: 7, CanHold: canHold, Policy: BargeIn{Backchannels: []string{"mhm"}}.withDefaults()}
			if mode == dialog.ModeRealtime {
				base.Route = "mic/3"
			}
			out = append(out, variants(base)...)
		}
	}
	return out
}

func variants(base State) []State {
	var out []State
	with := func(change func(*State)) {
		s := base
		change(&s)
		out = append(out, s)
	}
	switch base.Phase {
	case PhaseListening:
		base.Route = "mic/3"
	case PhaseUserSpeaking:
		base.Route, base.Utterance = "mic/3", "utterance/9"
	case PhaseThinking:
		with(func(s *State) { s.Utterance = "utterance/9" })
		with(func(s *State) { s.Own = true })
		with(func(s *State) { s.Stage = StageGenerate })
		with(func(s *State) { s.Detached, s.Route = true, "" })
	case PhaseSpeaking, PhaseHeld:
		with(func(s *State) { s.Delivered, s.Total = true, 3*time.Second })
		with(func(s *State) { s.Delivered, s.Total, s.Failed = true, 3*time.Second, true })
		with(func(s *State) {
			s.Delivered, s.Total, s.Waiting = true, 3*time.Second, []Saying{{PhraseNotice, "Tea."}}
		})
		with(func(s *State) { s.Detached, s.Route, s.Phase = true, "", PhaseSpeaking })
		with(func(s *State) {
			s.Detached, s.Route, s.Phase, s.Delivered, s.Total = true, "", PhaseSpeaking, true, 3*time.Second
		})
		with(func(s *State) {
			s.Detached, s.Route, s.Phase, s.Delivered, s.Total = true, "", PhaseSpeaking, true, 3*time.Second
			s.Waiting = []Saying{{PhraseNotice, "Tea."}}
		})
	}
	if turn := base.Phase == PhaseThinking || base.Phase == PhaseSpeaking || base.Phase == PhaseHeld; turn && base.Route != "" {
		suspect := suspicion{Utterance: "utterance/10", At: time.Second}
		with(func(s *State) { s.Suspect = suspect })
		with(func(s *State) { s.Suspect, s.Policy.Protect = suspect, 500*time.Millisecond })
		with(func(s *State) {
			s.Suspect, s.Policy.Protect, s.Suspect.Spoken = suspect, 500*time.Millisecond, time.Second
		})
		with(func(s *State) { s.Suspect, s.Policy.MinWords = suspect, 2 })
		with(func(s *State) { s.Suspect, s.Delivered, s.Total = suspect, true, 3*time.Second })
		suspect.Ended, suspect.Spoken = true, 300*time.Millisecond
		with(func(s *State) { s.Suspect = suspect })
		if base.Phase == PhaseThinking {
			suspect.Ended, suspect.Spoken = false, time.Second
			with(func(s *State) { s.Suspect, s.Utterance = suspect, "utterance/9" })
		}
	}
	with(func(*State) {})
	with(func(s *State) { s.Waiting = []Saying{{PhraseNotice, "Tea."}} })
	with(func(s *State) { s.Flushing, s.Cause = 6, dialog.CauseListen })
	with(func(s *State) {
		s.Flushing, s.Cause, s.Waiting = 6, dialog.CauseListen, []Saying{{PhraseNotice, "Tea."}}
	})
	if base.Phase == PhaseThinking {
		with(func(s *State) { s.Flushing, s.Cause, s.Question = 6, dialog.CauseSpeech, "what time is it" })
	}
	if base.Phase == PhaseIdle {
		with(func(s *State) { s.Detached, s.Route, s.Waiting = true, "", []Saying{{PhraseNotice, "Tea."}} })
	}
	return out
}

// eventVariants returns at least one event of every kind that concerns s.
func eventVariants(s State) []Event {
	at := func(d time.Duration) dialog.Position { return dialog.Position{Turn: s.Turn, Offset: d} }
	all := []Event{
		Begun{Policy: s.Policy, CanHold: s.CanHold},
		ListenStarted{"mic/4", dialog.ModeAuto}, ListenStarted{"mic/4", dialog.ModeManual}, ListenStarted{"mic/4", dialog.ModeRealtime},
		ListenStopped{s.Route}, ListenStopped{"mic/elsewhere"},
		SpeechStarted{"utterance/11", time.Second},
	}
	for _, id := range []string{s.Utterance, s.Suspect.Utterance} {
		all = append(all,
			SpeechLasted{id, 200 * time.Millisecond}, SpeechLasted{id, 600 * time.Millisecond},
			SpeechStopped{id, time.Second, 600 * time.Millisecond},
			Partial{id, "mhm"}, Partial{id, "what about"}, Final{id, "what time is it"}, Final{id, ""}, Final{id, "mhm"},
			RecognizeFailed{id, "no decoder"})
	}
	return append(all,
		FirstToken{s.Turn}, Generated{s.Turn, "It is noon."}, FirstSentence{s.Turn}, FirstAudio{s.Turn},
		ReplyFailed{s.Turn, dialog.ErrorGenerate, "gone"}, ReplyFailed{s.Turn, dialog.ErrorTTS, "gone"},
		Sent{at(time.Second)}, Played{at(time.Second)}, Played{at(3 * time.Second)},
		Delivered{at(3 * time.Second), time.Second}, Delivered{at(0), 0},
		Aborted{0, "button"}, Aborted{s.Turn, "button"}, Aborted{s.Turn - 1, "late"},
		Woken{"hello lamp"}, Detached{}, Attached{at(time.Second), true}, Attached{at(3 * time.Second), false}, Attached{dialog.Position{}, true},
		Flushed{dialog.Progress{Turn: s.Flushing}}, Flushed{dialog.Progress{Turn: 99}},
		ToolReturned{"call-1"}, NoticeDue{"Your 5 minute timer is done."},
		TimerFired{TimerDeadline, s.Turn}, TimerFired{TimerPlayout, s.Turn}, TimerFired{TimerHold, s.Turn}, TimerFired{TimerResume, s.Turn},
		Ended{dialog.CauseDisconnect},
	)
}

// The walk of the whole table: from every phase, in every variant, every event
// leads only where the table says and asks only for what the table says.
func TestTableIsTrue(t *testing.T) {
	reached := make(map[string]bool)
	for _, p := range phases {
		for _, s := range statesIn(p) {
			for _, e := range eventVariants(s) {
				name := fmt.Sprintf("%s in %+v", kind(e), s)
				before := fmt.Sprintf("%+v", s)
				next, actions := Step(s, e)
				if after := fmt.Sprintf("%+v", s); after != before {
					t.Errorf("%s: the old state was changed to %s", name, after)
				}
				c := cellIndex()[cellKey{s.Phase, reflect.TypeOf(e)}]
				if c.step == nil && (!reflect.DeepEqual(next, s) || actions != nil) {
					t.Errorf("%s: is ignored by the table but did %v", name, actions)
				}
				if next.Phase != s.Phase && !slices.Contains(c.to, next.Phase) {
					t.Errorf("%s: went to %q, the table allows %q", name, next.Phase, c.to)
				}
				for _, a := range actions {
					if !slices.Contains(kinds(c.does), kind(a)) {
						t.Errorf("%s: asked for %s, the table allows %v", name, kind(a), kinds(c.does))
					}
					reached[kind(c.event)+fmt.Sprint(c.from)+kind(a)] = true
				}
				reached[kind(c.event)+fmt.Sprint(c.from)+string(next.Phase)] = true
			}
		}
	}
	// And the table promises nothing that never happens.
	for _, c := range table() {
		for _, a := range kinds(c.does) {
			if !reached[kind(c.event)+fmt.Sprint(c.from)+a] {
				t.Errorf("%s in %v never asks for %s", kind(c.event), c.from, a)
			}
		}
		for _, p := range c.to {
			if !reached[kind(c.event)+fmt.Sprint(c.from)+string(p)] {
				t.Errorf("%s in %v never leads to %q", kind(c.event), c.from, p)
			}
		}
	}
}

// The story of a turn, as a person would tell it.
func TestStepTellsATurn(t *testing.T) {
	play := func(s State, events ...Event) (State, []string) {
		var did []string
		for _, e := range events {
			var actions []Action
			s, actions = Step(s, e)
			for _, a := range actions {
				did = append(did, fmt.Sprintf("%s%v", kind(a), a))
			}
		}
		return s, did
	}
	ask := []Event{
		ListenStarted{"mic/1", dialog.ModeAuto},
		SpeechStarted{"utterance/1", 400 * time.Millisecond},
		Partial{"utterance/1", "what"},
		SpeechStopped{"utterance/1", 2 * time.Second, 600 * time.Millisecond},
		Final{"utterance/1", "what time is it"},
		FirstToken{1}, FirstAudio{1},
	}
	tests := []struct {
		name   string
		then   []Event
		phase  Phase
		expect []string
	}{
		{
			"heard to its end by acknowledgement",
			[]Event{
				Delivered{dialog.Position{Turn: 1, Offset: 2 * time.Second}, time.Second},
				Played{dialog.Position{Turn: 1, Offset: 1 * time.Second}},
				Played{dialog.Position{Turn: 1, Offset: 2 * time.Second}},
			},
			PhaseIdle, []string{"StopTimer{deadline}", "StartTimer{playout 1 1s", "StopTimer{deadline}", "StopTimer{playout}", "StopTimer{hold}", "Settle{1 false  "},
		},
		{
			"heard to its end by estimate",
			[]Event{Delivered{dialog.Position{Turn: 1, Offset: 2 * time.Second}, time.Second}, TimerFired{TimerPlayout, 1}},
			PhaseIdle, []string{"StopTimer{deadline}", "StartTimer{playout 1 1s", "StopTimer{deadline}", "StopTimer{playout}", "StopTimer{hold}", "Settle{1 false  "},
		},
		{
			"aborted: flush, cancel, settle, in that order",
			[]Event{Aborted{1, "button"}, Flushed{dialog.Progress{Turn: 1, Played: time.Second}}},
			PhaseIdle, []string{"Flush{1 abort}", "Cancel{1 abort}", "StopTimer{deadline}", "StopTimer{playout}", "StopTimer{hold}", "Settle{1 true abort "},
		},
		{
			"a late event of the aborted turn asks for nothing",
			[]Event{Aborted{1, ""}, Flushed{dialog.Progress{Turn: 1}}, Delivered{dialog.Position{Turn: 1, Offset: time.Second}, 0}, ReplyFailed{1, dialog.ErrorTTS, ""}},
			PhaseIdle, []string{"Flush{1 abort}", "Cancel{1 abort}", "StopTimer{deadline}", "StopTimer{playout}", "StopTimer{hold}", "Settle{1 true abort "},
		},
		{
			"a notice waits until nobody speaks",
			[]Event{NoticeDue{"Tea."}, Played{dialog.Position{Turn: 1}}, Delivered{dialog.Position{Turn: 1, Offset: time.Second}, 0}, TimerFired{TimerPlayout, 1}},
			PhaseThinking, []string{"StopTimer{deadline}", "StartTimer{playout 1 0s", "StopTimer{deadline}", "StopTimer{playout}", "StopTimer{hold}", "Settle{1 false  ", "Say{2 notice Tea.}", "StartTimer{deadline 2 0s tts}"},
		},
		{
			"the device leaves: the same one way",
			[]Event{Ended{dialog.CauseDisconnect}, Flushed{dialog.Progress{Turn: 1}}},
			PhaseIdle, []string{"Flush{1 disconnect}", "Cancel{1 disconnect}", "StopTimer{deadline}", "StopTimer{playout}", "StopTimer{hold}", "End{disconnect}", "Settle{1 true disconnect "},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, did := play(State{}, ask...)
			if s.Phase != PhaseSpeaking || s.Turn != 1 {
				t.Fatalf("after the question: %+v, want turn 1 speaking", s)
			}
			if want := "Reply{1 what time is it}"; !slices.Contains(did, want) {
				t.Fatalf("the question asked for %q, want %s among it", did, want)
			}
			s, did = play(s, tt.then...)
			if s.Phase != tt.phase {
				t.Errorf("ended in phase %q, want %q", s.Phase, tt.phase)
			}
			if len(did) != len(tt.expect) {
				t.Fatalf("did %q, want %q", did, tt.expect)
			}
			for i := range did {
				if !strings.HasPrefix(did[i], tt.expect[i]) {
					t.Errorf("action %d is %s, want %s", i, did[i], tt.expect[i])
				}
			}
		})
	}
}

// F10, F11, F13, F18: over random stories, nothing is ever started for a turn at
// or below a flushed one, every started turn is settled exactly once, numbers
// only grow, and every abort is answered by a flush.
func TestStepKeepsItsPromises(t *testing.T) {
	for seed := range uint64(400) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		s := State{Policy: BargeIn{}.withDefaults()}
		if seed%3 == 0 {
			s.Policy.MinWords = 1
		}
		var flushed, last dialog.Turn
		open := make(map[dialog.Turn]bool)
		for n := range 300 {
			var e Event
			switch all := eventVariants(s); {
			case s.Flushing != 0:
				e = Flushed{dialog.Progress{Turn: s.Flushing}} // the session feeds it next
			case n < 290:
				e = all[rnd.IntN(len(all)-1)]
			default:
				e = Ended{dialog.CauseDisconnect}
			}
			if s.Ended && s.Flushing == 0 {
				break // the device did not come back
			}
			var actions []Action
			s, actions = Step(s, e)
			where := fmt.Sprintf("seed %d, event %d (%s)", seed, n, kind(e))
			answered := false
			for _, a := range actions {
				switch a := a.(type) {
				case Flush:
					flushed, answered = max(flushed, a.Turn), true
				case Reply:
					if a.Turn <= flushed {
						t.Fatalf("%s: turn %d is answered after the flush of %d", where, a.Turn, flushed)
					}
					open[a.Turn] = true
				case Say:
					if a.Turn <= flushed && a.Turn != last {
						t.Fatalf("%s: turn %d speaks after the flush of %d", where, a.Turn, flushed)
					}
					open[a.Turn] = true
				case Settle:
					delete(open, a.Turn)
				}
			}
			if _, abort := e.(Aborted); abort && !answered {
				t.Fatalf("%s: the abort was not answered by a flush", where)
			}
			if s.Turn < last {
				t.Fatalf("%s: turn %d after turn %d", where, s.Turn, last)
			}
			last = s.Turn
			if len(open) > 1 {
				t.Fatalf("%s: turns %v are open at once", where, open)
			}
		}
		if len(open) > 0 {
			t.Fatalf("seed %d: turns %v were never settled", seed, open)
		}
	}
}

var update = flag.Bool("update", false, "rewrite the picture in doc.go")

// The picture in the package documentation is the table itself.
func TestDocShowsTheTable(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	const above, below = "// changes nothing.\n//\n", "package session\n"
	head, rest, ok := strings.Cut(string(doc), above)
	if !ok {
		t.Fatalf("doc.go has no line %q above the picture", strings.TrimSpace(above))
	}
	var want strings.Builder
	for line := range strings.Lines(picture()) {
		want.WriteString("//\t" + line)
	}
	want.WriteString(below)
	if *update {
		if err := os.WriteFile("doc.go", []byte(head+above+want.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if rest != want.String() {
		t.Errorf("doc.go does not show the turn machine as it is; run go test -run %s -update", t.Name())
	}
}
