package edgetest

import (
	"context"
	"errors"
	"time"
)

// talk is a series of questions on an open microphone. It outlives a connection.
type talk struct {
	questions []Question
	asked     []asked // and answered, at least in part
	// The question after those:
	spoken bool      // was spoken; its turn is waited for
	base   uint32    // newest turn before it was
	end    time.Time // when its last sample was captured
}

// asked is a question and the turn that it became. answer stands in for the turn
// once the session is forgotten.
type asked struct {
	turn   uint32
	end    time.Time
	answer *Answer
}

// Talk asks questions on one open microphone, each when the reply before is over
// or, with BargeInAfter, in the middle of it. It returns when the last reply is
// over. The errors are those of Ask; the answers are those so far.
func (d *Device) Talk(ctx context.Context, questions []Question) ([]Answer, error) {
	t := &talk{questions: questions}
	err := d.converse(ctx, t)
	return d.answersOf(t), err
}

// converse goes on with t on this connection.
func (d *Device) converse(ctx context.Context, t *talk) (err error) {
	m, err := d.OpenMicrophone(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close(context.WithoutCancel(ctx))) }()
	for len(t.asked) < len(t.questions) {
		q := t.questions[len(t.asked)]
		patience, cancel := context.WithTimeoutCause(ctx, m.span(len(q.PCM))+d.cfg.Patience, ErrNoAnswer)
		if !t.spoken {
			cancel() // the reply before takes what it takes
			if err := d.awaitMoment(ctx, t.last(), q.BargeInAfter); err != nil {
				return err
			}
			patience, cancel = context.WithTimeoutCause(ctx, m.span(len(q.PCM))+d.cfg.Patience, ErrNoAnswer)
			err = d.speakOpenly(patience, m, t, q)
		}
		var number uint32
		if err == nil {
			number, err = d.firstAfter(patience, t.base)
		}
		cancel()
		if err != nil {
			return err
		}
		t.asked, t.spoken = append(t.asked, asked{turn: number, end: t.end}), false
	}
	return d.awaitMoment(ctx, t.last(), 0)
}

// last is the newest turn that a question became, 0 if there is none.
func (t *talk) last() uint32 {
	if n := len(t.asked); n > 0 && t.asked[n-1].answer == nil {
		return t.asked[n-1].turn
	}
	return 0
}

// awaitMoment waits until so much of the reply of a turn was played, or with 0
// until it is over.
func (d *Device) awaitMoment(ctx context.Context, number uint32, after time.Duration) error {
	if number == 0 {
		return nil
	}
	d.mu.Lock()
	t := d.turn(number)
	d.mu.Unlock()
	if after > 0 {
		_, err := d.played(ctx, t, after)
		return err
	}
	return d.listenTo(ctx, t, 0)
}

// speakOpenly speaks q and notes where it fell on the reply before it.
func (d *Device) speakOpenly(ctx context.Context, m *Duplex, t *talk, q Question) error {
	d.mu.Lock()
	t.base = d.newest()
	over, playing := d.turnOver(t.last(), q)
	d.mu.Unlock()
	s, err := m.say(ctx, q.PCM)
	if err != nil {
		return err
	}
	t.spoken, t.end = true, s.begin.Add(m.span(len(q.PCM)))
	if over != nil {
		d.mu.Lock()
		over.overlap = Overlap{At: s.begin.Add(m.span(q.Onset)), Sample: s.at + uint32(q.Onset)}
		// It went on playing until the onset, unless it was held or over by then.
		over.overlap.Played = min(d.downRate().Duration(int(over.played)), playing.until(over.overlap.At))
		d.mu.Unlock()
	}
	return nil
}

// playhead is where a speaker stood at a moment.
type playhead struct {
	at     time.Time
	played time.Duration
}

// until is where it stands at a later moment if nothing stops it.
func (p playhead) until(at time.Time) time.Duration { return p.played + max(0, at.Sub(p.at)) }

// turnOver is the turn that q is going to be spoken over, nil if it waits for its
// end, and where its speaker stands. It needs mu.
func (d *Device) turnOver(number uint32, q Question) (*turn, playhead) {
	if number == 0 || q.BargeInAfter <= 0 {
		return nil, playhead{}
	}
	now := time.Now()
	d.speaker.advance(now)
	t := d.turn(number)
	if t.done {
		return nil, playhead{}
	}
	return t, playhead{now, d.downRate().Duration(int(t.played))}
}

// newest is the number of the newest turn. It needs mu.
func (d *Device) newest() uint32 {
	if n := len(d.turns); n > 0 {
		return d.turns[n-1].number
	}
	return 0
}

// firstAfter waits until a reply of a turn above base begins, or the turn ends
// without one.
func (d *Device) firstAfter(ctx context.Context, base uint32) (number uint32, err error) {
	err = d.wait(ctx, func() bool {
		for _, t := range d.turns {
			if t.number > base && (t.begun || t.done) {
				number = t.number
				return true
			}
		}
		return false
	})
	return number, err
}

// answersOf describes what became of the questions so far.
func (d *Device) answersOf(t *talk) (answers []Answer) {
	for _, q := range t.asked {
		if q.answer != nil {
			answers = append(answers, *q.answer)
			continue
		}
		d.mu.Lock()
		turn := d.turn(q.turn)
		d.mu.Unlock()
		answers = append(answers, d.answerOf(turn, nil, q.end))
	}
	return answers
}
