package session

import (
	"time"

	"edged/dialog"
)

// Event is an input of the turn machine. All of them, whoever raises them,
// reach Step in one order, and the journal keeps that order. An event carries
// facts, never wall-clock time: the journal stamps it.
type Event interface{ event() }

// utteranceEvent is an event that means nothing once its utterance is over.
type utteranceEvent interface{ utterance() string }

// turnEvent is an event that means nothing once its turn is over.
type turnEvent interface{ turn() dialog.Turn }

// Begun: the dialogue begins under a policy, with a device that can hold a
// reply or not. It is the first event of every session.
type Begun struct {
	Policy  BargeIn
	CanHold bool
}

// ListenStarted: the device opened its microphone on a new route.
type ListenStarted struct {
	Route string
	Mode  dialog.Mode
}

// ListenStopped: the device closed the route. In ModeManual that is the end of
// the utterance.
type ListenStopped struct{ Route string }

// SpeechStarted: speech has lasted long enough to count as an utterance.
type SpeechStarted struct {
	Utterance string
	// At is the media time of the onset on the microphone route.
	At time.Duration
}

// SpeechLasted: the utterance holds so much speech by now. It is raised when a
// threshold of the policy is reached.
type SpeechLasted struct {
	Utterance string
	Spoken    time.Duration
}

// SpeechStopped: the user has finished the utterance.
type SpeechStopped struct {
	Utterance string
	// At is the media time of the last speech.
	At time.Duration
	// Lag is how much audio time had passed since then when the end was
	// declared: the price of waiting for silence.
	Lag time.Duration
}

// Partial: a preliminary transcript of the utterance.
type Partial struct{ Utterance, Text string }

// Final: the transcript of the utterance that stands. Empty text means that
// nothing was understood.
type Final struct{ Utterance, Text string }

// RecognizeFailed: the recogniser gave up on the utterance.
type RecognizeFailed struct{ Utterance, Reason string }

// FirstToken: the generator produced the first text of the reply.
type FirstToken struct{ Turn dialog.Turn }

// Generated: the generator has finished; Text is the whole reply.
type Generated struct {
	Turn dialog.Turn
	Text string
}

// FirstSentence: the first sentence of the reply is with the synthesiser.
type FirstSentence struct{ Turn dialog.Turn }

// FirstAudio: the first audio of the reply is ready to be sent.
type FirstAudio struct{ Turn dialog.Turn }

// ReplyFailed: a stage of the reply failed. What was synthesised before is
// still played, and a Delivered follows, if there was any.
type ReplyFailed struct {
	Turn   dialog.Turn
	Code   dialog.ErrorCode
	Reason string
}

// Sent: reply audio up to Offset was written to the device.
type Sent struct{ dialog.Position }

// Played: the device acknowledged having played up to Offset.
type Played struct{ dialog.Position }

// Delivered: the reply was written to the device to its end, at Offset.
type Delivered struct {
	dialog.Position
	// Remaining is how long the device will go on playing, as estimated from
	// when its first packet was sent.
	Remaining time.Duration
}

// Aborted: the device asks to stop. Turn 0 means whatever is going on.
type Aborted struct {
	Turn   dialog.Turn
	Reason string
}

// Woken: the device's wake word was spoken. The phrase, if it is known, is no
// part of what the user says next.
type Woken struct{ Phrase string }

// Detached: the connection to the device is lost. The session waits for it to
// come back.
type Detached struct{}

// Attached: the device is back, and has heard the reply of Turn up to Offset.
type Attached struct {
	dialog.Position
	CanHold bool
}

// Flushed: the flush of a turn was written, or the connection is gone; either
// way nothing more of that turn reaches the device.
type Flushed struct{ dialog.Progress }

// ToolReturned: the device answered a tool call.
type ToolReturned struct{ Call string }

// NoticeDue: the session has something to say by itself, such as a timer that
// ran out.
type NoticeDue struct{ Text string }

// TimerFired: a timer that StartTimer armed for the turn has run out.
type TimerFired struct {
	Timer Timer
	Turn  dialog.Turn
}

// Ended: the dialogue is over, because the device or the server is going away.
type Ended struct{ Cause dialog.Cause }

func (Begun) event()           {}
func (ListenStarted) event()   {}
func (ListenStopped) event()   {}
func (SpeechStarted) event()   {}
func (SpeechLasted) event()    {}
func (SpeechStopped) event()   {}
func (Partial) event()         {}
func (Final) event()           {}
func (RecognizeFailed) event() {}
func (FirstToken) event()      {}
func (Generated) event()       {}
func (FirstSentence) event()   {}
func (FirstAudio) event()      {}
func (ReplyFailed) event()     {}
func (Sent) event()            {}
func (Played) event()          {}
func (Delivered) event()       {}
func (Aborted) event()         {}
func (Woken) event()           {}
func (Detached) event()        {}
func (Attached) event()        {}
func (Flushed) event()         {}
func (ToolReturned) event()    {}
func (NoticeDue) event()       {}
func (TimerFired) event()      {}
func (Ended) event()           {}

func (e SpeechLasted) utterance() string    { return e.Utterance }
func (e SpeechStopped) utterance() string   { return e.Utterance }
func (e Partial) utterance() string         { return e.Utterance }
func (e Final) utterance() string           { return e.Utterance }
func (e RecognizeFailed) utterance() string { return e.Utterance }

func (e FirstToken) turn() dialog.Turn    { return e.Turn }
func (e Generated) turn() dialog.Turn     { return e.Turn }
func (e FirstSentence) turn() dialog.Turn { return e.Turn }
func (e FirstAudio) turn() dialog.Turn    { return e.Turn }
func (e ReplyFailed) turn() dialog.Turn   { return e.Turn }
func (e Sent) turn() dialog.Turn          { return e.Turn }
func (e Played) turn() dialog.Turn        { return e.Turn }
func (e Delivered) turn() dialog.Turn     { return e.Turn }
func (e TimerFired) turn() dialog.Turn    { return e.Turn }
