package session

import "edged/dialog"

// detached is the loss of the connection. What the user was saying is lost with
// it; an answer in the making goes on, and one that was being played waits.
func detached(s State, _ Detached) (State, []Action) {
	s, actions := s.forget()
	s.Route, s.Detached = "", true
	switch s.Phase {
	case PhaseListening:
		s.Phase = PhaseIdle
	case PhaseUserSpeaking:
		actions = append(actions, Discard{s.Utterance})
		s.Phase, s.Utterance = PhaseIdle, ""
	case PhaseHeld:
		s.Phase = PhaseSpeaking
		actions = append(actions, StopTimer{TimerHold})
	}
	if s.Phase == PhaseSpeaking {
		actions = append(actions, StopTimer{TimerDeadline}, StopTimer{TimerPlayout})
	}
	return s, append(actions, StartTimer{Timer: TimerResume, Turn: s.Turn})
}

// attached is the return of the device. It has heard its last reply up to where
// it says, and has thrown away what it held beyond that.
func attached(s State, e Attached) (State, []Action) {
	if !s.Detached {
		return s, nil // a session says Detached first
	}
	s.CanHold, s.Detached = e.CanHold, false
	actions := []Action{StopTimer{TimerResume}}
	if s.Phase != PhaseThinking && s.Phase != PhaseSpeaking {
		s, more := proceed(s)
		return s, append(actions, more...)
	}
	from := e.Offset
	if e.Turn != s.Turn {
		from = 0
	}
	s.Played, s.Sent = from, from
	if s.heardOut() {
		s, more := finish(s)
		return s, append(actions, more...)
	}
	if s.Phase == PhaseSpeaking || s.Delivered { // its deadline was stopped
		var deadline Action
		s, deadline = s.await(StageReply)
		actions = append(actions, deadline)
	}
	s.Delivered = false
	return s, append(actions, Resume{Turn: s.Turn, From: from})
}

// heardOut reports whether the device has played all of the reply. What it lacks,
// however little, it is played: settled is for a device that goes on playing.
func (s State) heardOut() bool { return s.Delivered && s.Played >= s.Total }

// returning is what a device is told of the dialogue that comes back having
// played so far.
func (s State) returning(played dialog.Position) dialog.Resumed {
	if played.Turn == s.Turn {
		s.Played = max(s.Played, played.Offset)
	}
	answering := s.Phase == PhaseThinking || s.Phase == PhaseSpeaking && !s.heardOut()
	return dialog.Resumed{Turn: s.Turn, Answering: answering}
}
