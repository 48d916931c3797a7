package generate

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"edged/ai"
	"edged/realtime"
	"edged/transformers"
)

// DefaultStreamID is the route of a generated stream when none is configured.
const DefaultStreamID = "model"

var (
	// ErrNotCalled: a model that was to call a tool answered otherwise.
	ErrNotCalled = errors.New("the model did not call the tool")
	// ErrUnsupportedContent: a message holds something that the model cannot
	// be told.
	ErrUnsupportedContent = errors.New("content not supported by this model")
)

// Error is the failure of a generation. It wraps the cause: a *ai.ModelError of
// the provider, ai.ErrNoContent, one of the sentinels of this package or of
// package transformers, or a context's error.
type Error struct {
	// Pattern is the name that chose the generator.
	Pattern string
	Err     error
}

// Error names the generator and the cause.
func (e *Error) Error() string { return fmt.Sprintf("generate: %s: %v", e.Pattern, e.Err) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Config adjusts a Generator. The zero value is ready to use.
type Config struct {
	// StreamID is the route that the chunks carry. Default: DefaultStreamID.
	StreamID string
	// Capacity is how many chunks the model may be ahead of the reader.
	// Default: realtime.DefaultCapacity.
	Capacity int
}

// Generator answers with one chat model.
type Generator struct {
	model    ai.ChatModel
	streamID string
	capacity int
}

var _ transformers.Generator = (*Generator)(nil)

// New returns a Generator over model, which should not have tools bound to it:
// each request brings its own.
func New(model ai.ChatModel, config Config) *Generator {
	if config.StreamID == "" {
		config.StreamID = DefaultStreamID
	}
	return &Generator{model: model, streamID: config.StreamID, capacity: config.Capacity}
}

// GenerateStream answers modelContext. It returns at once; what the model says
// and how it ends or fails comes through the stream. The error, a *Error, is
// about the request: ErrUnsupportedContent or transformers.ErrUnsupportedTool.
//
// The stream ends with a *realtime.State: done, truncated (a token limit),
// refused (the provider withheld the answer), or error, which wraps a *Error;
// an answer without text or tool call is ai.ErrNoContent. When ctx ends, the
// stream fails with its error and cause.
func (g *Generator) GenerateStream(ctx context.Context, pattern string, modelContext transformers.ModelContext) (realtime.Stream, error) {
	request, err := g.request(modelContext)
	if err != nil {
		return nil, &Error{pattern, err}
	}
	return realtime.Produce(ctx, g.capacity, func(ctx context.Context, out *realtime.StreamBuilder) error {
		state, err := g.answer(ctx, request, out)
		switch {
		case err == nil:
			return state
		case ctx.Err() != nil:
			return &Error{pattern, ended(ctx)}
		}
		return &realtime.State{Status: realtime.StatusError, Usage: state.Usage, Err: &Error{pattern, err}}
	}), nil
}

// ended is the reason why ctx has ended, as both error and cause.
func ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// answer reads one answer of the model. The state is never nil.
func (g *Generator) answer(ctx context.Context, request *request, out *realtime.StreamBuilder) (*realtime.State, error) {
	state := &realtime.State{}
	in, err := request.model.Stream(ctx, request.messages, request.options...)
	if err != nil {
		return state, err
	}
	defer in.Close()
	// A model need not look at its context while it waits; its Close helps.
	closed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { defer close(closed); in.Close() })
	defer func() {
		if !stop() {
			<-closed
		}
	}()

	relay := relay{out: out, streamID: g.streamID}
	for {
		chunk, err := in.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return state, err
		}
		if err := relay.pass(ctx, chunk); err != nil {
			return state, err
		}
	}
	if results, ok := in.(ai.ResultStream); ok {
		state = stateOf(results.Result())
	}
	if !relay.said && state.Status != realtime.StatusRefused {
		return state, ai.ErrNoContent
	}
	return state, relay.end(ctx)
}

// relay turns the pieces of one answer into chunks.
type relay struct {
	out      *realtime.StreamBuilder
	streamID string
	begun    bool // text has begun
	said     bool // something worth an answer: visible text or a tool call
}

func (r *relay) pass(ctx context.Context, piece *ai.MessageChunk) error {
	if piece.Content != "" {
		chunk := r.chunk()
		chunk.Part = realtime.Text(piece.Content)
		chunk.Ctrl.BeginOfStream = !r.begun
		r.begun = true
		r.said = r.said || strings.TrimSpace(piece.Content) != ""
		if err := r.out.Add(ctx, chunk); err != nil {
			return err
		}
	}
	for _, call := range piece.ToolCalls {
		chunk := r.chunk()
		chunk.ToolCall = &realtime.ToolCall{ID: callID(call.ID), Name: call.Name, Arguments: call.Arguments}
		r.said = true
		if err := r.out.Add(ctx, chunk); err != nil {
			return err
		}
	}
	return nil
}

func (r *relay) end(ctx context.Context) error {
	chunk := r.chunk()
	chunk.Ctrl.EndOfStream = true
	return r.out.Add(ctx, chunk)
}

func (r *relay) chunk() *realtime.MessageChunk {
	return &realtime.MessageChunk{
		Role: realtime.RoleModel,
		Ctrl: &realtime.StreamCtrl{StreamID: r.streamID, Label: realtime.LabelAssistant},
	}
}

// callID makes up an id where a model gives none: calls and results are paired
// by it.
func callID(id string) string {
	if id == "" {
		return "call_" + rand.Text()
	}
	return id
}

func stateOf(result ai.Result) *realtime.State {
	state := &realtime.State{Status: realtime.StatusDone, Reason: string(result.FinishReason)}
	switch result.FinishReason {
	case ai.FinishLength:
		state.Status = realtime.StatusTruncated
	case ai.FinishFiltered:
		state.Status = realtime.StatusRefused
	}
	state.Usage = usageOf(result.Usage)
	state.Usage.CachedTokens = int64(result.CachedPromptTokens)
	return state
}

func usageOf(usage *ai.TokenUsage) realtime.Usage {
	if usage == nil {
		return realtime.Usage{}
	}
	return realtime.Usage{PromptTokens: int64(usage.PromptTokens), GeneratedTokens: int64(usage.CompletionTokens)}
}

// Invoke has the model fill in the arguments of tool, for structured
// generation, and does not run it.
//
// A chat model cannot be forced to call a tool, so this one is offered alone
// (the tools of modelContext are left out), a last instruction asks for the
// call, and the first call of it counts. The error is a *Error that matches
// ErrNotCalled if there is none, and ai.ErrInvalidArguments if the arguments
// are not a JSON object; usage is reported all the same. The schema is checked
// where the call is run.
func (g *Generator) Invoke(ctx context.Context, pattern string, modelContext transformers.ModelContext, tool *transformers.FuncTool) (realtime.Usage, *transformers.FuncCall, error) {
	usage, call, err := g.invoke(ctx, modelContext, tool)
	if err != nil {
		return usage, nil, &Error{pattern, err}
	}
	return usage, call, nil
}

func (g *Generator) invoke(ctx context.Context, modelContext transformers.ModelContext, tool *transformers.FuncTool) (usage realtime.Usage, call *transformers.FuncCall, err error) {
	if tool == nil || tool.Tool == nil {
		return usage, nil, fmt.Errorf("%w: no tool given to invoke", transformers.ErrUnsupportedTool)
	}
	request, err := g.request(onlyTool{modelContext, tool})
	if err != nil {
		return usage, nil, err
	}
	instruction := ai.NewSystemMessage("Answer by calling the tool " + tool.Name() + " and in no other way.")
	answer, err := request.model.Generate(ctx, append(request.messages, instruction), request.options...)
	if err != nil {
		return usage, nil, err
	}
	usage = usageOf(answer.Usage)
	for _, c := range answer.ToolCalls {
		if c.Name != tool.Name() {
			continue
		}
		arguments := strings.TrimSpace(c.Arguments)
		if arguments == "" {
			arguments = "{}"
		}
		if !isObject(arguments) {
			return usage, nil, fmt.Errorf("%w: %s called with %q, want a JSON object", ai.ErrInvalidArguments, c.Name, c.Arguments)
		}
		return usage, &transformers.FuncCall{ID: callID(c.ID), Name: c.Name, Arguments: arguments, Tool: tool}, nil
	}
	return usage, nil, fmt.Errorf("%w %s", ErrNotCalled, tool.Name())
}

func isObject(arguments string) bool {
	return strings.HasPrefix(arguments, "{") && json.Valid([]byte(arguments))
}
