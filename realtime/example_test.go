package realtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"edged/realtime"
)

// A transformer in a few lines: it reads one stream and produces another.
func ExampleProduce() {
	shout := func(ctx context.Context, in realtime.Stream) realtime.Stream {
		return realtime.Produce(ctx, 0, func(ctx context.Context, out *realtime.StreamBuilder) error {
			for {
				chunk, err := in.Next()
				if err != nil {
					return err // the end, or the failure, of the input is ours too
				}
				louder := *chunk
				if text, ok := chunk.Part.(realtime.Text); ok {
					louder.Part = realtime.Text(strings.ToUpper(string(text)))
				}
				if err := out.Add(ctx, &louder); err != nil {
					return err
				}
			}
		})
	}

	ctx := context.Background()
	source := realtime.NewStreamBuilder(0)
	_ = source.Add(ctx, &realtime.MessageChunk{Part: realtime.Text("good morning")})
	source.Done()

	stream := shout(ctx, source.Stream())
	defer stream.Close()
	for {
		chunk, err := stream.Next()
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(chunk.Part)
	}
	// Output:
	// GOOD MORNING
	// EOF
}

// A generation ends with a State that says how and what it cost.
func ExampleState() {
	answer := realtime.NewStreamBuilder(0)
	_ = answer.Add(context.Background(), &realtime.MessageChunk{Role: realtime.RoleModel, Part: realtime.Text("It is noon")})
	answer.Finish(&realtime.State{Status: realtime.StatusTruncated, Usage: realtime.Usage{GeneratedTokens: 3}})

	stream := answer.Stream()
	for {
		chunk, err := stream.Next()
		var state *realtime.State
		switch {
		case errors.As(err, &state):
			fmt.Println(state.Status, state.Usage.GeneratedTokens, realtime.IsEnd(err))
			return
		case err != nil:
			fmt.Println("failed:", err)
			return
		}
		fmt.Println(chunk.Part)
	}
	// Output:
	// It is noon
	// truncated 3 true
}

// Tracks are merged by media time; a slow reader costs audio, never time.
func ExampleRealtimeStream() {
	stream := realtime.NewRealtimeStream(realtime.RealtimeConfig{MaxBytes: 1280})
	frame := func(ms int64) *realtime.MessageChunk {
		return &realtime.MessageChunk{
			Role: realtime.RoleUser,
			Part: &realtime.Blob{MIMEType: "audio/pcm;rate=16000", Data: make([]byte, 640)}, // 20 ms
			Ctrl: &realtime.StreamCtrl{StreamID: "mic/1", Timestamp: ms},
		}
	}
	for i := range int64(5) { // nobody reads, and there is room for two frames
		_ = stream.Push(frame(1 + 20*i))
	}
	_ = stream.Close()

	var heard, lost time.Duration
	for {
		chunk, err := stream.Next()
		if err != nil {
			break
		}
		switch chunk.Part.(type) {
		case *realtime.Blob:
			heard += realtime.MediaDuration(chunk.Part)
		case *realtime.Gap:
			lost += realtime.MediaDuration(chunk.Part)
		}
	}
	fmt.Println(heard, lost, stream.Stats().Dropped[realtime.DropBytes].Chunks)
	// Output: 40ms 60ms 3
}

// A tracker knows when everything on a route has been said.
func ExampleTracker() {
	var tracker realtime.Tracker
	observe := func(part realtime.Part, begin, end bool) {
		ctrl := &realtime.StreamCtrl{StreamID: "reply/1", BeginOfStream: begin, EndOfStream: end}
		if err := tracker.Observe(&realtime.MessageChunk{Part: part, Ctrl: ctrl}); err != nil {
			fmt.Println(err)
		}
	}
	observe(realtime.Text("hello"), true, false)
	observe(&realtime.Blob{MIMEType: "audio/opus"}, true, false) // announced
	observe(realtime.Text(""), false, true)
	fmt.Println(tracker.Route("reply/1"))
	observe(&realtime.Blob{MIMEType: "Audio/Opus"}, false, true)
	fmt.Println(tracker.Route("reply/1"))
	// Output:
	// open
	// complete
}

func ExampleCanonicalMIME() {
	fmt.Println(realtime.CanonicalMIME("Audio/OGG ; rate=8000; CODECS=\"opus\""))
	fmt.Println(realtime.CanonicalMIME("text/plain; charset=UTF-8"))
	// Output:
	// audio/ogg;codecs=opus;rate=8000
	// text/plain
}
