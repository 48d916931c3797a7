//go:build !race

package resample

import (
	"runtime"
	"testing"
)

func TestNoAllocation(t *testing.T) {
	const frames = 10_000
	r := newResampler(t, 24000, 16000)
	src := noise(480)
	dst := make([]int16, r.MaxOutput(len(src)))
	frame := func(i int) {
		r.Process(dst, src)
		if i%100 == 99 {
			r.Flush(dst)
		}
	}
	frame(0)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range frames {
		frame(i)
	}
	runtime.ReadMemStats(&after)
	if perFrame := float64(after.Mallocs-before.Mallocs) / frames; perFrame > 0.001 {
		t.Errorf("%.4f allocations per frame, want at most 0.001", perFrame)
	}
}
