package flite_test

import (
	"slices"
	"strings"
	"testing"

	"edged/transformers/asr/pocketsphinx"
	"edged/transformers/tts/flite"
	"edged/transformers/tts/speakable"
)

// What is written in figures and signs is heard as words: a recogniser with a free
// language model finds the words that carry the meaning (F30). It gets some 6% of
// words of this voice wrong, so one in eight may be missing.
func TestNormalisedSpeechIsUnderstood(t *testing.T) {
	recognizer, err := pocketsphinx.New(pocketsphinx.Config{Decoders: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = recognizer.Close() }()
	tests := []struct {
		text string
		key  string // words that have to be heard
	}{
		{"The train leaves at 7:30 in the morning.", "seven thirty"},
		{"It will be 72°F and sunny today.", "seventy two degrees"},
		{"That costs $25, please.", "twenty five dollars"},
		{"The city is 15 km away from here.", "fifteen kilometers"},
		{"About 50% of the people said yes.", "fifty percent"},
		{"We met on the 3rd of May.", "third may"},
		{"The war ended in 1945.", "nineteen forty five"},
		{"It takes **3-5 days** to get there.", "three five days"},
		{"The answer is 2 + 2 = 4.", "two plus four"},
		{"Take ½ of the money 💰 with you.", "half money"},
	}
	voice := load(t, flite.Config{Voice: "rms"})
	heard, keys := 0, 0
	for _, tt := range tests {
		pcm, _ := speak(t, voice, speakable.English.Speak(tt.text).Spoken)
		pcm = append(pcm, make([]int16, 4800)...)
		utterance, err := recognizer.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := utterance.Write(t.Context(), pcm); err != nil {
			t.Fatal(err)
		}
		result, err := utterance.Finish(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_ = utterance.Close()
		words := strings.Fields(result.Text)
		for key := range strings.FieldsSeq(tt.key) {
			keys++
			if slices.Contains(words, key) {
				heard++
			} else {
				t.Logf("%q: no %q in %q", tt.text, key, result.Text)
			}
		}
	}
	t.Logf("%d of %d key words heard", heard, keys)
	if heard*8 < keys*7 {
		t.Errorf("%d of %d key words heard, want seven in eight", heard, keys)
	}
}
