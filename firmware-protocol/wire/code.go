package wire

// ErrorCode is the stable code of an error message. A receiver treats a code
// that it does not know as CodeInternal.
type ErrorCode string

const (
	// CodeMalformed: a message or frame that could not be parsed.
	CodeMalformed ErrorCode = "malformed"
	// CodeProtocol: a well-formed message at the wrong time or of the wrong
	// kind, or an offer that the server does not serve.
	CodeProtocol ErrorCode = "protocol"
	// CodeVersion: a subprotocol, protocol or frame version not spoken here.
	CodeVersion ErrorCode = "version"
	// CodeTooLarge: a message above its length limit.
	CodeTooLarge ErrorCode = "too_large"
	// CodeTooFast: messages or audio come faster than their limit.
	CodeTooFast ErrorCode = "too_fast"
	// CodeAudio: audio that does not decode or is not what was announced.
	CodeAudio ErrorCode = "bad_audio"
	// CodeUnauthorized: credentials missing, wrong or expired.
	CodeUnauthorized ErrorCode = "unauthorized"
	// CodeTimeout: the device was silent beyond a deadline.
	CodeTimeout ErrorCode = "timeout"
	// CodeBusy: the server takes no more sessions at the moment.
	CodeBusy ErrorCode = "busy"
	// CodeReplaced: a newer connection of the same device took over.
	CodeReplaced ErrorCode = "replaced"
	// CodeShutdown: the server is going away.
	CodeShutdown ErrorCode = "shutdown"
	// CodeASR, CodeGenerate and CodeTTS: that stage of the turn failed. Never
	// fatal.
	CodeASR      ErrorCode = "asr_failed"
	CodeGenerate ErrorCode = "generate_failed"
	CodeTTS      ErrorCode = "tts_failed"
	// CodeInternal: a fault of the server itself.
	CodeInternal ErrorCode = "internal"
)

// WebSocket close codes of the private range (RFC 6455 section 7.4.2) with
// which a server closes after a fatal error.
const (
	CloseInternal     = 4000
	CloseProtocol     = 4001
	CloseVersion      = 4002
	CloseMalformed    = 4003
	CloseTooLarge     = 4004
	CloseAudio        = 4005
	CloseTooFast      = 4006
	CloseUnauthorized = 4010
	CloseTimeout      = 4011
	CloseBusy         = 4012
	CloseReplaced     = 4013
	CloseShutdown     = 4014
)

// CloseCode returns the WebSocket close code for a fatal error of this code. A
// code that is never fatal or not known closes as an internal error.
func (c ErrorCode) CloseCode() int {
	switch c {
	case CodeProtocol:
		return CloseProtocol
	case CodeVersion:
		return CloseVersion
	case CodeMalformed:
		return CloseMalformed
	case CodeTooLarge:
		return CloseTooLarge
	case CodeAudio:
		return CloseAudio
	case CodeTooFast:
		return CloseTooFast
	case CodeUnauthorized:
		return CloseUnauthorized
	case CodeTimeout:
		return CloseTimeout
	case CodeBusy:
		return CloseBusy
	case CodeReplaced:
		return CloseReplaced
	case CodeShutdown:
		return CloseShutdown
	default:
		return CloseInternal
	}
}

// Cause says in a flush why the turn was stopped. A receiver does not act on
// it, and accepts causes that it does not know.
type Cause string

const (
	// CauseAbort answers the device's abort.
	CauseAbort Cause = "abort"
	// CauseListen: a listen start came while the turn was going on.
	CauseListen Cause = "listen"
	// CauseSpeech: the user talked over the reply.
	CauseSpeech Cause = "speech"
	// CauseWake: the wake word.
	CauseWake Cause = "wake"
	// CauseError: a stage of the turn failed; an error message says which.
	CauseError Cause = "error"
	// CauseShutdown: the server is going away.
	CauseShutdown Cause = "shutdown"
)
