package realtime

import (
	"slices"
	"sync"
	"time"
)

const (
	// interleaveAhead is how many chunks MergeInterleaved reads ahead of each
	// input, beside the one it has in hand. A few are enough to have the next
	// chunk of a ready input at hand when its turn comes.
	interleaveAhead = 4
	// turnGrace is how long an input that has just been served may take to
	// come up with its next chunk before its turn passes to others. It covers
	// the scheduling of a goroutine and is short beside any audio frame
	// (the shortest of Opus is 2.5 ms).
	turnGrace = 2 * time.Millisecond
)

// MergeInterleaved returns a Stream of all chunks of streams, one from each in
// turn among those that have one: inputs that are ready are served strictly in
// turn, and one that is idle is passed over. No input can stall another; the
// most it can do is to hold up the others for 2 ms after each chunk of its own,
// which is how long its next one is waited for to keep the turns. The order
// within each input is kept.
//
// Of no streams it is an empty Stream, of one it is that very Stream; a nil one
// is left out. It ends as Merge does: when all inputs have ended, or with the
// first failure that is met, which also closes the other inputs.
//
// Nothing is dropped: up to five chunks of each input are read ahead, then that
// input waits. One goroutine per input does this, from now until the input has
// ended. Close and CloseWithError reach every input and return after the last
// of these goroutines, so the merged stream must be read to its end or closed.
func MergeInterleaved(streams ...Stream) Stream {
	inputs := present(streams)
	switch len(inputs) {
	case 0:
		return emptyStream()
	case 1:
		return inputs[0]
	}
	m := &interleaved{
		inputs: inputs,
		ready:  make(chan struct{}, 1),
		closed: make(chan struct{}),
	}
	expected := time.Now().Add(turnGrace)
	for _, input := range inputs {
		s := &interleavedSource{items: make(chan interleavedItem, interleaveAhead), expected: expected}
		m.open = append(m.open, s)
		m.pumps.Go(func() { m.pump(input, s.items) })
	}
	return m
}

type interleaved struct {
	inputs []Stream
	ready  chan struct{} // token: an item was put somewhere
	closed chan struct{}
	ending ending
	pumps  sync.WaitGroup
	once   sync.Once // closes closed

	// The reader's.
	open  []*interleavedSource // inputs whose end was not met yet
	turn  int                  // index in open
	ends  []error
	timer *time.Timer
}

// interleavedSource is what was read ahead of one input.
type interleavedSource struct {
	items    chan interleavedItem
	expected time.Time // until then its turn is not passed over
}

// interleavedItem is one result of an input's Next.
type interleavedItem struct {
	chunk *MessageChunk
	err   error
}

// pump reads one input to its end.
func (m *interleaved) pump(input Stream, items chan<- interleavedItem) {
	end := guarded(func() error {
		for {
			chunk, err := input.Next()
			if err != nil {
				return err
			}
			if chunk == nil {
				return errNilChunk
			}
			if !m.put(items, interleavedItem{chunk: chunk}) {
				return nil
			}
		}
	})
	if end != nil {
		m.put(items, interleavedItem{err: end})
	}
}

func (m *interleaved) put(items chan<- interleavedItem, item interleavedItem) bool {
	select {
	case items <- item:
	case <-m.closed:
		return false
	}
	select {
	case m.ready <- struct{}{}:
	default:
	}
	return true
}

func (m *interleaved) Next() (*MessageChunk, error) {
	for {
		if end := m.ending.load(); end != nil {
			return nil, end
		}
		if len(m.open) == 0 {
			return nil, m.ending.set(combinedEnd(m.ends))
		}
		item, wait := m.take()
		switch {
		case item.chunk == nil && item.err == nil:
			m.await(wait)
		case item.err == nil:
			return item.chunk, nil
		case IsEnd(item.err):
			m.ends = append(m.ends, item.err)
		default:
			end := m.ending.set(item.err)
			_ = m.stop(item.err)
			return nil, end
		}
	}
}

// take returns the item of the first input, from the one whose turn it is, that
// has one. If it returns none, wait says how long the missing one of that turn
// is still expected; 0 means that none is.
func (m *interleaved) take() (item interleavedItem, wait time.Duration) {
	for range m.open {
		s := m.open[m.turn]
		select {
		case item = <-s.items:
			if item.err != nil {
				m.open = slices.Delete(m.open, m.turn, m.turn+1)
			} else {
				s.expected = time.Now().Add(turnGrace)
				m.turn++
			}
			m.turn %= max(len(m.open), 1)
			return item, 0
		default:
		}
		if wait = time.Until(s.expected); wait > 0 {
			return item, wait
		}
		m.turn = (m.turn + 1) % len(m.open)
	}
	return item, 0
}

// await returns when an item was put, when the stream was closed, or after wait
// if that is not 0.
func (m *interleaved) await(wait time.Duration) {
	var over <-chan time.Time
	if wait > 0 {
		if m.timer == nil {
			m.timer = time.NewTimer(wait)
		} else {
			m.timer.Reset(wait)
		}
		defer m.timer.Stop()
		over = m.timer.C
	}
	select {
	case <-m.ready:
	case <-m.closed:
	case <-over:
	}
}

func (m *interleaved) Close() error { return m.CloseWithError(nil) }

func (m *interleaved) CloseWithError(cause error) error {
	m.ending.set(endOfClose(cause))
	return m.stop(cause)
}

// stop frees pumps and inputs and waits for both.
func (m *interleaved) stop(cause error) error {
	m.once.Do(func() { close(m.closed) })
	err := closeStreams(m.inputs, cause)
	m.pumps.Wait()
	return err
}
