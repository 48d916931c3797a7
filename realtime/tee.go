package realtime

import (
	"context"
	"errors"
	"fmt"
)

// Tee returns a Stream of what stream delivers, each chunk of which is also
// added to copied before it is returned. The two share the chunks.
//
// When stream ends, copied ends in the same way: with io.EOF or the State of an
// orderly end, aborted with the cause of a failure. When the returned stream is
// closed before, copied is aborted with the cause, or with an error matching
// ErrAborted if there is none: its reader never waits for chunks that do not
// come, and never takes a part for the whole.
//
// Nothing is lost: while copied is full, Next waits for its reader. Who reads
// both in one goroutine gives copied room for everything. A reader of copied
// that has had enough closes it, and the returned stream goes on alone.
//
// Close and CloseWithError close stream and unblock Next. Tee starts no
// goroutine; chunks are copied as the returned stream is read, so it must be
// read to its end or closed. Nobody else ends copied.
func Tee(stream Stream, copied *StreamBuilder) Stream {
	return &tee{source: stream, copied: copied}
}

type tee struct {
	source Stream
	copied *StreamBuilder
	ending ending
}

var errTeeClosed = fmt.Errorf("realtime: tee closed before the end of its source: %w", ErrAborted)

func (t *tee) Next() (*MessageChunk, error) {
	if end := t.ending.load(); end != nil {
		return nil, end
	}
	chunk, err := t.source.Next()
	if err != nil {
		endLike(t.copied, err) // has no effect after a close, which aborted the copy before it closed the source
		return nil, t.ending.set(err)
	}
	err = t.copied.Add(context.Background(), chunk) // returns when a close aborts the copy
	if err != nil && !errors.Is(err, ErrStreamClosed) {
		t.copied.Abort(err)
		end := t.ending.set(err)
		_ = closeStream(t.source, err)
		return nil, end
	}
	// The copy is complete, or its reader has left, or the tee was closed.
	if end := t.ending.load(); end != nil {
		return nil, end
	}
	return chunk, nil
}

func (t *tee) Close() error { return t.CloseWithError(nil) }

func (t *tee) CloseWithError(cause error) error {
	cut := cause
	if cut == nil {
		cut = errTeeClosed
	}
	t.copied.Abort(cut) // has no effect after the end of the source
	t.ending.set(endOfClose(cause))
	return closeStream(t.source, cause)
}
