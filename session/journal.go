package session

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"time"
)

// JournalVersion is the schema version of a journal, the field "v" of every
// entry. Version 1 did not hold the actions.
const JournalVersion = 2

// Entry is one line of a journal: an event, when it reached the machine, and
// what the machine made of it.
type Entry struct {
	// Seq counts the entries from 1.
	Seq uint64
	// At is the time since the session began.
	At    time.Duration
	Event Event
	// Phase is that after the event.
	Phase Phase
	// Asked are the actions that the event asked for, in their order.
	Asked []Asked
}

// Asked is an action on paper.
type Asked struct {
	// Action names its kind; that of a Tell is followed by what is told.
	Action string `json:"action"`
	// Data is the action as JSON.
	Data json.RawMessage `json:"data"`
}

// Equal reports whether both are the same action.
func (a Asked) Equal(b Asked) bool { return a.Action == b.Action && bytes.Equal(a.Data, b.Data) }

// askedFor puts actions on paper.
func askedFor(actions []Action) ([]Asked, error) {
	asked := make([]Asked, len(actions))
	for i, a := range actions {
		name := kind(a)
		if tell, ok := a.(Tell); ok {
			name += " " + kind(tell.Event)
		}
		data, err := json.Marshal(a)
		if err != nil {
			return nil, fmt.Errorf("action %s: %w", name, err)
		}
		asked[i] = Asked{name, data}
	}
	return asked, nil
}

// entryJSON is an Entry on paper.
type entryJSON struct {
	V     int             `json:"v"`
	Seq   uint64          `json:"seq"`
	AtUS  int64           `json:"at_us"`
	Event string          `json:"event"`
	Data  json.RawMessage `json:"data"`
	Phase Phase           `json:"phase"`
	Asked []Asked         `json:"asked,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (e Entry) MarshalJSON() ([]byte, error) {
	data, err := json.Marshal(e.Event)
	if err != nil {
		return nil, err
	}
	return json.Marshal(entryJSON{JournalVersion, e.Seq, e.At.Microseconds(), kind(e.Event), data, e.Phase, e.Asked})
}

// UnmarshalJSON implements json.Unmarshaler.
func (e *Entry) UnmarshalJSON(b []byte) error {
	var on entryJSON
	if err := json.Unmarshal(b, &on); err != nil {
		return err
	}
	switch {
	case on.V == 1:
		return fmt.Errorf("journal version 1 does not hold the actions, so there is nothing to compare with; record it anew with this edged, which writes version %d", JournalVersion)
	case on.V != JournalVersion:
		return fmt.Errorf("journal version %d, this reader knows %d", on.V, JournalVersion)
	case on.AtUS < 0 || on.AtUS > math.MaxInt64/int64(time.Microsecond):
		return fmt.Errorf("at_us is %d, which is no time since the session began", on.AtUS)
	}
	for _, c := range table() {
		if kind(c.event) != on.Event {
			continue
		}
		event := reflect.New(reflect.TypeOf(c.event))
		if err := json.Unmarshal(on.Data, event.Interface()); err != nil {
			return fmt.Errorf("event %s: %w", on.Event, err)
		}
		*e = Entry{on.Seq, time.Duration(on.AtUS) * time.Microsecond, event.Elem().Interface().(Event), on.Phase, on.Asked}
		return nil
	}
	return fmt.Errorf("unknown event %q", on.Event)
}

// journal writes the events of a session in the order in which they reach the
// machine, and what that made of them. A nil journal writes nothing.
type journal struct {
	out   *json.Encoder
	begin time.Time
	seq   uint64
}

// newJournal returns a journal on w, nil if w is nil.
func newJournal(w io.Writer) *journal {
	if w == nil {
		return nil
	}
	return &journal{out: json.NewEncoder(w), begin: time.Now()}
}

// append writes the event, the phase that it led to and what was asked for. A
// journal that cannot be written is given up: it must not take the dialogue down.
func (j *journal) append(e Event, to Phase, actions []Action) error {
	if j == nil || j.out == nil {
		return nil
	}
	j.seq++
	asked, err := askedFor(actions)
	if err == nil {
		err = j.out.Encode(Entry{j.seq, time.Since(j.begin), e, to, asked})
	}
	if err != nil {
		j.out = nil
		return fmt.Errorf("session: write journal: %w", err)
	}
	return nil
}

// ReadJournal reads a journal whole. The error tells the line at fault; the
// entries before it are returned with it.
func ReadJournal(r io.Reader) ([]Entry, error) {
	var entries []Entry
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	n := 1
	for ; lines.Scan(); n++ {
		var e Entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return entries, fmt.Errorf("session: journal line %d: %w", n, err)
		}
		if want := uint64(len(entries) + 1); e.Seq != want {
			return entries, fmt.Errorf("session: journal line %d: entry %d, want entry %d: lines are missing or out of order", n, e.Seq, want)
		}
		entries = append(entries, e)
	}
	if err := lines.Err(); err != nil {
		return entries, fmt.Errorf("session: read journal: line %d: %w", n, err)
	}
	return entries, nil
}

// Replay feeds the events of a journal to the machine again and returns the
// actions that each one asks for. The engines have no part in it.
func Replay(entries []Entry) [][]Action {
	var s State
	actions := make([][]Action, len(entries))
	for i, e := range entries {
		s, actions[i] = Step(s, e.Event)
	}
	return actions
}

// Transition is an entry of a journal and what the machine makes of it now.
type Transition struct {
	Entry
	// From and To are the phases before and after it.
	From, To Phase
	// Now are the actions that it asks for.
	Now []Asked
}

// Identical reports whether the machine does what is recorded.
func (t Transition) Identical() bool {
	return t.Phase == t.To && slices.EqualFunc(t.Asked, t.Now, Asked.Equal)
}

// Verify feeds the events of a journal to the machine again and compares what it
// asks for with what is recorded. It returns all transitions and the index of the
// first one that differs, -1 if none does.
func Verify(entries []Entry) (transitions []Transition, first int, err error) {
	first = -1
	s := State{Phase: PhaseIdle}
	for i, e := range entries {
		t := Transition{Entry: e, From: s.Phase}
		var actions []Action
		s, actions = Step(s, e.Event)
		t.To = s.Phase
		if t.Now, err = askedFor(actions); err != nil {
			return transitions, first, fmt.Errorf("session: replay entry %d: %w", e.Seq, err)
		}
		if first < 0 && !t.Identical() {
			first = i
		}
		transitions = append(transitions, t)
	}
	return transitions, first, nil
}
