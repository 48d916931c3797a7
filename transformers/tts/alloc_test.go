//go:build !race

package tts_test

import (
	"context"
	"runtime"
	"testing"

	"edged/realtime"
	"edged/transformers/tts"
)

// toneEngine makes as many blocks of 100 ms as it is told.
type toneEngine struct {
	block  [1600]int16
	blocks int
}

func (*toneEngine) SampleRate() int { return 16000 }

func (e *toneEngine) Synthesize(_ context.Context, _ string, sink func([]int16) error) error {
	for range e.blocks {
		if err := sink(e.block[:]); err != nil {
			return err
		}
	}
	return nil
}

// An audio chunk is one allocation, whatever it holds (chunk, control, blob,
// samples).
func TestAllocsPerAudioChunk(t *testing.T) {
	const perSegment, segments = 100, 100
	transformer := newTransformer(t, &toneEngine{blocks: perSegment}, tts.Config{})
	var chunks []*realtime.MessageChunk
	for range segments + 1 {
		chunks = append(chunks, model("r", "Tone!\n"))
	}
	out := transform(t, transformer, source(nil, chunks...))
	defer func() { _ = out.Close() }()
	read := func(audio int) {
		for audio > 0 {
			chunk, err := out.Next()
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := chunk.Part.(*realtime.Blob); ok {
				audio--
			}
		}
	}
	read(perSegment) // the buffer of a segment has its size now
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	read(perSegment * segments)
	runtime.ReadMemStats(&after)
	perChunk := float64(after.Mallocs-before.Mallocs) / (perSegment * segments)
	// Beside it, each segment costs some 20 for its text, context and goroutine.
	if perChunk > 1.25 {
		t.Errorf("%.2f allocations per audio chunk, want 1 and the share of its segment", perChunk)
	}
	t.Logf("%.3f allocations per audio chunk", perChunk)
}
