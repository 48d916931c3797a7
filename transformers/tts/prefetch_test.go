package tts_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"edged/realtime"
	"edged/transformers/tts"
)

// pacedEngine takes half as long as its speech lasts, block by block, and writes
// down when it spoke what.
type pacedEngine struct {
	mu     sync.Mutex
	begun  map[string]time.Duration
	start  time.Time
	inside int
	most   int
}

func newPacedEngine() *pacedEngine {
	return &pacedEngine{begun: map[string]time.Duration{}, start: time.Now()}
}

func (*pacedEngine) SampleRate() int { return 16000 }

// pacedWord is how long pacedEngine speaks a word.
const pacedWord = 300 * time.Millisecond

func (e *pacedEngine) Synthesize(ctx context.Context, text string, sink func([]int16) error) error {
	e.mu.Lock()
	e.begun[text] = time.Since(e.start)
	e.inside++
	e.most = max(e.most, e.inside)
	e.mu.Unlock()
	defer func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.inside--
	}()
	for range strings.Fields(text) {
		select {
		case <-time.After(pacedWord / 2):
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := sink(make([]int16, int(pacedWord.Seconds()*16000))); err != nil {
			return err
		}
	}
	return nil
}

func (e *pacedEngine) times(text string) (begun time.Duration, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	begun, ok = e.begun[text]
	return begun, ok
}

// listen plays the audio of s in real time and returns for how long there was
// nothing to play after the first sound, and when each Text came up.
func listen(t *testing.T, s realtime.Stream, start time.Time) (silence time.Duration, texts map[string]time.Duration) {
	t.Helper()
	texts = make(map[string]time.Duration)
	var playedUntil time.Time
	for {
		chunk, err := s.Next()
		if err != nil {
			return silence, texts
		}
		switch part := chunk.Part.(type) {
		case realtime.Text:
			texts[string(part)] = time.Since(start)
		case *realtime.Blob:
			now := time.Now()
			if !playedUntil.IsZero() && now.After(playedUntil) {
				silence += now.Sub(playedUntil)
			}
			if playedUntil.Before(now) {
				playedUntil = now
			}
			playedUntil = playedUntil.Add(time.Duration(len(part.Data)/2) * time.Second / 16000)
			time.Sleep(time.Until(playedUntil))
		}
	}
}

// While segment N plays, N+1 is synthesised: with an engine twice as fast as speech
// and a listener as slow as real time, nothing is missing between segments (F03),
// and not more than one segment is prepared.
func TestTheNextSegmentIsPreparedWhileOnePlays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := newPacedEngine()
		sentences := []string{"One two three four five six seven eight. ", "Nine ten eleven. ", "And so we go on and on until it ends. ", "End of it."}
		out := transform(t, newTransformer(t, engine, tts.Config{Ahead: 1}), source(nil, model("r", strings.Join(sentences, ""))))
		start := time.Now()
		silence, texts := listen(t, out, start)
		if silence > 0 {
			t.Errorf("%v of silence between the segments, want none: an engine of 0.5 times real time keeps up", silence)
		}
		for i, s := range sentences {
			begun, ok := engine.times(s)
			if !ok {
				t.Fatalf("%q was not spoken", s)
			}
			if i > 0 && begun > texts[s]-pacedWord {
				t.Errorf("%q was begun at %v, its turn came at %v: it was not prepared", s, begun, texts[s])
			}
			// Two chunks of 100 ms are on their way to the listener.
			if i > 1 && begun < texts[sentences[i-1]]-200*time.Millisecond {
				t.Errorf("%q was begun at %v, before %q was played at %v: more than one segment ahead", s, begun, sentences[i-1], texts[sentences[i-1]])
			}
		}
		if engine.most != 1 {
			t.Errorf("%d calls of the engine at once for one reply, want 1", engine.most)
		}
	})
}

// The engine is free between two segments of a reply and while nothing is to be
// said, also when the generator is slow.
func TestTheEngineIsReleasedBetweenSegments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := &countingGate{}
		upstream := realtime.NewStreamBuilder(4)
		out := transform(t, newTransformer(t, &fakeEngine{}, tts.Config{Gate: gate}), upstream.Stream())
		defer func() { _ = out.Close() }()
		for i, text := range []string{"One. ", "Two. ", "Three. "} {
			if err := upstream.Add(t.Context(), model("r", text)); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if inside, calls := gate.state(); inside != 0 || calls != i+1 {
				t.Errorf("after segment %d: %d calls, %d inside the engine, want %d and 0", i+1, calls, inside, i+1)
			}
			time.Sleep(90 * time.Second) // F32: a long rest changes nothing
		}
	})
}

// An engine call that hangs holds up its own reply only.
func TestAStalledEngineAffectsOnlyItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := &fakeEngine{before: func(ctx context.Context, text string, _ int) error {
			if strings.HasPrefix(text, "Stall") {
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}}
		transformer := newTransformer(t, engine, tts.Config{})
		stalled := transform(t, transformer, source(nil, model("r", "Before. Stalled. After.")))
		var well []realtime.Stream
		for range 5 {
			well = append(well, transform(t, transformer, source(nil, model("r", "All is well. Yes."))))
		}
		for _, s := range well {
			chunks, _ := collect(t, s)
			if got := script(chunks); len(got) != 5 || got[3] != `r audio "Yes."` {
				t.Errorf("another reply came as %q", got)
			}
		}
		// What was ready before the stall is heard.
		next(t, stalled)
		if got := heard(next(t, stalled).Part.(*realtime.Blob).Data); !strings.HasPrefix("Before. ", got) {
			t.Errorf("first audio %q, want the sentence before the stall", got)
		}
		_ = stalled.Close()
	})
}
