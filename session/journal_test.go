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
	take(t, j, events...)
	entries, err := ReadJournal(&out)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range entries {
		if e.Seq != uint64(i+1) || !reflect.DeepEqual(e.Event, events[i]) {
			t.Errorf("entry %d is %d %#v, want %#v", i, e.Seq, e.Event, events[i])
		}
	}
	if _, first, err := Verify(entries); first != -1 || err != nil {
		t.Errorf("entry %d differs from its own replay (%v)", first, err)
	}
}

// take steps a machine through the events, as a session does, and journals that.
func take(t *testing.T, j *journal, events ...Event) {
	t.Helper()
	var s State
	for _, e := range events {
		var actions []Action
		s, actions = Step(s, e)
		if err := j.append(e, s.Phase, actions); err != nil {
			t.Fatal(err)
		}
	}
}

// A journal whose actions, phase or events were changed is found out, at the
// right entry.
func TestVerifyFindsDifference(t *testing.T) {
	record := func() []Entry {
		var out bytes.Buffer
		j := newJournal(&out)
		take(t, j, Begun{}, ListenStarted{"mic/1", dialog.ModeAuto}, SpeechStarted{Utterance: "u"}, SpeechStopped{Utterance: "u"}, Final{"u", "hello"})
		entries, err := ReadJournal(&out)
		if err != nil {
			t.Fatal(err)
		}
		return entries
	}
	for _, tt := range []struct {
		name   string
		change func(e []Entry)
		first  int
	}{
		{"nothing", func([]Entry) {}, -1},
		{"an action is missing", func(e []Entry) { e[3].Asked = e[3].Asked[1:] }, 3},
		{"an action has other data", func(e []Entry) { e[4].Asked[2].Data = []byte(`{"Turn":1,"Text":"good bye"}`) }, 4},
		{"the phase", func(e []Entry) { e[1].Phase = PhaseSpeaking }, 1},
		{"an event", func(e []Entry) { e[2].Event = SpeechStarted{Utterance: "v"} }, 3},
	} {
		entries := record()
		tt.change(entries)
		if _, first, err := Verify(entries); err != nil || first != tt.first {
			t.Errorf("%s changed: first difference %d, want %d (%v)", tt.name, first, tt.first, err)
		}
	}
}

func TestJournalRefuses(t *testing.T) {
	good := `{"v":2,"seq":1,"at_us":0,"event":"NoticeDue","data":{"Text":"Tea."},"phase":"idle"}` + "\n"
	for name, bad := range map[string]string{
		"no JSON":                              "journal line 2",
		`{"v":1,"seq":2,"event":"NoticeDue"}`:  "version 1 does not hold the actions",
		`{"v":3}`:                              "version 3",
		`{"v":2,"event":"MoonRose","data":{}}`: `unknown event "MoonRose"`,
		`{"v":2,"event":"NoticeDue","data":{"Text":5}}`:          "NoticeDue",
		`{"v":2,"seq":3,"event":"NoticeDue","data":{"Text":""}}`: "entry 3, want entry 2",
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
	if err := j.append(NoticeDue{"x"}, PhaseIdle, nil); !errors.Is(err, full) {
		t.Errorf("err = %v", err)
	}
	if err := j.append(Ended{dialog.CauseShutdown}, PhaseIdle, nil); err != nil {
		t.Errorf("reported twice: %v", err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
