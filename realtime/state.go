package realtime

import (
	"errors"
	"fmt"
	"io"
)

// ErrDone is matched by the State that ends a generation which ran to an end
// of its own: done, truncated or refused. What was delivered before it stands.
// An error matching ErrDone is an end like io.EOF, never a failure.
var ErrDone = errors.New("realtime: generation ended")

// ErrAborted is the cause of a stream that was aborted without a better one.
var ErrAborted = errors.New("realtime: stream aborted")

// ErrStreamClosed is matched by what a producer gets once nobody reads its
// stream any more, or once it has ended the stream itself. It matches
// io.ErrClosedPipe as well, and the returned error also matches the cause that
// the stream was closed with.
var ErrStreamClosed = fmt.Errorf("realtime: stream closed for writing: %w", io.ErrClosedPipe)

// IsEnd reports whether err is an orderly end of a Stream: io.EOF itself or an
// error matching ErrDone. A failure that merely wraps io.EOF (a connection that
// broke off) is no end.
func IsEnd(err error) bool { return err == io.EOF || errors.Is(err, ErrDone) }

// Status says how a generation ended.
type Status string

const (
	// StatusDone: the model said all it wanted to say.
	StatusDone Status = "done"
	// StatusTruncated: a limit (tokens, time) cut the answer short.
	StatusTruncated Status = "truncated"
	// StatusRefused: the model or its provider declined to answer.
	StatusRefused Status = "refused"
	// StatusError: the generation failed; State.Err holds the cause.
	StatusError Status = "error"
)

// Usage counts the tokens of one generation. A zero field is unknown or none.
type Usage struct {
	// PromptTokens were read, those from a cache included.
	PromptTokens int64
	// CachedTokens is the part of PromptTokens that came from a cache.
	CachedTokens int64
	// GeneratedTokens were written.
	GeneratedTokens int64
}

// State is the terminal error of a generated Stream. It says how the
// generation ended and what it cost. Find it with errors.As:
//
//	var state *realtime.State
//	if errors.As(err, &state) { ... }
//
// A State matches ErrDone unless its Status is StatusError. The zero Status
// reads as StatusDone.
type State struct {
	Status Status
	Usage  Usage
	// Reason is the provider's own word for the end, for logs. May be empty.
	Reason string
	// Err is the cause of StatusError and is unwrapped.
	Err error
}

// Error describes the end; State is an error so that it can end a Stream.
func (s *State) Error() string {
	text := "realtime: generation ended: " + string(s.status())
	if s.Reason != "" {
		text += " (" + s.Reason + ")"
	}
	if s.Err != nil {
		text += ": " + s.Err.Error()
	}
	return text
}

// Is makes every status but StatusError match ErrDone.
func (s *State) Is(target error) bool {
	return target == ErrDone && s.status() != StatusError
}

// Unwrap returns the cause of a failed generation, nil otherwise.
func (s *State) Unwrap() error { return s.Err }

func (s *State) status() Status {
	if s.Status == "" {
		return StatusDone
	}
	return s.Status
}
