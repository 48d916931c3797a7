package speakable_test

import (
	"testing"

	"edged/transformers/tts/speakable"
)

func BenchmarkSpeak(b *testing.B) {
	texts := []struct{ name, text string }{
		{"words", "The timer for the eggs is set, and I will tell you when the time is up, as you wanted me to do."},
		{"figures", "On May 3rd, 2026 at 7:30 pm it cost $5.50 for 3-5 km, see **example.com/a** or call 555-123-4567."},
	}
	for _, tt := range texts {
		b.Run(tt.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				speakable.English.Speak(tt.text)
			}
		})
	}
}
