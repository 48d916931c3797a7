package jitter_test

import (
	"fmt"
	"time"

	"edged/audio"
	"edged/audio/jitter"
)

// Packet 1 is late and packet 3 never comes.
func Example() {
	buffer := jitter.New(jitter.Config{Rate: audio.Rate16k})
	start := time.Now()
	pop := func(now time.Time) {
		for {
			item, ok := buffer.Pop(now)
			if !ok {
				return
			}
			fmt.Printf("%3d ms: %-5s %v at %v\n", now.Sub(start).Milliseconds(), item.Kind, item.Duration, item.Timestamp)
		}
	}
	for _, arrival := range []struct {
		after time.Duration
		seq   uint32
	}{{0, 0}, {40 * time.Millisecond, 2}, {55 * time.Millisecond, 1}, {80 * time.Millisecond, 4}} {
		now := start.Add(arrival.after)
		buffer.Push(jitter.Packet{
			Seq:       arrival.seq,
			Timestamp: arrival.seq * 320, // 20 ms at 16 kHz
			Duration:  20 * time.Millisecond,
			Payload:   []byte("what the codec made"),
		}, now)
		pop(now)
	}
	deadline, _ := buffer.Deadline() // for the caller's timer
	pop(deadline)
	// Output:
	//   0 ms: media 20ms at 0s
	//  55 ms: media 20ms at 20ms
	//  55 ms: media 20ms at 40ms
	// 140 ms: lost  20ms at 60ms
	// 140 ms: media 20ms at 80ms
}
