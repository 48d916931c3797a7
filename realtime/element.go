package realtime

import "sync/atomic"

// StreamElement is one element of a stream: all content of one role, name and
// MIME channel, to be read as it arrives, or one tool call. See Iter.
//
// Read serves one goroutine at a time; Close may be called from any.
type StreamElement struct {
	Role Role
	// Name is that of the chunks, usually empty.
	Name string
	// MIMEType is the canonical type of the content (CanonicalMIME); text has
	// TextChannel, a tool call none.
	MIMEType string
	// ToolCall is set on the element of a tool call, which has no content.
	ToolCall *ToolCall

	content *StreamBuilder
	unread  []byte // of the chunk being read; the reader's
	closed  atomic.Bool
}

func newElement(first *MessageChunk) *StreamElement {
	return &StreamElement{Role: first.Role, Name: first.Name, content: NewStreamBuilder(0)}
}

// Read reads the content, UTF-8 text or bytes, waiting for some. It returns
// what there is of one chunk, so that audio can be played as it comes. At an
// orderly end of the stream it returns io.EOF, after a failure that failure,
// both after what came before; after Close an error matching ErrStreamClosed
// and io.ErrClosedPipe; after a Close of the iterator what that says.
func (e *StreamElement) Read(p []byte) (int, error) {
	if e.closed.Load() {
		return 0, ErrStreamClosed
	}
	if len(p) == 0 {
		return 0, nil
	}
	for len(e.unread) == 0 {
		chunk, err := e.content.Stream().Next()
		if err != nil {
			return 0, err
		}
		e.unread = bytesOf(chunk.Part)
	}
	n := copy(p, e.unread)
	e.unread = e.unread[n:]
	return n, nil
}

// Close tells that nobody reads this element any more: what there is of it and
// what comes is discarded, so that it does not hold up the others. It unblocks
// Read, is idempotent and returns nil.
func (e *StreamElement) Close() error {
	e.closed.Store(true)
	e.content.close(ErrStreamClosed)
	return nil
}

// bytesOf returns the content of a part. For a Blob these are the chunk's own
// bytes, not to be written to.
func bytesOf(part Part) []byte {
	switch p := part.(type) {
	case Text:
		return []byte(p)
	case *Blob:
		if p != nil {
			return p.Data
		}
	}
	return nil
}
