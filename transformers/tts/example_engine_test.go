package tts_test

import (
	"context"
	"fmt"
	"math"
	"strings"

	"edged/realtime"
	"edged/transformers/tts"
)

// robot is a speech engine: it says each word as a tone, the longer the word the
// longer the tone.
type robot struct{}

// SampleRate implements tts.Synthesizer.
func (robot) SampleRate() int { return 16000 }

// Synthesize implements tts.Synthesizer. It gets one sentence, with numbers and
// signs written out, and may be called for many sessions at once.
func (robot) Synthesize(ctx context.Context, text string, sink func(pcm []int16) error) error {
	for word := range strings.FieldsSeq(text) {
		if err := ctx.Err(); err != nil {
			return err // the user has interrupted
		}
		tone := make([]int16, 800*len(word)) // 50 ms a letter
		for i := range tone {
			tone[i] = int16(8000 * math.Sin(2*math.Pi*440*float64(i)/16000))
		}
		if err := sink(tone); err != nil {
			return err
		}
	}
	return nil
}

func Example_engine() {
	voice, err := tts.New(robot{}, tts.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	answer := realtime.NewStreamBuilder(0)
	if err := answer.Add(ctx, model("reply/1", "Hello you. Bye.")); err != nil {
		fmt.Println(err)
		return
	}
	answer.Done()
	speech, err := voice.Transform(ctx, "tts/robot", answer.Stream())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer speech.Close()
	sentence, samples := "", 0
	for {
		chunk, err := speech.Next()
		text, begins := realtime.Text(""), false
		if err == nil {
			text, begins = chunk.Part.(realtime.Text)
		}
		if sentence != "" && (begins || err != nil) {
			fmt.Printf("%q takes %d ms\n", sentence, samples/16)
		}
		if err != nil {
			return
		}
		if begins {
			sentence, samples = string(text), 0
		} else if audio, ok := chunk.Part.(*realtime.Blob); ok && strings.HasPrefix(audio.MIMEType, "audio/") {
			samples += len(audio.Data) / 2
		}
	}
	// Output:
	// "Hello you. " takes 450 ms
	// "Bye." takes 200 ms
}
