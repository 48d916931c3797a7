package session

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"time"
)

// JournalVersion is the schema version of a journal, the field "v" of every
// entry.
const JournalVersion = 1

// Entry is one line of a journal: an event and when it reached the machine.
type Entry struct {
	// Seq counts the entries from 1.
	Seq uint64
	// At is the time since the session began.
	At    time.Duration
	Event Event
}

// entryJSON is an Entry on paper.
type entryJSON struct {
	V     int             `json:"v"`
	Seq   uint64          `json:"seq"`
	AtUS  int64           `json:"at_us"`
	Event string          `json:"event"`
	Data  json.RawMessage `json:"data"`
}

// MarshalJSON implements json.Marshaler.
func (e Entry) MarshalJSON() ([]byte, error) {
	data, err := json.Marshal(e.Event)
	if err != nil {
		return nil, err
	}
	return json.Marshal(entryJSON{JournalVersion, e.Seq, e.At.Microseconds(), kind(e.Event), data})
}

// UnmarshalJSON implements json.Unmarshaler.
func (e *Entry) UnmarshalJSON(b []byte) error {
	var on entryJSON
	if err := json.Unmarshal(b, &on); err != nil {
		return err
	}
	if on.V != JournalVersion {
		return fmt.Errorf("journal version %d, this reader knows %d", on.V, JournalVersion)
	}
	for _, c := range table() {
		if kind(c.event) != on.Event {
			continue
		}
		event := reflect.New(reflect.TypeOf(c.event))
		if err := json.Unmarshal(on.Data, event.Interface()); err != nil {
			return fmt.Errorf("event %s: %w", on.Event, err)
		}
		*e = Entry{on.Seq, time.Duration(on.AtUS) * time.Microsecond, event.Elem().Interface().(Event)}
		return nil
	}
	return fmt.Errorf("unknown event %q", on.Event)
}

// journal writes the events of a session in the order in which they reach the
// machine. A nil journal writes nothing.
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

// append writes the event. A journal that cannot be written is given up: it
// must not take the dialogue down.
func (j *journal) append(e Event) error {
	if j == nil || j.out == nil {
		return nil
	}
	j.seq++
	if err := j.out.Encode(Entry{j.seq, time.Since(j.begin), e}); err != nil {
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
	for n := 1; lines.Scan(); n++ {
		var e Entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return entries, fmt.Errorf("session: journal line %d: %w", n, err)
		}
		entries = append(entries, e)
	}
	if err := lines.Err(); err != nil {
		return entries, fmt.Errorf("session: read journal: %w", err)
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
