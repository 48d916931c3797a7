package transformers_test

import (
	"context"
	"fmt"

	"edged/realtime"
	"edged/transformers"
)

func ExampleModelContextBuilder() {
	var b transformers.ModelContextBuilder
	b.Prompt("persona", "You are a lamp.")
	b.Prompt("persona", "Answer in one sentence.")
	b.Text(realtime.RoleUser, "", "How bright are you?")
	context := b.Build()
	b.Text(realtime.RoleUser, "", "and how warm?") // for the next context

	for p := range context.Prompts() {
		fmt.Println(p.Text)
	}
	for m := range context.Messages() {
		fmt.Println(m.Role, m.Payload.(realtime.Contents).Text())
	}
	// Output:
	// You are a lamp.
	// Answer in one sentence.
	// user How bright are you?
}

func ExampleMux() {
	serve := func(name string) transformers.Transformer {
		return transformers.TransformerFunc(func(_ context.Context, pattern string, in realtime.Stream) (realtime.Stream, error) {
			fmt.Println(name, "serves", pattern)
			return in, nil
		})
	}
	var asr transformers.Mux
	_ = asr.Handle("asr/local", serve("pocketsphinx"))
	_ = asr.Handle("asr/#", serve("cloud"))

	ctx := context.Background()
	_, _ = asr.Transform(ctx, "asr/local?language=en", nil)
	_, _ = asr.Transform(ctx, "asr/deepgram/nova", nil)
	_, err := asr.Transform(ctx, "tts/rms", nil)
	fmt.Println(err)
	// Output:
	// pocketsphinx serves asr/local?language=en
	// cloud serves asr/deepgram/nova
	// transformers: pattern "tts/rms": nothing is registered for it (known: asr/#, asr/local)
}
