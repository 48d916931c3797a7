package ai

import (
	"errors"
	"io"
	"strings"
	"sync"
)

// MessageStream is an answer in pieces. One goroutine reads it; Close may be
// called from any.
type MessageStream interface {
	io.Closer
	// Recv returns the next piece, io.EOF once the answer is complete, and
	// ErrStreamClosed after Close. After an error it keeps returning that error.
	Recv() (*MessageChunk, error)
	// Collect reads the rest and returns it as one assistant message: the
	// contents joined in order and all tool calls. It does not close the stream.
	Collect() (*Message, error)
}

// StringStream is text in pieces, with the rules of MessageStream.
type StringStream interface {
	io.Closer
	Recv() (string, error)
	// Collect reads the rest and returns it joined. It does not close the stream.
	Collect() (string, error)
}

// MessageChunk is one piece of an answer.
type MessageChunk struct {
	// Content continues the text; white space in it counts.
	Content string
	// ToolCalls are complete calls; a call is never split over chunks.
	ToolCalls []ToolCall
	// Done marks the last chunk of the answer. A stream may also end without
	// one, by io.EOF alone.
	Done bool
}

// FinishReason says why an answer ended.
type FinishReason string

const (
	// FinishStop is the natural end of the answer or a stop sequence.
	FinishStop FinishReason = "stop"
	// FinishLength is the end by MaxTokens.
	FinishLength FinishReason = "length"
	// FinishToolCalls is an answer that waits for tools.
	FinishToolCalls FinishReason = "tool_calls"
	// FinishFiltered is an answer that the provider withheld or cut.
	FinishFiltered FinishReason = "filtered"
)

// Result is what is known of an answer beyond its text once it has ended.
type Result struct {
	// FinishReason is empty while the answer has not ended, and when the
	// provider does not say.
	FinishReason FinishReason
	// Usage is nil when nobody counted.
	Usage *TokenUsage
	// CachedPromptTokens is the part of Usage.PromptTokens that the provider
	// read from its cache.
	CachedPromptTokens int

	state *ProviderState
}

// ProviderState returns the opaque state that belongs on the assistant message
// made of this answer, nil if there is none.
func (r Result) ProviderState() *ProviderState { return r.state }

// SetProviderState attaches opaque state; only the provider calls it.
func (r *Result) SetProviderState(s *ProviderState) { r.state = s }

// ResultStream is a MessageStream that also reports how the answer ended.
// Callers find it by type assertion.
type ResultStream interface {
	MessageStream
	// Result is complete once Recv has returned io.EOF and zero before. The
	// goroutine that reads the stream calls it.
	Result() Result
}

// CollectMessage reads chunks from recv until io.EOF and returns them as one
// assistant message. It is what an implementation of MessageStream needs for
// its Collect. Any error but io.EOF is returned with no message.
func CollectMessage(recv func() (*MessageChunk, error)) (*Message, error) {
	var text strings.Builder
	msg := NewAssistantMessage("")
	for {
		chunk, err := recv()
		if errors.Is(err, io.EOF) {
			msg.Content = text.String()
			return msg, nil
		}
		if err != nil {
			return nil, err
		}
		text.WriteString(chunk.Content)
		msg.ToolCalls = append(msg.ToolCalls, chunk.ToolCalls...)
	}
}

// NewMessageStream returns a stream over next, which is called for one chunk at
// a time until it returns an error; io.EOF ends the stream normally. result, if
// not nil, is asked once after io.EOF; stop, if not nil, is called once by the
// first Close and has to make a next that is blocked return. Collect fills in
// usage and provider state from the result.
func NewMessageStream(next func() (*MessageChunk, error), result func() Result, stop func() error) ResultStream {
	return &messageStream{source: source[*MessageChunk]{next: next, stop: stop}, final: result}
}

type messageStream struct {
	source[*MessageChunk]
	final  func() Result
	result Result
}

func (s *messageStream) Recv() (*MessageChunk, error) {
	chunk, err := s.recv()
	if errors.Is(err, io.EOF) && s.final != nil {
		s.result = s.final()
		s.final = nil
	}
	return chunk, err
}

func (s *messageStream) Collect() (*Message, error) {
	msg, err := CollectMessage(s.Recv)
	if err != nil {
		return nil, err
	}
	msg.Usage = s.result.Usage
	msg.SetProviderState(s.result.ProviderState())
	return msg, nil
}

func (s *messageStream) Result() Result { return s.result }

// NewStringStream returns a stream over next, with the rules of
// NewMessageStream.
func NewStringStream(next func() (string, error), stop func() error) StringStream {
	return &stringStream{source[string]{next: next, stop: stop}}
}

type stringStream struct{ source[string] }

func (s *stringStream) Recv() (string, error) { return s.recv() }

func (s *stringStream) Collect() (string, error) {
	var text strings.Builder
	for {
		piece, err := s.recv()
		if errors.Is(err, io.EOF) {
			return text.String(), nil
		}
		if err != nil {
			return "", err
		}
		text.WriteString(piece)
	}
}

// source is the part both streams share: an end that stays and a Close that
// wins over it.
type source[T any] struct {
	// next and end belong to the reader.
	next func() (T, error)
	end  error

	mu       sync.Mutex // guards what follows
	closed   bool
	stop     func() error
	closeErr error
}

func (s *source[T]) recv() (T, error) {
	var zero T
	if s.isClosed() {
		return zero, ErrStreamClosed
	}
	if s.end != nil {
		return zero, s.end
	}
	v, err := s.next()
	if s.isClosed() { // while next was blocked: its result is nobody's any more
		return zero, ErrStreamClosed
	}
	if err != nil {
		s.end = err
		return zero, err
	}
	return v, nil
}

func (s *source[T]) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// Close ends the stream. It is idempotent; later calls return what the first
// one did, and none waits for a reader.
func (s *source[T]) Close() error {
	s.mu.Lock()
	first, stop := !s.closed, s.stop
	s.closed = true
	s.mu.Unlock()
	if !first || stop == nil {
		return s.closeResult()
	}
	err := stop()
	s.mu.Lock()
	s.closeErr = err
	s.mu.Unlock()
	return err
}

func (s *source[T]) closeResult() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closeErr
}
