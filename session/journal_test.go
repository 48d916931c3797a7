package session

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"edged/dialog"
)

// Every kind of event survives the journal.
func TestJournalRoundTrip(t *testing.T) {
	var out bytes.Buffer
	j := newJournal(&out)
	events := eventVariants(State{Turn: 7, Utterance: "utterance/9", Route: "mic/3", Flushing: 6})
	for _, e := range events {
		if err := j.append(e); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := ReadJournal(&out)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range entries {
		if e.Seq != uint64(i+1) || !reflect.DeepEqual(e.Event, events[i]) {
			t.Errorf("entry %d is %d %#v, want %#v", i, e.Seq, e.Event, events[i])
		}
	}
}

func TestJournalRefuses(t *testing.T) {
	good := `{"v":1,"seq":1,"at_us":0,"event":"NoticeDue","data":{"Text":"Tea."}}` + "\n"
	for name, bad := range map[string]string{
		"no JSON":                              "journal line 2",
		`{"v":2}`:                              "version 2",
		`{"v":1,"event":"MoonRose","data":{}}`: `unknown event "MoonRose"`,
		`{"v":1,"event":"NoticeDue","data":{"Text":5}}`: "NoticeDue",
	} {
		entries, err := ReadJournal(strings.NewReader(good + name))
		if err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%s: err = %v, want %q in it", name, err, bad)
		}
		if len(entries) != 1 {
			t.Errorf("%s: %d entries before the fault, want 1", name, len(entries))
		}
	}
}

// A journal that cannot be written is reported once and does not end the
// dialogue.
func TestJournalGivesUp(t *testing.T) {
	full := errors.New("disk full")
	j := newJournal(writerFunc(func([]byte) (int, error) { return 0, full }))
	if err := j.append(NoticeDue{"x"}); !errors.Is(err, full) {
		t.Errorf("err = %v", err)
	}
	if err := j.append(Ended{dialog.CauseShutdown}); err != nil {
		t.Errorf("reported twice: %v", err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
