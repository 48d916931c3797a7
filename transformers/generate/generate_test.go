package generate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"edged/ai"
	"edged/realtime"
	"edged/transformers"
)

func say(texts ...string) (pieces []*ai.MessageChunk) {
	for _, text := range texts {
		pieces = append(pieces, &ai.MessageChunk{Content: text})
	}
	return pieces
}

func question(text string) *transformers.ModelContextBuilder {
	var b transformers.ModelContextBuilder
	b.Text(realtime.RoleUser, "", text)
	return &b
}

// read returns the chunks of a stream as lines, and its end.
func read(s realtime.Stream) (lines []string, end error) {
	defer s.Close()
	for {
		c, err := s.Next()
		if err != nil {
			return lines, err
		}
		line := fmt.Sprintf("%s %s %s", c.Role, c.Route(), c.Ctrl.Label)
		if c.IsBeginOfStream() {
			line += " <"
		}
		if t, ok := c.Part.(realtime.Text); ok {
			line += fmt.Sprintf(" %q", string(t))
		}
		if c.ToolCall != nil {
			line += fmt.Sprintf(" %s(%s) %s", c.ToolCall.Name, c.ToolCall.Arguments, c.ToolCall.ID)
		}
		if c.IsEndOfStream() {
			line += " >"
		}
		lines = append(lines, line)
	}
}

func TestAnswerInChunks(t *testing.T) {
	model := &scripted{log: &asked{}, pieces: append(say("It ", "", "is noon."),
		&ai.MessageChunk{ToolCalls: []ai.ToolCall{{ID: "c1", Name: "volume", Arguments: `{"level":3}`}, {ID: "c2", Name: "lamp"}}, Done: true}),
		result: ai.Result{FinishReason: ai.FinishToolCalls, Usage: &ai.TokenUsage{PromptTokens: 9, CompletionTokens: 4, TotalTokens: 13}, CachedPromptTokens: 5}}
	stream, err := New(model, Config{StreamID: "reply/7"}).GenerateStream(t.Context(), "chat/x", question("What time is it?").Build())
	if err != nil {
		t.Fatal(err)
	}
	lines, end := read(stream)
	want := []string{
		`model reply/7 assistant < "It "`,
		`model reply/7 assistant "is noon."`,
		`model reply/7 assistant volume({"level":3}) c1`,
		`model reply/7 assistant lamp() c2`,
		`model reply/7 assistant >`,
	}
	if !slices.Equal(lines, want) {
		t.Errorf("chunks =\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	var state *realtime.State
	if !errors.As(end, &state) || !errors.Is(end, realtime.ErrDone) {
		t.Fatalf("end = %v, want a State matching ErrDone", end)
	}
	// G63: prompt, cached and generated tokens.
	if state.Usage != (realtime.Usage{PromptTokens: 9, CachedTokens: 5, GeneratedTokens: 4}) || state.Status != realtime.StatusDone || state.Reason != "tool_calls" {
		t.Errorf("state = %+v", state)
	}
	if model.log.closed != 1 {
		t.Errorf("the model's stream was closed %d times, want once", model.log.closed)
	}
}

// G38: how an answer ends.
func TestG38Ends(t *testing.T) {
	broken := ai.NewModelError("acme", 503, "overloaded")
	usage := &ai.TokenUsage{PromptTokens: 2, CompletionTokens: 1}
	for _, test := range []struct {
		name   string
		model  scripted
		status realtime.Status
		chunks int
		want   error
	}{
		{"done", scripted{pieces: say("hi"), result: ai.Result{FinishReason: ai.FinishStop}}, realtime.StatusDone, 2, realtime.ErrDone},
		{"no reason given", scripted{pieces: say("hi")}, realtime.StatusDone, 2, realtime.ErrDone},
		{"truncated", scripted{pieces: say("hi"), result: ai.Result{FinishReason: ai.FinishLength}}, realtime.StatusTruncated, 2, realtime.ErrDone},
		{"refused", scripted{pieces: say("hi"), result: ai.Result{FinishReason: ai.FinishFiltered}}, realtime.StatusRefused, 2, realtime.ErrDone},
		{"refused without a word", scripted{result: ai.Result{FinishReason: ai.FinishFiltered}}, realtime.StatusRefused, 1, realtime.ErrDone},
		{"empty", scripted{result: ai.Result{FinishReason: ai.FinishStop, Usage: usage}}, realtime.StatusError, 0, ai.ErrNoContent},
		{"only white space", scripted{pieces: say(" ", "\n"), result: ai.Result{Usage: usage}}, realtime.StatusError, 2, ai.ErrNoContent},
		{"failed in the middle", scripted{pieces: say("hi"), fail: broken}, realtime.StatusError, 1, broken},
		{"failed at once", scripted{refuse: broken}, realtime.StatusError, 0, broken},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.model.log = &asked{}
			stream, err := New(&test.model, Config{}).GenerateStream(t.Context(), "chat/x", question("hello").Build())
			if err != nil {
				t.Fatal(err)
			}
			lines, end := read(stream)
			var state *realtime.State
			if !errors.As(end, &state) || state.Status != test.status || !errors.Is(end, test.want) {
				t.Errorf("end = %v, want %s matching %v", end, test.status, test.want)
			}
			if len(lines) != test.chunks {
				t.Errorf("chunks = %q, want %d: what was said before the end stays", lines, test.chunks)
			}
			var failure *Error
			if errors.As(end, &failure) != (test.status == realtime.StatusError) {
				t.Errorf("end = %v: a failure, and only that, is an *Error", end)
			}
			if failure != nil && (failure.Pattern != "chat/x" || !strings.Contains(end.Error(), "generate: chat/x")) {
				t.Errorf("failure = %v, want it to name stage and pattern", end)
			}
			if test.want == ai.ErrNoContent && state.Usage.PromptTokens != 2 {
				t.Errorf("usage of an empty answer = %+v, want it reported", state.Usage)
			}
		})
	}
}

func TestCancelClosesTheModelStream(t *testing.T) {
	cause := errors.New("barge-in")
	for _, test := range []struct {
		name string
		end  func(context.CancelCauseFunc, realtime.Stream)
		want []error
	}{
		{"by its context", func(cancel context.CancelCauseFunc, _ realtime.Stream) { cancel(cause) }, []error{cause, context.Canceled}},
		{"by the reader", func(_ context.CancelCauseFunc, s realtime.Stream) { _ = s.CloseWithError(cause) }, []error{cause}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				model := &scripted{log: &asked{}, pieces: say("one"), stuck: true}
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				stream, err := New(model, Config{}).GenerateStream(ctx, "chat/x", question("hello").Build())
				if err != nil {
					t.Fatal(err)
				}
				if _, err := stream.Next(); err != nil {
					t.Fatal(err)
				}
				synctest.Wait() // the model is stuck now, deaf to its context
				test.end(cancel, stream)
				_, err = stream.Next()
				for _, want := range test.want {
					if !errors.Is(err, want) {
						t.Errorf("Next = %v, want %v", err, want)
					}
				}
				_ = stream.Close() // joins the goroutine; the bubble would report a leak
				if model.log.closed != 1 {
					t.Errorf("the model's stream was closed %d times, want once", model.log.closed)
				}
			})
		})
	}
}

// G51, bounded: a model that runs ahead of its reader waits.
func TestModelWaitsForItsReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left := 0
		model := &scripted{log: &asked{}, pieces: say(strings.Split(strings.Repeat("x", 100), "")...)}
		counting := countingModel{model, &left}
		stream, err := New(counting, Config{Capacity: 4}).GenerateStream(t.Context(), "chat/x", question("hello").Build())
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if left != 5 {
			t.Errorf("%d pieces were read from the model with nobody reading, want the capacity of 4 and the one in hand", left)
		}
		lines, _ := read(stream)
		if len(lines) != 101 {
			t.Errorf("%d chunks arrived, want 100 and the end: a slow reader loses nothing", len(lines))
		}
	})
}

// countingModel counts what is read from its streams.
type countingModel struct {
	*scripted
	read *int
}

func (m countingModel) Stream(ctx context.Context, messages []*ai.Message, opts ...ai.Option) (ai.MessageStream, error) {
	in, err := m.scripted.Stream(ctx, messages, opts...)
	return countingStream{in, m.read}, err
}

type countingStream struct {
	ai.MessageStream
	read *int
}

func (s countingStream) Recv() (*ai.MessageChunk, error) {
	chunk, err := s.MessageStream.Recv()
	if err == nil {
		*s.read++
	}
	return chunk, err
}

// forbiddenTool fails the test when it is run.
func forbiddenTool(t *testing.T) *transformers.FuncTool {
	t.Helper()
	tool, err := ai.NewFuncTool("volume", "sets the volume", func(context.Context, struct {
		Level int `json:"level"`
	}) (string, error) {
		t.Error("the generator ran the tool: that is for its owner")
		return "", nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return transformers.NewFuncTool(tool)
}

func TestG59ToolsAreOfferedNeverRun(t *testing.T) {
	model := &scripted{log: &asked{}, pieces: []*ai.MessageChunk{{ToolCalls: []ai.ToolCall{{Name: "volume", Arguments: `{"level":3}`}, {Name: "volume", Arguments: `{"level":4}`}}}}}
	b := question("louder")
	tool := forbiddenTool(t)
	b.Tool(tool)
	stream, err := New(model, Config{}).GenerateStream(t.Context(), "chat/x", b.Build())
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for {
		c, err := stream.Next()
		if err != nil {
			break
		}
		if c.ToolCall != nil {
			ids = append(ids, c.ToolCall.ID)
		}
	}
	if len(model.log.tools) != 1 || model.log.tools[0] != tool.Tool {
		t.Errorf("offered %v, want the tool itself, so that its own schema shows", model.log.tools)
	}
	if len(model.tools) != 0 {
		t.Error("the tool stuck to the shared model")
	}
	if len(ids) != 2 || ids[0] == ids[1] || !strings.HasPrefix(ids[0], "call_") {
		t.Errorf("ids = %q, want one made up for each call: results are paired by it", ids)
	}
}

func TestG60Invoke(t *testing.T) {
	usage := &ai.TokenUsage{PromptTokens: 8, CompletionTokens: 2}
	broken := ai.NewModelError("acme", 500, "boom")
	calls := func(calls ...ai.ToolCall) *ai.Message {
		m := ai.NewAssistantMessageWithToolCalls("", calls)
		m.Usage = usage
		return m
	}
	plain := ai.NewAssistantMessage("I would rather talk.")
	plain.Usage = usage
	for _, test := range []struct {
		name      string
		model     scripted
		arguments string
		want      error
	}{
		{"the call", scripted{answer: calls(ai.ToolCall{ID: "c", Name: "volume", Arguments: `{"level":3}`})}, `{"level":3}`, nil},
		{"the first of several", scripted{answer: calls(ai.ToolCall{Name: "other"}, ai.ToolCall{ID: "c", Name: "volume", Arguments: `{"level":1}`}, ai.ToolCall{Name: "volume"})}, `{"level":1}`, nil},
		{"no arguments are an empty object", scripted{answer: calls(ai.ToolCall{ID: "c", Name: "volume"})}, `{}`, nil},
		{"words instead", scripted{answer: plain}, "", ErrNotCalled},
		{"another tool", scripted{answer: calls(ai.ToolCall{Name: "other"})}, "", ErrNotCalled},
		{"broken arguments", scripted{answer: calls(ai.ToolCall{Name: "volume", Arguments: `{"level":`})}, "", ai.ErrInvalidArguments},
		{"arguments that are no object", scripted{answer: calls(ai.ToolCall{Name: "volume", Arguments: `[3]`})}, "", ai.ErrInvalidArguments},
		{"the model fails", scripted{refuse: broken}, "", broken},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.model.log = &asked{}
			tool := forbiddenTool(t)
			b := question("louder")
			b.Tool(&transformers.SearchWebTool{}) // left out, so no obstacle
			spent, call, err := New(&test.model, Config{}).Invoke(t.Context(), "chat/x", b.Build(), tool)
			if test.want != nil {
				var failure *Error
				if !errors.Is(err, test.want) || !errors.As(err, &failure) || call != nil {
					t.Errorf("Invoke = %v, %v, want an *Error matching %v", call, err, test.want)
				}
			} else if err != nil || call == nil || call.Arguments != test.arguments || call.Tool != tool || call.Name != "volume" || call.ID != "c" {
				t.Errorf("Invoke = %+v, %v, want arguments %s", call, err, test.arguments)
			}
			if test.model.refuse == nil && spent != (realtime.Usage{PromptTokens: 8, GeneratedTokens: 2}) {
				t.Errorf("usage = %+v, want it reported in any case", spent)
			}
			if len(test.model.log.tools) != 1 || test.model.log.tools[0] != tool.Tool {
				t.Errorf("bound %v, want only the tool asked for", test.model.log.tools)
			}
			last := test.model.log.messages[len(test.model.log.messages)-1]
			if !last.IsSystem() || !strings.Contains(last.Content, "volume") {
				t.Errorf("last message = %+v, want the instruction to call the tool", last)
			}
		})
	}
	if _, _, err := New(&scripted{log: &asked{}}, Config{}).Invoke(t.Context(), "chat/x", question("x").Build(), nil); !errors.Is(err, transformers.ErrUnsupportedTool) {
		t.Errorf("Invoke without a tool = %v, want an error", err)
	}
}
