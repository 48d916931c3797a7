package realtime

import (
	"context"
	"errors"
	"io"
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

// FuzzRealtimeStream: whatever is pushed on whatever clocks, at whatever times,
// with readers that keep up or do not: the order within each track is kept, no
// boundary is lost, media time is conserved, the limits hold, nothing waits for
// ever. Where the device counts honestly no timestamp is changed.
//
// The first two bytes are the limits, every two after them a chunk or time that
// passes.
func FuzzRealtimeStream(f *testing.F) {
	f.Fuzz(func(t *testing.T, program []byte) {
		if len(program) < 2 || len(program) > 800 {
			return
		}
		synctest.Test(t, func(t *testing.T) {
			how := program[0]
			config := RealtimeConfig{
				MaxChunks: 4 + int(program[1]>>4)*8, MaxBytes: 640 * (1 + int(program[1]&15)*4), Window: time.Duration(1+how&3) * time.Second,
			}
			if how&4 != 0 {
				config.Delay = OrderingDelay
			}
			r := &reception{t: t, s: NewRealtimeStream(config), honest: how&8 != 0, tracks: make(map[string]*passage)}
			for program = program[2:]; len(program) >= 2; program = program[2:] {
				if !r.step(program[0], program[1]) {
					return
				}
				if stats := r.s.Stats(); stats.Chunks > config.MaxChunks || stats.Bytes > config.MaxBytes {
					t.Fatalf("%d chunks, %d bytes are buffered, the limits are %d and %d", stats.Chunks, stats.Bytes, config.MaxChunks, config.MaxBytes)
				}
			}
			r.finish()
		})
	})
}

// reception is a stream under test.
type reception struct {
	t      *testing.T
	s      *RealtimeStream
	honest bool // the device's clock is right
	away   bool // nobody reads
	number int
	tracks map[string]*passage
}

// passage is what has gone through on one track.
type passage struct {
	last             int
	controls         int
	pushed, received time.Duration
	ms               int64         // the device's clock
	stamps           map[int]int64 // by number
}

func (r *reception) step(kind, arg byte) bool {
	switch kind % 16 {
	case 0:
		r.away = !r.away
	case 1, 2:
		time.Sleep(time.Duration(arg) * 10 * time.Millisecond)
	default:
		if !r.push(kind%16, "t/"+strconv.Itoa(int(arg>>5)&3), int64(arg&31)) {
			return false
		}
	}
	if !r.away {
		r.read(time.Nanosecond)
	}
	return true
}

// push makes a chunk. Chunks of one track follow on each other; a wild device may
// write anything into their timestamps.
func (r *reception) push(kind byte, route string, arg int64) bool {
	p := r.tracks[route]
	if p == nil {
		p = &passage{ms: 1 + time.Since(r.s.start).Milliseconds(), stamps: make(map[int]int64)}
		r.tracks[route] = p
	}
	r.number++
	c := frame(route, p.ms)
	c.Name = strconv.Itoa(r.number)
	switch kind {
	case 3:
		c.Part, c.Ctrl.BeginOfStream = nil, true
	case 4:
		c.Part, c.Ctrl.EndOfStream = nil, true
	case 5:
		c.Part = &Gap{MIMEType: pcm16k, Duration: time.Duration(arg) * time.Second}
	case 6:
		c.Part = Text("word")
	case 7:
		c.Ctrl.BeginOfStream, c.Ctrl.EndOfStream = arg&1 != 0, arg&2 != 0
	case 8:
		c.Part.(*Blob).MIMEType = "audio/pcm;rate=8000"
	}
	d := MediaDuration(c.Part)
	p.ms += d.Milliseconds()
	if !r.honest {
		switch kind {
		case 9:
			c.Ctrl.Timestamp = 0
		case 10:
			c.Ctrl.Timestamp = 1<<63 - 1 - arg
		case 11:
			c.Ctrl.Timestamp += arg * 1000
		case 12:
			c.Ctrl.Timestamp -= arg * 1000
		case 13:
			c.Ctrl.Timestamp = -1 << 63
		}
	}
	p.stamps[r.number] = c.Ctrl.Timestamp
	if err := r.s.Push(c); err != nil {
		if !errors.Is(err, ErrOverflow) {
			r.t.Fatalf("push: %v", err)
		}
		return false // boundaries and text alone fill the stream
	}
	p.pushed += d
	if _, text := c.Part.(Text); text || c.ControlOnly() {
		p.controls++
	}
	return true
}

func (r *reception) read(patience time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		c, err := r.s.NextContext(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			return
		}
		if err != nil {
			r.t.Fatalf("next: %v", err)
		}
		r.receive(c)
	}
}

func (r *reception) receive(c *MessageChunk) {
	p := r.tracks[c.Route()]
	n, _ := strconv.Atoi(c.Name)
	if n <= p.last {
		r.t.Fatalf("%s: chunk %d comes after chunk %d", c.Route(), n, p.last)
	}
	p.last = n
	p.received += MediaDuration(c.Part)
	if _, text := c.Part.(Text); text || c.ControlOnly() {
		p.controls--
	}
	if c.Ctrl.Timestamp <= 0 {
		r.t.Fatalf("%s: chunk %d has the timestamp %d", c.Route(), n, c.Ctrl.Timestamp)
	}
	if r.honest && c.Ctrl.Timestamp != p.stamps[n] {
		r.t.Fatalf("%s: chunk %d was stamped %d, comes with %d", c.Route(), n, p.stamps[n], c.Ctrl.Timestamp)
	}
}

// finish reads what is left: in time as long as the stream is open, then to its
// end.
func (r *reception) finish() {
	r.read(2 * time.Second)
	if n := r.s.Stats().Chunks; n > 0 {
		r.t.Fatalf("%d chunks are held for ever", n)
	}
	_ = r.s.Close()
	if _, err := r.s.Next(); err != io.EOF {
		r.t.Fatalf("at the end: %v", err)
	}
	for route, p := range r.tracks {
		if p.controls != 0 {
			r.t.Fatalf("%s: %d boundaries and texts were lost", route, p.controls)
		}
		if p.pushed != p.received {
			r.t.Fatalf("%s: %v of media pushed, %v received", route, p.pushed, p.received)
		}
	}
}
