//go:build cgo

package pocketsphinx

import (
	"context"
	"errors"
	"fmt"
	"strings"
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
	// which take it 20 to 40 ms.
	pieceSamples = 1600
	// resumedSamples is how much audio must follow a pause in the first 1.2 s
	// before the utterance is taken to go on: 600 ms. One that ends at the pause
	// ends sooner.
	resumedSamples = 9600
)

// errMisused keeps two goroutines out of one decoder, which would be the end of
// the process.
var errMisused = errors.New("pocketsphinx: utterance used by two goroutines at once")

// utterance is an asr.Utterance with a pair of decoders of its own while it is
// open.
type utterance struct {
	r     *Recognizer
	inUse atomic.Bool

	p         *pair   // nil after Close
	done      bool    // finished or failed
	beginning []int16 // what has come before the decoding began for good
	started   bool
	// early is how many samples had come when a pause began the decoding with
	// less than it should know of the channel; 0 is never.
	early int
	// paused: the partials are what both readings make, not the language
	// model's alone.
	paused    bool
	heard     int // samples, all in all
	truncated bool
	partial   string
}

// Write recognises pcm. Nothing is recognised of the first 1.2 s before they are
// complete, or Finish is called.
func (u *utterance) Write(ctx context.Context, pcm []int16) (string, error) {
	if err := u.enter("write"); err != nil {
		return "", err
	}
	defer u.inUse.Store(false)
	if room := audio.Rate16k.Samples(u.r.cfg.MaxUtterance) - u.heard; len(pcm) > room {
		pcm, u.truncated = pcm[:room], true
	}
	u.heard += len(pcm)
	if !u.started || u.early > 0 {
		u.beginning = append(u.beginning, pcm...)
		switch {
		case len(u.beginning) >= max(settleSamples, u.early+resumedSamples):
			u.started, u.early = false, 0 // from the beginning, with the channel as it is
			pcm = nil
		case u.early == 0:
			return "", nil
		}
	}
	if err := u.search(ctx, pcm); err != nil {
		u.done = true
		return "", err
	}
	return u.soFar(ctx)
}

var _ asr.Pauser = (*utterance)(nil)

// Pause returns what grammar and language model have read so far. In the first
// 1.2 s it begins the decoding early, and if the utterance goes on after it, that
// begins again: up to 1.8 s of audio are then decoded twice, once an utterance.
func (u *utterance) Pause(ctx context.Context) (string, error) {
	if err := u.enter("pause"); err != nil {
		return "", err
	}
	defer u.inUse.Store(false)
	if u.heard == 0 {
		return "", nil
	}
	if !u.started {
		u.early = u.heard
		if err := u.search(ctx, nil); err != nil {
			u.done = true
			return "", err
		}
	}
	u.paused = true
	return u.soFar(ctx)
}

// soFar returns the partial.
func (u *utterance) soFar(ctx context.Context) (string, error) {
	if !u.paused || u.p.command == nil {
		return u.audible(u.partial), nil
	}
	var free, command reading
	err := u.r.call(ctx, "partial", func() (err error) {
		free, command, err = u.p.soFar()
		return err
	})
	if err != nil {
		u.done = true
		return "", err
	}
	// A grammar has to go on: in the silence after "divided by" it makes up a
	// number. Words that the language model has not heard yet are not believed.
	if len(strings.Fields(command.text)) > len(strings.Fields(free.text)) {
		return u.audible(free.text), nil
	}
	text, _ := u.agree(free, command)
	return text, nil
}

// agree returns the grammar's reading and true if the language model's is close
// enough, and the latter otherwise.
func (u *utterance) agree(free, command reading) (text string, accepted bool) {
	if command.text != "" && disagreement(free, command) <= u.r.cfg.Threshold {
		return command.text, true
	}
	return u.audible(free.text), false
}

// audible returns what the language model heard, unless that is a single word
// that no grammar confirms: the model makes one of every cough and hum.
func (u *utterance) audible(text string) string {
	if u.p.command != nil && !strings.Contains(text, " ") {
		return ""
	}
	return text
}

// Finish ends the utterance and compares the two readings.
func (u *utterance) Finish(ctx context.Context) (asr.Result, error) {
	begin := time.Now()
	if err := u.enter("finish"); err != nil {
		return asr.Result{}, err
	}
	defer u.inUse.Store(false)
	u.done = true
	result := asr.Result{Audio: audio.Rate16k.Duration(u.heard), Truncated: u.truncated}
	if u.heard == 0 {
		return result, nil
	}
	if err := u.search(ctx, nil); err != nil {
		return asr.Result{}, err
	}
	var free, command reading
	err := u.r.call(ctx, "finish", func() (err error) {
		free, command, err = u.p.stop()
		return err
	})
	if err != nil {
		return asr.Result{}, err
	}
	result.Text, result.Free, result.Grammar = free.text, free.text, command.text
	if u.p.command != nil {
		result.Distance = disagreement(free, command)
		result.Text, result.Accepted = u.agree(free, command)
	}
	result.Took = time.Since(begin)
	return result, nil
}

// Close gives the decoders back.
func (u *utterance) Close() error {
	if !u.inUse.CompareAndSwap(false, true) {
		return errMisused
	}
	defer u.inUse.Store(false)
	if u.p != nil {
		u.r.free <- u.p // never blocks: there is a place for each pair
	}
	u.p, u.done, u.beginning = nil, true, nil
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

// search recognises what is there from before the decoding began, and pcm.
func (u *utterance) search(ctx context.Context, pcm []int16) error {
	var beginning []int16
	if !u.started {
		if err := u.r.call(ctx, "start", u.start); err != nil {
			return err
		}
		u.started = true
		beginning = u.beginning
	}
	if u.early == 0 {
		u.beginning = nil
	}
	for _, audio := range [][]int16{beginning, pcm} {
		for len(audio) > 0 {
			n := min(pieceSamples, len(audio))
			err := u.r.call(ctx, "search", func() (err error) {
				u.partial, err = u.p.feed(audio[:n])
				return err
			})
			if err != nil {
				return err
			}
			audio = audio[n:]
		}
	}
	return nil
}

// start begins the decoding. Broken decoders are replaced.
func (u *utterance) start() error {
	if u.p.broken() {
		fresh, err := loadPair(u.r.cfg)
		if err != nil {
			return err
		}
		u.p.free() // what of them is not broken
		*u.p = fresh
	}
	return u.p.start(u.beginning[:min(len(u.beginning), settleSamples)])
}
