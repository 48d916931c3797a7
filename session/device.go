package session

import (
	"context"
	"time"

	"edged/dialog"
	"edged/realtime"
)

// Device is the session's view of the connected device, whatever its transport
// and dialect. The edge provides it.
type Device interface {
	Microphone
	Speaker
	// Hello returns who the device is and what it can do.
	Hello() dialog.Hello
	// Err tells, once Events is closed, why the connection ended: nil if the
	// device said goodbye, dialog.ErrShutdown if the server goes away,
	// dialog.ErrRevoked if the device is no longer let in, else how it was lost.
	Err() error
	// Locate converts the device's count of played samples of a reply to the
	// position in that reply, also after the connection has ended.
	Locate(turn dialog.Turn, samples uint32) time.Duration
	// Send hands an event to the device. It does not block. An error means that
	// the connection is gone.
	Send(dialog.Downlink) error
}

// Microphone is what comes from the device.
type Microphone interface {
	// Uplink returns the microphone routes as one stream: a control-only
	// beginning with the label of a dialog.Mode, 16 kHz mono s16le audio and
	// gaps, a control-only end. It ends with the connection.
	Uplink() realtime.Stream
	// Events returns what the device and its connection report. The channel is
	// closed when the connection is gone.
	Events() <-chan dialog.Uplink
}

// Speaker is where replies are played.
type Speaker interface {
	// Play hands over the next chunk of the turn's reply: a control-only
	// beginning (whose Timestamp, if it has one, is 1 ms more than where in the
	// reply it begins), text at its place in the audio, audio, a control-only end. It
	// blocks while enough audio is queued.
	Play(context.Context, dialog.Turn, *realtime.MessageChunk) error
	// Hold makes a device that can pause the reply at the position, or at once if
	// that has passed; Release lets it go on. Neither blocks.
	Hold(turn dialog.Turn, at time.Duration) error
	Release(turn dialog.Turn) error
	// Flush makes the device drop the reply and returns, once that was written,
	// how far it got. From its call on nothing of the turn or of an older one
	// is sent.
	Flush(context.Context, dialog.Turn, dialog.Cause) (dialog.Progress, error)
}

// Counting is what a Device may be able to do besides: count by reason what it
// did not use of what the device sent, for the log.
type Counting interface {
	Drops() map[string]uint64
}
