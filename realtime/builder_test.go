package realtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// drain reads s to its end and returns the texts of its chunks and the end.
func drain(s Stream) (texts []string, end error) {
	for {
		c, err := s.Next()
		if err != nil {
			return texts, err
		}
		t, _ := c.Part.(Text)
		texts = append(texts, string(t))
	}
}

func TestG33OrderAndEnds(t *testing.T) {
	cause := errors.New("model went away")
	state := &State{Status: StatusTruncated, Usage: Usage{PromptTokens: 7, CachedTokens: 2, GeneratedTokens: 3}}
	for _, test := range []struct {
		name string
		end  func(*StreamBuilder)
		want error
		isOK bool
	}{
		{"Done ends with io.EOF", func(b *StreamBuilder) { b.Done() }, io.EOF, true},
		{"Finish ends with its State", func(b *StreamBuilder) { b.Finish(state) }, state, true},
		{"Finish(nil) is Done", func(b *StreamBuilder) { b.Finish(nil) }, io.EOF, true},
		{"Abort ends with its cause", func(b *StreamBuilder) { b.Abort(cause) }, cause, false},
		{"Abort(nil) still fails", func(b *StreamBuilder) { b.Abort(nil) }, ErrAborted, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := NewStreamBuilder(4)
			if err := b.Add(t.Context(), text("r", "a"), text("r", "b"), text("r", "c")); err != nil {
				t.Fatal(err)
			}
			test.end(b)
			texts, end := drain(b.Stream())
			if got := fmt.Sprint(texts); got != "[a b c]" {
				t.Errorf("chunks = %s, want [a b c]: what was produced before the end stays deliverable, in order", got)
			}
			if end != test.want {
				t.Errorf("end = %v, want %v", end, test.want)
			}
			if IsEnd(end) != test.isOK {
				t.Errorf("IsEnd(%v) = %v, want %v", end, !test.isOK, test.isOK)
			}
			// G37: the end stays, and later ends change nothing.
			b.Done()
			b.Abort(errors.New("too late"))
			_ = b.Stream().CloseWithError(errors.New("too late as well"))
			for range 3 {
				if _, again := b.Stream().Next(); again != test.want {
					t.Errorf("G37: Next after the end = %v, want the same %v again", again, test.want)
				}
			}
		})
	}
}

func TestG34CloseFreesABlockedProducer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewStreamBuilder(1)
		results := make(chan error, 3)
		for range cap(results) {
			go func() { results <- b.Add(context.Background(), text("r", "a"), text("r", "b")) }()
		}
		synctest.Wait()
		if len(results) != 0 {
			t.Fatal("Add returned although the queue is full: the queue must be bounded")
		}
		if err := b.Stream().Close(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if len(results) != cap(results) {
			t.Fatalf("%d of %d blocked producers returned after Close", len(results), cap(results))
		}
		for range cap(results) {
			if err := <-results; !errors.Is(err, ErrStreamClosed) || !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("Add = %v, want an error matching ErrStreamClosed and io.ErrClosedPipe", err)
			}
		}
		if _, err := b.Stream().Next(); err != io.EOF {
			t.Errorf("Next after Close = %v, want io.EOF: queued chunks are dropped and the end is normal", err)
		}
		select {
		case <-b.Closed():
		default:
			t.Error("Closed() is still open after Close: a producer waiting elsewhere would not notice")
		}
	})
}

func TestG35CauseReachesBothSides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewStreamBuilder(1)
		cause := errors.New("barge-in")
		read := make(chan error)
		go func() { _, err := b.Stream().Next(); read <- err }()
		synctest.Wait()
		if err := b.Stream().CloseWithError(cause); err != nil {
			t.Fatal(err)
		}
		if err := <-read; err != cause {
			t.Errorf("blocked Next = %v, want the cause", err)
		}
		err := b.Add(t.Context(), text("r", "late"))
		if !errors.Is(err, cause) || !errors.Is(err, ErrStreamClosed) {
			t.Errorf("Add = %v, want ErrStreamClosed with the cause %v", err, cause)
		}
	})
}

func TestG37FirstCauseWins(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	for _, test := range []struct {
		name string
		do   func(*StreamBuilder)
		want error
	}{
		{"reader's cause, then producer's", func(b *StreamBuilder) { _ = b.Stream().CloseWithError(first); b.Abort(second) }, first},
		{"producer's cause, then reader's", func(b *StreamBuilder) { b.Abort(first); _ = b.Stream().CloseWithError(second) }, first},
		{"two readers' causes", func(b *StreamBuilder) {
			_ = b.Stream().CloseWithError(first)
			_ = b.Stream().CloseWithError(second)
		}, first},
		{"Close, then Abort", func(b *StreamBuilder) { _ = b.Stream().Close(); b.Abort(second) }, io.EOF},
		{"Done unread, then a cause: chunks were dropped, so the stream must not look complete",
			func(b *StreamBuilder) { b.Done(); _ = b.Stream().CloseWithError(second) }, second},
		{"Done unread, then Close", func(b *StreamBuilder) { b.Done(); _ = b.Stream().Close() }, io.EOF},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := NewStreamBuilder(2)
			if err := b.Add(t.Context(), text("r", "queued")); err != nil {
				t.Fatal(err)
			}
			test.do(b)
			var last error
			for range 3 {
				if _, err := b.Stream().Next(); err != nil {
					last = err
				}
			}
			if last != test.want {
				t.Errorf("end = %v, want %v", last, test.want)
			}
		})
	}
}

func TestG38StateTellsEndsApart(t *testing.T) {
	cause := errors.New("connection reset")
	for _, test := range []struct {
		state   *State
		matches bool
	}{
		{&State{}, true},
		{&State{Status: StatusDone}, true},
		{&State{Status: StatusTruncated, Reason: "length"}, true},
		{&State{Status: StatusRefused, Reason: "content_filter"}, true},
		{&State{Status: StatusError, Err: cause}, false},
	} {
		t.Run(string(test.state.status()), func(t *testing.T) {
			test.state.Usage = Usage{PromptTokens: 11, CachedTokens: 5, GeneratedTokens: 3}
			b := NewStreamBuilder(1)
			b.Finish(test.state)
			_, err := b.Stream().Next()
			wrapped := fmt.Errorf("session: reply: %w", err)
			if errors.Is(wrapped, ErrDone) != test.matches {
				t.Errorf("errors.Is(err, ErrDone) = %v, want %v: only a failure is no end", !test.matches, test.matches)
			}
			var state *State
			if !errors.As(wrapped, &state) || state.Usage.CachedTokens != 5 {
				t.Errorf("the State with its usage cannot be found in %v", wrapped)
			}
			if (test.state.Err != nil) != errors.Is(wrapped, cause) {
				t.Errorf("errors.Is(err, cause) = %v for %v", errors.Is(wrapped, cause), test.state)
			}
		})
	}
	if IsEnd(fmt.Errorf("read: %w", io.EOF)) {
		t.Error("a failure that wraps io.EOF counts as an orderly end: a broken connection would look complete")
	}
}

func TestAddReturnsWhenItsContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewStreamBuilder(1)
		if err := b.Add(t.Context(), text("r", "fills")); err != nil {
			t.Fatal(err)
		}
		cause := errors.New("turn 3 was interrupted")
		ctx, cancel := context.WithCancelCause(context.Background())
		result := make(chan error)
		go func() { result <- b.Add(ctx, text("r", "blocked")) }()
		synctest.Wait()
		cancel(cause)
		err := <-result
		if !errors.Is(err, cause) || !errors.Is(err, context.Canceled) {
			t.Errorf("Add = %v, want both context.Canceled and the cause", err)
		}
		if err := b.Add(ctx, text("r", "never")); !errors.Is(err, context.Canceled) {
			t.Errorf("Add with an ended context = %v, want context.Canceled even before looking for room", err)
		}
		// The stream itself lives on.
		b.Done()
		texts, end := drain(b.Stream())
		if fmt.Sprint(texts) != "[fills]" || end != io.EOF {
			t.Errorf("stream = %v, %v, want [fills], EOF", texts, end)
		}
	})
}

func TestNextContextGivesUpWithoutEndingTheStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewStreamBuilder(1)
		s := b.Stream().(interface {
			NextContext(context.Context) (*MessageChunk, error)
		})
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if _, err := s.NextContext(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("NextContext = %v, want context.DeadlineExceeded", err)
		}
		if err := b.Add(t.Context(), text("r", "later")); err != nil {
			t.Fatal(err)
		}
		if c, err := b.Stream().Next(); err != nil || c.Part != Text("later") {
			t.Errorf("Next = %v, %v, want the chunk added after the timeout", c, err)
		}
	})
}

// Two chunks are read at once: there is room for both of the waiting producers.
func TestRoomWakesEveryProducerThatFits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewStreamBuilder(2)
		if err := b.Add(t.Context(), text("r", "a"), text("r", "b")); err != nil {
			t.Fatal(err)
		}
		added := make(chan error, 2)
		for range cap(added) {
			go func() { added <- b.Add(context.Background(), text("r", "c")) }()
		}
		synctest.Wait()
		for range 2 {
			if _, err := b.Stream().Next(); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if len(added) != 2 {
			t.Errorf("%d of 2 producers went on although there is room for both", len(added))
		}
		_ = b.Stream().Close()
	})
}

func TestAddRejectsNil(t *testing.T) {
	b := NewStreamBuilder(1)
	if err := b.Add(t.Context(), nil); err == nil {
		t.Error("a nil chunk was accepted: every consumer would have to check for it")
	}
}

// Many producers, one consumer: nothing is lost or doubled, and the order of
// each producer is kept.
func TestManyProducers(t *testing.T) {
	const producers, each = 8, 500
	b := NewStreamBuilder(3)
	var adding sync.WaitGroup
	for p := range producers {
		adding.Go(func() {
			for i := range each {
				if err := b.Add(context.Background(), at(text(fmt.Sprint(p), ""), int64(i+1))); err != nil {
					t.Errorf("producer %d: %v", p, err)
					return
				}
			}
		})
	}
	go func() { adding.Wait(); b.Done() }()
	last := map[string]int64{}
	for {
		c, err := b.Stream().Next()
		if err != nil {
			break
		}
		if c.Ctrl.Timestamp != last[c.Route()]+1 {
			t.Fatalf("route %s: chunk %d follows %d", c.Route(), c.Ctrl.Timestamp, last[c.Route()])
		}
		last[c.Route()] = c.Ctrl.Timestamp
	}
	for p := range producers {
		if last[fmt.Sprint(p)] != each {
			t.Errorf("producer %d: %d of %d chunks arrived", p, last[fmt.Sprint(p)], each)
		}
	}
}
