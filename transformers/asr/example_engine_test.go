package asr_test

import (
	"context"
	"fmt"

	"edged/realtime"
	"edged/transformers/asr"
)

// clapCounter is a recogniser: it understands how often somebody clapped.
type clapCounter struct{}

// Open implements asr.Recognizer. A real engine takes a decoder from its pool
// here, and waits for one no longer than ctx lasts.
func (clapCounter) Open(ctx context.Context) (asr.Utterance, error) {
	return &claps{}, ctx.Err()
}

// claps is one utterance. One goroutine uses it.
type claps struct {
	count   int
	quiet   int // samples since the last loud one
	samples int
}

// Write implements asr.Utterance. It gets some 100 ms at a time.
func (c *claps) Write(ctx context.Context, pcm []int16) (partial string, err error) {
	const loud, pause = 8000, asr.SampleRate / 10
	for _, s := range pcm {
		if s < loud && s > -loud {
			c.quiet++
			continue
		}
		if c.count == 0 || c.quiet > pause {
			c.count++
		}
		c.quiet = 0
	}
	c.samples += len(pcm)
	return c.text(), ctx.Err()
}

// Finish implements asr.Utterance.
func (c *claps) Finish(ctx context.Context) (asr.Result, error) {
	return asr.Result{Text: c.text(), Free: c.text()}, ctx.Err()
}

// Close implements asr.Utterance. A real engine gives its decoder back.
func (c *claps) Close() error { return nil }

func (c *claps) text() string {
	switch c.count {
	case 0:
		return "" // nothing understood
	case 1:
		return "one clap"
	}
	return fmt.Sprint(c.count, " claps")
}

func Example_engine() {
	recogniser := asr.New(clapCounter{}, asr.Config{})
	microphone := realtime.NewStreamBuilder(0)
	text, err := recogniser.Transform(context.Background(), "asr/claps", microphone.Stream())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer text.Close()

	clap, silence := audioChunk("mic/1", 0, 160, 20000), audioChunk("mic/1", 0, 4000, 0)
	if err := microphone.Add(context.Background(), clap, silence, clap, silence, end("mic/1")); err != nil {
		fmt.Println(err)
		return
	}
	microphone.Done()
	for {
		chunk, err := text.Next()
		if err != nil {
			return
		}
		if words, ok := chunk.Part.(realtime.Text); ok {
			fmt.Println(chunk.Ctrl.Label, words)
		}
	}
	// Output:
	// transcript.partial one clap
	// transcript.partial 2 claps
	// transcript 2 claps
}
