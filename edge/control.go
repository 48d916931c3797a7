package edge

import (
	"time"

	"edged/dialog"
)

// Control is a control message to the device, as the leg hands it to its
// transport. The set is closed: Event, ReplyBegin, ReplyText, ReplyEnd, Hold,
// Release, Flush, Ping and Pong.
type Control interface{ control() }

// Event carries an event of the session.
type Event struct{ dialog.Downlink }

// ReplyBegin opens the reply of a turn: the audio up to its ReplyEnd belongs to
// it.
type ReplyBegin struct {
	Turn dialog.Turn
	// Resumed: it goes on from the timestamp of its first packet.
	Resumed bool
}

// ReplyText is a piece of what the reply says. Offset is where it begins in the
// audio that is sent to the device, silence inserted for a stalled synthesiser
// included.
type ReplyText struct {
	dialog.Position
	Text string
}

// ReplyEnd closes the reply; Offset is the duration of its audio, silence
// inserted for a stalled synthesiser included.
type ReplyEnd struct{ dialog.Position }

// Hold pauses the reply of a turn at a position: Samples on the device's side.
type Hold struct {
	Turn    dialog.Turn
	Samples uint32
}

// Release lets the held reply of a turn go on.
type Release struct{ Turn dialog.Turn }

// Flush makes void whatever the device still holds of this turn and older ones.
type Flush struct {
	Turn  dialog.Turn
	Cause dialog.Cause
}

// Ping asks the device for a sign of life.
type Ping struct{ ID uint32 }

// Pong answers a ping of the device.
type Pong struct{ ID uint32 }

func (Event) control()      {}
func (ReplyBegin) control() {}
func (ReplyText) control()  {}
func (ReplyEnd) control()   {}
func (Hold) control()       {}
func (Release) control()    {}
func (Flush) control()      {}
func (Ping) control()       {}
func (Pong) control()       {}

// Farewell is the last thing that a device is told.
type Farewell struct {
	// Code says what went wrong; empty for an ordinary end.
	Code dialog.ErrorCode
	// Message is for people.
	Message string
	// RetryAfter is when connecting again makes sense. 0 means: no hint.
	RetryAfter time.Duration
}
