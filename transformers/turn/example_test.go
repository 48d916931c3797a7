package turn_test

import (
	"context"
	"fmt"
	"time"

	"edged/realtime"
	"edged/transformers/turn"
)

// loud takes everything loud for speech. A server uses vad.Gate.
type loud struct{}

func (loud) Process(window []int16) float32 {
	for _, s := range window {
		if s > 1000 {
			return 1
		}
	}
	return 0
}

func (loud) Reset() {}

// A microphone hears half a second of silence, a second of sound and silence
// again.
func Example() {
	microphone := realtime.NewStreamBuilder(256)
	ctx := context.Background()
	add := func(ctrl realtime.StreamCtrl, part realtime.Part) {
		ctrl.StreamID = "mic/1"
		_ = microphone.Add(ctx, &realtime.MessageChunk{Role: realtime.RoleUser, Part: part, Ctrl: &ctrl})
	}
	add(realtime.StreamCtrl{BeginOfStream: true, Label: "listen.auto", Timestamp: 1}, nil)
	for at := int64(0); at < 2500; at += 20 {
		packet := make([]byte, 640)
		for i := 1; i < len(packet) && at >= 500 && at < 1500; i += 2 {
			packet[i] = 0x20
		}
		add(realtime.StreamCtrl{Timestamp: 1 + at}, &realtime.Blob{MIMEType: "audio/pcm;rate=16000", Data: packet})
	}
	add(realtime.StreamCtrl{EndOfStream: true}, nil)
	microphone.Done()

	utterances := turn.New(microphone.Stream(), loud{}, turn.Config{MinSilence: 500 * time.Millisecond})
	var heard time.Duration
	for {
		chunk, err := utterances.Next()
		if err != nil {
			break
		}
		switch {
		case chunk.IsBeginOfStream():
			fmt.Println(chunk.Route(), "begins")
		case chunk.IsEndOfStream():
			fmt.Println(chunk.Route(), "ends")
		default:
			heard += realtime.MediaDuration(chunk.Part)
		}
	}
	// A second of sound, 300 ms before it and 500 ms of silence behind it, in
	// windows of 32 ms.
	fmt.Println("about", heard.Round(100*time.Millisecond))
	// Output:
	// mic/1 begins
	// utterance/1 begins
	// utterance/1 ends
	// mic/1 ends
	// about 1.8s
}
