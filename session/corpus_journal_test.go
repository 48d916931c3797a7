package session

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// noise gives other goroutines their turn a few times.
func noise() {
	for range rand.IntN(20) {
		runtime.Gosched()
	}
}

// actionsOf returns all actions of a journal, without their times.
func actionsOf(t *testing.T, journal []byte) []Asked {
	entries, err := ReadJournal(bytes.NewReader(journal))
	if err != nil {
		t.Fatal(err)
	}
	var all []Asked
	for _, e := range entries {
		all = append(all, e.Asked...)
	}
	return all
}

// The journals of all conversations, replayed side by side by many goroutines on
// one to eight processors: the actions are always those that were recorded.
func TestJournalsUnderShuffledScheduling(t *testing.T) {
	journals := map[string][]Entry{}
	for file, c := range conversations(t) {
		p := act(t, file, c, func() {})
		entries, err := ReadJournal(bytes.NewReader(p.journal))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		journals[file] = entries
	}
	if len(journals) < 40 {
		t.Errorf("%d journals, want at least 40", len(journals))
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	replays := 0
	for _, processors := range []int{1, 2, 4, 8} {
		runtime.GOMAXPROCS(processors)
		var running sync.WaitGroup
		for file, entries := range journals {
			for range 3 {
				replays++
				running.Go(func() {
					noise()
					if _, first, err := Verify(entries); first >= 0 || err != nil {
						t.Errorf("%s: entry %d differs (%v)", file, first+1, err)
					}
				})
			}
		}
		running.Wait()
	}
	t.Logf("%d journals, %d replays: identical actions", len(journals), replays)
}

// audible are the actions that the user or the model notices: no timers.
func audible(asked []Asked) []Asked {
	return slices.DeleteFunc(slices.Clone(asked), func(a Asked) bool { return strings.HasSuffix(a.Action, "Timer") })
}

// A conversation that takes place three times under other scheduling: each
// journal replays identically, and all three ask for the same actions. Timers may
// be armed once more or less, since events of one instant come in any order.
func TestConversationsUnderShuffledScheduling(t *testing.T) {
	alike, moved, all := 0, 0, conversations(t)
	for file, c := range all {
		var first []Asked
		same, permuted := true, true
		for i := range 3 {
			p := act(t, file, c, noise)
			entries, err := ReadJournal(bytes.NewReader(p.journal))
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if _, at, err := Verify(entries); at >= 0 || err != nil {
				t.Errorf("%s: entry %d differs from its own replay (%v)", file, at+1, err)
			}
			asked := actionsOf(t, p.journal)
			if i == 0 {
				first = asked
			}
			same = same && slices.EqualFunc(first, asked, Asked.Equal)
			permuted = permuted && slices.EqualFunc(audible(first), audible(asked), Asked.Equal)
		}
		switch {
		case same:
			alike++
		case permuted:
			moved++
		default:
			t.Errorf("%s: other scheduling, another conversation", file)
		}
	}
	t.Logf("of %d conversations %d asked three times for the same actions, %d for the same but timers", len(all), alike, moved)
}

// What is wrong with a file is said with its line.
func TestConversationFileRefuses(t *testing.T) {
	const good = "title: x\nshows: [F01]\ntimeline:\n  - {at: 0ms, opens_microphone: auto}\n  - {at: 20ms, says: hi, for: 1s}\nuntil: 5s\nexpect:\n  log: [{reply.done: 1}]\n"
	if _, err := parseConversation("c.yaml", []byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ from, to, want string }{
		{"until", "untill", `c.yaml:6: unknown key "untill"`},
		{"says: hi", "sais: hi", `c.yaml:5: unknown key "sais"`},
		{"at: 20ms", "at: 30ms", "c.yaml:5: times of the microphone"},
		{"at: 0ms", "at: 40ms", "c.yaml:5: at 20ms is before"},
		{", for: 1s", "", "c.yaml:5: says needs for"},
		{"auto", "loud", `c.yaml:4: the microphone opens`},
		{"5s", "10ms", "until 10ms is not behind"},
		{"reply.done", "reply.dome", `c.yaml:8: unknown event "reply.dome"`},
		{"{reply.done: 1}", "{reply.done: 1, colour: red}", `c.yaml:8: reply.done has no field "colour"`},
		{"{reply.done: 1}", "{reply.done: 1, from: 2s, by: 1s}", "c.yaml:8: by 1s is before from 2s"},
		{"{reply.done: 1}", "{reply.done: 1, by: 9s}", "c.yaml:8: the conversation is over"},
		{"at: 20ms, says: hi", "at: soon, says: hi", `c.yaml:5: "soon" is not`},
		{"says: hi", "says: hi, presses_stop: true", "c.yaml:5: want exactly one thing"},
	} {
		_, err := parseConversation("c.yaml", []byte(strings.Replace(good, tt.from, tt.to, 1)))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q for %q: err = %v, want %q in it", tt.to, tt.from, err, tt.want)
		}
	}
}

// Every line of the failure catalogue that a session has a part in is shown.
func TestCorpusCoversCatalogue(t *testing.T) {
	shown := map[string]bool{}
	for _, c := range conversations(t) {
		for _, line := range c.Shows {
			shown[line] = true
		}
	}
	for _, line := range strings.Fields("F01 F02 F03 F04 F05 F06 F10 F11 F12 F13 F14 F16 F17 F18 F20 F21 F22 F23 F24 F25 F26 F27 F30 F31 F60 F61 F62") {
		if !shown[line] {
			t.Errorf("no conversation shows %s", line)
		}
	}
}

// An action is the same on paper after it was read back.
func TestAskedRoundTrip(t *testing.T) {
	asked, err := askedFor([]Action{Reply{1, "a < b"}, StartTimer{Timer: TimerDeadline}})
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(asked)
	var back []Asked
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(asked, back) {
		t.Errorf("%s read back: %s, %v", asked, back, err)
	}
}
