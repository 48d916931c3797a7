package session

import (
	"reflect"
	"slices"
	"sync"
	"time"

	"edged/dialog"
)

// Step is the turn machine: what has happened goes in, what has to be done
// comes out. It is pure. It starts nothing, reads no clock and keeps nothing,
// so a journal of events gives the same actions whenever it is fed again.
//
// An event that has no cell for the present phase, or that speaks of a turn or
// an utterance that is over, changes nothing and asks for nothing.
func Step(s State, e Event) (State, []Action) {
	if s.Phase == "" {
		s.Phase = PhaseIdle
	}
	if s.Ended && !isFlushed(e) || stale(s, e) {
		return s, nil
	}
	c, ok := cellIndex()[cellKey{s.Phase, reflect.TypeOf(e)}]
	if !ok || c.step == nil {
		return s, nil
	}
	return c.step(s, e)
}

// cell is one row of the table: in any of the phases From, the event leads to
// one of the phases To and may ask for the kinds of actions Does. A cell
// without a step is one that is ignored on purpose, for the reason Why.
type cell struct {
	event Event
	from  []Phase
	to    []Phase
	does  []Action
	why   string
	step  func(State, Event) (State, []Action)
}

// on declares a cell that acts.
func on[E Event](from, to []Phase, does []Action, why string, step func(State, E) (State, []Action)) cell {
	var zero E
	return cell{zero, from, to, does, why, func(s State, e Event) (State, []Action) { return step(s, e.(E)) }}
}

// ignore declares a cell that does nothing, and why.
func ignore[E Event](from []Phase, why string) cell {
	var zero E
	return cell{event: zero, from: from, why: why}
}

type cellKey struct {
	phase Phase
	event reflect.Type
}

var cellIndex = sync.OnceValue(func() map[cellKey]cell {
	index := make(map[cellKey]cell)
	for _, c := range table() {
		for _, p := range c.from {
			index[cellKey{p, reflect.TypeOf(c.event)}] = c
		}
	}
	return index
})

func isFlushed(e Event) bool { _, ok := e.(Flushed); return ok }

// stale reports whether the event belongs to a turn or an utterance that is
// over. Flushed and Aborted decide for themselves.
func stale(s State, e Event) bool {
	switch e := e.(type) {
	case SpeechStopped:
		return e.Utterance != s.Utterance
	case Partial:
		return e.Utterance != s.Utterance
	case Final:
		return e.Utterance != s.Utterance
	case RecognizeFailed:
		return e.Utterance != s.Utterance
	case FirstToken:
		return e.Turn != s.Turn
	case Generated:
		return e.Turn != s.Turn
	case FirstAudio:
		return e.Turn != s.Turn
	case ReplyFailed:
		return e.Turn != s.Turn
	case Sent:
		return e.Turn != s.Turn
	case Played:
		return e.Turn != s.Turn
	case Delivered:
		return e.Turn != s.Turn
	case TimerFired:
		return e.Turn != s.Turn
	}
	return false
}

// --- steps, in the order of a turn ---

func listen(s State, e ListenStarted) (State, []Action) {
	s.Phase, s.Mode, s.Route = PhaseListening, e.Mode, e.Route
	return s, nil
}

// relisten drops an utterance that the user starts anew.
func relisten(s State, e ListenStarted) (State, []Action) {
	discard := Discard{s.Utterance}
	s.Utterance = ""
	s, _ = listen(s, e)
	return s, []Action{discard}
}

// talkOver is a listen start while a turn is going on. A device in ModeAuto
// says it when its speaker has gone quiet, so a reply that was delivered whole
// has been heard; anything else is an interruption.
func talkOver(s State, e ListenStarted) (State, []Action) {
	if s.Phase == PhaseSpeaking && s.Delivered && e.Mode == dialog.ModeAuto {
		s, actions := conclude(s)
		s, _ = listen(s, e)
		s, more := proceed(s)
		return s, append(actions, more...)
	}
	s, actions := interrupt(s, dialog.CauseListen)
	s, _ = listen(s, e)
	return s, actions
}

func speechStarted(s State, e SpeechStarted) (State, []Action) {
	s = s.issue()
	s.Phase, s.Utterance = PhaseUserSpeaking, e.Utterance
	return s, []Action{Tell{dialog.SpeechStarted{At: e.At}}}
}

func speechElsewhere(s State, e SpeechStarted) (State, []Action) {
	return s, []Action{Discard{e.Utterance}}
}

func speechStopped(s State, e SpeechStopped) (State, []Action) {
	s = s.closeMicrophone()
	s.Phase = PhaseThinking
	return s, []Action{
		Tell{dialog.SpeechStopped{At: e.At}},
		StartTimer{Timer: TimerDeadline, Turn: s.Turn},
	}
}

// silentStop is a button that was pressed and released without a word.
func silentStop(s State, e ListenStopped) (State, []Action) {
	if e.Route != s.Route {
		return s, nil
	}
	s.Route, s.Phase = "", PhaseIdle
	if s.Mode == dialog.ModeManual {
		s = s.wait(PhraseNothingHeard, "")
	}
	return proceed(s)
}

func microphoneClosed(s State, e ListenStopped) (State, []Action) {
	if e.Route == s.Route {
		s.Route = ""
	}
	return s, nil
}

func partial(s State, e Partial) (State, []Action) {
	return s, []Action{Tell{dialog.Transcript{Turn: s.Turn, Text: e.Text}}}
}

func final(s State, e Final) (State, []Action) {
	s.Utterance = ""
	s = s.closeMicrophone()
	s.Phase = PhaseThinking
	actions := []Action{Tell{dialog.Transcript{Turn: s.Turn, Text: e.Text, Final: true}}}
	if e.Text == "" {
		s.Own = true
		return s, append(actions, Say{Turn: s.Turn, Phrase: PhraseNotUnderstood})
	}
	return s, append(actions, Reply{Turn: s.Turn, Text: e.Text})
}

func recognizeFailed(s State, e RecognizeFailed) (State, []Action) {
	s.Utterance = ""
	s = s.closeMicrophone()
	tell := Tell{dialog.Failure{Code: dialog.ErrorASR, Message: e.Reason}}
	return apologise(s, tell)
}

func firstAudio(s State, _ FirstAudio) (State, []Action) {
	s = s.closeMicrophone()
	s.Phase = PhaseSpeaking
	return s, []Action{StopTimer{TimerDeadline}}
}

// replyFailed is a failure before the reply had any sound.
func replyFailed(s State, e ReplyFailed) (State, []Action) {
	tell := Tell{dialog.Failure{Code: e.Code, Message: e.Reason}}
	if e.Code == dialog.ErrorTTS {
		s.Own = true // without a voice there is nothing to apologise with
	}
	return apologise(s, tell)
}

// failedMidway is a failure while the reply plays: what there is of it is
// played to the end.
func failedMidway(s State, e ReplyFailed) (State, []Action) {
	return s, []Action{Tell{dialog.Failure{Code: e.Code, Message: e.Reason}}}
}

func played(s State, e Played) (State, []Action) {
	s.Played = max(s.Played, e.Offset)
	if s.settled() {
		return finish(s)
	}
	return s, nil
}

func delivered(s State, e Delivered) (State, []Action) {
	s.Delivered, s.Total = true, e.Offset
	if s.settled() {
		return finish(s)
	}
	return s, []Action{StartTimer{Timer: TimerPlayout, Turn: s.Turn, After: e.Remaining}}
}

func aborted(s State, e Aborted) (State, []Action) {
	if e.Turn != 0 && e.Turn < s.Turn {
		return s, []Action{Flush{Turn: e.Turn, Cause: dialog.CauseAbort}}
	}
	switch s.Phase {
	case PhaseThinking, PhaseSpeaking:
		return interrupt(s, dialog.CauseAbort)
	case PhaseUserSpeaking:
		discard := Discard{s.Utterance}
		s.Utterance, s.Phase = "", PhaseListening
		return s, []Action{discard, Flush{Turn: s.Turn, Cause: dialog.CauseAbort}}
	default:
		return s, []Action{Flush{Turn: s.Turn, Cause: dialog.CauseAbort}}
	}
}

// flushed ends an interruption: the account is settled before anything new is
// said, so the next model call sees exactly what was heard.
func flushed(s State, e Flushed) (State, []Action) {
	if s.Flushing == 0 || e.Turn != s.Flushing {
		return s, nil
	}
	settle := Settle{Turn: e.Turn, Interrupted: true, Cause: s.Cause, Progress: e.Progress}
	s.Flushing, s.Cause = 0, ""
	if s.Phase != PhaseIdle {
		return s, []Action{settle} // the user has the floor already
	}
	s, actions := proceed(s)
	return s, append([]Action{settle}, actions...)
}

func noticeDue(s State, e NoticeDue) (State, []Action) {
	return proceed(s.wait(PhraseNotice, e.Text))
}

func timerFired(s State, e TimerFired) (State, []Action) {
	switch {
	case e.Timer == TimerPlayout && s.Delivered:
		return finish(s)
	case e.Timer == TimerDeadline && s.Phase == PhaseThinking:
		return late(s)
	}
	return s, nil
}

// late gives up on a turn whose reply has no sound by the deadline.
func late(s State) (State, []Action) {
	code, what := dialog.ErrorGenerate, "no reply by the deadline"
	var discard []Action
	if s.Utterance != "" {
		code, what = dialog.ErrorASR, "no transcript by the deadline"
		discard = []Action{Discard{s.Utterance}}
		s.Utterance = ""
	}
	s, actions := apologise(s, Tell{dialog.Failure{Code: code, Message: what}})
	return s, append(discard, actions...)
}

func ended(s State, e Ended) (State, []Action) {
	var actions []Action
	switch s.Phase {
	case PhaseUserSpeaking:
		actions = []Action{Discard{s.Utterance}}
		s.Utterance = ""
	case PhaseThinking, PhaseSpeaking:
		s, actions = interrupt(s, e.Cause)
	}
	s.Phase, s.Route, s.Waiting, s.Ended = PhaseIdle, "", nil, true
	return s, append(actions, End(e))
}

// --- what several steps share ---

// interrupt is the one way in which a turn is cut off, whatever the cause:
// flush to the device, cancel the work, and (in flushed) settle the account.
func interrupt(s State, cause dialog.Cause) (State, []Action) {
	var actions []Action
	if s.Utterance != "" {
		actions = append(actions, Discard{s.Utterance})
		s.Utterance = ""
	}
	s.Phase, s.Flushing, s.Cause = PhaseIdle, s.Turn, cause
	return s, append(actions,
		Flush{Turn: s.Turn, Cause: cause},
		Cancel{Turn: s.Turn, Cause: cause},
		StopTimer{TimerDeadline},
		StopTimer{TimerPlayout},
	)
}

// apologise gives up on the present turn and says so on one of its own, unless
// the turn already was the session's own words.
func apologise(s State, tell Tell) (State, []Action) {
	if !s.Own {
		s = s.wait(PhraseFailed, "")
	}
	s, actions := interrupt(s, dialog.CauseError)
	return s, append([]Action{tell}, actions...)
}

// finish closes a turn that was played to its end and goes on.
func finish(s State) (State, []Action) {
	s, actions := conclude(s)
	s, more := proceed(s)
	return s, append(actions, more...)
}

// conclude closes the account of a turn that was played to its end.
func conclude(s State) (State, []Action) {
	s.Phase = PhaseIdle
	return s, []Action{StopTimer{TimerDeadline}, StopTimer{TimerPlayout}, Settle{Turn: s.Turn}}
}

// proceed says what waits to be said if this is the moment for it: nobody
// speaks, and no button is held down.
func proceed(s State) (State, []Action) {
	quiet := s.Phase == PhaseIdle || s.Phase == PhaseListening && s.Mode == dialog.ModeAuto
	if !quiet || s.Flushing != 0 || len(s.Waiting) == 0 {
		return s, nil
	}
	next := s.Waiting[0]
	s.Waiting = slices.Clone(s.Waiting[1:])
	s = s.issue().closeMicrophone()
	s.Phase, s.Own = PhaseThinking, true
	return s, []Action{
		Say{Turn: s.Turn, Phrase: next.Phrase, Text: next.Text},
		StartTimer{Timer: TimerDeadline, Turn: s.Turn},
	}
}

// playoutMargin is how long after the estimated end of playout the session
// waits for the acknowledgement of a device that sends them.
const playoutMargin = 2 * time.Second
