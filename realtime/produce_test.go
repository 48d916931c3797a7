package realtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
)

func TestProduceEnds(t *testing.T) {
	failure := errors.New("decoder broke")
	state := &State{Status: StatusRefused}
	for _, test := range []struct {
		name string
		ret  error
		want error
	}{
		{"nil is io.EOF", nil, io.EOF},
		{"an upstream's end is passed on", io.EOF, io.EOF},
		{"a State is passed on", state, state},
		{"anything else is a failure", failure, failure},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := Produce(t.Context(), 0, func(ctx context.Context, b *StreamBuilder) error {
				if err := b.Add(ctx, text("r", "one")); err != nil {
					return err
				}
				return test.ret
			})
			texts, end := drain(s)
			if fmt.Sprint(texts) != "[one]" || end != test.want {
				t.Errorf("stream = %v, %v, want [one], %v", texts, end, test.want)
			}
			if err := s.Close(); err != nil {
				t.Errorf("Close after the end = %v", err)
			}
		})
	}
}

func TestProduceCloseCancelsAndJoins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("barge-in")
		returned := false
		var seen error
		s := Produce(t.Context(), 1, func(ctx context.Context, b *StreamBuilder) error {
			defer func() { returned = true }()
			<-ctx.Done() // a model that is slow to answer
			seen = context.Cause(ctx)
			return ctx.Err()
		})
		synctest.Wait()
		_ = s.CloseWithError(cause)
		if !returned {
			t.Error("Close returned before the producer: its goroutine would be leaked")
		}
		if !errors.Is(seen, cause) {
			t.Errorf("the producer's context ended with %v, want the cause of the close", seen)
		}
		if _, err := s.Next(); err != cause {
			t.Errorf("Next = %v, want the cause", err)
		}
	})
}

func TestProduceEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("turn superseded")
		ctx, cancel := context.WithCancelCause(context.Background())
		release := make(chan struct{})
		s := Produce(ctx, 1, func(context.Context, *StreamBuilder) error {
			<-release // does not look at its context
			return nil
		})
		synctest.Wait()
		cancel(cause)
		if _, err := s.Next(); !errors.Is(err, cause) || !errors.Is(err, context.Canceled) {
			t.Errorf("Next = %v, want context.Canceled and the cause while the producer is still busy", err)
		}
		close(release)
		_ = s.Close()
	})
}

func TestProducePanicEndsOneStream(t *testing.T) {
	s := Produce(t.Context(), 1, func(context.Context, *StreamBuilder) error { panic(io.ErrUnexpectedEOF) })
	_, err := s.Next()
	var panicked *PanicError
	if !errors.As(err, &panicked) || !errors.Is(err, io.ErrUnexpectedEOF) || len(panicked.Stack) == 0 {
		t.Errorf("Next = %v, want a *PanicError with its value and stack", err)
	}
	_ = s.Close()
}
