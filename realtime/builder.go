package realtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

// DefaultCapacity is how many chunks a StreamBuilder holds when none is asked
// for: over half a second of 20 ms audio frames.
const DefaultCapacity = 32

var errNilChunk = errors.New("realtime: add to stream: nil chunk")

// StreamBuilder is the producer side of a Stream with a bounded queue. The
// producer adds chunks and ends the stream with Done, Finish or Abort; the
// consumer reads Stream. The queue never drops: Add blocks while it is full.
//
// How a stream ends:
//
//   - Done, Finish and Abort are the producer's. Chunks added before stay
//     deliverable; the consumer sees the end after them. (What was produced
//     before a failure is still true, and its order is kept.)
//   - Close and CloseWithError are the consumer's. Queued chunks are dropped,
//     since their reader has left, and blocked calls on both sides return.
//
// The first end wins, with one exception: a normal end (Done, Finish) that the
// consumer has not reached yet gives way to its CloseWithError, because chunks
// were dropped before it and the stream must not look complete.
//
// All methods may be called concurrently; chunks of one goroutine keep their
// order. A StreamBuilder starts no goroutine.
type StreamBuilder struct {
	closed   chan struct{} // closed when nothing can be added any more
	readable chan struct{} // token for a waiting reader
	writable chan struct{} // token for one of the waiting writers

	mu             sync.Mutex
	ring           []*MessageChunk
	head, count    int
	readerWaiting  bool
	writersWaiting int
	end            error // what Next returns once the queue is empty; nil while open
	addErr         error // what Add returns; set together with end
}

// NewStreamBuilder returns a builder whose stream holds up to capacity chunks
// that were added and not yet read; capacity <= 0 means DefaultCapacity.
func NewStreamBuilder(capacity int) *StreamBuilder {
	if capacity <= 0 {
		capacity = DefaultCapacity
	}
	return &StreamBuilder{
		closed:   make(chan struct{}),
		readable: make(chan struct{}, 1),
		writable: make(chan struct{}, 1),
		ring:     make([]*MessageChunk, capacity),
	}
}

// Add appends chunks in order, blocking while the queue is full. It returns
// early with an error matching ErrStreamClosed (and the cause of the closing)
// once the stream has ended on either side, or with one matching ctx's error
// and cause when ctx is done. A failed call may have added the first of several
// chunks. The stream owns the chunks from now on.
func (b *StreamBuilder) Add(ctx context.Context, chunks ...*MessageChunk) error {
	for _, chunk := range chunks {
		if err := b.add(ctx, chunk); err != nil {
			return err
		}
	}
	return nil
}

func (b *StreamBuilder) add(ctx context.Context, chunk *MessageChunk) error {
	if chunk == nil {
		return errNilChunk
	}
	if ctx.Err() != nil {
		return canceled(ctx, "add to stream")
	}
	b.mu.Lock()
	for b.end == nil && b.count == len(b.ring) {
		b.writersWaiting++
		b.mu.Unlock()
		var gaveUp bool
		select {
		case <-b.writable:
		case <-b.closed:
		case <-ctx.Done():
			gaveUp = true
		}
		b.mu.Lock()
		b.writersWaiting--
		if gaveUp && b.end == nil {
			b.mu.Unlock()
			return canceled(ctx, "add to stream")
		}
	}
	if b.end != nil {
		err := b.addErr
		b.mu.Unlock()
		return err
	}
	tail := b.head + b.count
	if tail >= len(b.ring) {
		tail -= len(b.ring)
	}
	b.ring[tail] = chunk
	b.count++
	b.wakeReader()
	if b.count < len(b.ring) {
		b.wakeWriter() // a token stands for "there is room", not for one slot
	}
	b.mu.Unlock()
	return nil
}

// Done ends the stream normally: after the queued chunks, Next returns io.EOF.
func (b *StreamBuilder) Done() { b.finish(io.EOF, nil) }

// Finish ends the stream with the State of a generation: after the queued
// chunks, Next returns state. A nil state is Done.
func (b *StreamBuilder) Finish(state *State) {
	if state == nil {
		b.Done()
		return
	}
	b.finish(state, state.Err)
}

// Abort ends the stream with a failure: after the queued chunks, Next returns
// cause. A nil cause becomes ErrAborted.
func (b *StreamBuilder) Abort(cause error) {
	if cause == nil {
		cause = ErrAborted
	}
	b.finish(cause, cause)
}

// Closed returns a channel that is closed once nothing can be added any more:
// the consumer closed the stream or the producer ended it. A producer that
// waits for something else than Add selects on it.
func (b *StreamBuilder) Closed() <-chan struct{} { return b.closed }

// Stream returns the consumer side, always the same one.
func (b *StreamBuilder) Stream() Stream { return (*builtStream)(b) }

// finish is the producer's end: whatever is queued stays.
func (b *StreamBuilder) finish(end, cause error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.end == nil {
		b.seal(end, cause)
	}
}

// close is the consumer's end: whatever is queued goes.
func (b *StreamBuilder) close(cause error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.end == nil && cause == nil:
		b.seal(io.EOF, nil)
	case b.end == nil:
		b.seal(cause, cause)
	case b.count > 0 && cause != nil && IsEnd(b.end):
		b.end = cause
	}
	clear(b.ring)
	b.head, b.count = 0, 0
}

// seal needs mu and an open builder.
func (b *StreamBuilder) seal(end, cause error) {
	b.end = end
	b.addErr = ErrStreamClosed
	if cause != nil {
		b.addErr = fmt.Errorf("%w: %w", ErrStreamClosed, cause)
	}
	close(b.closed)
	b.wakeReader()
}

// wakeReader and wakeWriter need mu. The token channels hold one token, which
// is enough: every woken side looks again at the queue under mu.
func (b *StreamBuilder) wakeReader() {
	if b.readerWaiting {
		b.readerWaiting = false
		select {
		case b.readable <- struct{}{}:
		default:
		}
	}
}

func (b *StreamBuilder) wakeWriter() {
	if b.writersWaiting > 0 {
		select {
		case b.writable <- struct{}{}:
		default:
		}
	}
}

func (b *StreamBuilder) next(ctx context.Context) (*MessageChunk, error) {
	b.mu.Lock()
	for b.count == 0 {
		if b.end != nil {
			err := b.end
			b.mu.Unlock()
			return nil, err
		}
		b.readerWaiting = true
		b.mu.Unlock()
		select {
		case <-b.readable:
		case <-ctx.Done():
			return nil, canceled(ctx, "next chunk")
		}
		b.mu.Lock()
	}
	chunk := b.ring[b.head]
	b.ring[b.head] = nil
	b.head++
	if b.head == len(b.ring) {
		b.head = 0
	}
	b.count--
	b.wakeWriter()
	b.mu.Unlock()
	return chunk, nil
}

// builtStream is the consumer's view of a StreamBuilder.
type builtStream StreamBuilder

func (s *builtStream) Next() (*MessageChunk, error) {
	return (*StreamBuilder)(s).next(context.Background())
}

// NextContext is Next that also returns when ctx is done. That does not end
// the stream.
func (s *builtStream) NextContext(ctx context.Context) (*MessageChunk, error) {
	return (*StreamBuilder)(s).next(ctx)
}

func (s *builtStream) Close() error { return s.CloseWithError(nil) }

func (s *builtStream) CloseWithError(cause error) error {
	(*StreamBuilder)(s).close(cause)
	return nil
}

// canceled is the error of an operation that gave up because ctx is done. It
// matches ctx.Err() and the cause of the cancellation.
func canceled(ctx context.Context, operation string) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if cause == nil || errors.Is(cause, err) {
		return fmt.Errorf("realtime: %s: %w", operation, err)
	}
	return fmt.Errorf("realtime: %s: %w: %w", operation, err, cause)
}
