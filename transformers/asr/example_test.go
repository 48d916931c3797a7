package asr_test

import (
	"context"
	"fmt"

	"edged/realtime"
	"edged/transformers/asr"
)

// A recogniser that hears "hello" in everything; package pocketsphinx has a real
// one.
func Example() {
	transformer := asr.New(constantRecognizer{}, asr.Config{})
	microphone := realtime.NewStreamBuilder(0)
	text, err := transformer.Transform(context.Background(), "asr/local", microphone.Stream())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer text.Close()

	speech := audioChunk("mic/1", 0, 3200, 0)
	stop := end("mic/1")
	if err := microphone.Add(context.Background(), speech, stop); err != nil {
		fmt.Println(err)
		return
	}
	for {
		chunk, err := text.Next()
		if err != nil {
			fmt.Println(err)
			return
		}
		words, ok := chunk.Part.(realtime.Text)
		if !ok {
			continue
		}
		fmt.Println(chunk.Ctrl.Label, words)
		if chunk.IsEndOfStream() {
			return
		}
	}
	// Output:
	// transcript.partial hello
	// transcript hello world
}
