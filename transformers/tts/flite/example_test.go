package flite_test

import (
	"context"
	"fmt"

	"edged/transformers/tts/flite"
)

func ExampleVoice_SynthesizeTimed() {
	voice, err := flite.New(flite.Config{Voice: "slt"})
	if err != nil {
		fmt.Println(err)
		return
	}
	var samples int
	timing, err := voice.SynthesizeTimed(context.Background(), "It's 7:30.", func(pcm []int16) error {
		samples += len(pcm) // play or copy pcm here
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, w := range timing.Words {
		fmt.Println(w.Text)
	}
	fmt.Println(samples > voice.SampleRate()/2)
	// Output:
	// it
	// 's
	// seven
	// thirty
	// true
}

func ExampleNew_unknownVoice() {
	_, err := flite.New(flite.Config{Voice: "alice"})
	fmt.Println(err)
	// Output:
	// flite: unknown voice "alice": use one of rms, slt, awb, kal16
}
