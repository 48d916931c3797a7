package realtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

// TestRealtimeStreamProperties drives streams with random tracks, clocks,
// limits and readers and checks what must hold whatever happens:
// the order within each track, no boundary lost, media time conserved, limits
// kept, and no chunk held longer than the configured wait.
func TestRealtimeStreamProperties(t *testing.T) {
	const runs = 200
	for seed := range uint64(runs) {
		synctest.Test(t, func(t *testing.T) { randomRun(t, seed) })
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

type trackRecord struct {
	lastSeen         int           // number of the last chunk that came out
	controls         int           // control chunks pushed minus delivered
	pushed, received time.Duration // media time
	ms               int64         // the device's clock on this track
}

func randomRun(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	config := RealtimeConfig{
		Delay:     []time.Duration{0, 0, OrderingDelay}[rng.IntN(3)],
		MaxChunks: 20 + rng.IntN(200),
		MaxBytes:  640 * (5 + rng.IntN(100)),
		Window:    time.Duration(1+rng.IntN(5)) * time.Second,
	}
	s := NewRealtimeStream(config)
	records := map[string]*trackRecord{}
	arrivals := map[int]time.Time{}
	number := 0

	receive := func(c *MessageChunk) {
		r := records[c.Route()]
		n, _ := strconv.Atoi(c.Name)
		if n <= r.lastSeen {
			t.Errorf("track %s: chunk %d came out after %d", c.Route(), n, r.lastSeen)
		}
		r.lastSeen = n
		r.received += MediaDuration(c.Part)
		if c.ControlOnly() {
			r.controls--
		}
		if c.Ctrl.Timestamp <= 0 {
			t.Errorf("track %s: chunk %d came out without a timestamp", c.Route(), n)
		}
	}
	read := func(patience time.Duration) {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		for {
			c, err := s.NextContext(ctx)
			if errors.Is(err, context.DeadlineExceeded) {
				return
			}
			if err != nil {
				t.Fatalf("Next: %v", err)
			}
			receive(c)
		}
	}

	stalled := false
	for range 400 {
		route := fmt.Sprintf("t/%d", rng.IntN(1+int(seed%4)))
		r := records[route]
		if r == nil {
			r = &trackRecord{ms: []int64{1, 1, 5_000_000, 1_000_000_000_000}[rng.IntN(4)] + int64(rng.IntN(3000))}
			records[route] = r
		}
		number++
		c := frame(route, r.ms)
		c.Name = strconv.Itoa(number)
		switch rng.IntN(20) {
		case 0:
			c.Part, c.Ctrl.BeginOfStream = nil, true
		case 1:
			c.Part, c.Ctrl.EndOfStream = nil, true
		case 2:
			c.Part = &Gap{MIMEType: pcm16k, Duration: time.Duration(rng.IntN(100)) * time.Millisecond}
		case 3:
			c.Ctrl.BeginOfStream = true
		case 4:
			c.Ctrl.EndOfStream = true
		case 5:
			c.Part.(*Blob).MIMEType = "audio/pcm;rate=8000"
		}
		switch rng.IntN(30) {
		case 0:
			c.Ctrl.Timestamp = 0
		case 1:
			c.Ctrl.Timestamp = rng.Int64()
		case 2:
			c.Ctrl.Timestamp += 24 * 60 * 60 * 1000
		case 3:
			c.Ctrl.Timestamp = max(1, c.Ctrl.Timestamp-2000)
		}
		err := s.Push(c)
		if err != nil {
			// Legitimate only when boundaries alone fill the stream.
			if !errors.Is(err, ErrOverflow) || !stalled {
				t.Fatalf("Push: %v", err)
			}
			return
		}
		arrivals[number] = time.Now()
		if tail := s.byID[route].tail; tail.prev != nil && tail.prev.key > tail.key {
			t.Fatalf("track %s: keys run backwards, from %d to %d", route, tail.prev.key, tail.key)
		}
		r.ms += 20
		r.pushed += MediaDuration(c.Part)
		if c.ControlOnly() {
			r.controls++
		}
		if stats := s.Stats(); stats.Chunks > config.MaxChunks || stats.Bytes > config.MaxBytes {
			t.Fatalf("%d chunks, %d bytes buffered, limits are %d and %d", stats.Chunks, stats.Bytes, config.MaxChunks, config.MaxBytes)
		}
		switch rng.IntN(40) {
		case 0:
			stalled = !stalled
		case 1:
			time.Sleep(time.Duration(rng.IntN(2000)) * time.Millisecond)
		}
		time.Sleep(time.Duration(rng.IntN(20)) * time.Millisecond)
		if !stalled {
			// With a reader at hand nothing stays longer than the wait.
			wait := max(config.Delay, 20*time.Millisecond)
			read(time.Nanosecond)
			if oldest := oldestBuffered(s); oldest != 0 && time.Since(arrivals[oldest]) > wait {
				t.Fatalf("chunk %d is held for %v, the longest wait is %v", oldest, time.Since(arrivals[oldest]), wait)
			}
		}
	}
	_ = s.Close()
	for {
		c, err := s.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		receive(c)
	}
	for route, r := range records {
		if r.controls != 0 {
			t.Errorf("track %s: %d boundaries were lost", route, r.controls)
		}
		if r.pushed != r.received {
			t.Errorf("track %s: %v of media pushed, %v delivered", route, r.pushed, r.received)
		}
	}
}

// oldestBuffered returns the number of the buffered chunk that was pushed
// first, 0 if none is.
func oldestBuffered(s *RealtimeStream) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	oldest := 0
	for _, t := range s.tracks {
		if t.head != nil {
			if n, _ := strconv.Atoi(t.head.chunk.Name); oldest == 0 || n < oldest {
				oldest = n
			}
		}
	}
	return oldest
}
