package session

import (
	"strings"
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
	turn   dialog.Turn
	zero   time.Time // the end of speech, or the trigger of a reply nobody asked for
	timing dialog.Timing
	// playing is when playback of the reply began, as if it had never paused.
	playing time.Time
	// held is when the reply was held, zero while it is not.
	held   time.Time
	reason dialog.Cause // why the session ended
	// onset and stopped are when the speech began and ended that may interrupt
	// the turn, and lag how much later its end was known.
	onset, stopped time.Time
	lag            time.Duration
}

// start begins the measurement of a turn.
func (c *turnClock) start(turn dialog.Turn, zero time.Time) {
	c.turn, c.zero, c.playing, c.held = turn, zero, time.Time{}, time.Time{}
	c.timing = dialog.Timing{Turn: turn, Endpoint: notReached, ASRFinal: notReached,
		FirstToken: notReached, FirstAudio: notReached, FirstPacket: notReached}
}

// since returns the time since zero; it is never negative.
func (c *turnClock) since() time.Duration { return max(0, time.Since(c.zero)) }

// sent notes when the first packet of the reply was written.
func (c *turnClock) sent(turn dialog.Turn, at time.Time) {
	if turn != c.turn || !c.playing.IsZero() {
		return
	}
	c.playing = at
	if c.timing.FirstPacket == notReached {
		c.timing.FirstPacket = max(0, at.Sub(c.zero))
	}
}

// hold and release stop and start the playback.
func (c *turnClock) hold() { c.held = time.Now() }

func (c *turnClock) release() {
	if !c.held.IsZero() && !c.playing.IsZero() {
		c.playing = c.playing.Add(time.Since(c.held))
	}
	c.held = time.Time{}
}

// resume begins the playback anew from a position on.
func (c *turnClock) resume(from time.Duration) {
	c.playing, c.held = time.Now().Add(-from), time.Time{}
}

// reaction is how long it took to interrupt for the cause, from the onset of the
// speech that did it; 0 where it was not speech.
func (c *turnClock) reaction(cause dialog.Cause) time.Duration {
	if cause != dialog.CauseSpeech || c.onset.IsZero() {
		return 0
	}
	return max(0, time.Since(c.onset))
}

// elapsed estimates how much of the reply was played by now: playback begins
// with the first packet and keeps the pace of time.
func (c *turnClock) elapsed(turn dialog.Turn) time.Duration {
	if turn != c.turn || c.playing.IsZero() {
		return 0
	}
	if !c.held.IsZero() {
		return c.held.Sub(c.playing)
	}
	return time.Since(c.playing)
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
	if turn != before.Turn {
		s.observeSuspicion(before, e) // what follows is of the new turn
	} else {
		defer s.observeSuspicion(before, e)
	}
	switch e := e.(type) {
	case SpeechStarted:
		if s.state.Utterance == e.Utterance {
			c.start(turn, time.Now())
			s.log(turn, log.SpeechStart{Utterance: e.Utterance, AtMS: log.MS(e.At)})
		}
	case SpeechStopped:
		if e.Utterance == before.Utterance {
			c.start(turn, time.Now().Add(-e.Lag))
			c.timing.Endpoint = e.Lag
		}
		s.log(turn, log.SpeechEnd{Utterance: e.Utterance, AtMS: log.MS(e.At), MS: log.MS(e.Lag)})
	case Partial:
		s.log(turn, log.ASRPartial{Utterance: e.Utterance, Text: log.Text(e.Text)})
	case Final:
		if e.Utterance == before.Utterance || turn != before.Turn {
			c.timing.ASRFinal = c.since()
		}
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

// observeSuspicion follows speech that may become an interruption: when it began,
// when it ended, and what was made of it.
func (s *session) observeSuspicion(before State, e Event) {
	c, was, is := &s.clock, before.Suspect, s.state.Suspect
	switch e := e.(type) {
	case SpeechStarted:
		if is.Utterance == e.Utterance {
			c.onset = time.Now().Add(-max(0, time.Duration(s.media.Load())-e.At))
			s.log(s.state.Turn, log.BargeInSuspect{Utterance: e.Utterance, AtMS: log.MS(e.At), Held: s.state.Phase == PhaseHeld})
		}
	case SpeechStopped:
		if was.Utterance == e.Utterance {
			c.stopped, c.lag = time.Now().Add(-e.Lag), e.Lag
		}
	}
	if was.Utterance == "" || was.Utterance == is.Utterance {
		return
	}
	reason := strings.ToLower(kind(e))
	if final, ok := e.(Final); ok {
		was.Text = final.Text
	}
	switch {
	case s.state.Turn == before.Turn:
		s.log(s.state.Turn, log.BargeInReject{Utterance: was.Utterance, Reason: reason, Text: log.Text(was.Text)})
		return
	case s.state.Flushing == before.Turn:
		s.log(before.Turn, log.BargeInConfirm{Utterance: was.Utterance, Reason: reason, MS: log.MS(time.Since(c.onset))})
	default: // the reply has ended: it is simply the next question
		s.log(s.state.Turn, log.SpeechStart{Utterance: was.Utterance, AtMS: log.MS(was.At)})
	}
	c.start(s.state.Turn, time.Now())
	if was.Ended {
		c.start(s.state.Turn, c.stopped)
		c.timing.Endpoint = c.lag
	}
}

// reportTiming logs the first packet of a reply and tells the device how long
// each stage took, once a turn. That the audio was ready and that its first
// packet was sent are reported on two ways and may come in either order; the
// stages are told in the order in which they must have been.
func (s *session) reportTiming() {
	r, timing := s.replies[s.clock.turn], &s.clock.timing
	if r == nil || r.timed || s.clock.timing.FirstPacket == notReached || timing.FirstAudio == notReached {
		return
	}
	r.timed = true
	timing.FirstPacket = max(timing.FirstPacket, timing.FirstAudio)
	s.log(r.turn, log.ReplyFirstPacket{MS: log.MS(s.clock.timing.FirstPacket)})
	s.tell(s.clock.timing)
}
