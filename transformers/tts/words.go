package tts

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"edged/realtime"
)

// WordsMIME is the MIME type of the chunk that tells where the words of a
// segment lie in its audio.
const WordsMIME = "application/vnd.edged.words+json"

// Word is a written word of a segment and where it is spoken.
type Word struct {
	// Start and End are bytes of the segment's text.
	Start int `json:"start"`
	End   int `json:"end"`
	// At and Until are places in the segment's audio, in nanoseconds on paper.
	At    time.Duration `json:"at"`
	Until time.Duration `json:"until"`
}

// ParseWords reads a blob of WordsMIME. The words are in order and do not
// overlap.
func ParseWords(blob *realtime.Blob) ([]Word, error) {
	if realtime.CanonicalMIME(blob.MIMEType) != WordsMIME {
		return nil, fmt.Errorf("tts: words: %q is not %s", blob.MIMEType, WordsMIME)
	}
	var words []Word
	if err := json.Unmarshal(blob.Data, &words); err != nil {
		return nil, fmt.Errorf("tts: words: %w", err)
	}
	last := Word{}
	for i, w := range words {
		if w.Start < last.End || w.End <= w.Start || w.At < last.Until || w.Until < w.At {
			return nil, fmt.Errorf("tts: words: word %d (%+v) is not behind the one before", i+1, w)
		}
		last = w
	}
	return words, nil
}

// SpokenWord is a word as an engine spoke it.
type SpokenWord struct {
	// Text is the word as the engine reads it: lower case, numbers written out.
	Text string
	// Start and End are samples of the audio.
	Start, End int
}

// TimedSynthesizer is what a Synthesizer may be besides: one that tells where
// in its audio the words are.
type TimedSynthesizer interface {
	Synthesizer
	// SynthesizeWords is Synthesize that returns the words of what was spoken,
	// in order.
	SynthesizeWords(ctx context.Context, text string, sink func(pcm []int16) error) ([]SpokenWord, error)
}
