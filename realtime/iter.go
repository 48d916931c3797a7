package realtime

import (
	"context"
	"errors"
	"fmt"
)

// Iter gathers the content of stream into elements: one reader for all text or
// bytes of the same role, name and MIME channel, whatever their route, and one
// element for each tool call.
//
// An element lasts until stream ends. The end of a channel or of a route
// neither ends nor splits it; who needs routes reads the stream itself.
// Control-only chunks are skipped, and so are gaps, which have no bytes.
//
// Elements are to be read concurrently: each holds up to DefaultCapacity unread
// chunks, and as many elements wait for Next, then stream is not read on until
// there is room. Nothing is dropped for that. Whoever does not want an element
// closes it; its content is then discarded and the others go on.
//
// One goroutine reads stream, from now until it has ended. Read to the end or
// close the iterator.
func Iter(stream Stream) *Iterator {
	ctx, cancel := context.WithCancelCause(context.Background())
	it := &Iterator{
		source:   stream,
		elements: make(chan *StreamElement, DefaultCapacity),
		closing:  ctx.Done(),
		cancel:   cancel,
		joined:   make(chan struct{}),
	}
	go func() {
		defer close(it.joined)
		it.gather(ctx)
	}()
	return it
}

// Iterator delivers the elements of a stream, see Iter. Next may be called by
// one goroutine at a time; Close and CloseWithError may be called from any and
// unblock it. Elements may be read by goroutines of their own.
type Iterator struct {
	source   Stream
	elements chan *StreamElement // closed when there will be no more
	closing  <-chan struct{}     // closed by a close
	cancel   context.CancelCauseFunc
	joined   chan struct{}
	ending   ending
}

// Next returns the next element as soon as its first content is there. After
// the last one it returns the end of the stream: io.EOF, a State or a failure,
// which has reached the readers of all elements before.
func (it *Iterator) Next() (*StreamElement, error) {
	select {
	case <-it.closing:
		return nil, it.ending.load()
	default:
	}
	select {
	case element, more := <-it.elements:
		if more {
			return element, nil
		}
	case <-it.closing:
	}
	return nil, it.ending.load()
}

// Close closes the stream; Next returns io.EOF from now on, unless the stream
// has ended in another way. If it has not ended, the readers of all elements
// fail with an error matching ErrAborted, since their content is not complete;
// if it has, what they have not read stays readable. Close returns after the
// iterator's goroutine and is idempotent.
func (it *Iterator) Close() error { return it.CloseWithError(nil) }

// CloseWithError is Close with a cause that Next and the readers return.
func (it *Iterator) CloseWithError(cause error) error {
	it.ending.set(endOfClose(cause))
	if cause == nil {
		it.cancel(errIteratorClosed)
	} else {
		it.cancel(cause)
	}
	err := closeStream(it.source, cause)
	<-it.joined
	return err
}

var errIteratorClosed = fmt.Errorf("realtime: iterator closed before the end of its stream: %w", ErrAborted)

// elementKey tells elements apart.
type elementKey struct {
	role           Role
	name, mimeType string
}

// gather reads the source to its end and deals its content out.
func (it *Iterator) gather(ctx context.Context) {
	open := map[elementKey]*StreamElement{}
	end := guarded(func() error { return it.deal(ctx, open) })
	if ctx.Err() != nil { // closed: readers lose what they have not read
		for _, element := range open {
			element.content.close(context.Cause(ctx))
		}
	} else {
		for _, element := range open {
			if IsEnd(end) {
				element.content.Done()
			} else {
				element.content.Abort(end)
			}
		}
	}
	it.ending.set(end)
	close(it.elements)
	if !IsEnd(end) && ctx.Err() == nil {
		_ = closeStream(it.source, end)
	}
}

func (it *Iterator) deal(ctx context.Context, open map[elementKey]*StreamElement) error {
	var keys KeyCache
	for {
		chunk, err := it.source.Next()
		if err != nil {
			return err
		}
		if chunk.ControlOnly() {
			continue
		}
		if data := bytesOf(chunk.Part); len(data) > 0 || (chunk.IsBeginOfStream() && emptyPart(chunk.Part) != nil) {
			key := elementKey{chunk.Role, chunk.Name, channelOf(&MessageChunk{Part: chunk.Part}, keys.Canonical)}
			element := open[key]
			if element == nil {
				element = newElement(chunk)
				element.MIMEType = key.mimeType
				open[key] = element
				if err := it.offer(ctx, element); err != nil {
					return err
				}
			}
			err := element.content.Add(ctx, chunk)
			if err != nil && !errors.Is(err, ErrStreamClosed) {
				return err
			}
		}
		if chunk.ToolCall != nil {
			element := newElement(chunk)
			element.ToolCall = chunk.ToolCall
			element.content.Done()
			if err := it.offer(ctx, element); err != nil {
				return err
			}
		}
	}
}

// offer hands an element to Next, waiting for room.
func (it *Iterator) offer(ctx context.Context, element *StreamElement) error {
	select {
	case it.elements <- element:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
