package edge

import (
	"fmt"
	"testing"
)

// What a scrape costs a full server: the counters of 500 connections are copied
// one by one, so none is held up for longer than its share of this.
func BenchmarkTotals(b *testing.B) {
	for _, devices := range []int{0, 1, 500} {
		b.Run(fmt.Sprint(devices, " connections"), func(b *testing.B) {
			server := &Server{tally: newTally()}
			for range devices {
				leg := newLeg(terms{Limits: Limits{}.withDefaults(), up: opus16k60, down: opus16k60}, newFakeTransport(), zerologNop())
				server.tally.enter(leg)
			}
			b.ReportAllocs()
			for b.Loop() {
				if server.Totals().Live != devices {
					b.Fatal("some are not counted")
				}
			}
		})
	}
}
