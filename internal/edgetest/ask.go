package edgetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"edged/firmware-protocol/wire"
)

// ErrNoAnswer: the server let the device's patience run out.
var ErrNoAnswer = errors.New("edgetest: no answer")

// errSpokenOver: the server said something of its own accord while the question
// was being asked.
var errSpokenOver = errors.New("edgetest: the server spoke over the question")

const (
	// flushPatience is how long a flush may take after an abort.
	flushPatience = 5 * time.Second
	// apologyPatience is how long the device waits for the server to say that
	// it failed.
	apologyPatience = 2 * time.Second
	// maxRepeats bounds how often a question is repeated that the server spoke
	// over.
	maxRepeats = 3
)

// Question is one utterance.
type Question struct {
	// PCM is mono at the rate of the up format.
	PCM []int16
	// AbortAfter presses the stop button when that much of the reply has been
	// played. 0 means never.
	AbortAfter time.Duration
	// BargeInAfter, in Talk, asks when so much of the reply before has been
	// played. 0 waits until that is over.
	BargeInAfter time.Duration
	// Onset is the first sample of PCM that is speech, for measuring.
	Onset int
}

// Answer is what became of one turn.
type Answer struct {
	// Turn is its number; 0 when the utterance became no turn.
	Turn uint32
	// Transcript is what the server understood, Partials what it thought on the
	// way there.
	Transcript string
	Partials   []string
	// Reply is the text of the reply as far as it came, Heard the part of it
	// that has left the speaker (see the package comment).
	Reply, Heard string
	// Unheard is the rest of the reply text.
	Unheard string
	// Overlap is where the user began to talk over the reply, in Talk; zero if
	// nobody did.
	Overlap Overlap
	// Interrupted: a flush stopped the turn, for Cause.
	Interrupted bool
	Cause       wire.Cause
	// Failure is the error that the server reported for this turn, or nil.
	Failure *wire.Failure
	// Received is the reply audio that came, Played what has left the speaker,
	// as media time.
	Received, Played time.Duration
	// PCM is what was played, at the rate of the down format, with silence
	// where the queue had run dry. It is nil with Config.Forget. It must not be
	// modified.
	PCM []int16
	// Holds counts how often the reply was held.
	Holds int
	// Starved counts how often the queue ran dry, Overflowed the packets that
	// found it full.
	Starved, Overflowed int
	// Timing is the server's own measurement; nil when it sent none.
	Timing *wire.Timing
	// Seen is the device's measurement.
	Seen Seen
}

// Seen tells when the device saw what, as time since the last sample of the
// question was captured. A negative value means that it never did, or that there
// was no question.
type Seen struct {
	SpeechStopped, Final, FirstText, FirstPacket, Done time.Duration
	// Interrupt is the time from the abort to the flush.
	Interrupt time.Duration
	// BargeIn is the time from the onset of the speech over the reply to the
	// flush, Held to the hold; negative if there was none.
	BargeIn, Held time.Duration
	// Silent is the time from that onset until the last sample of the stopped
	// reply left the speaker; negative if it was not stopped.
	Silent time.Duration
}

// Overlap is the onset of speech over a reply.
type Overlap struct {
	// At is when it was captured, Sample where in the listening period: samples
	// at the rate of the up format.
	At     time.Time
	Sample uint32
	// Played is how much of the reply had left the speaker by then.
	Played time.Duration
}

// Answered reports whether the turn got a reply with sound and nothing failed.
// An interrupted reply counts.
func (a Answer) Answered() bool { return a.Failure == nil && a.Received > 0 }

// String says in a line what became of the turn, without its sound.
func (a Answer) String() string {
	s := fmt.Sprintf("turn %d: %q -> %q, heard %q, played %v of %v", a.Turn, a.Transcript, a.Reply, a.Heard, a.Played, a.Received)
	if a.Interrupted {
		s += ", interrupted by " + string(a.Cause)
	}
	if a.Failure != nil {
		s += ", failed with " + string(a.Failure.Code)
	}
	return s
}

// Ask opens the microphone, speaks the question in real time, and returns when
// the reply has been played or was stopped. In auto mode silence follows the
// question until the server has heard its end.
//
// A turn that failed is an Answer with its Failure, not an error; Ask then also
// waits for the server's apology, which is a turn of its own. The error matches
// ErrNoAnswer when the server kept silent, ErrClosed when the connection ended,
// or is ctx's; the Answer is then what is known.
func (d *Device) Ask(ctx context.Context, q Question) (Answer, error) {
	select {
	case d.asking <- struct{}{}:
		defer func() { <-d.asking }()
	case <-ctx.Done():
		return Answer{}, fmt.Errorf("edgetest: ask: %w", context.Cause(ctx))
	}
	for range maxRepeats {
		a, err := d.ask(ctx, q)
		if !errors.Is(err, errSpokenOver) {
			return a, err
		}
	}
	return Answer{}, fmt.Errorf("edgetest: ask: %w: the server spoke over the question %d times", ErrNoAnswer, maxRepeats)
}

func (d *Device) ask(ctx context.Context, q Question) (Answer, error) {
	p, err := d.openMicrophone(ctx)
	if err != nil {
		return Answer{}, err
	}
	defer d.closeMicrophone(p) // on the way out of a failure
	// The whole utterance, the wait for its end and for the reply to begin.
	spoken := rateOf(d.cfg.Up).Duration(len(q.PCM))
	patience, cancel := context.WithTimeoutCause(ctx, spoken+d.cfg.Patience, ErrNoAnswer)
	defer cancel()
	end, err := d.speak(patience, p, q.PCM)
	if err == nil && d.cfg.Mode == wire.ModeManual {
		d.closeMicrophone(p)
		err = d.Send(patience, wire.Listen{State: wire.ListenStop})
	}
	var t *turn
	if err == nil {
		t, err = d.await(patience, p)
	}
	if err == nil && t == nil {
		// The device's own abort, before the utterance was a turn.
		return Answer{Interrupted: true, Cause: wire.CauseAbort, Failure: p.failure, Seen: unseen()}, nil
	}
	if err == nil {
		err = d.listenTo(ctx, t, q.AbortAfter)
	}
	if errors.Is(err, ErrNoAnswer) {
		d.giveUp(ctx)
	}
	return d.answerOf(t, p, end), err
}

// await returns the turn that the utterance became, once its reply has begun or
// it ended without one. It returns nil when the utterance was aborted before it
// became a turn.
func (d *Device) await(ctx context.Context, p *period) (t *turn, err error) {
	err = d.wait(ctx, func() bool {
		switch {
		case p.spokenOver:
			return d.turns[len(d.turns)-1].done
		case p.turn == 0:
			return p.aborted
		}
		t = d.turn(p.turn)
		return t.begun || t.done
	})
	if err == nil && p.spokenOver {
		return nil, errSpokenOver
	}
	return t, err
}

// listenTo waits until the reply has been played or stopped, and presses the
// button on the way if asked to.
func (d *Device) listenTo(ctx context.Context, t *turn, abortAfter time.Duration) error {
	if abortAfter > 0 {
		reached, err := d.played(ctx, t, abortAfter)
		if err != nil {
			return err
		}
		if reached {
			if err := d.Abort(ctx, t.number, "button"); err != nil {
				return err
			}
		}
	}
	for {
		var last time.Time
		done := false
		d.mu.Lock()
		done, last = t.done, d.progressOf(t)
		d.mu.Unlock()
		if done {
			break
		}
		// Patience counts from the last sign of life of this reply.
		step, cancel := context.WithDeadlineCause(ctx, last.Add(d.cfg.Patience), ErrNoAnswer)
		err := d.wait(step, func() bool { return t.done || d.progressOf(t).After(last) })
		cancel()
		if err != nil {
			return err
		}
	}
	// What the device says next must not overtake its last acknowledgement. A
	// connection that is gone by now loses nothing of the reply.
	_ = d.wait(ctx, func() bool { return t.told || !t.begun || !d.cfg.Capabilities.Ack })
	return d.apology(ctx, t)
}

// progressOf returns when the reply last moved: a packet came or is playing. It
// needs mu.
func (d *Device) progressOf(t *turn) time.Time {
	last := t.lastPacket
	if t.pending > 0 && d.speaker.end.After(last) {
		last = d.speaker.end
	}
	if last.Before(t.firstText) {
		last = t.firstText
	}
	if last.Before(t.begunAt) {
		last = t.begunAt
	}
	return last
}

// played waits until offset of the turn has been played; reached is false when
// it ended before.
func (d *Device) played(ctx context.Context, t *turn, offset time.Duration) (reached bool, err error) {
	target := uint32(d.downRate().Samples(offset))
	for {
		d.mu.Lock()
		d.speaker.advance(time.Now())
		done, left, changed, gone := t.done, int64(target)-int64(t.played), d.changed, d.err
		d.mu.Unlock()
		switch {
		case left <= 0:
			return true, nil
		case done:
			return false, nil
		case gone != nil:
			return false, fmt.Errorf("%w: %w", ErrClosed, gone)
		}
		// No earlier than this, later when the queue starves.
		timer := time.NewTimer(d.downRate().Duration(int(left)))
		select {
		case <-timer.C:
		case <-changed:
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		timer.Stop()
		if err != nil {
			return false, err
		}
	}
}

// apology waits for what the server says after a turn that failed.
func (d *Device) apology(ctx context.Context, t *turn) error {
	d.mu.Lock()
	failed := t.interrupted && t.cause == wire.CauseError
	d.mu.Unlock()
	if !failed {
		return nil
	}
	soon, cancel := context.WithTimeoutCause(ctx, apologyPatience, ErrNoAnswer)
	defer cancel()
	a, err := d.begun(soon, t.number)
	if errors.Is(err, ErrNoAnswer) {
		return nil // it says nothing
	}
	if err != nil {
		return err
	}
	return d.listenTo(ctx, a, 0)
}

// begun waits for the first reply of a turn above after.
func (d *Device) begun(ctx context.Context, after uint32) (t *turn, err error) {
	err = d.wait(ctx, func() bool {
		for _, t = range d.turns {
			if t.number > after && t.begun {
				return true
			}
		}
		return false
	})
	return t, err
}

// NextReply waits for the first reply of a turn above after, asked for or not
// (a due timer speaks by itself), and returns when it has been played or was
// stopped. The errors are those of Ask, except that it waits for the beginning
// as long as ctx allows.
func (d *Device) NextReply(ctx context.Context, after uint32) (Answer, error) {
	t, err := d.begun(ctx, after)
	if err == nil {
		err = d.listenTo(ctx, t, 0)
	}
	if err != nil {
		return Answer{}, fmt.Errorf("edgetest: next reply: %w", err)
	}
	return d.answerOf(t, nil, time.Time{}), nil
}

// Abort presses the stop button and waits for the flush that answers it (at
// most 5 s). turn 0 means whatever is going on. The position of the speaker goes
// out first, so that the server knows what was heard by then.
func (d *Device) Abort(ctx context.Context, turn uint32, reason string) error {
	var position []wire.Message
	d.mu.Lock()
	before := d.flushes
	now := time.Now()
	d.speaker.advance(now)
	for _, t := range d.turns {
		if t.done || turn != 0 && turn != t.number {
			continue
		}
		if t.abortedAt.IsZero() {
			t.abortedAt = now
		}
		if t.playing && t.played != t.ackedPos && d.cfg.Capabilities.Ack {
			t.acked, t.ackedPos = now, t.played
			position = append(position, wire.Played{Turn: t.number, Samples: t.played})
		}
	}
	d.mu.Unlock()
	ctx, cancel := context.WithTimeoutCause(ctx, flushPatience, fmt.Errorf("%w: no flush within %v of the abort", ErrNoAnswer, flushPatience))
	defer cancel()
	for _, m := range append(position, wire.Abort{Turn: turn, Reason: reason}) {
		if err := d.Send(ctx, m); err != nil {
			return err
		}
	}
	return d.wait(ctx, func() bool { return d.flushes > before })
}

// giveUp tells the server that nobody waits any more.
func (d *Device) giveUp(ctx context.Context) {
	// Its own failure adds nothing to the ErrNoAnswer that led here.
	_ = d.Abort(ctx, 0, "no answer")
}
