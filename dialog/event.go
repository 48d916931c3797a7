package dialog

import (
	"encoding/json"
	"time"
)

// Uplink is an event from the device (or from the leg that serves it) to the
// session. The set is closed.
type Uplink interface{ uplink() }

// Abort asks to stop the reply of a turn. Turn 0 means whatever is going on.
type Abort struct {
	Turn Turn
	// Reason is free text of the device for the log.
	Reason string
}

// Wake reports that the device's wake word was spoken. Whatever reply is going on
// is stopped by it; the listening period that belongs to it follows, or has begun
// already.
type Wake struct {
	// Phrase is the wake word, empty if the device does not tell. It is no part
	// of the question that follows.
	Phrase string
}

// Sent reports that reply audio was written to the socket up to Offset. It is
// sent for the first packet of a turn, then at least once for every 200 ms of
// media, and for the last packet.
type Sent struct {
	Position
	// At is when the packet that reaches Offset was written.
	At time.Time
}

// Played reports that the device has played the reply up to Offset, by its own
// sample counter.
type Played struct{ Position }

// Delivered reports that all audio of a reply was written to the socket; nothing
// but the message that ends it is written after that.
type Delivered struct{ Position }

// ToolResult answers a ToolCall that was sent to the device.
type ToolResult struct {
	Call    string
	Content string
	// Error is the device's explanation when the tool failed, else empty.
	Error string
}

// Gap reports uplink audio that never arrived or was dropped. The audio itself
// continues after a gap of the same duration; this event is for the log.
type Gap struct {
	Duration time.Duration
	// Reason is the typed drop reason of whoever lost the audio.
	Reason string
}

// Fault reports bad input of the device that the session survived.
type Fault struct {
	Code    ErrorCode
	Message string
}

func (Abort) uplink()      {}
func (Wake) uplink()       {}
func (Sent) uplink()       {}
func (Played) uplink()     {}
func (Delivered) uplink()  {}
func (ToolResult) uplink() {}
func (Gap) uplink()        {}
func (Fault) uplink()      {}

// Downlink is an event from the session to the device that belongs to no place
// in the reply audio. The set is closed. (Reply begin, text, audio and end are
// chunks on the reply route; a flush is a call of its own.)
type Downlink interface{ downlink() }

// SpeechStarted tells the device that the user began to speak.
type SpeechStarted struct {
	// At is the media time of the onset on the scale of the uplink stream's
	// timestamps. The edge tells the device the time within its period.
	At time.Duration
}

// SpeechStopped tells the device that the utterance has ended and that the
// server no longer listens. In ModeAuto the device may close its microphone.
type SpeechStopped struct {
	// At is the media time of the last speech, as in SpeechStarted.
	At time.Duration
}

// Transcript is what was understood of the utterance that became (or will
// become) Turn. A later one replaces an earlier one; the final one stands.
type Transcript struct {
	Turn  Turn
	Text  string
	Final bool
}

// ToolCall asks the device to run one of its own tools. The answer is a
// ToolResult of the same Call.
type ToolCall struct {
	Call      string
	Name      string
	Arguments json.RawMessage
}

// Timing reports when the stages of a turn were reached, as time since the
// last sample of the user's speech arrived. A negative value means "not
// reached". For a reply without a question (a due timer) only the stages after
// the trigger are set, counted from the trigger.
type Timing struct {
	Turn        Turn
	Endpoint    time.Duration
	ASRFinal    time.Duration
	FirstToken  time.Duration
	FirstAudio  time.Duration
	FirstPacket time.Duration
}

// Failure tells the device that something went wrong.
type Failure struct {
	Code    ErrorCode
	Message string
}

func (SpeechStarted) downlink() {}
func (SpeechStopped) downlink() {}
func (Transcript) downlink()    {}
func (ToolCall) downlink()      {}
func (Timing) downlink()        {}
func (Failure) downlink()       {}

// ErrorCode is the code of an error that a device is told. Codes are stable
// wire strings; their meaning is documented in firmware-protocol/SPEC.md.
type ErrorCode string

const (
	// ErrorMalformed: a message that could not be parsed.
	ErrorMalformed ErrorCode = "malformed"
	// ErrorProtocol: a well-formed message at the wrong time or of the wrong kind.
	ErrorProtocol ErrorCode = "protocol"
	// ErrorVersion: a protocol version or subprotocol that is not spoken here.
	ErrorVersion ErrorCode = "version"
	// ErrorTooLarge: a message above its length limit.
	ErrorTooLarge ErrorCode = "too_large"
	// ErrorTooFast: messages or audio come faster than their limit.
	ErrorTooFast ErrorCode = "too_fast"
	// ErrorAudio: audio that does not decode or is not what was announced.
	ErrorAudio ErrorCode = "bad_audio"
	// ErrorUnauthorized: the credentials were missing, wrong or expired.
	ErrorUnauthorized ErrorCode = "unauthorized"
	// ErrorTimeout: the device was silent beyond a deadline.
	ErrorTimeout ErrorCode = "timeout"
	// ErrorBusy: the server takes no more sessions at the moment.
	ErrorBusy ErrorCode = "busy"
	// ErrorReplaced: a newer connection of the same device took over.
	ErrorReplaced ErrorCode = "replaced"
	// ErrorShutdown: the server is going away.
	ErrorShutdown ErrorCode = "shutdown"
	// ErrorASR, ErrorGenerate and ErrorTTS: that stage of the turn failed.
	ErrorASR      ErrorCode = "asr_failed"
	ErrorGenerate ErrorCode = "generate_failed"
	ErrorTTS      ErrorCode = "tts_failed"
	// ErrorInternal: a fault of the server itself.
	ErrorInternal ErrorCode = "internal"
)
