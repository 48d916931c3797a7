package session

import (
	"slices"
	"time"

	"edged/dialog"
)

// The steps of the turn machine, in the order of a turn. Those of a barge-in are
// in bargein.go, those of a lost connection in absence.go.

func begun(s State, e Begun) (State, []Action) {
	s.Policy, s.CanHold = e.Policy, e.CanHold
	return s, nil
}

func listen(s State, e ListenStarted) (State, []Action) {
	s.Phase, s.Mode, s.Route = PhaseListening, e.Mode, e.Route
	return s, nil
}

// relisten drops an utterance that the user starts anew.
func relisten(s State, e ListenStarted) (State, []Action) {
	discard := Discard{s.Utterance}
	s.Utterance = ""
	s, _ = listen(s, e)
	return s, []Action{discard}
}

// talkOver is a listen start while a turn is going on. In ModeRealtime it only
// opens the microphone. A device in ModeAuto says it when its speaker has gone
// quiet, so a reply that was delivered whole has been heard; anything else is an
// interruption.
func talkOver(s State, e ListenStarted) (State, []Action) {
	if e.Mode == dialog.ModeRealtime {
		s.Mode, s.Route = e.Mode, e.Route
		return s, nil
	}
	if s.Phase == PhaseSpeaking && s.Delivered && e.Mode == dialog.ModeAuto {
		s, actions := conclude(s)
		s, _ = listen(s, e)
		s, more := proceed(s)
		return s, append(actions, more...)
	}
	s, actions := interrupt(s, dialog.CauseListen)
	s, _ = listen(s, e)
	return s, actions
}

func speechStarted(s State, e SpeechStarted) (State, []Action) {
	return promote(s, suspicion{Utterance: e.Utterance, At: e.At})
}

func speechElsewhere(s State, e SpeechStarted) (State, []Action) {
	return s, []Action{Discard{e.Utterance}}
}

func speechStopped(s State, e SpeechStopped) (State, []Action) {
	s = s.closeMicrophone()
	s.Phase = PhaseThinking
	s, deadline := s.await(StageASR)
	return s, []Action{Tell{dialog.SpeechStopped{At: e.At}}, deadline}
}

// silentStop is a button that was pressed and released without a word.
func silentStop(s State, e ListenStopped) (State, []Action) {
	if e.Route != s.Route {
		return s, nil
	}
	s.Route, s.Phase = "", PhaseIdle
	if s.Mode == dialog.ModeManual {
		s = s.wait(PhraseNothingHeard, "")
	}
	return proceed(s)
}

func microphoneClosed(s State, e ListenStopped) (State, []Action) {
	if e.Route == s.Route {
		s.Route = ""
	}
	return s, nil
}

func partial(s State, e Partial) (State, []Action) {
	if e.Utterance == s.Suspect.Utterance {
		return suspectPartial(s, e)
	}
	return s, []Action{Tell{dialog.Transcript{Turn: s.Turn, Text: e.Text}}}
}

func final(s State, e Final) (State, []Action) {
	if e.Utterance == s.Suspect.Utterance {
		return suspectFinal(s, e)
	}
	s.Utterance = ""
	s, actions := understood(s, e.Text)
	s, more := judge(s) // the next one may have begun already
	return s, append(actions, more...)
}

// understood answers a transcript. After an interruption it waits for the
// account of the interrupted turn, so that the model knows what was heard.
func understood(s State, text string) (State, []Action) {
	text, woken := afterWakeWord(text, s.Wake)
	s.Wake = ""
	s = s.closeMicrophone()
	s.Phase = PhaseThinking
	actions := []Action{Tell{dialog.Transcript{Turn: s.Turn, Text: text, Final: true}}}
	switch {
	case text == "":
		phrase := PhraseNotUnderstood
		if woken {
			phrase = PhraseAttending
		}
		s.Own = true
		s, deadline := s.await(StageTTS)
		return s, append(actions, deadline, Say{Turn: s.Turn, Phrase: phrase})
	case s.Flushing != 0:
		s.Question = text
		return s, actions
	}
	s, reply := answer(s, text)
	return s, append(actions, reply...)
}

// answer begins the reply.
func answer(s State, text string) (State, []Action) {
	s, deadline := s.await(StageGenerate)
	return s, []Action{deadline, Reply{Turn: s.Turn, Text: text}}
}

func recognizeFailed(s State, e RecognizeFailed) (State, []Action) {
	if e.Utterance == s.Suspect.Utterance {
		return reject(s)
	}
	s.Utterance = ""
	s = s.closeMicrophone()
	return apologise(s, Tell{dialog.Failure{Code: dialog.ErrorASR, Message: e.Reason}})
}

// generated is the end of the answer's words: if not one sentence of them has
// reached the synthesiser's way out, it is the synthesiser that is waited for.
func generated(s State, _ Generated) (State, []Action) {
	if s.Stage != StageGenerate {
		return s, nil
	}
	s, deadline := s.await(StageTTS)
	return s, []Action{deadline}
}

func firstSentence(s State, _ FirstSentence) (State, []Action) {
	s, deadline := s.await(StageTTS)
	return s, []Action{deadline}
}

func firstAudio(s State, _ FirstAudio) (State, []Action) {
	s = s.closeMicrophone()
	s.Phase = PhaseSpeaking
	s, deadline := s.await(StageReply)
	s, more := hold(s)
	return s, append([]Action{deadline}, more...)
}

// replyFailed is a failure before the reply had any sound.
func replyFailed(s State, e ReplyFailed) (State, []Action) {
	return apologise(s, Tell{dialog.Failure{Code: e.Code, Message: e.Reason}})
}

// failedMidway is a failure while the reply plays: what there is of it is
// played to the end, then the user is told.
func failedMidway(s State, e ReplyFailed) (State, []Action) {
	s.Failed = !s.Own
	return s, []Action{Tell{dialog.Failure{Code: e.Code, Message: e.Reason}}}
}

func sent(s State, e Sent) (State, []Action) {
	s.Sent = max(s.Sent, e.Offset)
	if s.Phase != PhaseSpeaking || s.Delivered || s.Detached {
		return judge(s)
	}
	s, deadline := s.await(StageReply)
	s, actions := judge(s) // a protected opening may be over
	return s, append([]Action{deadline}, actions...)
}

func played(s State, e Played) (State, []Action) {
	s.Played = max(s.Played, e.Offset)
	if s.settled() && !s.Detached {
		return finish(s)
	}
	return judge(s)
}

func delivered(s State, e Delivered) (State, []Action) {
	s.Delivered, s.Total = true, e.Offset
	switch {
	case s.settled():
		return finish(s)
	case s.Phase == PhaseHeld || s.Detached:
		return s, []Action{StopTimer{TimerDeadline}}
	}
	return s, []Action{StopTimer{TimerDeadline}, StartTimer{Timer: TimerPlayout, Turn: s.Turn, After: e.Remaining}}
}

func aborted(s State, e Aborted) (State, []Action) {
	if e.Turn != 0 && e.Turn < s.Turn {
		return s, []Action{Flush{Turn: e.Turn, Cause: dialog.CauseAbort}}
	}
	switch s.Phase {
	case PhaseThinking, PhaseSpeaking, PhaseHeld:
		return interrupt(s, dialog.CauseAbort)
	case PhaseUserSpeaking:
		discard := Discard{s.Utterance}
		s.Utterance, s.Phase = "", PhaseListening
		return s, []Action{discard, Flush{Turn: s.Turn, Cause: dialog.CauseAbort}}
	default:
		return s, []Action{Flush{Turn: s.Turn, Cause: dialog.CauseAbort}}
	}
}

// woken is the wake word. Where a turn is going on it stops it, as a button
// does; where the user speaks already it is a part of what is said.
func woken(s State, e Woken) (State, []Action) {
	s.Wake = e.Phrase
	switch s.Phase {
	case PhaseThinking, PhaseSpeaking, PhaseHeld:
		return interrupt(s, dialog.CauseWake)
	}
	return s, nil
}

// flushed ends an interruption: the account is settled before anything new is
// said, so the next model call sees exactly what was heard.
func flushed(s State, e Flushed) (State, []Action) {
	if s.Flushing == 0 || e.Turn != s.Flushing {
		return s, nil
	}
	actions := []Action{Settle{Turn: e.Turn, Interrupted: true, Cause: s.Cause, Progress: e.Progress}}
	s.Flushing, s.Cause = 0, ""
	switch {
	case s.Question != "":
		text := s.Question
		s.Question = ""
		s, more := answer(s, text)
		return s, append(actions, more...)
	case s.Phase != s.rest():
		return s, actions // the user has the floor already
	}
	s, more := proceed(s)
	return s, append(actions, more...)
}

func noticeDue(s State, e NoticeDue) (State, []Action) {
	return proceed(s.wait(PhraseNotice, e.Text))
}

func timerFired(s State, e TimerFired) (State, []Action) {
	switch {
	case e.Timer == TimerResume && s.Detached:
		return ended(s, Ended{dialog.CauseDisconnect})
	case e.Timer == TimerHold && s.Phase == PhaseHeld:
		return reject(s)
	case e.Timer == TimerPlayout && s.Delivered && !s.Detached && s.Phase != PhaseHeld:
		return finish(s)
	case e.Timer == TimerDeadline && s.Phase == PhaseThinking,
		e.Timer == TimerDeadline && s.Phase == PhaseSpeaking && !s.Delivered && !s.Detached:
		return late(s)
	}
	return s, nil
}

// late gives up on a turn whose stage has taken too long.
func late(s State) (State, []Action) {
	var discard []Action
	if s.Utterance != "" {
		discard = []Action{Discard{s.Utterance}}
		s.Utterance = ""
	}
	s, actions := apologise(s, Tell{dialog.Failure{Code: s.Stage.code(), Message: s.Stage.missed()}})
	return s, append(discard, actions...)
}

// code is the error of a stage that failed.
func (st Stage) code() dialog.ErrorCode {
	switch st {
	case StageASR:
		return dialog.ErrorASR
	case StageTTS:
		return dialog.ErrorTTS
	default:
		return dialog.ErrorGenerate
	}
}

// missed says what did not come in time.
func (st Stage) missed() string {
	switch st {
	case StageASR:
		return "no transcript by the deadline"
	case StageTTS:
		return "no sound by the deadline"
	case StageReply:
		return "the reply broke off and did not go on by the deadline"
	default:
		return "no reply by the deadline"
	}
}

func ended(s State, e Ended) (State, []Action) {
	var actions []Action
	switch s.Phase {
	case PhaseUserSpeaking:
		actions = []Action{Discard{s.Utterance}}
		s.Utterance = ""
	case PhaseThinking, PhaseSpeaking, PhaseHeld:
		s, actions = interrupt(s, e.Cause)
	}
	s.Phase, s.Route, s.Waiting, s.Question, s.Ended = PhaseIdle, "", nil, "", true
	return s, append(actions, End(e))
}

// --- what several steps share ---

// await begins to wait for a stage.
func (s State) await(stage Stage) (State, Action) {
	s.Stage = stage
	return s, StartTimer{Timer: TimerDeadline, Turn: s.Turn, Stage: stage}
}

// interrupt is the one way in which a turn is cut off, whatever the cause:
// flush to the device, cancel the work, and (in flushed) settle the account.
func interrupt(s State, cause dialog.Cause) (State, []Action) {
	s, actions := s.forget()
	if s.Utterance != "" {
		actions = append(actions, Discard{s.Utterance})
		s.Utterance = ""
	}
	s.Phase, s.Flushing, s.Cause, s.Question = s.rest(), s.Turn, cause, ""
	return s, append(actions,
		Flush{Turn: s.Turn, Cause: cause},
		Cancel{Turn: s.Turn, Cause: cause},
		StopTimer{TimerDeadline},
		StopTimer{TimerPlayout},
		StopTimer{TimerHold},
	)
}

// apologise gives up on the present turn and says so on one of its own, unless
// the turn already was the session's own words.
func apologise(s State, tell Tell) (State, []Action) {
	if !s.Own {
		s = s.wait(PhraseFailed, "")
	}
	s, actions := interrupt(s, dialog.CauseError)
	return s, append([]Action{tell}, actions...)
}

// finish closes a turn that was played to its end and goes on.
func finish(s State) (State, []Action) {
	speech := s.Suspect
	s.Suspect = suspicion{}
	s, actions := conclude(s)
	if speech.Utterance != "" { // what would have been an interruption is the next question
		s, more := promote(s, speech)
		return s, append(actions, more...)
	}
	s, more := proceed(s)
	return s, append(actions, more...)
}

// conclude closes the account of a turn that was played to its end.
func conclude(s State) (State, []Action) {
	s, actions := s.forget()
	if s.Failed {
		s = s.wait(PhraseFailed, "")
	}
	s.Phase = s.rest()
	return s, append(actions, StopTimer{TimerDeadline}, StopTimer{TimerPlayout}, StopTimer{TimerHold}, Settle{Turn: s.Turn})
}

// proceed says what waits to be said if this is the moment for it: nobody
// speaks, no button is held down, and there is somebody to hear it.
func proceed(s State) (State, []Action) {
	quiet := s.Phase == PhaseIdle || s.Phase == PhaseListening && s.Mode != dialog.ModeManual
	if !quiet || s.Flushing != 0 || s.Detached || len(s.Waiting) == 0 {
		return s, nil
	}
	next := s.Waiting[0]
	s.Waiting = slices.Clone(s.Waiting[1:])
	s = s.issue().closeMicrophone()
	s.Phase, s.Own = PhaseThinking, true
	s, deadline := s.await(StageTTS)
	return s, []Action{Say{Turn: s.Turn, Phrase: next.Phrase, Text: next.Text}, deadline}
}

// playoutMargin is how long after the estimated end of playout the session
// waits for the acknowledgement of a device that sends them.
const playoutMargin = 2 * time.Second
