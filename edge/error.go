package edge

import (
	"errors"
	"fmt"
	"time"

	"edged/dialog"
)

// States of a leg, a reply or a server that callers tell apart with errors.Is.
var (
	// ErrClosed: the connection is gone.
	ErrClosed = errors.New("edge: connection closed")
	// ErrReplaced: a newer connection of the same device took over. It matches
	// ErrClosed.
	ErrReplaced = fmt.Errorf("%w: replaced by a newer connection of the same device", ErrClosed)
	// ErrShutdown: the server is going away. It matches ErrClosed and
	// dialog.ErrShutdown.
	ErrShutdown = fmt.Errorf("%w: %w", ErrClosed, dialog.ErrShutdown)
	// ErrFlushed: the reply was flushed, or a newer reply has begun; nothing of
	// it is sent any more.
	ErrFlushed = errors.New("edge: reply flushed")
	// ErrBusy: the server takes no more sessions at the moment.
	ErrBusy = errors.New("edge: no free session")
)

// Error is a fault that the device is told about: over HTTP before the
// connection is up, as an error message afterwards.
type Error struct {
	// Code is the stable code on the wire.
	Code dialog.ErrorCode
	// Message says what was wrong, where, and what to do. It holds no secrets.
	Message string
	// RetryAfter is when trying again makes sense. 0 means: no hint.
	RetryAfter time.Duration
	// Err is the cause. It is unwrapped and never sent to the device.
	Err error
}

// Error formats the fault as "edge: code: message".
func (e *Error) Error() string {
	text := fmt.Sprintf("edge: %s: %s", e.Code, e.Message)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// failure builds an *Error; the message is formatted.
func failure(code dialog.ErrorCode, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}
