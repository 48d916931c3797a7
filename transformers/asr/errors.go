package asr

import (
	"errors"
	"fmt"
	"strings"
)

// Code says what kind of failure an Error is. Codes are stable.
type Code string

const (
	// CodeBusy: no decoder was free by the deadline, or the stream has too many
	// routes at once. Later there may be one.
	CodeBusy Code = "busy"
	// CodeFormat: the audio is not what is recognised.
	CodeFormat Code = "format"
	// CodeClosed: the recogniser was closed.
	CodeClosed Code = "closed"
	// CodeEngine: the recogniser failed.
	CodeEngine Code = "engine"
)

// Error is the failure of one utterance. Its text goes out as Ctrl.Error.
type Error struct {
	Code Code
	// Route is the StreamID of the utterance.
	Route string
	// Err is the cause.
	Err error
}

const errorPrefix = "asr: "

// Error is "asr: CODE: route ROUTE: " and the cause.
func (e *Error) Error() string {
	return fmt.Sprintf("%s%s: route %q: %v", errorPrefix, e.Code, e.Route, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf returns the Code of a Ctrl.Error that was made from an Error, and ""
// for any other text.
func CodeOf(text string) Code {
	rest, ok := strings.CutPrefix(text, errorPrefix)
	if !ok {
		return ""
	}
	head, _, ok := strings.Cut(rest, ": route ")
	if !ok {
		return ""
	}
	switch code := Code(head); code {
	case CodeBusy, CodeFormat, CodeClosed, CodeEngine:
		return code
	}
	return ""
}

// errTooManyRoutes is the cause of a route that was refused.
var errTooManyRoutes = errors.New("too many routes with open utterances on one stream: end one first")

// formatError is audio that cannot be recognised.
type formatError struct {
	mimeType string
	cause    error
}

func (e *formatError) Error() string {
	text := fmt.Sprintf("audio is %q and must be %q (16-bit mono): decode and resample it first", e.mimeType, mimeType)
	if e.cause != nil {
		text += fmt.Sprintf(" (%v)", e.cause)
	}
	return text
}

func (e *formatError) Unwrap() error { return e.cause }

// failure classifies what went wrong on a route.
func failure(route string, err error) *Error {
	code := CodeEngine
	var format *formatError
	switch {
	case errors.Is(err, ErrBusy), errors.Is(err, errTooManyRoutes):
		code = CodeBusy
	case errors.Is(err, ErrClosed):
		code = CodeClosed
	case errors.As(err, &format):
		code = CodeFormat
	}
	return &Error{Code: code, Route: route, Err: err}
}
