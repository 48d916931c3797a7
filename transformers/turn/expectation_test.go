package turn

import (
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"edged/realtime"
)

// told is a microphone that plays the windows of a script, one a chunk, and calls
// before in front of each. A chunk holds one window of 32 ms.
type told struct {
	in     *feed
	window int
	before func(window int)
}

func (m *told) Next() (*realtime.MessageChunk, error) {
	chunk, err := m.in.Next()
	if err == nil && chunk.Part != nil {
		m.before(m.window)
		m.window++
	}
	return chunk, err
}

func (m *told) Close() error                 { return m.in.Close() }
func (m *told) CloseWithError(e error) error { return m.in.CloseWithError(e) }

// decisions plays windows and returns at which window utterances ended and at
// which the Detector told of a pause.
func decisions(t *testing.T, windows string, cfg Config, label string, before func(d *Detector, window int)) (ends, pauses []int) {
	t.Helper()
	in := &feed{chunks: []*realtime.MessageChunk{listenStart("mic/1", label, 1)}}
	for range windows {
		in.chunks = append(in.chunks, sound("mic/1", 0, make([]int16, WindowSamples)))
	}
	m := &told{in: in}
	d := New(m, &script{windows: windows}, cfg)
	m.before = func(window int) { before(d, window) }
	for {
		chunk, err := d.Next()
		if err == io.EOF {
			return ends, pauses
		}
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case !strings.HasPrefix(chunk.Route(), RoutePrefix):
		case chunk.IsEndOfStream() && m.window < len(windows):
			ends = append(ends, m.window-1)
		case chunk.Ctrl.Label == LabelPause:
			if !chunk.ControlOnly() || chunk.IsBeginOfStream() || chunk.IsEndOfStream() {
				t.Error("a pause is a boundary or has content")
			}
			pauses = append(pauses, m.window-1)
		}
	}
}

// TestExpect: three windows of speech, then silence. What is expected decides
// how much of it there is: 10, 19 or 47 windows by default.
func TestExpect(t *testing.T) {
	windows := "SSS" + strings.Repeat(".", 80)
	tests := []struct {
		name  string
		hints map[int]Expectation // in front of which window
		want  int                 // the window that ends it
	}{
		{"nothing is known", nil, 2 + 19},
		{"complete", map[int]Expectation{5: Complete}, 2 + 10},
		{"incomplete", map[int]Expectation{5: Incomplete}, 2 + 47},
		{"complete, told late: the silence so far counts", map[int]Expectation{15: Complete}, 15},
		{"told before the silence", map[int]Expectation{3: Incomplete}, 2 + 47},
		{"the last word counts", map[int]Expectation{5: Incomplete, 30: Complete}, 30},
		{"taken back", map[int]Expectation{5: Complete, 8: Unknown}, 2 + 19},
		{"no such expectation", map[int]Expectation{5: 77}, 2 + 19},
	}
	for _, test := range tests {
		ends, pauses := decisions(t, windows, Config{}, labelAuto, func(d *Detector, window int) {
			if e, ok := test.hints[window]; ok {
				d.Expect("utterance/1", e)
			}
		})
		if !reflect.DeepEqual(ends, []int{test.want}) {
			t.Errorf("%s: ends at %v, want window %d", test.name, ends, test.want)
		}
		if !reflect.DeepEqual(pauses, []int{6}) {
			t.Errorf("%s: pauses at %v, want one after 128 ms of silence", test.name, pauses)
		}
	}
}

// TestExpectIsForOneUtterance: what is said of another utterance, or of this one
// after its end, changes nothing.
func TestExpectIsForOneUtterance(t *testing.T) {
	windows := "SSS" + strings.Repeat(".", 30) + "SSS" + strings.Repeat(".", 30)
	for _, route := range []string{"utterance/2", "utterance/0", "mic/1", ""} {
		ends, _ := decisions(t, windows, Config{}, labelAuto, func(d *Detector, window int) {
			if window == 4 {
				d.Expect(route, Complete)
			}
		})
		if len(ends) < 1 || ends[0] != 21 {
			t.Errorf("the first utterance ends at %v although only %q was complete", ends, route)
		}
	}
	ends, _ := decisions(t, windows, Config{}, labelAuto, func(d *Detector, window int) {
		if window == 4 || window == 37 {
			d.Expect("utterance/1", Incomplete)
		}
		if window == 25 {
			d.Expect("utterance/1", Complete)
		}
	})
	if !reflect.DeepEqual(ends, []int{25, 33 + 2 + 19}) {
		t.Errorf("ends at %v: a late word about the first utterance is none about the second", ends)
	}
}

// TestPauses of every silence: one each, none by push to talk's end of speech.
func TestPauseOfEachSilence(t *testing.T) {
	windows := "SSS" + ".....S" + "...S" + "....S" + strings.Repeat(".", 30)
	none := func(*Detector, int) {}
	if _, pauses := decisions(t, windows, Config{}, labelAuto, none); !reflect.DeepEqual(pauses, []int{6, 16, 21}) {
		t.Errorf("pauses at %v, want them at the fourth window of each longer silence", pauses)
	}
	if _, pauses := decisions(t, windows, Config{PauseAfter: 64 * time.Millisecond}, labelAuto, none); !reflect.DeepEqual(pauses, []int{4, 10, 14, 19}) {
		t.Errorf("pauses at %v, want them at the second window of each silence", pauses)
	}
}

func TestSpoken(t *testing.T) {
	var spoken []time.Duration
	decisions(t, "SSS..SS"+strings.Repeat(".", 30), Config{}, labelAuto, func(d *Detector, window int) {
		switch window {
		case 2, 3, 5, 7, 25, 26:
			spoken = append(spoken, d.Spoken()/windowTime)
		}
	})
	// Before an utterance 0, and 0 behind it: it ends with window 25.
	if want := []time.Duration{0, 3, 3, 5, 5, 0}; !reflect.DeepEqual(spoken, want) {
		t.Errorf("windows of speech %v, want %v", spoken, want)
	}
}

// TestHoldOutlastsPauses: a random speaker whose pauses last 300 to 1200 ms is cut
// off by nobody who knows that more must follow, and by 700 ms of fixed silence
// wherever a pause is longer (F20).
func TestHoldOutlastsPauses(t *testing.T) {
	random := rand.New(rand.NewPCG(20, 20))
	for range 50 {
		longest := 0
		windows := "SSSSS"
		for range 1 + random.IntN(4) {
			pause := 10 + random.IntN(28) // windows: 320 to 1184 ms
			longest = max(longest, pause)
			windows += strings.Repeat(".", pause) + strings.Repeat("S", 3+random.IntN(20))
		}
		speech := len(windows)
		windows += strings.Repeat(".", 60)
		ends, _ := decisions(t, windows, Config{MaxUtterance: -1}, labelAuto, func(d *Detector, window int) {
			switch {
			case window == 5:
				d.Expect("utterance/1", Incomplete)
			case window == speech+4:
				d.Expect("utterance/1", Complete)
			}
		})
		if want := []int{speech - 1 + 10}; !reflect.DeepEqual(ends, want) {
			t.Fatalf("%s: ends at %v, want %v", windows, ends, want)
		}
		ends, _ = decisions(t, windows, Config{MaxUtterance: -1, MinSilence: 700 * time.Millisecond}, labelAuto, func(*Detector, int) {})
		if cut := ends[0] < speech; cut != (longest >= 22) {
			t.Fatalf("%s: fixed 700 ms ends at %v, its longest pause has %d windows", windows, ends, longest)
		}
	}
}

// TestLostAudioNeitherEndsNorProlongs: gaps of up to a second in total silence
// or speech count neither as silence nor as speech, wherever they are, and an
// expectation outlives them.
func TestLostAudioNeitherEndsNorProlongs(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 21))
	windows := "....SSSSSSS" + strings.Repeat(".", 6) + "SSSS" + strings.Repeat(".", 70)
	for trial := range 60 {
		expected := Expectation(trial % 3)
		silence := []int{Unknown: 19, Complete: 10, Incomplete: 47}[expected]
		in := &feed{chunks: []*realtime.MessageChunk{listenStart("mic/1", labelAuto, 1)}}
		lost := 0
		for range windows {
			if random.IntN(6) == 0 {
				length := 20 * (1 + random.IntN(50)) // ms
				in.chunks = append(in.chunks, hole("mic/1", time.Duration(length)*time.Millisecond))
				lost++
			}
			in.chunks = append(in.chunks, sound("mic/1", 0, make([]int16, WindowSamples)))
		}
		m := &told{in: in}
		heard := &script{windows: windows}
		d := New(m, heard, Config{MaxUtterance: -1})
		m.before = func(window int) { d.Expect("utterance/1", expected) }
		for {
			chunk, err := d.Next()
			if err != nil {
				t.Fatalf("trial %d: no end of the utterance: %v", trial, err)
			}
			if strings.HasPrefix(chunk.Route(), RoutePrefix) && chunk.IsEndOfStream() {
				break
			}
		}
		if want := 21 + silence; heard.heard != want {
			t.Fatalf("trial %d, %v, %d gaps: ends after %d windows of audio, want %d", trial, expected, lost, heard.heard, want)
		}
	}
}
