package session

import (
	"reflect"
	"sync"
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
	case utteranceEvent:
		return !s.hears(e.utterance())
	case turnEvent:
		return e.turn() != s.Turn
	}
	return false
}

// hears reports whether the utterance is one that the dialogue cares for.
func (s State) hears(utterance string) bool {
	return utterance != "" && (utterance == s.Utterance || utterance == s.Suspect.Utterance)
}
