package realtime

import (
	"context"
	"fmt"
	"runtime/debug"
)

// PanicError is the failure of a producer that panicked. The panic ends its
// stream only.
type PanicError struct {
	Value any
	// Stack is the stack of the panicking goroutine, for the log.
	Stack []byte
}

// Error describes the panic without its stack.
func (e *PanicError) Error() string { return fmt.Sprintf("realtime: producer panicked: %v", e.Value) }

// Unwrap returns the panic's value when that is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Produce runs produce in one goroutine and returns the Stream of what it adds,
// with a queue of capacity chunks (<= 0: DefaultCapacity).
//
// What produce returns ends the stream: nil with io.EOF, an end (see IsEnd; a
// *State above all) with that, any other error as a failure; a panic becomes a
// *PanicError. Its context is done when ctx is, and when the stream is closed; it carries the
// cause of either. When ctx is done the stream fails with ctx's error and
// cause, even if produce is slow to notice.
//
// The stream's Close and CloseWithError cancel produce and return after it has
// returned, so they must not be called by produce itself. A consumer that has
// read to the end need not close, but may.
func Produce(ctx context.Context, capacity int, produce func(context.Context, *StreamBuilder) error) Stream {
	builder := NewStreamBuilder(capacity)
	producing, cancel := context.WithCancelCause(ctx)
	s := &producedStream{builtStream: (*builtStream)(builder), cancel: cancel, joined: make(chan struct{})}
	watched := make(chan struct{})
	stopWatch := context.AfterFunc(ctx, func() {
		defer close(watched)
		builder.Abort(canceled(ctx, "produce"))
	})
	go func() {
		defer close(s.joined)
		defer cancel(nil)
		err := recovered(producing, builder, produce)
		if !stopWatch() {
			<-watched
		}
		switch {
		case err == nil:
			builder.Done()
		case IsEnd(err):
			builder.finish(err, nil)
		default:
			builder.Abort(err)
		}
	}()
	return s
}

func recovered(ctx context.Context, b *StreamBuilder, produce func(context.Context, *StreamBuilder) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return produce(ctx, b)
}

// producedStream joins its producer on Close.
type producedStream struct {
	*builtStream
	cancel context.CancelCauseFunc
	joined chan struct{}
}

func (s *producedStream) Close() error { return s.CloseWithError(nil) }

func (s *producedStream) CloseWithError(cause error) error {
	_ = s.builtStream.CloseWithError(cause)
	if cause == nil {
		cause = ErrStreamClosed
	}
	s.cancel(cause)
	<-s.joined
	return nil
}
