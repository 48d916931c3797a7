package doctor

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"edged/audio"
	"edged/audio/pcm"
	"edged/audio/resample"
	"edged/realtime"
	"edged/transformers"
)

// microphone is the rate of what Say returns and Hear takes.
const microphone = audio.Rate16k

// Say has a synthesiser speak the text, and returns it as mono at 16 kHz.
func Say(ctx context.Context, voice transformers.Transformer, pattern, text string) ([]int16, error) {
	in := realtime.Produce(ctx, 0, func(ctx context.Context, out *realtime.StreamBuilder) error {
		return out.Add(ctx, &realtime.MessageChunk{
			Role: realtime.RoleModel, Part: realtime.Text(text), Ctrl: &realtime.StreamCtrl{StreamID: "question", EndOfStream: true},
		})
	})
	defer in.Close()
	speech, err := voice.Transform(ctx, pattern, in)
	if err != nil {
		return nil, err
	}
	defer speech.Close()
	var samples []int16
	rate := microphone
	for {
		chunk, err := speech.Next()
		switch {
		case realtime.IsEnd(err) && len(samples) == 0:
			return nil, errors.New("it said nothing")
		case realtime.IsEnd(err):
			return resample.Whole(samples, rate, microphone)
		case err != nil:
			return nil, err
		case chunk.Ctrl != nil && chunk.Ctrl.Error != "":
			return nil, errors.New(chunk.Ctrl.Error)
		}
		if sound, ok := chunk.Part.(*realtime.Blob); ok && strings.HasPrefix(realtime.CanonicalMIME(sound.MIMEType), "audio/") {
			if rate, _, err = audio.ParsePCMMIMEType(sound.MIMEType); err != nil {
				return nil, err
			}
			block := make([]int16, len(sound.Data)/pcm.SampleBytes)
			samples = append(samples, block[:pcm.Decode(block, sound.Data)]...)
		}
	}
}

// Hear has a recogniser listen to mono sound at 16 kHz, and returns the text.
func Hear(ctx context.Context, recogniser transformers.Transformer, pattern string, samples []int16) (string, error) {
	const route = "reply"
	in := realtime.Produce(ctx, 0, func(ctx context.Context, out *realtime.StreamBuilder) error {
		for block := range slices.Chunk(samples, microphone.Samples(100*time.Millisecond)) {
			err := out.Add(ctx, &realtime.MessageChunk{
				Role: realtime.RoleUser, Ctrl: &realtime.StreamCtrl{StreamID: route},
				Part: &realtime.Blob{MIMEType: audio.PCMMIMEType(microphone), Data: pcm.Append(nil, block)},
			})
			if err != nil {
				return err
			}
		}
		return out.Add(ctx, &realtime.MessageChunk{Role: realtime.RoleUser, Ctrl: &realtime.StreamCtrl{StreamID: route, EndOfStream: true}})
	})
	defer in.Close()
	text, err := recogniser.Transform(ctx, pattern, in)
	if err != nil {
		return "", err
	}
	defer text.Close()
	for {
		chunk, err := text.Next()
		if err != nil {
			return "", err
		}
		if words, ok := chunk.Part.(realtime.Text); ok && chunk.Ctrl != nil && chunk.Ctrl.Label == realtime.LabelTranscript {
			return string(words), nil
		}
	}
}
