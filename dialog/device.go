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
}
