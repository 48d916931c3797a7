package session

import (
	"context"
	"fmt"
	"time"

	"edged/realtime"
)

// Phrasebook holds phrases that were spoken beforehand, so that a session can
// say them at once, and also when its synthesiser has failed. It is made by
// Prepare and not changed afterwards; nil holds none.
type Phrasebook struct {
	spoken map[string]*recording
}

// recording is the voice of a phrase.
type recording struct{ chunks []*realtime.MessageChunk }

// preparation bounds how long the phrases of one profile may take to be spoken.
const preparation = 30 * time.Second

// Prepare has the profile's phrases spoken by its synthesiser.
func Prepare(ctx context.Context, engines Engines, profile Profile) (*Phrasebook, error) {
	profile = profile.withDefaults()
	ctx, cancel := context.WithTimeout(ctx, preparation)
	defer cancel()
	book := &Phrasebook{spoken: make(map[string]*recording)}
	for phrase, words := range profile.Phrases {
		spoken, err := record(ctx, engines, profile.TTS, words)
		if err != nil {
			return nil, fmt.Errorf("session: phrase %s (%q) of profile %q: %w", phrase, words, profile.Name, err)
		}
		book.spoken[words] = spoken
	}
	return book, nil
}

// record has one phrase spoken.
func record(ctx context.Context, engines Engines, pattern, words string) (*recording, error) {
	text := realtime.Produce(ctx, 0, func(ctx context.Context, out *realtime.StreamBuilder) error {
		r := newReply(1, "")
		return out.Add(ctx, r.text(words), r.end())
	})
	defer text.Close()
	sound, err := engines.TTS.Transform(ctx, pattern, text)
	if err != nil {
		return nil, err
	}
	defer sound.Close()
	spoken := &recording{}
	for {
		chunk, err := sound.Next()
		switch {
		case realtime.IsEnd(err):
			return spoken, nil
		case err != nil:
			return nil, err
		case chunk.Ctrl != nil && chunk.Ctrl.Error != "":
			return nil, fmt.Errorf("%s", chunk.Ctrl.Error)
		case chunk.Part != nil:
			spoken.chunks = append(spoken.chunks, chunk)
		}
	}
}

// of returns the recording of the words, nil if there is none.
func (b *Phrasebook) of(words string) *recording {
	if b == nil {
		return nil
	}
	return b.spoken[words]
}

// stream plays the recording on a route.
func (r *recording) stream(ctx context.Context, route string) realtime.Stream {
	return realtime.Produce(ctx, 0, func(ctx context.Context, out *realtime.StreamBuilder) error {
		for _, chunk := range r.chunks {
			again := *chunk
			ctrl := realtime.StreamCtrl{StreamID: route, Label: realtime.LabelAssistant}
			if chunk.Ctrl != nil {
				ctrl.Timestamp = chunk.Ctrl.Timestamp
			}
			again.Ctrl = &ctrl
			if err := out.Add(ctx, &again); err != nil {
				return err
			}
		}
		return nil
	})
}
