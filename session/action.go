package session

import (
	"time"

	"edged/dialog"
)

// Action is an output of the turn machine: something the session has to do. The
// machine decides, the session obeys; no decision is taken anywhere else.
type Action interface{ action() }

// Discard stops recognising the utterance; nothing of it will be used.
type Discard struct{ Utterance string }

// Tell sends an event to the device.
type Tell struct{ Event dialog.Downlink }

// Reply answers the user: generator, tools and synthesiser are started for the
// turn with what was understood.
type Reply struct {
	Turn dialog.Turn
	Text string
}

// Say speaks a sentence of the session's own on the turn.
type Say struct {
	Turn   dialog.Turn
	Phrase Phrase
	// Text is what to say for PhraseNotice, else empty.
	Text string
}

// Flush tells the device to drop what it has of the turn and makes sure that
// nothing more of it is sent. It is the first step of every interruption; the
// Flushed that it causes is the next event.
type Flush struct {
	Turn  dialog.Turn
	Cause dialog.Cause
}

// Hold pauses the reply at the next word boundary that was not heard yet.
type Hold struct{ Turn dialog.Turn }

// Release lets a held reply go on where it was paused.
type Release struct{ Turn dialog.Turn }

// Resume plays the reply on the device that came back, from From on.
type Resume struct {
	Turn dialog.Turn
	From time.Duration
}

// Cancel stops everything that still works for the turn, with its cause.
type Cancel struct {
	Turn  dialog.Turn
	Cause dialog.Cause
}

// Settle closes the turn's account: the ledger decides what was heard and the
// history receives exactly that.
type Settle struct {
	Turn dialog.Turn
	// Interrupted is false for a reply that was played to its end.
	Interrupted bool
	Cause       dialog.Cause
	// Progress is what is known of the playback of an interrupted turn.
	Progress dialog.Progress
}

// StartTimer arms a timer, replacing an armed one of the same name.
type StartTimer struct {
	Timer Timer
	Turn  dialog.Turn
	// After is set for TimerPlayout and TimerHold; the other lengths are the
	// profile's.
	After time.Duration
	// Stage is set for TimerDeadline.
	Stage Stage
}

// StopTimer disarms a timer.
type StopTimer struct{ Timer Timer }

// End ends the session.
type End struct{ Cause dialog.Cause }

func (Discard) action()    {}
func (Tell) action()       {}
func (Reply) action()      {}
func (Say) action()        {}
func (Flush) action()      {}
func (Hold) action()       {}
func (Release) action()    {}
func (Resume) action()     {}
func (Cancel) action()     {}
func (Settle) action()     {}
func (StartTimer) action() {}
func (StopTimer) action()  {}
func (End) action()        {}

// Timer names a timer of the turn machine.
type Timer string

const (
	// TimerDeadline bounds how long the stage that the turn is in may take.
	TimerDeadline Timer = "deadline"
	// TimerPlayout runs until the device must have played what it was sent.
	TimerPlayout Timer = "playout"
	// TimerHold bounds how long a reply is held.
	TimerHold Timer = "hold"
	// TimerResume runs while a lost device is waited for.
	TimerResume Timer = "resume"
)

// Stage names what a turn waits for, for its deadline and the log.
type Stage string

const (
	// StageASR: the transcript, from the end of speech on.
	StageASR Stage = "asr"
	// StageGenerate: the first sentence, from the transcript on.
	StageGenerate Stage = "generate"
	// StageTTS: the first sound, from the first sentence on.
	StageTTS Stage = "tts"
	// StageReply: more of the reply, from the last audio that was sent on.
	StageReply Stage = "reply"
)

// Phrase names a sentence that the session says by itself. The words are the
// profile's.
type Phrase string

const (
	// PhraseNotUnderstood: there was speech, but no words in it.
	PhraseNotUnderstood Phrase = "not_understood"
	// PhraseNothingHeard: the user pressed and released the button in silence.
	PhraseNothingHeard Phrase = "nothing_heard"
	// PhraseFailed: recogniser or generator failed or took too long.
	PhraseFailed Phrase = "failed"
	// PhraseAttending: the wake word, and nothing after it.
	PhraseAttending Phrase = "attending"
	// PhraseNotice: the words come with the event.
	PhraseNotice Phrase = "notice"
)
