package realtime

import (
	"context"
	"errors"
	"sync"
)

// Split divides stream in two: chunks for which belongs is true go to matching,
// all others to rest. Each chunk goes to exactly one side, in order, boundaries
// included: a control-only end of a route is on the side that belongs puts it,
// so a division by route or role keeps whole lifecycles, and one by MIME type
// leaves it to belongs where the ends of routes go.
//
// The end of stream, a State or a failure too, reaches both sides, after their
// chunks. A panic of belongs is a failure, a *PanicError.
//
// Both sides are to be read, concurrently or in any order that does not let one
// wait: each holds up to DefaultCapacity unread chunks, then stream is not read
// on until there is room, and both sides wait. Nothing is dropped for that.
// Whoever does not want a side closes it; its chunks are then discarded and the
// other side goes on. When both sides are closed stream is closed, with the
// first cause that one of them was closed with.
//
// One goroutine reads stream; it calls belongs. It returns when stream has
// ended or both sides are closed; the Close of the later side waits for it.
func Split(stream Stream, belongs func(*MessageChunk) bool) (matching, rest Stream) {
	s := &splitter{source: stream, joined: make(chan struct{})}
	for i := range s.sides {
		s.sides[i] = NewStreamBuilder(0)
	}
	go func() {
		defer close(s.joined)
		end := guarded(func() error { return s.divide(belongs) })
		for _, side := range s.sides {
			endLike(side, end)
		}
		if !IsEnd(end) {
			_ = closeStream(stream, end)
		}
	}()
	return &splitSide{(*builtStream)(s.sides[0]), s, 0}, &splitSide{(*builtStream)(s.sides[1]), s, 1}
}

type splitter struct {
	source Stream
	sides  [2]*StreamBuilder // matching, rest
	joined chan struct{}

	mu    sync.Mutex
	left  [2]bool // sides that were closed
	cause error   // the first that a side was closed with
}

// divide deals out the chunks of the source and returns its end.
func (s *splitter) divide(belongs func(*MessageChunk) bool) error {
	for {
		chunk, err := s.source.Next()
		if err != nil {
			return err
		}
		side := s.sides[1]
		if belongs(chunk) {
			side = s.sides[0]
		}
		err = side.Add(context.Background(), chunk) // returns when the side is closed
		if err != nil && !errors.Is(err, ErrStreamClosed) {
			return err
		}
	}
}

// leave notes that a side was closed. The last one to leave closes the source.
func (s *splitter) leave(side int, cause error) error {
	s.mu.Lock()
	s.left[side] = true
	if s.cause == nil {
		s.cause = cause
	}
	last, cause := s.left[0] && s.left[1], s.cause
	s.mu.Unlock()
	if !last {
		return nil
	}
	err := closeStream(s.source, cause)
	<-s.joined
	return err
}

type splitSide struct {
	*builtStream
	splitter *splitter
	side     int
}

func (s *splitSide) Close() error { return s.CloseWithError(nil) }

func (s *splitSide) CloseWithError(cause error) error {
	_ = s.builtStream.CloseWithError(cause)
	return s.splitter.leave(s.side, cause)
}

// endLike ends b with the end of another stream: orderly as it is, a failure as
// a failure.
func endLike(b *StreamBuilder, end error) {
	if IsEnd(end) {
		b.finish(end, nil)
	} else {
		b.Abort(end)
	}
}
