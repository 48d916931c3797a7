package pcm

import (
	"testing"
)

// Each step on 20 ms at 16 kHz, beside a copy of the same samples.
func BenchmarkSteps(b *testing.B) {
	samples, out, bytes := make([]int16, 320), make([]int16, 320), make([]byte, 640)
	for i := range samples {
		samples[i] = int16(i * 97)
	}
	var d Decoder
	for _, step := range []struct {
		name string
		run  func()
	}{
		{"copy", func() { copy(out, samples) }},
		{"decode", func() { Decode(out, bytes) }},
		{"append", func() { bytes = Append(bytes[:0], samples) }},
		{"decoder", func() { out = d.Append(out[:0], bytes) }},
		{"level", func() { Level(samples) }},
		{"gain", func() { Gain(out, 0.99) }},
		{"mono", func() { Mono(out, samples, 2) }},
	} {
		b.Run(step.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				step.run()
			}
		})
	}
}
