//go:build cgo

package pocketsphinx

import (
	"context"
	"fmt"
	"sync"
	"time"

	"edged/transformers/asr"
)

// gateName is the name of this package's calls at the gate.
const gateName = "asr"

// Recognizer recognises with a pool of decoders, a pair for each utterance that
// can be open.
type Recognizer struct {
	cfg    Config
	free   chan *pair // all pairs that no utterance holds
	closed chan struct{}

	mu       sync.Mutex
	isClosed bool
	calls    sync.WaitGroup // calls into the library that are under way
	all      []*pair
}

var _ asr.Recognizer = (*Recognizer)(nil)

// New loads the decoders, which takes about a second, and warms them up. The
// error is an *Error; if something is not installed, its Install tells how to.
func New(cfg Config) (*Recognizer, error) {
	cfg = cfg.withDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	r := &Recognizer{
		cfg:    cfg,
		free:   make(chan *pair, cfg.Decoders),
		closed: make(chan struct{}),
		all:    make([]*pair, cfg.Decoders),
	}
	errs := make([]error, cfg.Decoders)
	var loading sync.WaitGroup
	for i := range cfg.Decoders {
		loading.Go(func() {
			errs[i] = cfg.Gate.Do(context.Background(), gateName, func() error {
				p, err := loadPair(cfg)
				r.all[i] = &p
				return err
			})
		})
	}
	loading.Wait()
	for _, err := range errs {
		if err != nil {
			_ = r.Close()
			return nil, err
		}
	}
	for _, p := range r.all {
		r.free <- p
	}
	return r, nil
}

// Open takes a decoder for an utterance, waiting for one at most Config.Wait.
// The error matches asr.ErrBusy, asr.ErrClosed or ctx's.
func (r *Recognizer) Open(ctx context.Context) (asr.Utterance, error) {
	select {
	case <-r.closed:
		return nil, r.closedError("open utterance")
	default:
	}
	select {
	case p := <-r.free:
		return &utterance{r: r, p: p}, nil
	default:
	}
	deadline := time.NewTimer(r.cfg.Wait)
	defer deadline.Stop()
	select {
	case p := <-r.free:
		return &utterance{r: r, p: p}, nil
	case <-r.closed:
		return nil, r.closedError("open utterance")
	case <-ctx.Done():
		return nil, fmt.Errorf("pocketsphinx: open utterance: %w", context.Cause(ctx))
	case <-deadline.C:
		return nil, fmt.Errorf("pocketsphinx: open utterance: %w: none of %d became free within %v; try again later, or run more",
			asr.ErrBusy, r.cfg.Decoders, r.cfg.Wait)
	}
}

// Close frees the decoders after the calls under way. Open utterances fail from
// then on, and whoever waits in Open is let go.
func (r *Recognizer) Close() error {
	r.mu.Lock()
	first := !r.isClosed
	r.isClosed = true
	if first {
		close(r.closed)
	}
	r.mu.Unlock()
	r.calls.Wait()

	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.all {
		if p != nil {
			p.free()
		}
	}
	r.all = nil
	return nil
}

// call runs one call into the library when the gate lets it, unless the
// Recognizer is closed.
func (r *Recognizer) call(ctx context.Context, operation string, call func() error) error {
	r.mu.Lock()
	if r.isClosed {
		r.mu.Unlock()
		return r.closedError(operation)
	}
	r.calls.Add(1)
	r.mu.Unlock()
	defer r.calls.Done()
	return r.cfg.Gate.Do(ctx, gateName, func() error {
		select {
		case <-r.closed: // while it waited
			return r.closedError(operation)
		default:
			return call()
		}
	})
}

func (r *Recognizer) closedError(operation string) error {
	return fmt.Errorf("pocketsphinx: %s: %w", operation, asr.ErrClosed)
}
