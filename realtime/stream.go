package realtime

// Stream is a sequence of chunks with one producer side and one consumer side.
// It is the boundary between all capabilities: generators produce one,
// transformers turn one into another.
//
// Next may be called by one goroutine at a time; Close and CloseWithError may
// be called from any goroutine and unblock it.
type Stream interface {
	// Next returns the next chunk. It blocks until one is there or the stream
	// has ended. The end is io.EOF or an error matching ErrDone (see State);
	// any other error is a failure. After the end, Next keeps returning the
	// same error.
	Next() (*MessageChunk, error)
	// Close ends the stream normally, with all its routes, and frees the
	// producer. It is idempotent.
	Close() error
	// CloseWithError ends the stream with a cause that the producer's and the
	// consumer's next calls return. The first cause wins.
	CloseWithError(error) error
}
