package main

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"edged/internal/edgetest"
	"edged/realtime"
	"edged/session/log"
	"edged/transformers"
)

// A stage that fails, hangs or gives nothing is told by name and time, the user
// hears so in the voice that spoke when the server started, and the next question
// is answered (F27).
func TestFailureIsSpoken(t *testing.T) {
	broken := errors.New("the engine is on fire")
	hang := func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }
	fails := func(context.Context) error { return broken }
	nothing := func(context.Context) error { return nil }
	for _, tt := range []struct {
		name, stage string
		fault       func(context.Context) error
	}{
		{"recogniser fails", "asr", fails}, {"recogniser hangs", "asr", hang},
		{"model fails", "generate", fails}, {"model hangs", "generate", hang}, {"model says nothing", "generate", nothing},
		{"voice fails", "tts", fails}, {"voice hangs", "tts", hang},
	} {
		t.Run(tt.name, func(t *testing.T) {
			visitWith(t, func(e *engines) {
				f := &faulty{fault: tt.fault}
				switch tt.stage {
				case "asr":
					e.ASR = transformers.TransformerFunc(f.instead(e.ASR))
				case "generate":
					e.Generator = faultyGenerator{e.Generator, f}
				case "tts":
					e.TTS = transformers.TransformerFunc(f.instead(e.TTS))
					f.healthy.Store(phrases) // the phrases are spoken at the start
				}
			}, func(t *testing.T, h *house) {
				d := h.dial(nil)
				begin := time.Now()
				a, err := d.Ask(context.Background(), edgetest.Question{PCM: recording(t, "what is seven plus five")})
				if err != nil || a.Failure == nil {
					t.Fatalf("%v, %v: want a failure that is told", a, err)
				}
				if took := time.Since(begin); took > 22*time.Second {
					t.Errorf("told and apologised for after %v", took)
				}
				turns := d.Turns()
				sorry := turns[len(turns)-1]
				if heard := h.recognise(sorry.PCM); !strings.Contains(heard, "wrong") && !strings.Contains(heard, "try again") {
					t.Errorf("the user hears %q (%q), want an apology", heard, sorry.Reply)
				}
				named := false
				for _, rec := range h.log.events(t) {
					if e, ok := rec.Event.(log.Error); ok {
						// A recogniser that fails at once does so before the end of speech.
						named = named || e.Stage == tt.stage && (e.MS > 0 || tt.name == "recogniser fails")
					}
				}
				if !named {
					t.Errorf("the log does not name %s and its time:\n%s", tt.stage, h.log.String())
				}
				h.ask(d, recording(t, "what is seven plus five"))
				h.hangUp(d)
			})
		})
	}
}

// phrases is how many phrases a server has spoken before it is ready.
const phrases = 4

// faulty is a stage that has one fault, after so many healthy calls.
type faulty struct {
	fault   func(context.Context) error
	healthy atomic.Int64
	done    atomic.Bool
}

// strikes reports whether this call is the one with the fault.
func (f *faulty) strikes() bool {
	return f.healthy.Add(-1) < 0 && f.done.CompareAndSwap(false, true)
}

func (f *faulty) stream(ctx context.Context) realtime.Stream {
	return realtime.Produce(ctx, 0, func(ctx context.Context, _ *realtime.StreamBuilder) error { return f.fault(ctx) })
}

func (f *faulty) instead(of transformers.Transformer) func(context.Context, string, realtime.Stream) (realtime.Stream, error) {
	return func(ctx context.Context, pattern string, in realtime.Stream) (realtime.Stream, error) {
		if f.strikes() {
			context.AfterFunc(ctx, func() { _ = in.Close() }) // it never reads
			return f.stream(ctx), nil
		}
		return of.Transform(ctx, pattern, in)
	}
}

type faultyGenerator struct {
	transformers.Generator
	*faulty
}

func (g faultyGenerator) GenerateStream(ctx context.Context, pattern string, mc transformers.ModelContext) (realtime.Stream, error) {
	if g.strikes() {
		return g.stream(ctx), nil
	}
	return g.Generator.GenerateStream(ctx, pattern, mc)
}
