package session

import (
	"time"

	"edged/dialog"
	"edged/session/log"
)

// notReached marks a stage of dialog.Timing that has not come.
const notReached = -1

// turnClock measures the present turn: the wall-clock times of its stages,
// counted from the end of the user's speech, and the pace of its reply. It
// belongs to the session's loop and to none of its decisions.
type turnClock struct {
	turn      dialog.Turn
	zero      time.Time // the end of speech, or the trigger of a reply nobody asked for
	timing    dialog.Timing
	firstSent time.Time
	reason    dialog.Cause // why the session ended
}

// start begins the measurement of a turn.
func (c *turnClock) start(turn dialog.Turn, zero time.Time) {
	c.turn, c.zero, c.firstSent = turn, zero, time.Time{}
	c.timing = dialog.Timing{Turn: turn, Endpoint: notReached, ASRFinal: notReached,
		FirstToken: notReached, FirstAudio: notReached, FirstPacket: notReached}
}

// since returns the time since zero; it is never negative.
func (c *turnClock) since() time.Duration { return max(0, time.Since(c.zero)) }

// sent notes when the first packet of the reply was written.
func (c *turnClock) sent(turn dialog.Turn, at time.Time) {
	if turn == c.turn && c.firstSent.IsZero() {
		c.firstSent = at
		c.timing.FirstPacket = max(0, at.Sub(c.zero))
	}
}

// elapsed estimates how much of the reply was played by now: playback begins
// with the first packet and keeps the pace of time.
func (c *turnClock) elapsed(turn dialog.Turn) time.Duration {
	if turn != c.turn || c.firstSent.IsZero() {
		return 0
	}
	return time.Since(c.firstSent)
}

// remaining estimates how long the device still plays a reply that ends at p.
func (c *turnClock) remaining(p dialog.Position) time.Duration {
	return max(0, p.Offset-c.elapsed(p.Turn))
}

// observe measures and logs what has happened. It sees every event right after
// the machine did and decides nothing.
func (s *session) observe(before State, e Event) {
	if stale(before, e) {
		return
	}
	c := &s.clock
	turn := s.state.Turn
	switch e := e.(type) {
	case SpeechStarted:
		if s.state.Utterance == e.Utterance {
			c.start(turn, time.Now())
			s.log(turn, log.SpeechStart{Utterance: e.Utterance, AtMS: log.MS(e.At)})
		}
	case SpeechStopped:
		c.start(turn, time.Now().Add(-e.Lag))
		c.timing.Endpoint = e.Lag
		s.log(turn, log.SpeechEnd{Utterance: e.Utterance, AtMS: log.MS(e.At), MS: log.MS(e.Lag)})
	case Partial:
		s.log(turn, log.ASRPartial{Utterance: e.Utterance, Text: log.Text(e.Text)})
	case Final:
		c.timing.ASRFinal = c.since()
		s.log(turn, log.ASRFinal{Utterance: e.Utterance, Text: log.Text(e.Text), MS: log.MS(c.timing.ASRFinal)})
	}
	if s.replies[turn] == nil {
		return
	}
	switch e := e.(type) {
	case FirstToken:
		c.timing.FirstToken = c.since()
		s.log(turn, log.GenFirstToken{MS: log.MS(c.timing.FirstToken)})
	case Generated:
		s.log(turn, log.GenDone{Text: log.Text(e.Text), MS: log.MS(c.since())})
	case FirstAudio:
		c.timing.FirstAudio = c.since()
		s.log(turn, log.TTSFirstAudio{MS: log.MS(c.timing.FirstAudio)})
		s.reportTiming()
	case Sent:
		s.reportTiming()
	}
}

// reportTiming logs the first packet of a reply and tells the device how long
// each stage took, once a turn. That the audio was ready and that its first
// packet was sent are reported on two ways and may come in either order; the
// stages are told in the order in which they must have been.
func (s *session) reportTiming() {
	r, timing := s.replies[s.clock.turn], &s.clock.timing
	if r == nil || r.timed || s.clock.firstSent.IsZero() || timing.FirstAudio == notReached {
		return
	}
	r.timed = true
	timing.FirstPacket = max(timing.FirstPacket, timing.FirstAudio)
	s.log(r.turn, log.ReplyFirstPacket{MS: log.MS(s.clock.timing.FirstPacket)})
	s.tell(s.clock.timing)
}
