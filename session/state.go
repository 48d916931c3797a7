package session

import (
	"slices"
	"time"

	"edged/dialog"
)

// Phase is where a dialogue stands.
type Phase string

const (
	// PhaseIdle: nobody speaks and the microphone is closed.
	PhaseIdle Phase = "idle"
	// PhaseListening: the microphone is open, no speech yet.
	PhaseListening Phase = "listening"
	// PhaseUserSpeaking: an utterance is being recorded and recognised.
	PhaseUserSpeaking Phase = "user speaking"
	// PhaseThinking: the utterance has ended, the reply has no sound yet.
	PhaseThinking Phase = "thinking"
	// PhaseSpeaking: the reply is being played.
	PhaseSpeaking Phase = "speaking"
	// PhaseHeld: the reply pauses while a possible barge-in is judged.
	PhaseHeld Phase = "held"
)

// Phases lists all phases in the order of a turn.
var phases = []Phase{PhaseIdle, PhaseListening, PhaseUserSpeaking, PhaseThinking, PhaseSpeaking, PhaseHeld}

// State is the whole memory of the turn machine. It is a value: Step returns a
// new one and never changes what an old one refers to. The zero value, with
// PhaseIdle, begins a session.
type State struct {
	Phase Phase
	// Policy and CanHold are what Begun said; Attached may change CanHold.
	Policy  BargeIn
	CanHold bool
	// Mode and Route describe the open microphone; Route is empty when it is
	// closed.
	Mode  dialog.Mode
	Route string
	// Utterance is the one being recognised, empty once its transcript is
	// final.
	Utterance string
	// Turn is the last turn that was issued.
	Turn dialog.Turn
	// Own is true when Turn is something that the session says by itself.
	Own bool
	// Delivered is true once the reply was written to its end, which lies at
	// Total.
	Delivered bool
	Total     time.Duration
	// Sent and Played are what was sent of the reply and what the device
	// acknowledged of it.
	Sent, Played time.Duration
	// Stage is what the turn waits for.
	Stage Stage
	// Suspect is speech that may become an interruption of the turn.
	Suspect suspicion
	// Question is a transcript that interrupted a turn and is answered as soon
	// as that turn is settled.
	Question string
	// Wake is the wake word that the next transcript may begin with.
	Wake string
	// Failed: the reply broke off in the middle; when it has been played, the
	// user is told.
	Failed bool
	// Detached: the connection is lost.
	Detached bool
	// Flushing and Cause are the interruption under way, from its Flush to the
	// Flushed that answers it.
	Flushing dialog.Turn
	Cause    dialog.Cause
	// Waiting is what the session has to say as soon as nobody speaks.
	Waiting []Saying
	// Ended is true after End.
	Ended bool
}

// Saying is a phrase that waits for its moment.
type Saying struct {
	Phrase Phrase
	Text   string
}

// maxWaiting bounds State.Waiting; beyond it the oldest phrase is forgotten. A
// device with more than eight timers due at once has other troubles.
const maxWaiting = 8

// settled reports whether an acknowledged position is close enough to the end
// of the reply. Devices count whole codec frames and may leave out padding, so
// one frame of the longest kind (60 ms) is tolerated.
func (s State) settled() bool {
	return s.Delivered && s.Played+60*time.Millisecond >= s.Total
}

// wait queues a phrase in a slice of its own.
func (s State) wait(p Phrase, text string) State {
	waiting := append(slices.Clip(s.Waiting), Saying{Phrase: p, Text: text})
	if len(waiting) > maxWaiting {
		waiting = waiting[1:]
	}
	s.Waiting = waiting
	return s
}

// issue begins a new turn.
func (s State) issue() State {
	s.Turn++
	s.Own, s.Delivered, s.Failed = false, false, false
	s.Total, s.Sent, s.Played = 0, 0, 0
	s.Stage = ""
	return s
}

// rest is the phase in which nothing is going on.
func (s State) rest() Phase {
	if s.Mode == dialog.ModeRealtime && s.Route != "" {
		return PhaseListening
	}
	return PhaseIdle
}

// closeMicrophone forgets the route where the device closes it by itself: in
// ModeAuto at the end of an utterance and at the beginning of a reply.
func (s State) closeMicrophone() State {
	if s.Mode == dialog.ModeAuto {
		s.Route = ""
	}
	return s
}
