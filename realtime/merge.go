package realtime

// Merge returns a Stream of everything in the first of streams, then everything
// in the second, and so on. Of no streams it is an empty Stream, of one it is
// that very Stream; a nil one is left out.
//
// When all inputs have ended the merged stream ends: with io.EOF, or with a
// State if an input did. One State is passed on as it is; several become one
// with the sum of their usage and the least complete status (refused, before
// truncated, before done). A failure of an input ends the merged stream with
// that failure and closes the inputs with it.
//
// Close and CloseWithError reach every input, those not begun too, and return
// when the inputs' own have. An input is read only when its turn has come and
// only as fast as the merged stream is; Merge buffers nothing and starts no
// goroutine for reading.
func Merge(streams ...Stream) Stream { return inSequence(streams, nil) }

// inSequence joins streams one after another. between, if any, is asked for a
// chunk to put between an input and the next one.
func inSequence(streams []Stream, between marker) Stream {
	inputs := present(streams)
	switch len(inputs) {
	case 0:
		return emptyStream()
	case 1:
		return inputs[0]
	}
	return &sequence{inputs: inputs, between: between}
}

// marker watches one input after another of a sequence.
type marker interface {
	// observe sees each chunk of the current input.
	observe(*MessageChunk)
	// next is called when the current input has ended and another follows. It
	// returns the chunk to put between them, or nil.
	next() *MessageChunk
}

type sequence struct {
	inputs []Stream
	ending ending

	// The reader's.
	between marker
	current int
	ends    []error
}

func (s *sequence) Next() (*MessageChunk, error) {
	for {
		if end := s.ending.load(); end != nil {
			return nil, end
		}
		chunk, err := s.inputs[s.current].Next()
		if end := s.ending.load(); end != nil {
			return nil, end // closed meanwhile: that is what ended the input
		}
		if err == nil {
			if s.between != nil {
				s.between.observe(chunk)
			}
			return chunk, nil
		}
		if !IsEnd(err) {
			end := s.ending.set(err)
			_ = closeStreams(s.inputs, err)
			return nil, end
		}
		s.ends = append(s.ends, err)
		if len(s.ends) == len(s.inputs) {
			return nil, s.ending.set(combinedEnd(s.ends))
		}
		s.current++
		if s.between != nil {
			if mark := s.between.next(); mark != nil {
				return mark, nil
			}
		}
	}
}

func (s *sequence) Close() error { return s.CloseWithError(nil) }

func (s *sequence) CloseWithError(cause error) error {
	s.ending.set(endOfClose(cause))
	return closeStreams(s.inputs, cause)
}
