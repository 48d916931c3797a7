package realtime

import (
	"cmp"
	"errors"
	"io"
	"runtime/debug"
	"slices"
	"sync"
)

// ending is how a combined stream ended. The first end wins.
type ending struct {
	mu  sync.Mutex
	err error
}

// set ends the stream with err unless it has ended, and returns its end.
func (e *ending) set(err error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err == nil {
		e.err = err
	}
	return e.err
}

// load returns the end, nil while the stream is open.
func (e *ending) load() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

// endOfClose is what Next returns after a close with cause.
func endOfClose(cause error) error {
	if cause == nil {
		return io.EOF
	}
	return cause
}

// combinedEnd is the end of a stream whose inputs ended, in an orderly way,
// with ends: io.EOF if all did so, the one State if there is one, else a State
// with the sum of all usage and the least complete status.
func combinedEnd(ends []error) error {
	var telling []error
	for _, end := range ends {
		if end != io.EOF {
			telling = append(telling, end)
		}
	}
	switch len(telling) {
	case 0:
		return io.EOF
	case 1:
		return telling[0]
	}
	sum := &State{Status: StatusDone}
	for _, end := range telling {
		var state *State
		if !errors.As(end, &state) {
			continue
		}
		sum.Usage.PromptTokens += state.Usage.PromptTokens
		sum.Usage.CachedTokens += state.Usage.CachedTokens
		sum.Usage.GeneratedTokens += state.Usage.GeneratedTokens
		status := state.status()
		if worse := cmp.Compare(incompleteness(status), incompleteness(sum.Status)); worse > 0 || (worse == 0 && sum.Reason == "") {
			sum.Status, sum.Reason = status, state.Reason
		}
	}
	return sum
}

// incompleteness orders the orderly ends by how much of the answer is missing.
func incompleteness(status Status) int {
	return slices.Index([]Status{StatusDone, StatusTruncated, StatusRefused}, status)
}

// present returns streams without the nil ones, in a slice of its own.
func present(streams []Stream) []Stream {
	return slices.DeleteFunc(slices.Clone(streams), func(s Stream) bool { return s == nil })
}

// emptyStream returns a stream that has ended.
func emptyStream() Stream {
	b := NewStreamBuilder(1)
	b.Done()
	return b.Stream()
}

// closeStream closes s with cause, or normally if that is nil.
func closeStream(s Stream, cause error) error {
	if cause == nil {
		return s.Close()
	}
	return s.CloseWithError(cause)
}

// closeStreams closes all streams at once, so that one whose producer is slow
// to return does not keep the news from the others, and waits for all.
func closeStreams(streams []Stream, cause error) error {
	errs := make([]error, len(streams))
	var closing sync.WaitGroup
	for i, s := range streams {
		closing.Go(func() { errs[i] = closeStream(s, cause) })
	}
	closing.Wait()
	return errors.Join(errs...)
}

// guarded runs the body of a goroutine. A panic in it (of an input, or of a
// function the user gave) becomes a *PanicError: it ends one stream, not the
// process.
func guarded(run func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return run()
}
