package edgetest

import (
	"slices"
	"time"

	"edged/firmware-protocol/wire"
)

func unseen() Seen {
	return Seen{SpeechStopped: -1, Final: -1, FirstText: -1, FirstPacket: -1, Done: -1, BargeIn: -1, Held: -1, Silent: -1}
}

// answerOf describes a turn as it stands. t may be nil, p nil without a listening
// period of its own, end zero without a question.
func (d *Device) answerOf(t *turn, p *period, end time.Time) Answer {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.speaker.advance(time.Now())
	a := Answer{Seen: unseen()}
	if p != nil {
		a.Failure = p.failure
		a.Seen.SpeechStopped = since(end, p.stopped)
	}
	if t == nil {
		return a
	}
	d.describe(&a, t)
	if !end.IsZero() {
		a.Seen.Final, a.Seen.FirstText = since(end, t.finalAt), since(end, t.firstText)
		a.Seen.FirstPacket, a.Seen.Done = since(end, t.firstPacket), since(end, t.doneAt)
	}
	return a
}

// since returns -1 when at is not set. What comes before the end of the question
// counts as 0.
func since(end, at time.Time) time.Duration {
	if at.IsZero() || end.IsZero() {
		return -1
	}
	return max(0, at.Sub(end))
}

// describe needs mu.
func (d *Device) describe(a *Answer, t *turn) {
	rate := d.downRate()
	a.Turn, a.Transcript, a.Partials = t.number, t.transcript, slices.Clone(t.partials)
	a.Reply, a.Heard = t.reply(), t.heard(rate)
	a.Interrupted, a.Cause = t.interrupted, t.cause
	if t.failure != nil {
		a.Failure = t.failure
	}
	a.Received, a.Played = rate.Duration(int(t.received)), rate.Duration(int(t.played))
	a.PCM = slices.Clip(t.pcm)
	a.Starved, a.Overflowed, a.Timing = t.starved, t.overflowed, t.timing
	a.Holds = t.holds
	a.Unheard, a.Overlap = t.unheard(rate), t.overlap
	if over := t.overlap.At; !over.IsZero() {
		if !t.flushedAt.IsZero() {
			a.Seen.BargeIn = t.flushedAt.Sub(over)
			a.Seen.Silent = max(0, t.leftAt.Sub(over))
		}
		if !t.heldAt.IsZero() {
			a.Seen.Held = t.heldAt.Sub(over)
		}
	}
	if !t.abortedAt.IsZero() && !t.flushedAt.IsZero() {
		a.Seen.Interrupt = t.flushedAt.Sub(t.abortedAt)
	}
}

// Turns returns every turn that the device knows of, in the order of their
// numbers, asked for or not. Their Seen holds Interrupt only.
func (d *Device) Turns() []Answer {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.speaker.advance(time.Now())
	answers := make([]Answer, len(d.turns))
	for i, t := range d.turns {
		answers[i].Seen = unseen()
		d.describe(&answers[i], t)
	}
	return answers
}

// Stats returns the counters so far.
func (d *Device) Stats() Stats {
	d.mu.Lock()
	defer d.mu.Unlock()
	stats := d.stats
	stats.Up, stats.Down = d.network[up], d.network[down]
	if d.speaker.tape != nil {
		stats.Echoed = d.speaker.tape.Mixed()
	}
	return stats
}

// Gaps returns the times between the arrivals of successive packets of one
// reply, of all replies.
func (d *Device) Gaps() []time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.gaps)
}

// Events returns all control messages in both directions, in order.
func (d *Device) Events() []Event {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.events)
}

// Failures returns the error messages of the server, Faults what the device
// could not make sense of; at most 100 of each.
func (d *Device) Failures() []wire.Failure {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.failures)
}

// Faults returns what the server sent against the protocol.
func (d *Device) Faults() []error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.faults)
}
