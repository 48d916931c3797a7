package flite_test

import (
	"testing"
	"time"

	"edged/transformers/tts/flite"
)

// BenchmarkSynthesize speaks one sentence per operation. first-ms is the time to
// the first block, rtf the time spent per second of audio.
func BenchmarkSynthesize(b *testing.B) {
	texts := []struct{ name, text string }{
		{"short", "Sure, one moment."},
		{"sentence", "The timer for ten minutes is set, and I will tell you when the time is up."},
		{"long", "The quick brown fox jumps over the lazy dog, and then it walks slowly down the road to the river, " +
			"where a heron waits for fish in the shallow water, while far away the bells of the old church begin to ring " +
			"and people leave their houses to meet each other on the market square, as they do."},
	}
	for _, voice := range flite.Voices() {
		v := load(b, flite.Config{Voice: voice})
		for _, tt := range texts {
			b.Run(voice+"/"+tt.name, func(b *testing.B) {
				b.ReportAllocs()
				var first time.Duration
				samples := 0
				for b.Loop() {
					start, begun := time.Now(), false
					err := v.Synthesize(b.Context(), tt.text, func(pcm []int16) error {
						if !begun {
							first, begun = first+time.Since(start), true
						}
						samples += len(pcm)
						return nil
					})
					if err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(first.Seconds()*1000/float64(b.N), "first-ms")
				b.ReportMetric(b.Elapsed().Seconds()*flite.SampleRate/float64(samples), "rtf")
			})
		}
	}
}
