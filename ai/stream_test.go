package ai_test

import (
	"errors"
	"io"
	"testing"
	"testing/synctest"

	"edged/ai"
)

// words returns a StringStream of ws.
func words(ws ...string) ai.StringStream {
	return ai.NewStringStream(func() (string, error) {
		if len(ws) == 0 {
			return "", io.EOF
		}
		w := ws[0]
		ws = ws[1:]
		return w, nil
	}, nil)
}

func TestV34StreamsEndWithEOF(t *testing.T) {
	m, s := chunks(&ai.MessageChunk{Content: "a"}), words("a")
	var _, _ io.Closer = m, s
	recv := map[string]func() error{
		"message": func() error { _, err := m.Recv(); return err },
		"string":  func() error { _, err := s.Recv(); return err },
	}
	for kind, next := range recv {
		if err := next(); err != nil {
			t.Fatalf("%s stream: first piece: %v", kind, err)
		}
		for range 2 {
			if err := next(); err != io.EOF {
				t.Errorf("%s stream ends with %v, want io.EOF and io.EOF again", kind, err)
			}
		}
	}
}

func TestV35CollectJoinsInOrder(t *testing.T) {
	a, b := ai.ToolCall{ID: "1", Name: "a"}, ai.ToolCall{ID: "2", Name: "b"}
	msg, err := chunks(
		&ai.MessageChunk{Content: "Seven plus "},
		&ai.MessageChunk{Content: "five ", ToolCalls: []ai.ToolCall{a}},
		&ai.MessageChunk{Content: "is 12.", ToolCalls: []ai.ToolCall{b}, Done: true},
	).Collect()
	if err != nil {
		t.Fatal(err)
	}
	if !msg.IsAssistant() || msg.Content != "Seven plus five is 12." {
		t.Errorf("collected %q as %q", msg.Content, msg.Role)
	}
	if len(msg.ToolCalls) != 2 || msg.ToolCalls[0] != a || msg.ToolCalls[1] != b {
		t.Errorf("collected tool calls %v, want both in order", msg.ToolCalls)
	}
	if text, err := words("x", " ", "y").Collect(); err != nil || text != "x y" {
		t.Errorf("collected %q, %v, want \"x y\"", text, err)
	}
}

func TestV37ReadAfterClose(t *testing.T) {
	m, s := chunks(&ai.MessageChunk{Content: "a"}), words("a")
	for range 2 { // Close is idempotent
		if err := errors.Join(m.Close(), s.Close()); err != nil {
			t.Fatal(err)
		}
	}
	_, recvMessage := m.Recv()
	_, collectMessage := m.Collect()
	_, recvString := s.Recv()
	_, collectString := s.Collect()
	for what, err := range map[string]error{
		"message Recv": recvMessage, "message Collect": collectMessage,
		"string Recv": recvString, "string Collect": collectString,
	} {
		if !errors.Is(err, ai.ErrStreamClosed) {
			t.Errorf("%s after Close: %v, want ErrStreamClosed", what, err)
		}
	}
}

// TestStreamErrorStays: a failure is neither swallowed by Collect nor followed
// by further chunks.
func TestStreamErrorStays(t *testing.T) {
	fail := ai.NewModelError("p", 500, "down")
	calls := 0
	s := ai.NewMessageStream(func() (*ai.MessageChunk, error) { calls++; return nil, fail }, nil, nil)
	if msg, err := s.Collect(); err != fail || msg != nil {
		t.Errorf("Collect returned %v, %v, want only the failure", msg, err)
	}
	if _, err := s.Recv(); err != fail || calls != 1 {
		t.Errorf("Recv returned %v after %d reads of the source, want the same failure without a second read", err, calls)
	}
}

// TestCloseUnblocksRecv: a reader that waits for a silent provider returns as
// soon as somebody closes the stream.
func TestCloseUnblocksRecv(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		closed := make(chan struct{})
		s := ai.NewMessageStream(
			func() (*ai.MessageChunk, error) { <-closed; return nil, errors.New("connection closed") }, nil,
			func() error { close(closed); return nil })
		got := make(chan error)
		go func() { _, err := s.Recv(); got <- err }()
		synctest.Wait()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := <-got; !errors.Is(err, ai.ErrStreamClosed) {
			t.Errorf("the reader got %v, want ErrStreamClosed", err)
		}
		if err := s.Close(); err != nil { // stop is not called twice
			t.Error(err)
		}
	})
}

func TestCloseErrorIsKept(t *testing.T) {
	fail := errors.New("reset by peer")
	s := ai.NewStringStream(func() (string, error) { return "", io.EOF }, func() error { return fail })
	for range 2 {
		if err := s.Close(); err != fail {
			t.Errorf("Close returned %v, want %v each time", err, fail)
		}
	}
}

// TestResult: what is known only at the end (why it ended, cached tokens,
// opaque state) is zero before it and complete after it, and Collect puts it on
// the message.
func TestResult(t *testing.T) {
	state := &ai.ProviderState{Provider: "p"}
	newStream := func() ai.ResultStream {
		pieces := []*ai.MessageChunk{{Content: "hi", Done: true}}
		return ai.NewMessageStream(func() (*ai.MessageChunk, error) {
			if len(pieces) == 0 {
				return nil, io.EOF
			}
			c := pieces[0]
			pieces = nil
			return c, nil
		}, func() ai.Result {
			r := ai.Result{
				FinishReason:       ai.FinishLength,
				Usage:              &ai.TokenUsage{PromptTokens: 10, CompletionTokens: 1, TotalTokens: 11},
				CachedPromptTokens: 8,
			}
			r.SetProviderState(state)
			return r
		}, nil)
	}
	s := newStream()
	if _, err := s.Recv(); err != nil {
		t.Fatal(err)
	}
	if r := s.Result(); r.FinishReason != "" || r.Usage != nil {
		t.Errorf("the result is %+v before the end, want nothing", r)
	}
	if _, err := s.Recv(); err != io.EOF {
		t.Fatal(err)
	}
	r := s.Result()
	if r.FinishReason != ai.FinishLength || r.CachedPromptTokens != 8 || r.Usage.TotalTokens != 11 || r.ProviderState() != state {
		t.Errorf("the result is %+v after the end", r)
	}
	msg, err := newStream().Collect()
	if err != nil || msg.Usage == nil || msg.Usage.TotalTokens != 11 || msg.ProviderState() != state {
		t.Errorf("Collect returned %+v, %v: want usage and state on the message", msg, err)
	}
}
