package session

import (
	"time"

	"edged/dialog"
)

// suspicion is speech during a turn that may become an interruption, and what
// is known of it. The zero value is none.
type suspicion struct {
	// Utterance is under judgement; empty for none.
	Utterance string
	// At is the media time of its onset.
	At time.Duration
	// Spoken is how much speech there was in it, Text what was understood.
	Spoken time.Duration
	Text   string
	// Ended, StoppedAt: the user has finished it, at that media time.
	Ended     bool
	StoppedAt time.Duration
}

// suspect is speech while a turn is going on and the microphone is meant to be
// open: it is judged by the policy, and a device that can is held meanwhile.
func suspect(s State, e SpeechStarted) (State, []Action) {
	if s.Mode != dialog.ModeRealtime || s.Route == "" || s.Policy.Off || !s.CanHold && s.Policy.IgnoreWithoutHold {
		return s, []Action{Discard{e.Utterance}}
	}
	var actions []Action
	if s.Suspect.Utterance != "" {
		actions = append(actions, Discard{s.Suspect.Utterance})
	}
	s.Suspect = suspicion{Utterance: e.Utterance, At: e.At}
	s, more := hold(s)
	return s, append(actions, more...)
}

// hold pauses the reply of a device that can, while there is a suspicion.
func hold(s State) (State, []Action) {
	if s.Phase != PhaseSpeaking || !s.CanHold || s.Suspect.Utterance == "" || s.protected() {
		return s, nil
	}
	s.Phase = PhaseHeld
	return s, []Action{
		Hold{s.Turn},
		StopTimer{TimerPlayout},
		StopTimer{TimerDeadline},
		StartTimer{Timer: TimerHold, Turn: s.Turn, After: s.Policy.HoldFor},
	}
}

// protected reports whether the opening of the reply that must not be
// interrupted by speech is still being played.
func (s State) protected() bool {
	return s.Policy.Protect > 0 && max(s.Played, s.Sent) < s.Policy.Protect
}

// lasted notes how long the user has been speaking.
func lasted(s State, e SpeechLasted) (State, []Action) {
	if e.Utterance != s.Suspect.Utterance {
		return s, nil
	}
	s.Suspect.Spoken = e.Spoken
	return judge(s)
}

// suspectPartial notes what is understood of the suspected interruption.
func suspectPartial(s State, e Partial) (State, []Action) {
	s.Suspect.Text = e.Text
	return judge(s)
}

// suspectStopped notes that the suspected interruption has ended; its
// transcript decides.
func suspectStopped(s State, e SpeechStopped) (State, []Action) {
	s.Suspect.Ended, s.Suspect.StoppedAt = true, e.At
	return s, nil
}

// suspectFinal decides by the transcript.
func suspectFinal(s State, e Final) (State, []Action) {
	s.Suspect.Text = e.Text
	if s.Utterance != "" || s.protected() || s.Policy.Words(e.Text) < max(1, s.Policy.MinWords) {
		return reject(s)
	}
	s, actions := confirm(s)
	s.Utterance, s.Phase = "", PhaseThinking
	s, more := understood(s, e.Text)
	return s, append(actions, more...)
}

// judge looks whether what is known of the suspicion is enough to interrupt.
func judge(s State) (State, []Action) {
	if s.Suspect.Utterance == "" || s.Detached {
		return s, nil
	}
	if !s.interrupting() {
		return hold(s)
	}
	return confirm(s)
}

// interrupting is the policy. While a reply that cannot be held goes on, length
// alone has to do; while it is held, or has no sound yet, there is time to tell
// "mhmm" from a word.
func (s State) interrupting() bool {
	// The question before must be understood first: it is answered or remembered.
	if s.protected() || s.Utterance != "" {
		return false
	}
	p, words := s.Policy, s.Policy.Words(s.Suspect.Text)
	switch {
	case p.MinWords > 0:
		return words >= p.MinWords
	case words > 0 && s.Suspect.Spoken >= p.MinSpeech:
		return true
	case s.Suspect.Ended:
		return false // the transcript decides: a cough has a length, too
	case s.CanHold || s.Phase == PhaseThinking:
		return s.Suspect.Spoken >= p.JudgeSpeech
	default:
		return s.Suspect.Spoken >= p.MinSpeech
	}
}

// confirm is the barge-in: the turn is interrupted, and the speech that did it
// becomes a turn of its own.
func confirm(s State) (State, []Action) {
	speech := s.Suspect
	s.Suspect = suspicion{}
	s, actions := interrupt(s, dialog.CauseSpeech)
	s, more := promote(s, speech)
	return s, append(actions, more...)
}

// promote makes speech that was under judgement the utterance of a new turn.
func promote(s State, speech suspicion) (State, []Action) {
	s = s.issue()
	s.Phase, s.Utterance = PhaseUserSpeaking, speech.Utterance
	actions := []Action{Tell{dialog.SpeechStarted{At: speech.At}}}
	if !speech.Ended {
		return s, actions
	}
	s, more := speechStopped(s, SpeechStopped{Utterance: speech.Utterance, At: speech.StoppedAt})
	return s, append(actions, more...)
}

// reject ends a suspicion that was none: the reply goes on.
func reject(s State) (State, []Action) {
	actions := []Action{Discard{s.Suspect.Utterance}}
	s.Suspect = suspicion{}
	s, more := release(s)
	return s, append(actions, more...)
}

// release lets a held reply go on.
func release(s State) (State, []Action) {
	if s.Phase != PhaseHeld {
		return s, nil
	}
	s.Phase = PhaseSpeaking
	actions := []Action{StopTimer{TimerHold}, Release{s.Turn}}
	if s.Delivered {
		return s, append(actions, StartTimer{Timer: TimerPlayout, Turn: s.Turn, After: max(0, s.Total-s.Played)})
	}
	return s, append(actions, StartTimer{Timer: TimerDeadline, Turn: s.Turn, Stage: StageReply})
}

// forget drops a suspicion together with the turn that it was about.
func (s State) forget() (State, []Action) {
	if s.Suspect.Utterance == "" {
		return s, nil
	}
	discard := Discard{s.Suspect.Utterance}
	s.Suspect = suspicion{}
	return s, []Action{discard}
}
