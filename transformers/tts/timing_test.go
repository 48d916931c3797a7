package tts_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"edged/realtime"
	"edged/transformers/tts"
)

// next reads a chunk and fails the test if it is not there at once: inside a
// bubble, virtual time stands still only while nobody waits for it.
func next(t *testing.T, s realtime.Stream) *realtime.MessageChunk {
	t.Helper()
	start := time.Now()
	chunk, err := s.Next()
	if err != nil {
		t.Fatal(err)
	}
	if waited := time.Since(start); waited > 0 {
		t.Fatalf("chunk came after %v, want at once", waited)
	}
	return chunk
}

// tokens is a generator that says one token every 20 ms.
func tokens(ctx context.Context, route string, words ...string) realtime.Stream {
	return realtime.Produce(ctx, 0, func(ctx context.Context, b *realtime.StreamBuilder) error {
		for _, word := range words {
			if err := b.Add(ctx, model(route, word)); err != nil {
				return err
			}
			select {
			case <-time.After(20 * time.Millisecond):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
}

// Speech starts on the first complete sentence while the generator goes on.
func TestSpeechStartsWithTheFirstSentence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		words := append([]string{"It", " is", " nine", ".", " The"}, strings.SplitAfter(strings.Repeat(" sun", 200), " ")...)
		out := transform(t, newTransformer(t, &fakeEngine{}, tts.Config{}), tokens(t.Context(), "r", words...))
		defer func() { _ = out.Close() }()
		start := time.Now()
		for {
			chunk, err := out.Next()
			if err != nil {
				t.Fatal(err)
			}
			if _, isAudio := chunk.Part.(*realtime.Blob); isAudio {
				break
			}
		}
		// The fifth token, 80 ms after the first, shows that the stop ends the
		// sentence; the last comes after 4 s.
		if waited := time.Since(start); waited != 80*time.Millisecond {
			t.Errorf("first audio after %v, want 80 ms: with the token behind the sentence", waited)
		}
	})
}

// A long first sentence is begun at its comma.
func TestSpeechStartsInALongSentence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		words := strings.SplitAfter("If you leave the house before the rain begins this dark morning, take the umbrella that stands beside the door with you.", " ")
		out := transform(t, newTransformer(t, &fakeEngine{}, tts.Config{}), tokens(t.Context(), "r", words...))
		defer func() { _ = out.Close() }()
		start := time.Now()
		chunk, err := out.Next()
		if err != nil {
			t.Fatal(err)
		}
		// The comma comes with the twelfth word, and the next shows that no
		// figure follows: 12 tokens after the first.
		if waited := time.Since(start); waited != 12*20*time.Millisecond || !strings.HasSuffix(string(chunk.Part.(realtime.Text)), "morning, ") {
			t.Errorf("%q after %v, want the first clause after 240 ms", chunk.Part, waited)
		}
	})
}

// The first audio does not wait for the rest of its segment.
func TestAudioFlowsWhileTheEngineWorks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := &fakeEngine{before: func(ctx context.Context, _ string, block int) error {
			if block == 1 {
				<-ctx.Done() // the engine takes for ever over its second block
				return ctx.Err()
			}
			return nil
		}}
		out := transform(t, newTransformer(t, engine, tts.Config{}), source(nil, model("r", "Hi.")))
		next(t, out)
		blob := next(t, out).Part.(*realtime.Blob)
		if got := heard(blob.Data); got != "H" {
			t.Errorf("first audio %q, want the engine's first block", got)
		}
		_ = out.Close()
	})
}

// countingGate admits everybody and counts who is inside.
type countingGate struct {
	mu     sync.Mutex
	inside int
	names  []string
}

func (g *countingGate) Do(_ context.Context, name string, call func() error) error {
	g.mu.Lock()
	g.inside++
	g.names = append(g.names, name)
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		g.inside--
		g.mu.Unlock()
	}()
	return call()
}

func (g *countingGate) state() (inside, calls int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.inside, len(g.names)
}

// No engine call blocks on the sink: with a reader that takes nothing, the engine
// finishes the segment and is released, prepares the next one, and does not begin
// the one after that.
func TestTheEngineNeverWaitsForTheReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := &countingGate{}
		text := strings.Repeat("word ", 50) + "end. Next. Last." // 2.5 s of audio, 26 chunks
		out := transform(t, newTransformer(t, &fakeEngine{}, tts.Config{Ahead: 1, Gate: gate}), source(nil, model("r", text)))
		synctest.Wait()
		if inside, calls := gate.state(); inside != 0 || calls != 2 {
			t.Errorf("%d calls, %d inside the engine while nobody reads; want 2 finished calls", calls, inside)
		}
		chunks, _ := collect(t, out)
		if got := script(chunks)[1]; got != `r audio "`+strings.Repeat("word ", 50)+`end. "` {
			t.Errorf("after all: %s, want the whole segment", got)
		}
		if _, calls := gate.state(); calls != 3 || gate.names[0] != "tts" {
			t.Errorf("calls %q, want three under the name tts", gate.names)
		}
	})
}

func TestCloseStopsEverybody(t *testing.T) {
	bargeIn := errors.New("barge-in")
	tests := []struct {
		name string
		stop func(cancel context.CancelCauseFunc, out realtime.Stream)
	}{
		{"the consumer closes", func(_ context.CancelCauseFunc, out realtime.Stream) { _ = out.CloseWithError(bargeIn) }},
		{"the context is cancelled", func(cancel context.CancelCauseFunc, out realtime.Stream) {
			cancel(bargeIn)
			synctest.Wait() // whoever closes at the same time may be first
			_ = out.Close()
		}},
	}
	places := []struct {
		name   string
		engine *fakeEngine
		ahead  int
		words  []string
	}{
		{"while it waits for text", &fakeEngine{}, 0, []string{"On"}},
		{"while the reader is slow", &fakeEngine{}, 1, []string{"One. Two. Three."}},
		{"while the engine works", &fakeEngine{before: func(ctx context.Context, _ string, _ int) error { <-ctx.Done(); return ctx.Err() }}, 0, []string{"One. ", "Two"}},
	}
	for _, tt := range tests {
		for _, place := range places {
			t.Run(tt.name+" "+place.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancelCause(t.Context())
					defer cancel(nil)
					upstream := realtime.NewStreamBuilder(8)
					for _, word := range place.words {
						if err := upstream.Add(ctx, model("r", word)); err != nil {
							t.Fatal(err)
						}
					}
					out, err := newTransformer(t, place.engine, tts.Config{Ahead: place.ahead}).Transform(ctx, "", upstream.Stream())
					if err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
					tt.stop(cancel, out)
					// The bubble fails if a goroutine is left.
					if err := upstream.Add(t.Context(), model("r", "more")); !errors.Is(err, realtime.ErrStreamClosed) || !errors.Is(err, bargeIn) {
						t.Errorf("the generator's next Add = %v, want the stream closed because of %v", err, bargeIn)
					}
					for range 100 {
						if _, err = out.Next(); err != nil {
							break
						}
					}
					if err == nil || err == io.EOF {
						t.Errorf("Next = %v, want the cause: the reply is not complete", err)
					}
				})
			})
		}
	}
}
