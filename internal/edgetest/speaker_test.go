package edgetest

import (
	"slices"
	"testing"
	"time"

	"edged/audio"
)

const ms = time.Millisecond

// ramp is n samples that count up from first, so that a test sees which of them
// were played.
func ramp(first, n int) []int16 {
	samples := make([]int16, n)
	for i := range samples {
		samples[i] = int16(first + i)
	}
	return samples
}

func newSpeaker(capacity time.Duration) *speaker {
	return &speaker{rate: audio.Rate16k, capacity: capacity}
}

// The counter follows time to the sample, whenever it is looked at.
func TestSpeakerPlaysInRealTime(t *testing.T) {
	t0 := time.Now()
	s, reply := newSpeaker(time.Second), &turn{number: 1, keep: true}
	for i := range 3 {
		s.advance(t0)
		if !s.push(t0, reply, uint32(i*320), ramp(i*320, 320), 320) {
			t.Fatalf("packet %d found no room in an empty queue", i)
		}
	}
	for _, tc := range []struct {
		at     time.Duration
		played uint32
	}{{0, 0}, {62500, 1}, {10 * ms, 160}, {10 * ms, 160}, {25 * ms, 400}, {59 * ms, 944}, {60 * ms, 960}, {time.Second, 960}} {
		s.advance(t0.Add(tc.at))
		if reply.played != tc.played {
			t.Errorf("%d samples had left after %v, want %d", reply.played, tc.at, tc.played)
		}
	}
	if want := ramp(0, 960); !slices.Equal(reply.pcm, want) {
		t.Errorf("played %d samples that differ from the %d pushed", len(reply.pcm), len(want))
	}
	if reply.done {
		t.Error("the turn is over although its end was not told")
	}
}

// F02: a queue of five packets takes five, and drops the newest as hardware does.
func TestSpeakerDropsOnOverflow(t *testing.T) {
	t0 := time.Now()
	s, reply := newSpeaker(100*ms), &turn{number: 1, keep: true}
	taken := 0
	for i := range 8 {
		if s.push(t0, reply, uint32(i*320), ramp(i*320, 320), 320) {
			taken++
		}
	}
	if taken != 5 {
		t.Fatalf("a queue of 100 ms took %d packets of 20 ms, want 5", taken)
	}
	s.advance(t0.Add(20 * ms))
	if !s.push(t0.Add(20*ms), reply, 8*320, ramp(8*320, 320), 320) {
		t.Fatal("no room after a packet was played")
	}
	s.advance(t0.Add(time.Second))
	if want := append(ramp(0, 1600), ramp(8*320, 320)...); !slices.Equal(reply.pcm, want) {
		t.Error("what was played is not the first five packets and the ninth")
	}
	if reply.played != 9*320 {
		t.Errorf("media position %d, want %d: dropped media counts", reply.played, 9*320)
	}
}

// Silence of a starved queue is heard and is no media.
func TestSpeakerStarves(t *testing.T) {
	t0 := time.Now()
	s, reply := newSpeaker(time.Second), &turn{number: 1, keep: true}
	s.push(t0, reply, 0, ramp(1, 320), 320)
	late := t0.Add(50 * ms) // 30 ms after the queue ran dry
	s.advance(late)
	s.push(late, reply, 320, ramp(321, 320), 320)
	s.advance(late.Add(10 * ms))
	if want := slices.Concat(ramp(1, 320), make([]int16, 480), ramp(321, 160)); !slices.Equal(reply.pcm, want) {
		t.Errorf("played %d samples, want 320, 480 of silence and 160", len(reply.pcm))
	}
	if reply.played != 480 {
		t.Errorf("media position %d, want 480: silence does not count", reply.played)
	}
	if reply.starved != 1 || reply.starvedFor != 30*ms {
		t.Errorf("starved %d times for %v, want once for 30ms", reply.starved, reply.starvedFor)
	}
}

// The pause between two replies is no starvation.
func TestSpeakerRestsBetweenReplies(t *testing.T) {
	t0 := time.Now()
	s, one, two := newSpeaker(time.Second), &turn{number: 1}, &turn{number: 2}
	s.push(t0, one, 0, ramp(0, 320), 320)
	one.closed = true
	later := t0.Add(time.Second)
	s.advance(later)
	s.push(later, two, 0, ramp(0, 320), 320)
	s.advance(later.Add(time.Second))
	if !one.done || one.doneAt != t0.Add(20*ms) {
		t.Errorf("first reply done %v at %v, want at 20ms", one.done, one.doneAt.Sub(t0))
	}
	if two.starved != 0 {
		t.Errorf("second reply starved %d times before it began", two.starved)
	}
}

// F10: a flush drops what waits of old turns, keeps a newer one, and stops in
// the middle of a packet.
func TestSpeakerFlush(t *testing.T) {
	t0 := time.Now()
	s := newSpeaker(time.Second)
	old, newer := &turn{number: 4, keep: true}, &turn{number: 5, keep: true}
	for i := range 2 {
		s.push(t0, old, uint32(i*320), ramp(i*320, 320), 320)
	}
	s.push(t0, newer, 0, ramp(1000, 320), 320)
	now := t0.Add(5 * ms)
	s.advance(now)
	s.flush(now, 4)
	if old.pending != 0 || newer.pending != 1 {
		t.Errorf("%d blocks of the old turn and %d of the new one wait, want 0 and 1", old.pending, newer.pending)
	}
	s.advance(now.Add(10 * ms))
	if old.played != 80 || len(old.pcm) != 80 {
		t.Errorf("the old turn played %d samples, want the 80 until the flush", old.played)
	}
	if newer.played != 160 {
		t.Errorf("the new turn played %d samples 10 ms after the flush, want 160", newer.played)
	}
	if got := s.queued(now.Add(10 * ms)); got != 10*ms {
		t.Errorf("%v wait, want 10ms", got)
	}
}
