//go:build !race

package log_test

import (
	"runtime"
	"strings"
	"testing"

	"edged/session/log"
)

// sample has the length of a common line.
var sample = []byte(`{"level":"info","v":1,"time":"2026-01-02T15:04:05.123+01:00","event":"asr.partial","session":"` +
	strings.Repeat("s", 26) + `","device":"kitchen-panel-01","turn":12,"media_ms":123456,"utterance":"utterance/12","text":"what is seven plus five"}` + "\n")

// mallocs counts the allocations of f.
func mallocs(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs
}

// stuck opens tails that read nothing.
func stuck(ring *log.Ring, n int) (closeAll func()) {
	var tails []*log.Tail
	for range n {
		tails = append(tails, ring.Tail(log.Start{}))
	}
	return func() {
		for _, t := range tails {
			t.Close()
		}
	}
}

// Writing allocates for a slab of lines now and then, and not more because
// somebody reads, or should and does not.
func TestWriteAllocations(t *testing.T) {
	const events = 10_000
	measure := func(readers int) float64 {
		ring := log.NewRing(log.RingConfig{})
		defer stuck(ring, readers)()
		for range events {
			ring.Write(sample)
		}
		return float64(mallocs(func() {
			for range events {
				ring.Write(sample)
			}
		})) / events
	}
	none, ten := measure(0), measure(10)
	t.Logf("allocations for each line: %.4f without a reader, %.4f with ten", none, ten)
	// 32 KiB of text hold about 130 lines of 240 bytes, and there is a slab of
	// 64 headers: 0.023.
	if none > 0.03 || ten > 0.03 {
		t.Errorf("%.4f and %.4f allocations for each line, want at most 0.03", none, ten)
	}
}

// Reading allocates nothing: all tails share the lines.
func TestReadAllocations(t *testing.T) {
	const events = 10_000
	ring := log.NewRing(log.RingConfig{})
	for range events {
		ring.Write(sample)
	}
	tail := ring.Tail(log.Start{Oldest: true})
	defer tail.Close()
	n, bytes := 0, 0
	allocated := mallocs(func() {
		for e, ok := tail.Ready(); ok; e, ok = tail.Ready() {
			n, bytes = n+1, bytes+len(e.Line)
		}
	})
	if n != events || bytes != events*(len(sample)-1) {
		t.Fatalf("read %d lines of %d bytes", n, bytes)
	}
	if perLine := float64(allocated) / events; perLine > 0.001 {
		t.Errorf("%.4f allocations for each line that is read, want none", perLine)
	}
}

func BenchmarkRingWrite(b *testing.B) {
	for name, readers := range map[string]int{"alone": 0, "10 stuck tails": 10} {
		b.Run(name, func(b *testing.B) {
			ring := log.NewRing(log.RingConfig{})
			defer stuck(ring, readers)()
			b.ReportAllocs()
			for b.Loop() {
				ring.Write(sample)
			}
		})
	}
	b.Run("10 busy tails", func(b *testing.B) {
		ring := log.NewRing(log.RingConfig{})
		done := make(chan struct{}, 10)
		for range cap(done) {
			tail := ring.Tail(log.Start{})
			go func() {
				defer func() { done <- struct{}{} }()
				defer tail.Close()
				for {
					if _, err := tail.Next(b.Context()); err != nil {
						return
					}
				}
			}()
		}
		b.ReportAllocs()
		for b.Loop() {
			ring.Write(sample)
		}
		b.StopTimer()
		ring.Close()
		for range cap(done) {
			<-done
		}
	})
}
