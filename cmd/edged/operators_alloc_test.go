//go:build !race

package main

import (
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/rs/zerolog"

	"edged/edge/admin"
	"edged/session/log"
)

// Operators who do not read cost the sessions nothing: writing 100,000 events
// takes as many allocations beside ten stuck tails as without any, and the
// memory that stays is the ring's.
func TestStuckReadersCostNothing(t *testing.T) {
	const events, keep = 100_000, 1 << 20
	measure := func(tails int) (perEvent float64, grown int64) {
		synctest.Test(t, func(t *testing.T) {
			ring := log.NewRing(log.RingConfig{Bytes: keep})
			h, err := admin.New(admin.Config{Token: operatorToken, Events: feed{ring}, Sessions: directory{}})
			if err != nil {
				t.Fatal(err)
			}
			end := func() {}
			if tails > 0 {
				_, end = stuckTails(t, h, tails)
			}
			r := log.NewRecorder(zerolog.New(ring), "s", "d", true)
			emit := func() {
				for range events {
					r.Emit(1, 0, log.ASRPartial{Utterance: "utterance/1", Text: "what is seven plus five"})
				}
			}
			emit() // the ring is full and every tail overtaken
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			emit()
			runtime.ReadMemStats(&after)
			perEvent = float64(after.Mallocs-before.Mallocs) / events
			runtime.GC()
			runtime.ReadMemStats(&after)
			grown = int64(after.HeapAlloc) - int64(before.HeapAlloc)
			ring.Close()
			h.Close()
			end()
		})
		return perEvent, grown
	}
	none, _ := measure(0)
	ten, grown := measure(10)
	t.Logf("allocations for each event: %.3f without operators, %.3f beside ten who do not read; heap grown by %d bytes", none, ten, grown)
	if ten > none+0.01 {
		t.Errorf("%.3f allocations for each event beside ten stuck tails, %.3f without: sessions pay for them", ten, none)
	}
	if grown > keep {
		t.Errorf("100,000 events have left %d bytes behind, in a full ring of %d", grown, keep)
	}
}
