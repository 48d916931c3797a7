//go:build !race

package echo

import (
	"runtime"
	"testing"
)

// TestNoAllocation: neither a frame nor a search for the delay allocates.
func TestNoAllocation(t *testing.T) {
	const frames = 10_000
	g, sound := playing(t)
	step := func(i int) {
		part := sound[i*Frame%(len(sound)-Frame):][:Frame]
		g.Sent(int64(i+20)*Frame, part)
		g.Place(int64(i)*Frame, int64(i)*Frame)
		mic := [Frame]int16(part)
		g.Process(mic[:])
	}
	step(0)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range frames {
		step(i + 1)
	}
	runtime.ReadMemStats(&after)
	if perFrame := float64(after.Mallocs-before.Mallocs) / frames; perFrame > 0.001 {
		t.Errorf("%.4f allocations per frame, want at most 0.001", perFrame)
	}
}
