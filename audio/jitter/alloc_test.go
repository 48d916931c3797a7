//go:build !race

package jitter

import (
	"runtime"
	"testing"
	"time"
)

// A warm buffer does not allocate, also with losses, reordering and packets of
// changing size.
func TestNoAllocation(t *testing.T) {
	const frames = 10_000
	b := New(Config{Rate: rate})
	payload := make([]byte, 400)
	frame := func(i int) {
		now := start.Add(time.Duration(i) * ptime)
		number := i
		switch i % 50 {
		case 10:
			return // lost
		case 20:
			number = i + 1
		case 21:
			number = i - 1
		}
		b.Push(Packet{
			Seq: uint32(number), Timestamp: uint32(number * ticks), Duration: ptime, Payload: payload[:100+i%300],
		}, now)
		for {
			if _, ok := b.Pop(now); !ok {
				break
			}
		}
		b.Deadline()
		b.PeekNext()
	}
	for i := range 1000 {
		frame(i)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range frames {
		frame(1000 + i)
	}
	runtime.ReadMemStats(&after)
	if perFrame := float64(after.Mallocs-before.Mallocs) / frames; perFrame > 0.001 {
		t.Errorf("%.4f allocations per frame, want at most 0.001", perFrame)
	}
	if s := b.Stats(); s.Lost == 0 || s.Reordered == 0 {
		t.Errorf("%+v: the measurement must include losses and reordering", s)
	}
}
