package main

import (
	"context"
	"math"
	"slices"
	"syscall"
	"testing"
	"time"

	"edged/internal/edgetest"
)

// F42: the first turn after the start costs no more than those that follow: nothing is
// loaded, warmed up or compiled for it. Processor time is compared, which a busy
// machine does not move, against the median of the later turns; and virtual time, in
// which all turns must be the same. Three turns, or ten with EDGED_FULL; another start
// is looked at only when something has disturbed the first.
func TestFirstTurn(t *testing.T) {
	turns := 3
	if full {
		turns = 10
	}
	question := recording(t, "what is seven plus five")
	least := math.Inf(1)
	for range 3 {
		if least <= 1.2 {
			break
		}
		visit(t, func(t *testing.T, h *house) {
			d := h.dial(nil)
			var spent, waited []time.Duration
			for range turns {
				before := processorTime(t)
				a, err := d.Ask(context.Background(), edgetest.Question{PCM: question})
				if err != nil || a.Timing == nil || a.Timing.FirstPacket == nil {
					t.Fatalf("no answer: %v, %v", a, err)
				}
				spent = append(spent, processorTime(t)-before)
				waited = append(waited, time.Duration(*a.Timing.FirstPacket)*time.Millisecond)
			}
			h.hangUp(d)
			if waited[0] > waited[turns-1] {
				t.Errorf("the first sound of turn 1 comes after %v, that of turn %d after %v", waited[0], turns, waited[turns-1])
			}
			later := slices.Sorted(slices.Values(spent[1:]))
			median := later[len(later)/2]
			ratio := float64(spent[0]) / float64(median)
			t.Logf("processor time of turn 1: %v, of the later turns %v: %.0f%% of their median; first sound after %v of speech's end", spent[0], spent[1:], 100*ratio, waited[0])
			least = min(least, ratio)
		})
	}
	if least > 1.2 {
		t.Errorf("the first turn takes %.0f%% of the processor time of a later one, want 120%% at most", 100*least)
	}
}

// processorTime is what this process has used so far.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
