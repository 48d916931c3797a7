package ws

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"edged/dialog"
	"edged/edge"
)

// BenchmarkFlush is the edge's own share of the reaction to an interruption: from
// the call of Flush, in the middle of a reply in Opus, until it was written to the
// socket. A third of the sessions speak at any time. Beside it stands how late the
// packets of the worst session left (p99).
func BenchmarkFlush(b *testing.B) {
	for _, sessions := range []int{1, 200} {
		b.Run(fmt.Sprint("sessions=", sessions), func(b *testing.B) {
			for b.Loop() {
				took, late := flushes(b, sessions, 5)
				slices.Sort(took)
				at := func(q float64) float64 { return float64(took[int(q*float64(len(took)-1))].Microseconds()) / 1000 }
				b.ReportMetric(at(0.5), "flush-p50-ms")
				b.ReportMetric(at(0.99), "flush-p99-ms")
				b.ReportMetric(float64(len(took)), "flush-n")
				b.ReportMetric(float64(late.Microseconds())/1000, "pacing-worst-p99-ms")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// flushes interrupts each of many sessions so many times and returns how long each
// flush took, and the worst session's lateness.
func flushes(b *testing.B, sessions, rounds int) (took []time.Duration, late time.Duration) {
	var mu sync.Mutex
	var running sync.WaitGroup
	running.Add(sessions)
	connected := make(chan struct{})
	interrupt := func(ctx context.Context, leg *edge.Leg) error {
		defer running.Done()
		select {
		case <-connected:
		case <-ctx.Done():
			return nil
		}
		for turn := dialog.Turn(1); turn <= dialog.Turn(rounds); turn++ {
			time.Sleep(rand.N(2 * time.Second)) // nobody speaks
			var playing sync.WaitGroup
			playing.Go(func() {
				for leg.Play(ctx, turn, pcmChunk(20*ms)) == nil {
				}
			})
			time.Sleep(300*ms + rand.N(400*ms))
			called := time.Now()
			_, err := leg.Flush(ctx, turn, dialog.CauseSpeech)
			after := time.Since(called)
			playing.Wait()
			if err != nil {
				return err
			}
			mu.Lock()
			took = append(took, after)
			mu.Unlock()
		}
		mu.Lock()
		defer mu.Unlock()
		late = max(late, leg.Stats().Pacer.Lateness.Quantile(0.99))
		return nil
	}
	r := newRig(b, edge.Config{Handler: func(ctx context.Context, leg *edge.Leg) error {
		var reading sync.WaitGroup
		defer reading.Wait()
		reading.Go(func() {
			for range leg.Events() {
			}
		})
		if err := interrupt(ctx, leg); err != nil {
			return err
		}
		return waits(ctx, leg)
	}}, Config{}, false)
	defer r.stop()
	var reading sync.WaitGroup
	defer reading.Wait()
	ls := make([]*loader, 0, sessions)
	defer func() { closeAll(ls) }()
	for i := range sessions {
		l, err := newLoader(r.url, fmt.Sprint("toy", i), opus60, []byte{0x18})
		if err != nil {
			b.Fatal(err)
		}
		ls = append(ls, l)
		reading.Go(func() { _ = l.receive(1 << 30) })
	}
	close(connected)
	running.Wait()
	return took, late
}
