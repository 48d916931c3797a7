package session

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// FuzzReadJournal: whatever stands in a journal, its reader gives the entries
// before the fault, numbered from 1; the machine can be fed with them; and
// written again they are the same.
func FuzzReadJournal(f *testing.F) {
	f.Fuzz(func(t *testing.T, text []byte) {
		entries, err := ReadJournal(bytes.NewReader(text))
		if lines := bytes.Count(text, []byte("\n")) + 1; len(entries) > lines {
			t.Fatalf("%d entries in %d lines", len(entries), lines)
		}
		if err != nil && !strings.Contains(err.Error(), "line") {
			t.Fatalf("the error %q does not tell the line", err)
		}
		for i, e := range entries {
			if e.Seq != uint64(i+1) || e.Event == nil || e.At < 0 {
				t.Fatalf("entry %d is %+v", i, e)
			}
		}
		transitions, first, err := Verify(entries)
		if err != nil || len(transitions) != len(entries) || first >= len(entries) {
			t.Fatalf("%d transitions of %d entries, first difference %d: %v", len(transitions), len(entries), first, err)
		}
		if len(Replay(entries)) != len(entries) {
			t.Fatal("not every entry was replayed")
		}
		again, err := ReadJournal(bytes.NewReader(written(t, entries)))
		if err != nil || len(again) != len(entries) {
			t.Fatalf("written again, %d of %d entries are read: %v", len(again), len(entries), err)
		}
		for i, e := range again {
			if e.At != entries[i].At || e.Phase != entries[i].Phase || !reflect.DeepEqual(e.Event, entries[i].Event) || len(e.Asked) != len(entries[i].Asked) {
				t.Fatalf("entry %d was %+v, comes back as %+v", i, entries[i], e)
			}
		}
		if once, twice := written(t, entries), written(t, again); !bytes.Equal(once, twice) {
			t.Fatalf("written as %s, then as %s", once, twice)
		}
	})
}

func written(t *testing.T, entries []Entry) []byte {
	t.Helper()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	for _, e := range entries {
		if err := enc.Encode(e); err != nil {
			t.Fatalf("entry %d cannot be written: %v", e.Seq, err)
		}
	}
	return out.Bytes()
}
