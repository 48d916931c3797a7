package asr

import (
	"context"
	"time"

	"edged/audio"
	"edged/realtime"
)

// Defaults of a Config.
const (
	DefaultBlock  = 100 * time.Millisecond
	DefaultMaxGap = time.Second
	DefaultQueue  = 256
	DefaultRoutes = 16
)

// Config adjusts a Transformer. The zero value is ready to use.
type Config struct {
	// Block is how much audio goes to the recogniser at once, which is also how
	// often there can be a partial. Default: DefaultBlock.
	Block time.Duration
	// MaxGap is the most silence that is put in for one Gap; what is beyond it
	// is left out. Default: DefaultMaxGap.
	MaxGap time.Duration
	// Queue is how many chunks of a route may wait, for a decoder above all;
	// when it is full the input is not read. Default: DefaultQueue, 5 s of
	// chunks of 20 ms.
	Queue int
	// Routes is how many routes of one stream may have an open utterance at the
	// same time; a further one is refused with CodeBusy. Default: DefaultRoutes.
	Routes int
}

// Transformer turns the user's speech on streams into text.
type Transformer struct {
	recognizer Recognizer
	block      int // in samples
	maxGap     time.Duration
	queue      int
	maxRoutes  int
	counters   counters
}

// New returns a Transformer that recognises with recognizer, which the caller
// closes after the last stream.
func New(recognizer Recognizer, cfg Config) *Transformer {
	if cfg.Block <= 0 {
		cfg.Block = DefaultBlock
	}
	if cfg.MaxGap <= 0 {
		cfg.MaxGap = DefaultMaxGap
	}
	if cfg.Queue <= 0 {
		cfg.Queue = DefaultQueue
	}
	if cfg.Routes <= 0 {
		cfg.Routes = DefaultRoutes
	}
	return &Transformer{
		recognizer: recognizer,
		block:      max(1, audio.Rate16k.Samples(cfg.Block)),
		maxGap:     cfg.MaxGap,
		queue:      cfg.Queue,
		maxRoutes:  cfg.Routes,
	}
}

// Stats returns what has been counted so far.
func (t *Transformer) Stats() Stats { return t.counters.snapshot() }

// Transform recognises the speech of in; the package documentation says what
// the returned stream holds. pattern, the name under which a mux found the
// Transformer, has no meaning here.
//
// The returned stream ends as in does: an end (io.EOF, a *realtime.State) once
// every open utterance has had its transcript; a failure of in with that
// failure and without them. When ctx is done the stream fails with its cause.
//
// Transform takes over in and closes it. The error is always nil.
func (t *Transformer) Transform(ctx context.Context, pattern string, in realtime.Stream) (realtime.Stream, error) {
	return realtime.Produce(ctx, 0, func(ctx context.Context, out *realtime.StreamBuilder) error {
		released := make(chan struct{})
		release := context.AfterFunc(ctx, func() { // unblocks in.Next
			defer close(released)
			_ = in.CloseWithError(context.Cause(ctx))
		})
		defer func() {
			if !release() {
				<-released
			}
			_ = in.Close()
		}()
		l := listener{Transformer: t, out: out, routes: make(map[string]*route)}
		return l.listen(ctx, in)
	}), nil
}
