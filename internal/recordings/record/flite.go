package main

import (
	"context"

	"edged/transformers/tts/flite"
)

// speakFlite has a voice of flite say text, with its pauses.
func speakFlite(ctx context.Context, name, text string) (utterance, error) {
	v, err := flite.New(flite.Config{Voice: name, Lead: -1})
	if err != nil {
		return utterance{}, err
	}
	flite.Seed(1) // the same noise in the voice at every run
	var u utterance
	timing, err := v.SynthesizeTimed(ctx, text, func(pcm []int16) error {
		u.samples = append(u.samples, pcm...)
		return nil
	})
	u.onset, u.offset = timing.Onset, timing.Offset
	return u, err
}
