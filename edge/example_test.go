package edge_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"edged/dialog"
	"edged/edge"
	"edged/realtime"
)

// A handler hears the microphone on one stream and answers through Play. This one
// says "Hello." in silence, for a second, whenever somebody has finished talking.
func Example() {
	greet := func(ctx context.Context, leg *edge.Leg) error {
		var events sync.WaitGroup
		defer events.Wait()
		events.Go(func() {
			for e := range leg.Events() {
				if abort, ok := e.(dialog.Abort); ok {
					_, _ = leg.Flush(ctx, abort.Turn, dialog.CauseAbort)
				}
			}
		})
		var turn dialog.Turn
		for {
			chunk, err := leg.Uplink().Next()
			if err != nil {
				return nil // the device has gone
			}
			if !chunk.IsEndOfStream() {
				continue
			}
			turn++
			for _, c := range []*realtime.MessageChunk{
				{Ctrl: &realtime.StreamCtrl{BeginOfStream: true}},
				{Part: realtime.Text("Hello.")},
				{Part: &realtime.Blob{MIMEType: "audio/pcm;rate=16000", Data: make([]byte, 32000)}},
				{Ctrl: &realtime.StreamCtrl{EndOfStream: true}},
			} {
				if err := leg.Play(ctx, turn, c); err != nil && !errors.Is(err, edge.ErrFlushed) {
					return err
				}
			}
		}
	}
	server, err := edge.New(edge.Config{Handler: greet, MaxSessions: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("sessions:", server.Sessions())
	// Output: sessions: 0
}

func ExampleCheckListen() {
	fmt.Println(edge.CheckListen("127.0.0.1:8080", edge.Config{}))
	fmt.Println(edge.CheckListen("0.0.0.0:8080", edge.Config{}))
	// Output:
	// <nil>
	// edge: listen on "0.0.0.0:8080": other machines could connect without credentials: configure device tokens, listen on 127.0.0.1, or allow anonymous devices explicitly
}

func ExampleSignedTokens() {
	keys, err := edge.NewSignedTokens(0, edge.SigningKey{ID: "2024-05", Secret: []byte("a secret of thirty-two bytes.....")})
	if err != nil {
		fmt.Println(err)
		return
	}
	token, err := keys.Sign(edge.Identity{Device: "lamp-1", Profile: "home"}, time.Hour)
	if err != nil {
		fmt.Println(err)
		return
	}
	id, err := keys.Authenticate(context.Background(), edge.Credentials{Token: token})
	fmt.Println(id.Device, id.Profile, err)
	// Output: lamp-1 home <nil>
}

// A packet may leave when that puts the device no more than the lead ahead of real
// time.
func ExamplePacer() {
	const ptime = 60 * time.Millisecond
	pacer := edge.NewPacer(edge.LeadFor(300*time.Millisecond, ptime))
	start := time.Unix(0, 0)
	now := start
	for range 8 {
		due := pacer.Due(now, ptime)
		if due.After(now) {
			now = due // a real writer sleeps until then
		}
		pacer.Written(now, due, start, ptime)
		fmt.Print(now.Sub(start).Milliseconds(), " ")
	}
	// Output: 0 30 60 90 120 150 180 240
}
