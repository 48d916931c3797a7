package vad

import "testing"

// BenchmarkProcess is one window of 32 ms through the network; naive is the
// same computation without any of the layouts and shortcuts.
func BenchmarkProcess(b *testing.B) {
	pcm := samples(b, "testdata/weather.wav")
	run := func(b *testing.B, process func([]int16) float32) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			process(pcm[i%40*WindowSamples:][:WindowSamples])
		}
	}
	b.Run("detector", func(b *testing.B) { run(b, model(b).NewDetector().Process) })
	b.Run("naive", func(b *testing.B) { run(b, newNaive(b).process) })
}

func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Load(); err != nil {
			b.Fatal(err)
		}
	}
}
