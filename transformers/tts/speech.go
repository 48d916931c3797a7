package tts

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"edged/audio/pcm"
	"edged/realtime"
)

// speech is the audio of one segment between the engine that makes it and the
// stream that carries it on. It holds a whole segment, so the engine never
// waits. It is used again for a later segment.
type speech struct {
	limit int           // samples of a segment
	more  chan struct{} // token: there is more, or the end

	mu      sync.Mutex
	samples []int16
	taken   int
	done    bool
	failure error
	words   []SpokenWord // valid once done, nil if the engine does not tell
}

func newSpeech(limit int) *speech {
	return &speech{limit: limit, more: make(chan struct{}, 1)}
}

// reset makes the buffer of a finished segment ready for the next.
func (s *speech) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.samples, s.taken, s.done, s.failure, s.words = s.samples[:0], 0, false, nil, nil
	select {
	case <-s.more: // the last token of the segment before
	default:
	}
}

// make has the engine speak text into s and returns its failure.
func (s *speech) make(ctx context.Context, t *Transformer, text string) (failure error) {
	failure = s.synthesize(ctx, t, text)
	s.end(failure)
	return failure
}

func (s *speech) synthesize(ctx context.Context, t *Transformer, text string) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &realtime.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	call := func() error { return t.engine.Synthesize(ctx, text, s.write) }
	if timed, ok := t.engine.(TimedSynthesizer); ok {
		call = func() error {
			words, err := timed.SynthesizeWords(ctx, text, s.write)
			s.tell(words)
			return err
		}
	}
	if t.gate == nil {
		return call()
	}
	return t.gate.Do(ctx, "tts", call)
}

// write is the engine's sink. It does not block and keeps a copy.
func (s *speech) write(block []int16) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.samples)+len(block) > s.limit {
		return fmt.Errorf("%w: more than %d samples", ErrTooMuchAudio, s.limit)
	}
	s.samples = append(s.samples, block...)
	s.signal()
	return nil
}

func (s *speech) tell(words []SpokenWord) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.words = words
}

// timing returns the words once the engine has spoken the whole segment.
func (s *speech) timing() []SpokenWord {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.done || s.failure != nil {
		return nil
	}
	return s.words
}

func (s *speech) end(failure error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done, s.failure = true, failure
	s.signal()
}

func (s *speech) signal() {
	select {
	case s.more <- struct{}{}:
	default:
	}
}

// wait waits until there are samples for a whole chunk (with eager: any at all)
// or the segment ends. It returns how many samples to take, at most want: 0 at
// the end, with the engine's failure, or when ctx is done, with its cause.
func (s *speech) wait(ctx context.Context, want int, eager bool) (n int, failure, err error) {
	for {
		if ctx.Err() != nil {
			return 0, nil, context.Cause(ctx)
		}
		s.mu.Lock()
		n, done, failure := len(s.samples)-s.taken, s.done, s.failure
		s.mu.Unlock()
		switch {
		case n >= want || eager && n > 0:
			return min(n, want), nil, nil
		case done && n > 0:
			return n, nil, nil
		case done:
			return 0, failure, nil
		}
		select {
		case <-s.more:
		case <-ctx.Done():
		}
	}
}

// take writes the next len(buf)/2 samples, which are there after wait, to buf.
func (s *speech) take(buf []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(buf) / sampleBytes
	pcm.Append(buf[:0], s.samples[s.taken:s.taken+n])
	s.taken += n
}
