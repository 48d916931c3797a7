package flite

import (
	"context"

	"edged/transformers/tts"
)

var _ tts.TimedSynthesizer = (*Voice)(nil)

// SynthesizeWords implements tts.TimedSynthesizer by SynthesizeTimed.
func (v *Voice) SynthesizeWords(ctx context.Context, text string, sink func(pcm []int16) error) ([]tts.SpokenWord, error) {
	timing, err := v.SynthesizeTimed(ctx, text, sink)
	if err != nil {
		return nil, err
	}
	words := make([]tts.SpokenWord, len(timing.Words))
	for i, w := range timing.Words {
		words[i] = tts.SpokenWord{Text: w.Text, Start: w.Start, End: w.End}
	}
	return words, nil
}
