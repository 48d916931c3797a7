package digest

import (
	"slices"
	"time"

	"edged/dialog"
	"edged/session/log"
)

// State is how a session fares.
type State string

// States of sessions.
const (
	// Live: its device is connected.
	Live State = "live"
	// Detached: it waits for its device to come back.
	Detached State = "detached"
	// Ended: it is over.
	Ended State = "ended"
)

// Session is a session in short.
type Session struct {
	Session string `json:"session"`
	Device  string `json:"device"`
	State   State  `json:"state"`
	// Started is zero where the log does not reach back to the start; then the
	// next fields are empty too.
	Started     time.Time `json:"started,omitzero"`
	Profile     string    `json:"profile,omitempty"`
	Model       string    `json:"model,omitempty"`
	Version     string    `json:"version,omitempty"`
	Remote      string    `json:"remote,omitempty"`
	Transcripts bool      `json:"transcripts"`
	// Last is when the last event was, and LastEvent which.
	Last      time.Time `json:"last"`
	LastEvent log.Name  `json:"last_event"`
	// Reason is why it ended.
	Reason dialog.Cause `json:"reason,omitempty"`
	// Turns counts the turns so far, Interrupted those that were cut off, Errors
	// the errors.
	Turns       int `json:"turns"`
	Interrupted int `json:"interrupted"`
	Errors      int `json:"errors"`
	// FirstPacketP50MS and FirstPacketP95MS are what the user waited for replies:
	// the median and the 95th percentile over the turns that are kept. 0 without
	// replies.
	FirstPacketP50MS log.MS `json:"first_packet_p50_ms"`
	FirstPacketP95MS log.MS `json:"first_packet_p95_ms"`
}

// Detail is a session with its turns.
type Detail struct {
	Session
	// Story is its turns from the oldest that is kept.
	Story []Turn `json:"story"`
	// Faults are the errors that belong to no turn, Drops what was lost.
	Faults []Fault    `json:"faults,omitempty"`
	Drops  []log.Drop `json:"drops,omitempty"`
}

// Story follows one session. The zero value is ready for use and keeps all turns.
type Story struct {
	session Session
	turns   []*Turn
	// keep is how many turns are kept, 0 for all.
	keep       int
	faults     []Fault
	drops      []log.Drop
	utterances map[string]*utterance
	// confirmed is the utterance that has interrupted a turn and begins the next.
	confirmed string
}

// NewStory returns a story that keeps the last turns only, so that it can follow a
// session for as long as that lasts.
func NewStory(turns int) *Story { return &Story{keep: turns} }

// utterance is what is known of one.
type utterance struct {
	start, end time.Duration // media times; negative where not known
	endpoint   *log.MS
	final      *log.MS
	text       Said
	ended      time.Time // when the user stopped
}

// keepRest bounds what is kept of faults, drops, utterances that became no turn,
// and of the tools and barge-ins of one turn.
const keepRest = 100

// Add applies the next record of the session.
func (s *Story) Add(rec log.Record) {
	s.session.Session, s.session.Device = rec.Session, rec.Device
	s.session.Last = rec.Time
	if rec.Event != nil {
		s.session.LastEvent = rec.Event.Name()
	}
	if s.session.State == "" {
		s.session.State = Live
	}
	s.session.Turns = max(s.session.Turns, int(rec.Turn))
	turn := s.turn(rec)
	s.hear(rec, turn)
	if turn != nil {
		turn.add(rec)
	}
	switch e := rec.Event.(type) {
	case log.SessionStart:
		s.session.Started = rec.Time
		s.session.Profile, s.session.Model, s.session.Version = e.Profile, e.Model, e.Version
		s.session.Remote, s.session.Transcripts = e.Remote, e.Transcripts
	case log.SessionDetach:
		s.session.State = Detached
	case log.SessionAttach:
		s.session.State = Live
	case log.SessionEnd:
		s.session.State, s.session.Reason = Ended, e.Reason
		s.session.Turns, s.session.Interrupted = e.Turns, e.Interrupted
	case log.Interrupt:
		s.session.Interrupted++
	case log.Error:
		s.session.Errors++
		if turn == nil {
			s.faults = latest(append(s.faults, fault(rec, e)), keepRest)
		}
	case log.Drop:
		s.drops = latest(append(s.drops, e), keepRest)
	}
}

// latest drops the first elements beyond n.
func latest[T any](all []T, n int) []T {
	if len(all) <= n {
		return all
	}
	return slices.Delete(all, 0, len(all)-n)
}

// turn returns the turn of a record, nil if it belongs to none that is kept.
func (s *Story) turn(rec log.Record) *Turn {
	if rec.Turn == 0 {
		return nil
	}
	if t := s.find(rec.Turn); t != nil {
		return t
	}
	if len(s.turns) > 0 && rec.Turn < s.turns[len(s.turns)-1].Turn {
		return nil // it was given up
	}
	t := &Turn{Turn: rec.Turn, Began: rec.Time, Outcome: Open}
	t.utterance, s.confirmed = s.confirmed, ""
	s.turns = append(s.turns, t)
	if s.keep > 0 && len(s.turns) > s.keep {
		delete(s.utterances, s.turns[0].utterance)
		s.turns = slices.Delete(s.turns, 0, 1)
	}
	return t
}

func (s *Story) find(number dialog.Turn) *Turn {
	for _, t := range slices.Backward(s.turns) {
		if t.Turn == number {
			return t
		}
	}
	return nil
}

// hear follows utterances. They are told of under the turn during which they
// were heard, which is not the one that they begin when they interrupt.
func (s *Story) hear(rec log.Record, turn *Turn) {
	switch e := rec.Event.(type) {
	case log.SpeechStart:
		s.utterance(e.Utterance).start = time.Duration(e.AtMS)
		if turn != nil && turn.utterance == "" {
			turn.utterance = e.Utterance
		}
	case log.SpeechEnd:
		u := s.utterance(e.Utterance)
		u.end, u.endpoint, u.ended = time.Duration(e.AtMS), &e.MS, rec.Time.Add(-time.Duration(e.MS))
	case log.ASRFinal:
		u := s.utterance(e.Utterance)
		u.final, u.text = &e.MS, said(rec, "text", e.Text)
	case log.BargeInSuspect:
		s.utterance(e.Utterance).start = time.Duration(e.AtMS)
	case log.BargeInConfirm:
		s.confirmed = e.Utterance
	case log.BargeInReject:
		delete(s.utterances, e.Utterance)
	}
	if turn != nil {
		s.understand(turn)
	}
}

func (s *Story) utterance(id string) *utterance {
	u := s.utterances[id]
	if u == nil {
		if s.utterances == nil || len(s.utterances) > s.keep+keepRest {
			s.utterances = make(map[string]*utterance)
		}
		u = &utterance{start: -1, end: -1}
		s.utterances[id] = u
	}
	return u
}

// understand copies what is known of the turn's utterance into the turn.
func (s *Story) understand(t *Turn) {
	u := s.utterances[t.utterance]
	if u == nil {
		return
	}
	if u.start >= 0 && u.end >= u.start {
		t.SpeechMS = log.MS(u.end - u.start)
	}
	t.EndpointMS, t.ASRFinalMS, t.Question = u.endpoint, u.final, u.text
	if !u.ended.IsZero() {
		t.origin = u.ended
	}
}

// Session returns the session in short.
func (s *Story) Session() Session {
	var waits []log.MS
	for _, t := range s.turns {
		if t.FirstPacketMS != nil {
			waits = append(waits, max(0, *t.FirstPacketMS))
		}
	}
	slices.Sort(waits)
	short := s.session
	short.FirstPacketP50MS, short.FirstPacketP95MS = percentile(waits, 50), percentile(waits, 95)
	return short
}

// percentile returns the smallest value that p percent of the sorted values do
// not exceed, 0 without values.
func percentile(sorted []log.MS, p int) log.MS {
	if len(sorted) == 0 {
		return 0
	}
	rank := (len(sorted)*p + 99) / 100
	return sorted[max(rank, 1)-1]
}

// Turn returns what is known of a turn.
func (s *Story) Turn(number dialog.Turn) (Turn, bool) {
	t := s.find(number)
	if t == nil {
		return Turn{}, false
	}
	return s.closed(t), true
}

// closed returns a copy of the turn with its outcome decided.
func (s *Story) closed(t *Turn) Turn {
	c := *t
	c.BargeIns, c.Tools, c.Errors = slices.Clone(t.BargeIns), slices.Clone(t.Tools), slices.Clone(t.Errors)
	over := s.session.State == Ended || t != s.turns[len(s.turns)-1]
	if c.Outcome == Open && over {
		c.Outcome = Silent
		if len(c.Errors) > 0 {
			c.Outcome = Failed
		}
	}
	return c
}

// Detail returns all that is known.
func (s *Story) Detail() Detail {
	d := Detail{Session: s.Session(), Story: make([]Turn, 0, len(s.turns)), Faults: slices.Clone(s.faults), Drops: slices.Clone(s.drops)}
	for _, t := range s.turns {
		d.Story = append(d.Story, s.closed(t))
	}
	return d
}
