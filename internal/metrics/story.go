package metrics

import (
	"time"

	"edged/dialog"
	"edged/session/log"
	"edged/session/log/digest"
)

// story is what is remembered of the turns of a session, to tell how each ended
// and when it reached its stages. The events of a turn may overlap with those of
// the next one (the account of an interrupted reply is closed when the speech
// that interrupted has a turn already), but not with those of the one after.
type story struct {
	newest dialog.Turn
	open   [2]turnStory
	// suspect is speech that may become an interruption and so a turn; confirmed
	// has become the next one.
	suspect, confirmed heard
}

// heard is an utterance, and when its end was known.
type heard struct {
	utterance string
	ended     bool
	endpoint  time.Duration
}

// turnStory is a turn that is going on; number 0 is none.
type turnStory struct {
	number    dialog.Turn
	utterance string // empty for what the session says by itself
	failed    bool
	reached   [stages]bool
	latest    stage         // the last one in causal order that was reached
	at        time.Duration // the greatest time at which one was
	believed  bool          // a stage was reached at a time that can be
}

// follow applies an event.
func (s *story) follow(c *Sessions, turn dialog.Turn, e log.Event) {
	if turn > s.newest {
		s.begin(c, turn)
	}
	t := s.find(turn)
	switch e := e.(type) {
	case log.SpeechStart:
		if t != nil && t.utterance == "" {
			t.spoken(c, s.speech(e.Utterance))
		}
	case log.SpeechEnd:
		s.speechEnd(c, e)
	case log.BargeInSuspect:
		s.suspect = heard{utterance: e.Utterance}
	case log.BargeInConfirm:
		s.confirmed, s.suspect = s.speech(e.Utterance), heard{}
	case log.BargeInReject:
		s.suspect = heard{}
	case log.ASRFinal:
		if of := s.said(e.Utterance); of != nil {
			of.reach(c, stageASRFinal, time.Duration(e.MS))
		}
	case log.GenFirstToken:
		t.reach(c, stageFirstToken, time.Duration(e.MS))
	case log.TTSFirstAudio:
		t.reach(c, stageFirstAudio, time.Duration(e.MS))
	case log.ReplyFirstPacket:
		t.reach(c, stageFirstPacket, time.Duration(e.MS))
	case log.Error:
		if t != nil {
			t.failed = true
		}
	case log.ReplyDone:
		t.end(c, digest.Done)
	case log.Interrupt:
		if e.Cause == dialog.CauseError {
			t.end(c, digest.Failed)
		} else {
			t.end(c, digest.Interrupted)
		}
	case log.SessionEnd:
		s.end(c, dialog.Turn(max(0, e.Turns)))
	}
}

// begin opens a turn. What is older than the one before it is over.
func (s *story) begin(c *Sessions, turn dialog.Turn) {
	skipped := turn - s.newest - 1
	c.turns.Add(float64(skipped) + 1)
	c.outcomes.at(digest.Silent).Add(float64(skipped))
	if skipped > 0 {
		s.open[1].expire(c)
		s.confirmed = heard{} // it has become one of those
	}
	s.open[0].expire(c)
	s.open[0], s.open[1] = s.open[1], turnStory{number: turn}
	s.newest = turn
	if s.confirmed.utterance != "" {
		s.open[1].spoken(c, s.confirmed)
		s.confirmed = heard{}
	}
}

// end closes what is open when the session is over, which has issued so many
// turns.
func (s *story) end(c *Sessions, turns dialog.Turn) {
	if turns > s.newest {
		s.begin(c, turns)
	}
	for i := range s.open {
		s.open[i].expire(c)
	}
}

// find returns the turn if it goes on, else nil, on which methods do nothing.
func (s *story) find(turn dialog.Turn) *turnStory {
	for i := range s.open {
		if turn != 0 && s.open[i].number == turn {
			return &s.open[i]
		}
	}
	return nil
}

// said returns the turn that the utterance is the question of.
func (s *story) said(utterance string) *turnStory {
	for i := range s.open {
		if t := &s.open[i]; t.number != 0 && t.utterance == utterance && utterance != "" {
			return t
		}
	}
	return nil
}

// speech returns what is known of an utterance.
func (s *story) speech(utterance string) heard {
	if s.suspect.utterance == utterance {
		return s.suspect
	}
	return heard{utterance: utterance}
}

func (s *story) speechEnd(c *Sessions, e log.SpeechEnd) {
	if t := s.said(e.Utterance); t != nil {
		t.reach(c, stageEndpoint, time.Duration(e.MS))
	} else if s.suspect.utterance == e.Utterance {
		s.suspect.ended, s.suspect.endpoint = true, time.Duration(e.MS)
	}
}

// spoken says which utterance is the turn's question.
func (t *turnStory) spoken(c *Sessions, h heard) {
	t.utterance = h.utterance
	if h.ended {
		t.reach(c, stageEndpoint, h.endpoint)
	}
}

// reach observes when the turn reached a stage, the first time.
func (t *turnStory) reach(c *Sessions, st stage, at time.Duration) {
	if t == nil || t.reached[st] {
		return
	}
	trigger := triggerSpeech
	if t.utterance == "" {
		trigger = triggerSession
	}
	l := c.stages[trigger][st]
	if l == nil {
		return
	}
	early := t.believed && (st < t.latest || at < t.at)
	if trigger == triggerSpeech && st > stageEndpoint && !t.reached[stageEndpoint] {
		early = true // its time does not count from the end of the speech
	}
	t.reached[st], t.latest = true, max(t.latest, st)
	if early && at >= 0 {
		l.reject(rejectedOrder)
		return
	}
	if l.observe(at) {
		t.at, t.believed = max(t.at, at), true
	}
}

// end counts the outcome of a turn that goes on.
func (t *turnStory) end(c *Sessions, outcome digest.Outcome) {
	if t == nil {
		return
	}
	c.outcomes.inc(outcome)
	*t = turnStory{}
}

// expire ends a turn of which nothing more will come.
func (t *turnStory) expire(c *Sessions) {
	switch {
	case t.number == 0:
	case t.failed:
		t.end(c, digest.Failed)
	default:
		t.end(c, digest.Silent)
	}
}
