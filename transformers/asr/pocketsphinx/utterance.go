//go:build cgo

package pocketsphinx

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"edged/audio"
	"edged/transformers/asr"
)

const (
	// settleSamples is how much audio is collected before the decoding begins:
	// 1.2 s, see the package documentation.
	settleSamples = 19200
	// pieceSamples is how much audio goes into the library in one call: 100 ms,
	// which take it 15 to 30 ms.
	pieceSamples = 1600
)

// errMisused keeps two goroutines out of one decoder, which would be the end of
// the process.
var errMisused = errors.New("pocketsphinx: utterance used by two goroutines at once")

// utterance is an asr.Utterance with a decoder of its own while it is open.
type utterance struct {
	r     *Recognizer
	inUse atomic.Bool

	d         *decoder // nil after Close
	done      bool     // finished or failed
	pcm       []int16  // what was listened to
	started   bool
	fed       int // samples of pcm that the search has had
	truncated bool
	partial   string
}

func newUtterance(r *Recognizer, d *decoder) *utterance { return &utterance{r: r, d: d} }

// Write recognises pcm. Nothing is recognised of the first 1.2 s before they are
// complete, or Finish is called.
func (u *utterance) Write(ctx context.Context, pcm []int16) (string, error) {
	if err := u.enter("write"); err != nil {
		return "", err
	}
	defer u.inUse.Store(false)
	if room := audio.Rate16k.Samples(u.r.cfg.MaxUtterance) - len(u.pcm); len(pcm) > room {
		pcm, u.truncated = pcm[:max(room, 0)], true
	}
	u.pcm = append(u.pcm, pcm...)
	if !u.started && len(u.pcm) < settleSamples {
		return "", nil
	}
	if err := u.search(ctx); err != nil {
		u.done = true
		return "", err
	}
	return u.partial, nil
}

// Finish ends the utterance, looks for a command in it and compares.
func (u *utterance) Finish(ctx context.Context) (asr.Result, error) {
	begin := time.Now()
	if err := u.enter("finish"); err != nil {
		return asr.Result{}, err
	}
	defer u.inUse.Store(false)
	u.done = true
	result := asr.Result{Audio: audio.Rate16k.Duration(len(u.pcm)), Truncated: u.truncated}
	if len(u.pcm) == 0 {
		return result, nil
	}
	if err := u.search(ctx); err != nil {
		return asr.Result{}, err
	}
	err := u.r.call(ctx, "finish", func() (err error) { result.Free, err = u.d.stop(); return err })
	if err != nil {
		return asr.Result{}, err
	}
	result.Text = result.Free
	if u.r.cfg.Grammar != "" {
		if result.Grammar, err = u.command(ctx); err != nil {
			return asr.Result{}, err
		}
		result.Distance = distance(result.Grammar, result.Free)
		if result.Grammar != "" && result.Distance <= u.r.cfg.Threshold {
			result.Text, result.Accepted = result.Grammar, true
		}
	}
	result.Took = time.Since(begin)
	return result, nil
}

// Close gives the decoder back.
func (u *utterance) Close() error {
	if !u.inUse.CompareAndSwap(false, true) {
		return errMisused
	}
	defer u.inUse.Store(false)
	if u.d != nil {
		u.r.free <- u.d // never blocks: there is a place for each decoder
	}
	u.d, u.done, u.pcm = nil, true, nil
	return nil
}

func (u *utterance) enter(operation string) error {
	if !u.inUse.CompareAndSwap(false, true) {
		return errMisused
	}
	if u.done {
		u.inUse.Store(false)
		return fmt.Errorf("pocketsphinx: %s: utterance: %w", operation, asr.ErrClosed)
	}
	return nil
}

// search brings the search with the language model up to the end of pcm.
func (u *utterance) search(ctx context.Context) error {
	if !u.started {
		err := u.r.call(ctx, "start", func() error { return u.start() })
		if err != nil {
			return err
		}
		u.started = true
	}
	for u.fed < len(u.pcm) {
		piece := u.pcm[u.fed:min(u.fed+pieceSamples, len(u.pcm))]
		err := u.r.call(ctx, "search", func() (err error) {
			if err := u.d.feed(piece); err != nil {
				return err
			}
			u.partial, err = u.d.text()
			return err
		})
		if err != nil {
			return err
		}
		u.fed += len(piece)
	}
	return nil
}

// start begins the utterance with the channel as its first audio tells, whatever
// the decoder heard before. A broken decoder is replaced.
func (u *utterance) start() error {
	if u.d.broken {
		fresh, err := load(u.r.cfg)
		if err != nil {
			return err
		}
		*u.d = *fresh
	}
	if err := u.d.settle(u.pcm[:min(len(u.pcm), settleSamples)]); err != nil {
		return err
	}
	return u.d.start(languageSearch)
}

// command is the grammar's reading of the whole utterance.
func (u *utterance) command(ctx context.Context) (string, error) {
	err := u.r.call(ctx, "search command", func() error { return u.d.start(grammarSearch) })
	for fed := 0; err == nil && fed < len(u.pcm); fed += pieceSamples {
		err = u.r.call(ctx, "search command", func() error {
			return u.d.feed(u.pcm[fed:min(fed+pieceSamples, len(u.pcm))])
		})
	}
	var text string
	if err == nil {
		err = u.r.call(ctx, "search command", func() (err error) { text, err = u.d.stop(); return err })
	}
	return text, err
}
