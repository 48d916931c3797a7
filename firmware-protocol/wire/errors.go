package wire

import (
	"errors"
	"fmt"
)

// Reasons why bytes are not a frame or a message. Every error of this package
// is an [*Error] that matches exactly one of them.
var (
	// ErrTruncated: the input ends before the length that it states.
	ErrTruncated = errors.New("truncated")
	// ErrVersion: the frame's version byte is not Version.
	ErrVersion = errors.New("unsupported version")
	// ErrUnknownType: a well-framed frame of a type that this version does not
	// define. The receiver skips and counts it.
	ErrUnknownType = errors.New("unknown frame type")
	// ErrUnknownMessage: a well-formed message of a kind that this version does
	// not define. The receiver skips and counts it.
	ErrUnknownMessage = errors.New("unknown message type")
	// ErrDirection: a message that only the other side may send.
	ErrDirection = errors.New("message of the wrong direction")
	// ErrTooLarge: a length or count above its limit.
	ErrTooLarge = errors.New("too large")
	// ErrMalformed: anything else that breaks the format: broken JSON, a missing
	// or mistyped member, a value out of range, stray bytes.
	ErrMalformed = errors.New("malformed")
)

// Error says what was wrong with a frame or message, and where.
type Error struct {
	// Err is one of the sentinels of this package.
	Err error
	// Offset is the byte of the input at which the fault was seen. It is -1
	// when no single byte is to blame (a missing member, a range fault found
	// after parsing, a value refused while encoding).
	Offset int
	// Field names the header field or the JSON member, with its path
	// ("audio.up.codec"). Empty when the fault belongs to no field.
	Field string
	// Detail says what was found and what would have been right.
	Detail string
}

// Error formats the fault as "wire: reason: field at byte N: detail".
func (e *Error) Error() string {
	text := "wire: " + e.Err.Error()
	switch {
	case e.Field != "" && e.Offset >= 0:
		text += fmt.Sprintf(": %s at byte %d", e.Field, e.Offset)
	case e.Field != "":
		text += ": " + e.Field
	case e.Offset >= 0:
		text += fmt.Sprintf(": at byte %d", e.Offset)
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

// Unwrap returns the sentinel.
func (e *Error) Unwrap() error { return e.Err }

// fault builds an *Error; the detail is formatted.
func fault(sentinel error, offset int, field, format string, args ...any) *Error {
	return &Error{Err: sentinel, Offset: offset, Field: field, Detail: fmt.Sprintf(format, args...)}
}

// CodeOf returns the code with which a server tells a device about a decoding
// error of this package. ok is false for errors that are only counted
// (ErrUnknownType, ErrUnknownMessage) and for errors that are not this
// package's.
func CodeOf(err error) (code ErrorCode, ok bool) {
	switch {
	case errors.Is(err, ErrTruncated), errors.Is(err, ErrMalformed):
		return CodeMalformed, true
	case errors.Is(err, ErrVersion):
		return CodeVersion, true
	case errors.Is(err, ErrTooLarge):
		return CodeTooLarge, true
	case errors.Is(err, ErrDirection):
		return CodeProtocol, true
	}
	return "", false
}
