package dialog

import (
	"encoding/json"
	"time"
)

// Capabilities is what the session may rely on in a device. The session sees
// these facts and never the dialect or transport that they came from.
type Capabilities struct {
	// FullDuplex: the microphone stays open while a reply plays.
	FullDuplex bool
	// AEC: the device removes its own sound from its microphone signal.
	AEC bool
	// Flush: the device discards queued reply audio when told to.
	Flush bool
	// Ack: the device reports how much of a reply it has played.
	Ack bool
	// Hold: the device can pause a reply at a given position, keeping what it
	// has of it, and go on from there.
	Hold bool
	// QueueCap is how much reply audio the device can hold. 0 means unknown.
	QueueCap time.Duration
	// Lead is how far ahead of real time reply audio is sent to the device,
	// at most QueueCap.
	Lead time.Duration
}

// Tool is a function that the device offers to the model, as announced in its
// hello: the volume of its speaker, a lamp, a motor.
type Tool struct {
	Name        string
	Description string
	// Parameters is the JSON Schema of the arguments object. Empty means that
	// the tool takes none.
	Parameters json.RawMessage
}

// Hello is who connected and what it can do, after authentication.
type Hello struct {
	// Session is the identifier of the dialogue, unique per server process and
	// hard to guess.
	Session string
	// Device is the authenticated identity of the device.
	Device string
	// Profile names the settings that the device runs under. Empty means the
	// server's default.
	Profile string
	// Model and Version describe hardware and firmware, as told by the device.
	Model, Version string
	// Remote is the peer's network address.
	Remote       string
	Capabilities Capabilities
	Tools        []Tool
	// Resume is the session that the device wants to go on with after it lost
	// its connection. Nil means that it begins anew. On a Hello that the edge
	// hands to a dialogue it is set only if that session is resumed; Session is
	// then its identifier.
	Resume *Resume
}

// Resume is what a device that comes back tells of the session it was in.
type Resume struct {
	// Session is the identifier that the session had.
	Session string
	// Turn is the last reply that began on the device, also if it has played all
	// of it; 0 for none.
	Turn Turn
	// Samples is how much of that reply has left its speaker, by its own
	// counter at the sample rate of the connection that broke. What it held
	// beyond that it has dropped.
	Samples uint32
}

// Resumed is what a device that comes back is told of its session.
type Resumed struct {
	// Turn is the newest turn of the session, 0 for none.
	Turn Turn
	// Answering tells that this turn is being answered: the device waits for
	// the reply, or for the rest of it. Else nothing is going on, and a
	// question that was being asked when the connection broke is to be asked
	// again.
	Answering bool
}
