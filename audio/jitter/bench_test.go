package jitter

import (
	"testing"
	"time"
)

// BenchmarkPushPop is one packet through the buffer: in order, and with every
// second pair exchanged.
func BenchmarkPushPop(b *testing.B) {
	for _, bench := range []struct {
		name    string
		payload int
		swap    bool
	}{{"opus/in_order", 60, false}, {"opus/reordered", 60, true}, {"pcm/in_order", 640, false}} {
		b.Run(bench.name, func(b *testing.B) {
			buffer := New(Config{Rate: rate})
			p := media(0)
			p.Payload = make([]byte, bench.payload)
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				number := i
				if bench.swap {
					number ^= 1
				}
				i++
				p.Seq, p.Timestamp = uint32(number), uint32(number*ticks)
				now := start.Add(time.Duration(i) * ptime)
				buffer.Push(p, now)
				for {
					if _, ok := buffer.Pop(now); !ok {
						break
					}
				}
			}
		})
	}
}

// BenchmarkCopy is the least that any buffer must do with a payload.
func BenchmarkCopy(b *testing.B) {
	src, dst := make([]byte, 60), make([]byte, 60)
	b.ReportAllocs()
	for b.Loop() {
		copy(dst, src)
	}
}
