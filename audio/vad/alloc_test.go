//go:build !race

package vad

import (
	"runtime"
	"testing"
)

// TestNoAllocationPerWindow covers both the network and the gate in all its
// states.
func TestNoAllocationPerWindow(t *testing.T) {
	const windows = 10000
	pcm := scene{snr: 20}.mix(samples(t, "testdata/no.wav"), 1)
	total := len(pcm) / WindowSamples
	tests := []struct {
		name    string
		process func([]int16) float32
	}{
		{"detector", model(t).NewDetector().Process},
		{"gate", model(t).NewGate().Process},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			run := func(n int) {
				for i := range n {
					test.process(pcm[i%total*WindowSamples:][:WindowSamples])
				}
			}
			run(total)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			run(windows)
			runtime.ReadMemStats(&after)
			if got := float64(after.Mallocs-before.Mallocs) / windows; got > 0.001 {
				t.Errorf("%g allocations a window, want none", got)
			}
		})
	}
}
