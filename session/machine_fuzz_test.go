package session

import (
	"bytes"
	"reflect"
	"slices"
	"testing"
	"time"

	"edged/dialog"
)

// A story for FuzzStep is bytes: the first is what the dialogue goes by, every
// two after it are one event. What an event speaks of is chosen among what the
// machine knows at the time, what it knew and what it never knew, so that most
// stories get somewhere.

const (
	storyWild     = 1 << iota // events that no session would raise in this order
	storyHold                 // the device can hold a reply
	storyWords                // interruptions take words
	storyProtect              // the opening of a reply is protected
	storyOff                  // speech never interrupts
	storyOnlyHold             // speech interrupts only what can be held
	storyEmpty                // a policy that was never filled in
)

func storyPolicy(how byte) BargeIn {
	p := BargeIn{Off: how&storyOff != 0, IgnoreWithoutHold: how&storyOnlyHold != 0}
	if how&storyWords != 0 {
		p.MinWords = 2
	}
	if how&storyProtect != 0 {
		p.Protect = 500 * time.Millisecond
	}
	if how&storyEmpty == 0 {
		p = p.withDefaults()
	}
	return p
}

// storyEvent is the event that two bytes of a story stand for.
func storyEvent(s State, kind, arg byte, n int) Event {
	pick := func(ids ...string) string { return ids[int(arg)%len(ids)] }
	turn := []dialog.Turn{s.Turn, s.Turn, s.Turn, s.Turn, s.Turn - 1, s.Turn + 1, 0, s.Flushing}[arg%8]
	utterance := pick(s.Utterance, s.Utterance, s.Suspect.Utterance, s.Suspect.Utterance, "", "utterance/1")
	text := []string{"", "mhm", "what time is it", "hello lamp", "hello lamp what time is it", "嗯。好的", "stop", "\u0130 \ufdfa"}[arg>>5]
	at := dialog.Position{Turn: turn, Offset: time.Duration(int8(arg)) * 50 * time.Millisecond}
	switch kind % 32 {
	case 0, 1:
		return ListenStarted{Route: "mic/" + string(rune('0'+n%10)), Mode: []dialog.Mode{dialog.ModeAuto, dialog.ModeManual, dialog.ModeRealtime}[arg%3]}
	case 2:
		return ListenStopped{pick(s.Route, s.Route, "mic/elsewhere")}
	case 3, 4, 5:
		if arg < 0xf0 {
			utterance = "utterance/" + string(rune(1000+n)) // a new one
		}
		return SpeechStarted{utterance, at.Offset}
	case 6, 7:
		return SpeechLasted{utterance, time.Duration(arg) * 10 * time.Millisecond}
	case 8, 9:
		return SpeechStopped{utterance, at.Offset, 600 * time.Millisecond}
	case 10, 11:
		return Partial{utterance, text}
	case 12, 13:
		return Final{utterance, text}
	case 14:
		return RecognizeFailed{utterance, text}
	case 15:
		return Generated{turn, text}
	case 16:
		return FirstSentence{turn}
	case 17, 18:
		return FirstAudio{turn}
	case 19:
		return ReplyFailed{turn, []dialog.ErrorCode{dialog.ErrorGenerate, dialog.ErrorTTS, "another"}[arg%3], text}
	case 20:
		return Sent{at}
	case 21:
		return Played{at}
	case 22, 23:
		return Delivered{at, time.Duration(int8(arg)) * 30 * time.Millisecond}
	case 24:
		return Aborted{turn, text}
	case 25:
		return Woken{text}
	case 26:
		return Detached{}
	case 27:
		return Attached{at, arg&64 != 0}
	case 28:
		return NoticeDue{text}
	case 29:
		return TimerFired{[]Timer{TimerDeadline, TimerPlayout, TimerHold, TimerResume}[arg%4], turn}
	case 30:
		return []Event{FirstToken{turn}, ToolReturned{text}, Flushed{dialog.Progress{Turn: turn}}, Begun{storyPolicy(arg), arg&1 != 0}}[arg%4]
	default:
		if arg < 0xf0 {
			return Partial{utterance, text}
		}
		return Ended{dialog.CauseDisconnect}
	}
}

// lawful reports whether a session may raise the event now.
func (w *walk) lawful(e Event) bool {
	s := w.s
	switch e := e.(type) {
	case Begun, Flushed:
		return false // the first event, and the one after a Flush, are the walk's
	case TimerFired:
		return w.armed[e.Timer] && e.Turn == s.Turn
	case Generated:
		return w.open[e.Turn]
	case FirstSentence:
		return w.open[e.Turn]
	case FirstAudio:
		return w.open[e.Turn]
	case ReplyFailed:
		return w.open[e.Turn]
	case Sent:
		return w.open[e.Turn]
	case Played:
		return w.open[e.Turn]
	case Delivered:
		return w.open[e.Turn]
	case SpeechStarted:
		return e.Utterance != "" && e.Utterance != s.Utterance && e.Utterance != s.Suspect.Utterance
	case Attached:
		return s.Detached
	case Detached:
		return !s.Detached
	case ListenStarted, ListenStopped, Aborted, Woken:
		return !s.Detached
	}
	return true
}

// walk follows a dialogue and checks what must hold at each step.
type walk struct {
	t     *testing.T
	wild  bool
	s     State
	armed map[Timer]bool
	// open are the turns that speak and are not settled; flushed is the last one
	// of which nothing more may be heard.
	open    map[dialog.Turn]bool
	flushed dialog.Turn
	before  dialog.Turn // the last turn before the event at hand
	events  []Event
	asked   [][]Action
}

func (w *walk) feed(e Event) {
	before := w.s
	waiting := slices.Clone(before.Waiting)
	next, actions := Step(before, e)
	where := func() string { return kind(e) + " in phase " + string(before.Phase) }
	if again, sameActions := Step(before, e); !reflect.DeepEqual(again, next) || !reflect.DeepEqual(sameActions, actions) {
		w.t.Fatalf("%s: twice the same event gives %v and %v", where(), actions, sameActions)
	}
	if !slices.Equal(before.Waiting, waiting) {
		w.t.Fatalf("%s: the old state was changed", where())
	}
	w.s, w.before = next, before.Turn
	w.events, w.asked = append(w.events, e), append(w.asked, actions)
	if next.Turn < before.Turn || next.Turn > before.Turn+2 {
		w.t.Fatalf("%s: turn %d after turn %d", where(), next.Turn, before.Turn)
	}
	if next.Turn > before.Turn && (next.Delivered || next.Total != 0 || next.Sent != 0 || next.Played != 0 || next.Failed) {
		w.t.Fatalf("%s: turn %d begins with what was left of turn %d: %+v", where(), next.Turn, before.Turn, next)
	}
	if len(next.Waiting) > maxWaiting {
		w.t.Fatalf("%s: %d phrases wait", where(), len(next.Waiting))
	}
	if before.Ended && !isFlushed(e) && len(actions) > 0 {
		w.t.Fatalf("%s: after the end it asks for %v", where(), kinds(actions))
	}
	if c, ok := cellIndex()[cellKey{before.Phase, reflect.TypeOf(e)}]; !ok {
		w.t.Fatalf("%s: the table has no cell", where())
	} else if next.Phase != before.Phase && !slices.Contains(c.to, next.Phase) {
		w.t.Fatalf("%s: went to %q, the table allows %q", where(), next.Phase, c.to)
	} else if promised := kinds(c.does); !before.Ended && !w.wild {
		for _, a := range actions {
			if !slices.Contains(promised, kind(a)) {
				w.t.Fatalf("%s: asks for %s, the table allows %v", where(), kind(a), promised)
			}
		}
	}
	for _, a := range actions {
		w.see(where(), a)
	}
	if _, abort := e.(Aborted); abort && !before.Ended && !slices.Contains(kinds(actions), "Flush") {
		w.t.Fatalf("%s: not answered by a flush", where())
	}
}

// see checks one action.
func (w *walk) see(where string, a Action) {
	speak := func(turn dialog.Turn) {
		// One event may answer a turn and interrupt it, in this order.
		if turn != w.s.Turn && turn != w.before || !w.wild && turn <= w.flushed {
			w.t.Fatalf("%s: %s for turn %d, which is over: the last is %d, flushed is %d", where, kind(a), turn, w.s.Turn, w.flushed)
		}
	}
	switch a := a.(type) {
	case StartTimer:
		w.armed[a.Timer] = true
		if a.Timer != TimerResume {
			speak(a.Turn)
		}
	case StopTimer:
		delete(w.armed, a.Timer)
	case Flush:
		w.flushed = max(w.flushed, a.Turn)
	case Hold:
		speak(a.Turn)
	case Release:
		speak(a.Turn)
	case Resume:
		speak(a.Turn)
	case Reply:
		speak(a.Turn)
		w.open[a.Turn] = true
	case Say:
		speak(a.Turn)
		w.open[a.Turn] = true
	case Settle:
		delete(w.open, a.Turn)
	}
	if len(w.open) > 1 && !w.wild {
		w.t.Fatalf("%s: turns %v speak at once", where, w.open)
	}
}

// flush answers a flush, as a session does before anything else.
func (w *walk) flush() {
	for w.s.Flushing != 0 {
		w.feed(Flushed{dialog.Progress{Turn: w.s.Flushing}})
	}
}

// patience lets every timer run out until none is armed. A turn that nothing
// more happens to comes to an end that way.
func (w *walk) patience() {
	for range 20 * maxWaiting {
		w.flush()
		fired := false
		for _, timer := range []Timer{TimerDeadline, TimerHold, TimerPlayout, TimerResume} {
			if w.armed[timer] && !fired {
				delete(w.armed, timer)
				w.feed(TimerFired{timer, w.s.Turn})
				fired = true
			}
		}
		if !fired {
			break
		}
	}
	if !slices.Contains([]Phase{PhaseIdle, PhaseListening, PhaseUserSpeaking}, w.s.Phase) || w.s.Detached && !w.s.Ended {
		w.t.Fatalf("with no timer armed it stays in phase %q for ever: %+v", w.s.Phase, w.s)
	}
}

// FuzzStep: no sequence of events makes the turn machine panic, change an old
// state or leave its table; numbers of turns only grow and only the newest
// speaks. In a sequence as sessions raise it nothing speaks after its flush, a
// turn is settled before the next speaks, every turn comes to an end by its
// timers alone, and the end settles what is open. A journal of it reads back and
// replays to the same actions.
func FuzzStep(f *testing.F) {
	f.Fuzz(func(t *testing.T, program []byte) {
		if len(program) == 0 {
			return
		}
		how := program[0]
		w := &walk{t: t, wild: how&storyWild != 0, armed: make(map[Timer]bool), open: make(map[dialog.Turn]bool), s: State{Phase: PhaseIdle}}
		w.feed(Begun{storyPolicy(how), how&storyHold != 0})
		for n := 0; n < 200 && 2*n+2 < len(program); n++ {
			e := storyEvent(w.s, program[2*n+1], program[2*n+2], n)
			if !w.wild {
				if !w.lawful(e) {
					continue
				}
				if fired, ok := e.(TimerFired); ok {
					delete(w.armed, fired.Timer)
				}
			}
			w.feed(e)
			if !w.wild {
				w.flush()
			}
		}
		if !w.wild {
			w.patience()
		}
		w.feed(Ended{dialog.CauseShutdown})
		w.flush()
		if w.s.Phase != PhaseIdle || !w.s.Ended {
			t.Fatalf("after the end: %+v", w.s)
		}
		if len(w.open) > 0 && !w.wild {
			t.Fatalf("turns %v were never settled", w.open)
		}
		w.replay()
	})
}

// replay writes the journal of the story and reads it back.
func (w *walk) replay() {
	var out bytes.Buffer
	j, s := newJournal(&out), State{Phase: PhaseIdle}
	for _, e := range w.events {
		var actions []Action
		s, actions = Step(s, e)
		if err := j.append(e, s.Phase, actions); err != nil {
			w.t.Fatal(err)
		}
	}
	entries, err := ReadJournal(&out)
	if err != nil || len(entries) != len(w.events) {
		w.t.Fatalf("%d of %d entries come back: %v", len(entries), len(w.events), err)
	}
	for i, e := range entries {
		if !reflect.DeepEqual(e.Event, w.events[i]) {
			w.t.Fatalf("entry %d is %#v, written was %#v", i, e.Event, w.events[i])
		}
	}
	if actions := Replay(entries); !reflect.DeepEqual(actions, w.asked) {
		w.t.Fatal("the journal replays to other actions")
	}
	if _, first, err := Verify(entries); first != -1 || err != nil {
		w.t.Fatalf("entry %d differs from its own replay: %v", first, err)
	}
}
