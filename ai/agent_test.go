package ai_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"edged/ai"
)

// loopFactory, loopBuilder and loopAgent are the smallest agent that keeps the
// contract: they show that the interfaces suffice to write one.
type loopFactory struct{ name string }

func (f *loopFactory) Name() string                { return f.name }
func (f *loopFactory) NewBuilder() ai.AgentBuilder { return &loopBuilder{} }

type loopBuilder struct{ cfg ai.AgentConfig }

func (b *loopBuilder) WithModel(m ai.ToolableChatModel) ai.AgentBuilder { b.cfg.Model = m; return b }
func (b *loopBuilder) WithTools(tools ...ai.Tool) ai.AgentBuilder       { b.cfg.Tools = tools; return b }
func (b *loopBuilder) WithSystemPrompt(p string) ai.AgentBuilder        { b.cfg.SystemPrompt = p; return b }
func (b *loopBuilder) WithMaxIterations(n int) ai.AgentBuilder          { b.cfg.MaxIterations = n; return b }
func (b *loopBuilder) Build(context.Context) (ai.Agent, error)          { return &loopAgent{b.cfg}, nil }

type loopAgent struct{ cfg ai.AgentConfig }

func (a *loopAgent) Run(ctx context.Context, input string, opts ...ai.Option) (*ai.Message, error) {
	model := a.cfg.Model.WithTools(a.cfg.Tools...)
	history := []*ai.Message{ai.NewSystemMessage(a.cfg.SystemPrompt), ai.NewUserMessage(input)}
	for range a.cfg.MaxIterations {
		msg, err := model.Generate(ctx, history, opts...)
		if err != nil {
			return nil, err
		}
		if !msg.HasToolCalls() {
			if msg.Content == "" {
				return nil, ai.ErrNoContent
			}
			return msg, nil
		}
		history = append(history, msg)
		for _, call := range msg.ToolCalls {
			result, err := ai.Invoke(ctx, a.cfg.Tools, call)
			if err != nil {
				return nil, err
			}
			history = append(history, ai.NewToolMessage(call.ID, result))
		}
	}
	return nil, ai.ErrMaxIterationsReached
}

func (a *loopAgent) Stream(ctx context.Context, input string, opts ...ai.Option) (ai.MessageStream, error) {
	msg, err := a.Run(ctx, input, opts...)
	if err != nil {
		return nil, err
	}
	return chunks(&ai.MessageChunk{Content: msg.Content, Done: true}), nil
}

// scripted answers with its messages in turn; the last one repeats.
type scripted struct {
	echoModel
	answers []*ai.Message
	seen    [][]*ai.Message
}

func (s *scripted) Generate(_ context.Context, messages []*ai.Message, _ ...ai.Option) (*ai.Message, error) {
	s.seen = append(s.seen, messages)
	return s.answers[min(len(s.seen), len(s.answers))-1], nil
}
func (s *scripted) WithTools(...ai.Tool) ai.ToolableChatModel { return s }

func calling(name, arguments string) *ai.Message {
	return ai.NewAssistantMessageWithToolCalls("", []ai.ToolCall{{ID: "c1", Name: name, Arguments: arguments}})
}

// build makes an agent through the whole documented chain.
func build(t *testing.T, model ai.ToolableChatModel, tools ...ai.Tool) ai.Agent {
	t.Helper()
	var r ai.Registry
	if err := r.RegisterAgentFactory(&loopFactory{"loop"}); err != nil {
		t.Fatal(err)
	}
	builder, err := r.NewAgentBuilder("loop")
	if err != nil {
		t.Fatal(err)
	}
	agent, err := builder.WithModel(model).WithTools(tools...).WithSystemPrompt("Be brief.").
		WithMaxIterations(3).Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return agent
}

func square(t *testing.T) *ai.FuncTool {
	t.Helper()
	type in struct {
		N int `json:"n"`
	}
	f, err := ai.NewFuncTool("square", "Squares n.", func(_ context.Context, in in) (int, error) { return in.N * in.N, nil })
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestV22BuilderChain(t *testing.T) {
	model := &scripted{answers: []*ai.Message{calling("square", `{"n":12}`), ai.NewAssistantMessage("144.")}}
	msg, err := build(t, model, square(t)).Run(t.Context(), "twelve squared?")
	if err != nil || msg.Content != "144." {
		t.Fatalf("got %v, %v", msg, err)
	}
	if first := model.seen[0]; first[0].Content != "Be brief." || first[1].Content != "twelve squared?" {
		t.Errorf("the system prompt or the input did not reach the model: %v, %v", first[0], first[1])
	}
	last := model.seen[1][len(model.seen[1])-1]
	if !last.IsTool() || last.ToolResult.Content != "144" {
		t.Errorf("the model was asked again with %+v, want the tool's result 144", last)
	}
}

func TestV23AgentRunsAndStreams(t *testing.T) {
	agent := build(t, &scripted{answers: []*ai.Message{ai.NewAssistantMessage("hi")}})
	stream, err := agent.Stream(t.Context(), "hello", ai.WithMaxTokens(5))
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if msg, err := stream.Collect(); err != nil || msg.Content != "hi" {
		t.Errorf("streamed %v, %v: want what Run answers", msg, err)
	}
}

func TestV39AgentErrors(t *testing.T) {
	tests := []struct {
		name   string
		answer *ai.Message
		want   error
	}{
		{"V39 a tool it lacks", calling("teleport", `{}`), ai.ErrToolNotFound},
		{"V39 too many rounds", calling("square", `{"n":2}`), ai.ErrMaxIterationsReached},
		{"V39 bad arguments", calling("square", `{"n":"two"}`), ai.ErrInvalidArguments},
		{"V39 empty answer", ai.NewAssistantMessage(""), ai.ErrNoContent},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := build(t, &scripted{answers: []*ai.Message{tt.answer}}, square(t)).Run(t.Context(), "go")
			if !errors.Is(err, tt.want) {
				t.Errorf("error %v, want one that matches %v", err, tt.want)
			}
		})
	}
}

func TestInvokeNamesTheTool(t *testing.T) {
	tools := []ai.Tool{square(t)}
	_, err := ai.Invoke(t.Context(), tools, ai.ToolCall{Name: "teleport"})
	if !errors.Is(err, ai.ErrToolNotFound) || !strings.Contains(err.Error(), "teleport") {
		t.Errorf("error %v, want ErrToolNotFound with the name", err)
	}
	got, err := ai.Invoke(t.Context(), tools, ai.ToolCall{Name: "square", Arguments: `{"n":3}`})
	if err != nil || got != "9" {
		t.Errorf("got %q, %v, want 9", got, err)
	}
	// A foreign tool's plain error comes back as a ToolError.
	_, err = ai.Invoke(t.Context(), []ai.Tool{brokenTool{}}, ai.ToolCall{Name: "broken"})
	var te *ai.ToolError
	if !errors.As(err, &te) || te.ToolName != "broken" || !errors.Is(err, errBroken) {
		t.Errorf("error %v, want a ToolError of \"broken\" around its cause", err)
	}
}

var errBroken = errors.New("out of order")

type brokenTool struct{}

func (brokenTool) Info() *ai.ToolInfo                             { return &ai.ToolInfo{Name: "broken"} }
func (brokenTool) Invoke(context.Context, string) (string, error) { return "", errBroken }
