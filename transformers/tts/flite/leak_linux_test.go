package flite_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"testing"

	"edged/transformers/tts/flite"
)

// resident returns the resident memory of the process in bytes.
func resident(t *testing.T) int {
	t.Helper()
	debug.FreeOSMemory()
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(string(bytes.Fields(statm)[1]))
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// The Go heap knows nothing of what C forgets to free: utterances, finished and
// cancelled ones, must leave the process as large as it was. One utterance holds
// about 2 MB while it is made, so a leak of even a hundredth of each makes every
// round grow by 5 MB. A single round may grow without a leak: the C library makes
// a new arena when a call lands on another thread. So the best of three counts.
func TestNoMemoryLeak(t *testing.T) {
	stop := errors.New("stop")
	for _, name := range []string{"slt", "kal16"} {
		v := load(t, flite.Config{Voice: name})
		run := func(n int) {
			for i := range n {
				want := error(nil)
				if i%2 == 1 {
					want = stop
				}
				_, err := v.SynthesizeTimed(t.Context(), "Sure, one moment.", func([]int16) error { return want })
				if !errors.Is(err, want) {
					t.Fatalf("utterance %d: %v, want %v", i, err, want)
				}
			}
		}
		run(50) // the allocators reach their working size
		least := math.MaxInt
		for range 3 {
			before := resident(t)
			run(250)
			least = min(least, resident(t)-before)
		}
		if least > 2<<20 {
			t.Errorf("%s: 250 utterances left %d KiB behind, each time", name, least>>10)
		}
	}
}
