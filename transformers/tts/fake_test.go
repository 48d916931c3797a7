package tts_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"edged/realtime"
	"edged/transformers/tts"
)

// perCharacter is how many samples fakeEngine makes of one byte of text: 10 ms
// at 16 kHz.
const perCharacter = 160

// fakeEngine speaks each byte of text as perCharacter samples of its value, in
// one block per byte, so that audio can be read back as text.
type fakeEngine struct {
	rate int
	// before is called before each block, with its number, if set.
	before func(ctx context.Context, text string, block int) error
}

func (e *fakeEngine) SampleRate() int {
	if e.rate == 0 {
		return 16000
	}
	return e.rate
}

func (e *fakeEngine) Synthesize(ctx context.Context, text string, sink func([]int16) error) error {
	block := make([]int16, perCharacter)
	for i := range len(text) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if e.before != nil {
			if err := e.before(ctx, text, i); err != nil {
				return err
			}
		}
		for j := range block {
			block[j] = int16(text[i])
		}
		if err := sink(block); err != nil {
			return err
		}
	}
	return nil
}

// heard reads back what fakeEngine said.
func heard(data []byte) string {
	var out strings.Builder
	for i := 0; i < len(data); i += 2 * perCharacter {
		out.WriteByte(data[i])
	}
	return out.String()
}

func newTransformer(t testing.TB, engine tts.Synthesizer, cfg tts.Config) *tts.Transformer {
	t.Helper()
	transformer, err := tts.New(engine, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return transformer
}

// model is a chunk of a reply as a generator makes it.
func model(route, text string) *realtime.MessageChunk {
	return &realtime.MessageChunk{Role: realtime.RoleModel, Part: realtime.Text(text),
		Ctrl: &realtime.StreamCtrl{StreamID: route, Label: realtime.LabelAssistant}}
}

func ending(chunk *realtime.MessageChunk) *realtime.MessageChunk {
	chunk.Ctrl.EndOfStream = true
	return chunk
}

func beginning(chunk *realtime.MessageChunk) *realtime.MessageChunk {
	chunk.Ctrl.BeginOfStream = true
	return chunk
}

func control(route string) *realtime.MessageChunk {
	return &realtime.MessageChunk{Role: realtime.RoleModel, Ctrl: &realtime.StreamCtrl{StreamID: route}}
}

// source is a stream of chunks that ends with end (nil: io.EOF).
func source(end error, chunks ...*realtime.MessageChunk) realtime.Stream {
	b := realtime.NewStreamBuilder(len(chunks) + 1)
	if err := b.Add(context.Background(), chunks...); err != nil {
		panic(err)
	}
	if end == nil {
		b.Done()
	} else if state, ok := end.(*realtime.State); ok {
		b.Finish(state)
	} else {
		b.Abort(end)
	}
	return b.Stream()
}

func transform(t testing.TB, transformer *tts.Transformer, in realtime.Stream) realtime.Stream {
	t.Helper()
	out, err := transformer.Transform(t.Context(), "tts/fake", in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// collect reads a stream to its end.
func collect(t testing.TB, s realtime.Stream) ([]*realtime.MessageChunk, error) {
	t.Helper()
	defer func() { _ = s.Close() }()
	var chunks []*realtime.MessageChunk
	for {
		chunk, err := s.Next()
		if err != nil {
			return chunks, err
		}
		chunks = append(chunks, chunk)
	}
}

// script writes chunks down as lines; the audio chunks of one segment are joined
// to what is heard in them. Flags: B begin, E end, @ timestamp.
func script(chunks []*realtime.MessageChunk) []string {
	var lines []string
	said := "" // in the audio of the last line
	for _, c := range chunks {
		var ctrl realtime.StreamCtrl
		if c.Ctrl != nil {
			ctrl = *c.Ctrl
		}
		line := ctrl.StreamID + " "
		blob, isBlob := c.Part.(*realtime.Blob)
		switch part := c.Part.(type) {
		case realtime.Text:
			line += fmt.Sprintf("text %q", string(part))
		case *realtime.Blob:
			line += fmt.Sprintf("audio %q", heard(part.Data))
		}
		if c.ToolCall != nil {
			line += "call " + c.ToolCall.Name
		}
		if ctrl.BeginOfStream {
			line += " B"
		}
		if ctrl.EndOfStream {
			line += " E"
		}
		if ctrl.Error != "" {
			line += " error: " + ctrl.Error
		}
		if !isBlob || ctrl.EndOfStream {
			said = ""
			lines = append(lines, line)
			continue
		}
		if said == "" {
			lines = append(lines, "")
		}
		said += heard(blob.Data)
		lines[len(lines)-1] = fmt.Sprintf("%s audio %q", ctrl.StreamID, said)
	}
	return lines
}
