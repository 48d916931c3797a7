//go:build !race

package pcm

import (
	"runtime"
	"testing"
)

func TestNoAllocation(t *testing.T) {
	const frames = 10_000
	samples, bytes := make([]int16, 320), make([]byte, 640)
	var d Decoder
	frame := func() {
		Decode(samples, bytes)
		bytes = Append(bytes[:0], samples)
		samples = d.Append(samples[:0], bytes)
		Gain(samples, 0.9)
		Level(samples)
		Mono(samples, samples, 2)
	}
	frame()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range frames {
		frame()
	}
	runtime.ReadMemStats(&after)
	if perFrame := float64(after.Mallocs-before.Mallocs) / frames; perFrame > 0.001 {
		t.Errorf("%.4f allocations per frame, want at most 0.001", perFrame)
	}
}
