package edgetest

import (
	"time"

	"edged/audio"
	"edged/internal/edgetest/impair"
)

// speaker is the playback side of the device: a bounded queue and a converter
// that plays it in real time. It is a model on paper: every block of sound knows
// when its first sample leaves, and advance brings the counters up to a given
// moment. So playback is exact to the sample, whatever the scheduler does, just
// as a converter fed by DMA is.
//
// It starts nothing, reads no clock, and serves one goroutine at a time.
type speaker struct {
	rate     audio.SampleRate
	capacity time.Duration
	clock    impair.Clock
	tape     *impair.Tape // of what leaves; nil: nobody listens

	queue []block   // in the order of playback
	end   time.Time // when all of queue will have been played
	hold  pause
}

// pause is a hold of a reply.
type pause struct {
	turn *turn  // nil: none
	at   uint32 // media position where the speaker stops
	told time.Time
}

// block is sound in the queue.
type block struct {
	turn *turn
	// pcm is the samples; nil is silence of n samples.
	pcm []int16
	n   int
	// at is the media position of the first sample. Silence that fills a
	// starved queue has no position: it is not media.
	at    uint32
	media bool
	start time.Time // when the first sample leaves
	taken int       // samples that have left
}

// queued returns how much sound waits, the block that is being played included.
func (s *speaker) queued(now time.Time) time.Duration {
	if s.standsSince(now).IsZero() {
		return max(0, s.clock.Own(s.end.Sub(now)))
	}
	left := 0
	for _, b := range s.queue {
		left += b.n - b.taken
	}
	return s.rate.Duration(left)
}

// push queues n samples (pcm, or silence when it is nil) of media position at
// and reports whether there was room. The caller has called advance(now).
func (s *speaker) push(now time.Time, t *turn, at uint32, pcm []int16, n int) (ok bool) {
	if s.queued(now)+s.rate.Duration(n) > s.capacity {
		return false
	}
	start := s.end
	if start.Before(now) && s.standsSince(now).IsZero() {
		if t.playing && t.pending == 0 {
			s.starve(t, now)
		}
		start = now
	}
	if !t.playing {
		t.playing, t.playedAt = true, start
	}
	t.pending++
	s.queue = append(s.queue, block{turn: t, pcm: pcm, n: n, at: at, media: true, start: start})
	s.end = start.Add(s.span(n))
	return true
}

// span is how long n samples take to leave, samples how many leave in d: by the
// device's own clock.
func (s *speaker) span(n int) time.Duration { return s.clock.Real(s.rate.Duration(n)) }

func (s *speaker) samples(d time.Duration) int { return s.rate.Samples(s.clock.Own(d)) }

// starve accounts for the silence that was played since the queue of a reply
// ran dry.
func (s *speaker) starve(t *turn, now time.Time) {
	silence := s.samples(now.Sub(s.end))
	t.starved++
	t.starvedFor += now.Sub(s.end)
	if silence > 0 {
		t.pending++
		s.queue = append(s.queue, block{turn: t, n: silence, start: s.end})
	}
}

// advance plays up to now.
func (s *speaker) advance(now time.Time) {
	for len(s.queue) > 0 {
		b := &s.queue[0]
		if now.Before(b.start) {
			return
		}
		due := min(s.samples(now.Sub(b.start)), b.n)
		if h := s.hold; h.turn == b.turn && b.media {
			due = min(due, max(b.taken, int(int64(h.at)-int64(b.at))))
		}
		s.emit(b, due)
		if due < b.n {
			return
		}
		b.turn.pending--
		b.turn.settle(b.start.Add(s.span(b.n)))
		s.queue[0] = block{}
		s.queue = s.queue[1:]
	}
}

// emit lets the block's samples up to due leave.
func (s *speaker) emit(b *block, due int) {
	if due <= b.taken {
		return
	}
	if s.tape != nil && b.pcm != nil {
		s.tape.Record(b.start.Add(s.span(b.taken)), b.pcm[b.taken:due])
	}
	if b.turn.keep {
		if b.pcm == nil {
			b.turn.pcm = append(b.turn.pcm, make([]int16, due-b.taken)...)
		} else {
			b.turn.pcm = append(b.turn.pcm, b.pcm[b.taken:due]...)
		}
	}
	b.taken = due
	if b.media {
		b.turn.played = b.at + uint32(due)
		b.turn.leftAt = b.start.Add(s.span(due))
	}
}

// flush drops what waits of the turns up to turn and stops at once. The caller
// has called advance(now).
func (s *speaker) flush(now time.Time, turn uint32) {
	if h := s.hold.turn; h != nil && h.number <= turn {
		s.hold = pause{}
	}
	kept := s.queue[:0]
	s.end = now
	for _, b := range s.queue {
		if b.turn.number <= turn {
			b.turn.pending--
			continue
		}
		if b.taken == 0 {
			b.start = s.end
		}
		s.end = b.start.Add(s.span(b.n))
		kept = append(kept, b)
	}
	clear(s.queue[len(kept):])
	s.queue = kept
}

// pause stops the reply at the media position at, or at once. The caller has
// called advance(now).
func (s *speaker) pause(now time.Time, t *turn, at uint32) {
	s.hold = pause{turn: t, at: max(at, t.played), told: now}
}

// resume goes on where the speaker stands. The caller has called advance(now).
func (s *speaker) resume(now time.Time) {
	since := s.standsSince(now)
	s.hold = pause{}
	if since.IsZero() {
		return
	}
	stood := now.Sub(since)
	for i := range s.queue {
		s.queue[i].start = s.queue[i].start.Add(stood)
	}
	s.end = s.end.Add(stood)
}

// standsSince returns since when the speaker stands still because of a hold; zero
// if it does not.
func (s *speaker) standsSince(now time.Time) time.Time {
	if s.hold.turn == nil || len(s.queue) == 0 {
		return time.Time{}
	}
	b := &s.queue[0]
	if b.turn != s.hold.turn || !b.media || int64(b.at)+int64(b.taken) < int64(s.hold.at) {
		return time.Time{}
	}
	stopped := b.start.Add(s.span(b.taken))
	if stopped.Before(s.hold.told) {
		stopped = s.hold.told
	}
	if stopped.After(now) {
		return time.Time{}
	}
	return stopped
}
