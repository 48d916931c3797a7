package dialog

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Turn numbers one user utterance together with its reply within a session.
// Numbers start at 1 and only grow, also across a resumed connection; 0 means
// "no turn". Only the session issues them. A greater turn is a newer one, which
// is what makes the number serve as the epoch of the reply path.
type Turn uint32

// Route returns the StreamID of the reply route of this turn.
func (t Turn) Route() string { return "reply/" + strconv.FormatUint(uint64(t), 10) }

// TurnOfRoute returns the turn whose reply travels on the StreamID route, and
// whether route is a reply route at all.
func TurnOfRoute(route string) (Turn, bool) {
	digits, ok := strings.CutPrefix(route, "reply/")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil {
		return 0, false
	}
	return Turn(n), true
}

// Position is a place in the reply audio of one turn: Offset of media time
// after the first sample of the reply. It is independent of the sample rate on
// either side of the edge.
type Position struct {
	Turn   Turn
	Offset time.Duration
}

// String formats the position as "turn@offset".
func (p Position) String() string { return fmt.Sprintf("%d@%s", p.Turn, p.Offset) }

// Progress tells how far the reply of one turn got.
type Progress struct {
	Turn Turn
	// Sent is the media time written to the device's socket.
	Sent time.Duration
	// Played is the media time that left the device's speaker, never more
	// than Sent.
	Played time.Duration
	// Acknowledged is true when Played was counted by the device itself, false
	// when it is an estimate from the pace of sending.
	Acknowledged bool
}

// Mode says who ends an utterance.
type Mode string

const (
	// ModeAuto lets the server end the utterance by endpointing; the device's
	// microphone is closed while the reply plays.
	ModeAuto Mode = "auto"
	// ModeManual lets the user end the utterance (push to talk): the device
	// sends listen stop.
	ModeManual Mode = "manual"
	// ModeRealtime lets the server end the utterances and keeps the microphone
	// open throughout, also while a reply plays: many turns come from one
	// listen start, and the user can talk over a reply.
	ModeRealtime Mode = "realtime"
)

// Label returns the stream label that a microphone route of this mode carries
// on its beginning: "listen.auto", "listen.manual" or "listen.realtime".
func (m Mode) Label() string { return "listen." + string(m) }

// ModeOfLabel is the inverse of Label; ok is false for any other label.
func ModeOfLabel(label string) (m Mode, ok bool) {
	switch label {
	case ModeAuto.Label():
		return ModeAuto, true
	case ModeManual.Label():
		return ModeManual, true
	case ModeRealtime.Label():
		return ModeRealtime, true
	}
	return "", false
}

// Cause says why a turn was interrupted. Every interruption has exactly one.
type Cause string

const (
	// CauseAbort is the device's abort: a button, or its own decision.
	CauseAbort Cause = "abort"
	// CauseListen is a new listen start while the turn was still going on.
	CauseListen Cause = "listen"
	// CauseSpeech is barge-in: the user talked over the reply.
	CauseSpeech Cause = "speech"
	// CauseWake is the wake word while the turn was still going on.
	CauseWake Cause = "wake"
	// CauseDisconnect is the loss or the end of the device's connection.
	CauseDisconnect Cause = "disconnect"
	// CauseError is a failure of a stage of the turn itself.
	CauseError Cause = "error"
	// CauseShutdown is the server going away.
	CauseShutdown Cause = "shutdown"
)

// ErrShutdown is matched by the cause of a context that is done because the
// server is going away, as opposed to a connection that was lost.
var ErrShutdown = errors.New("the server is shutting down")

// ErrRevoked is matched by the reason why a connection ended whose device is no
// longer let in: it will not come back.
var ErrRevoked = errors.New("the credentials of the device are no longer accepted")
