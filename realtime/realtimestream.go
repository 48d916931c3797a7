package realtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// ErrOverflow is matched by what Push returns when the stream is full of
// chunks that may not be dropped. The chunk was not taken; whoever pushes must
// give up on this peer rather than lose a boundary.
var ErrOverflow = errors.New("realtime: stream is full of control that must not be dropped")

// OrderingDelay is a delay that suits a consumer which needs tracks merged
// exactly, see RealtimeConfig.Delay: four audio frames of 20 ms.
const OrderingDelay = 80 * time.Millisecond

// RealtimeConfig sets up a RealtimeStream. The zero value suits the uplink of
// one device.
type RealtimeConfig struct {
	// Delay holds every chunk back so that the tracks come out in the order of
	// their timestamps. Data that is older than what was already delivered is
	// then dropped and leaves a Gap. Default 0: nothing is held back for order
	// beyond MergeWait, and nothing is dropped for being late.
	Delay time.Duration
	// MergeWait bounds how long a chunk waits for the other live tracks to
	// catch up. With one live track nothing waits. Default 20 ms, which is one
	// short audio frame; negative means never wait. Without meaning when Delay
	// is set.
	MergeWait time.Duration
	// Window bounds the media time buffered on a track. Default 2 minutes.
	Window time.Duration
	// MaxChunks bounds how many chunks are buffered. Default 4096.
	MaxChunks int
	// MaxBytes bounds their content. Default 1 MiB, which is 32 s of 16 kHz
	// mono PCM.
	MaxBytes int
	// MaxJump is how far a timestamp may stray from the clock of its track
	// before it is not believed. Default 10 s.
	MaxJump time.Duration
}

func (c RealtimeConfig) withDefaults() RealtimeConfig {
	c.Delay = max(c.Delay, 0)
	c.MergeWait = max(cmp.Or(c.MergeWait, 20*time.Millisecond), 0)
	c.Window = positive(c.Window, 2*time.Minute)
	c.MaxChunks = positive(c.MaxChunks, 4096)
	c.MaxBytes = positive(c.MaxBytes, 1<<20)
	c.MaxJump = positive(c.MaxJump, 10*time.Second)
	return c
}

func positive[T int | time.Duration](value, otherwise T) T {
	if value > 0 {
		return value
	}
	return otherwise
}

// RealtimeStream merges the live tracks of one device into one Stream. A track
// is everything of one StreamID. Push never blocks; the consumer reads Next.
//
// # Order
//
// Chunks of a track come out in the order of Push, always. Between tracks the
// smaller Timestamp goes first; among equal ones a beginning goes first, an
// end last, and otherwise the earlier push. A chunk without a Timestamp gets
// one that grows with the clock; an end without one comes after everything
// pushed so far. (Such a chunk is copied: nobody writes to the one pushed.)
//
// Timestamps are media time of the device and are never compared with the time
// of day. Each track is mapped to the time of the stream: one that starts on a
// clock of its own is taken as it is, and a single timestamp that jumps by more
// than MaxJump is replaced by the expected one and counted. So no timestamp can
// delay or displace other chunks.
//
// # Bounds
//
// Beyond Window, MaxChunks or MaxBytes the oldest data goes: a Blob is
// replaced by a Gap of the same duration (see MediaDuration), neighbouring gaps
// become one, and the loss is counted by reason. So media time always advances
// and boundaries stay where they were. Text, tool calls and control are never
// dropped: when nothing else is left to drop, Push returns ErrOverflow.
//
// # End
//
// Close drains: what is buffered comes out at once, without any waiting, then
// io.EOF. CloseWithError aborts: what is buffered is dropped and Next returns
// the cause. Either way a later Push fails with an error matching
// ErrStreamClosed and io.ErrClosedPipe.
//
// # Concurrency
//
// Push, Close, CloseWithError and Stats may be called from any goroutine, Next
// by one at a time. A RealtimeStream starts no goroutine.
type RealtimeStream struct {
	config   RealtimeConfig
	start    time.Time
	readable chan struct{} // token for a waiting reader
	timer    *time.Timer   // the reader's

	mu            sync.Mutex
	clock         streamClock
	tracks        []*track
	byID          map[string]*track
	latest        *track // of the last push, most likely that of the next
	free          *entry
	freeCount     int
	sequence      uint64
	emitted       int64 // greatest media key of delivered data
	readerWaiting bool
	end           error // what Next returns once nothing is buffered; nil while open
	pushErr       error // what Push returns; set together with end
	keys          KeyCache
	stats         RealtimeStats
}

// NewRealtimeStream returns an open stream whose clock starts now.
func NewRealtimeStream(config RealtimeConfig) *RealtimeStream {
	return &RealtimeStream{
		config:   config.withDefaults(),
		start:    time.Now(),
		readable: make(chan struct{}, 1),
		byID:     map[string]*track{},
	}
}

// Push adds a chunk and never blocks. The stream owns the chunk from now on.
// It fails with an error matching ErrStreamClosed after a close and with
// ErrOverflow when full; see the type.
func (s *RealtimeStream) Push(chunk *MessageChunk) error {
	if chunk == nil {
		return errNilChunk
	}
	now := time.Since(s.start)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end != nil {
		return s.pushErr
	}
	t := s.trackOf(chunk.Route(), now)
	e := s.newEntry()
	s.sequence++
	e.chunk, e.sequence, e.arrival = chunk, s.sequence, now
	e.bytes, e.rank = contentBytes(chunk), rankOf(chunk)
	e.blob, e.gap = kindOf(chunk)
	s.place(t, e, now)
	if e.blob && s.config.Delay > 0 && e.media < s.emitted {
		s.stats.drop(DropLate, e.chunk)
		e.becomeGap()
	} else if e.blob && e.media < s.emitted {
		s.stats.Late++
	}
	t.append(e)
	t.lastPush, t.ended = now, chunk.IsEndOfStream()
	s.stats.Chunks++
	s.stats.Bytes += e.bytes
	s.enforceLimits(t)
	if s.stats.Chunks > s.config.MaxChunks || s.stats.Bytes > s.config.MaxBytes {
		s.remove(t, e)
		return fmt.Errorf("%w (%d chunks, %d bytes)", ErrOverflow, s.stats.Chunks, s.stats.Bytes)
	}
	s.stats.Pushed++
	s.wakeReader()
	return nil
}

// Next returns the next chunk in the order described at the type, waiting for
// one if need be.
func (s *RealtimeStream) Next() (*MessageChunk, error) { return s.NextContext(context.Background()) }

// NextContext is Next that also returns when ctx is done, with an error that
// matches ctx's error and cause. That does not end the stream.
func (s *RealtimeStream) NextContext(ctx context.Context) (*MessageChunk, error) {
	s.mu.Lock()
	for {
		var hold time.Duration
		if s.stats.Chunks > 0 {
			var t *track
			if t, hold = s.pick(); hold <= 0 {
				chunk := s.pop(t)
				s.mu.Unlock()
				return chunk, nil
			}
		} else if s.end != nil {
			err := s.end
			s.mu.Unlock()
			return nil, err
		}
		s.readerWaiting = true
		s.mu.Unlock()
		if err := s.wait(ctx, hold); err != nil {
			return nil, err
		}
		s.mu.Lock()
	}
}

// wait returns when something was pushed or closed, when hold (if any) is over,
// or with an error when ctx is done.
func (s *RealtimeStream) wait(ctx context.Context, hold time.Duration) error {
	var held <-chan time.Time
	if hold > 0 {
		if s.timer == nil {
			s.timer = time.NewTimer(hold)
		} else {
			s.timer.Reset(hold)
		}
		defer s.timer.Stop()
		held = s.timer.C
	}
	select {
	case <-s.readable:
	case <-held:
	case <-ctx.Done():
		return canceled(ctx, "next chunk")
	}
	return nil
}

// Close ends the stream after what is buffered, which comes out at once.
func (s *RealtimeStream) Close() error { return s.CloseWithError(nil) }

// CloseWithError ends the stream now: what is buffered is dropped and Next
// returns cause, unless the stream had ended before. A nil cause is Close.
func (s *RealtimeStream) CloseWithError(cause error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.end == nil && cause == nil:
		s.end, s.pushErr = io.EOF, ErrStreamClosed
	case s.end == nil:
		s.end, s.pushErr = cause, fmt.Errorf("%w: %w", ErrStreamClosed, cause)
	case cause != nil && s.stats.Chunks > 0:
		s.end = cause // overtakes a drain that did not finish
	}
	if cause != nil {
		s.discard()
	}
	s.wakeReader()
	return nil
}

// wakeReader needs mu.
func (s *RealtimeStream) wakeReader() {
	if s.readerWaiting {
		s.readerWaiting = false
		select {
		case s.readable <- struct{}{}:
		default:
		}
	}
}
