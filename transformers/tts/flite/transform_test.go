package flite_test

import (
	"io"
	"strings"
	"testing"

	"edged/realtime"
	"edged/transformers/tts"
	"edged/transformers/tts/flite"
)

var _ tts.Synthesizer = (*flite.Voice)(nil)

// The engine behind the Transformer that serves replies: text and sound of every
// sentence, in order, to the end.
func TestSpeaksThroughTheTransformer(t *testing.T) {
	const text = "Sure. The answer is 12.5 degrees, Dr. Who! … And 你好."
	transformer, err := tts.New(load(t, flite.Config{Voice: "slt"}), tts.Config{})
	if err != nil {
		t.Fatal(err)
	}
	in := realtime.NewStreamBuilder(1)
	if err := in.Add(t.Context(), &realtime.MessageChunk{Role: realtime.RoleModel, Part: realtime.Text(text),
		Ctrl: &realtime.StreamCtrl{StreamID: "reply/1"}}); err != nil {
		t.Fatal(err)
	}
	in.Done()
	out, err := transformer.Transform(t.Context(), "", in.Stream())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	type spoken struct {
		text    string
		samples int
	}
	var said []spoken
	for {
		chunk, err := out.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch part := chunk.Part.(type) {
		case realtime.Text:
			said = append(said, spoken{text: string(part)})
		case *realtime.Blob:
			if part.MIMEType == tts.WordsMIME {
				words, err := tts.ParseWords(part)
				text := said[len(said)-1].text
				// Chinese characters are words of their own.
				written := strings.Fields(strings.NewReplacer("…", "", "你好", "你 好").Replace(text))
				if err != nil || len(words) != len(written) {
					t.Fatalf("%d words in %q (%v), want each with its place", len(words), text, err)
				}
				for i, w := range words {
					if text[w.Start:w.End] != written[i] || w.Until <= w.At && strings.ContainsAny(written[i], "abcdefghijklmnopqrstuvwxyz") {
						t.Errorf("word %d of %q is %q at %v to %v", i, text, text[w.Start:w.End], w.At, w.Until)
					}
				}
				continue
			}
			if part.MIMEType != "audio/pcm;rate=16000" {
				t.Fatalf("audio is %s", part.MIMEType)
			}
			said[len(said)-1].samples += len(part.Data) / 2
		}
	}
	// Durations in samples that people would need: half a second to two for a
	// word or two, two to seven for the long sentence.
	want := []struct {
		text     string
		min, max int
	}{
		{"Sure. ", 4800, 32000},
		{"The answer is 12.5 degrees, Dr. Who! ", 32000, 112000},
		{"… And 你好.", 3200, 32000},
	}
	if len(said) != len(want) {
		t.Fatalf("segments %+v, want %d", said, len(want))
	}
	for i, w := range want {
		if said[i].text != w.text || said[i].samples < w.min || said[i].samples > w.max {
			t.Errorf("segment %d: %+v, want %q of %d to %d samples", i, said[i], w.text, w.min, w.max)
		}
	}
}
