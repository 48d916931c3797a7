package ai_test

import (
	"context"
	"io"
	"sort"
	"strings"
	"testing"

	"edged/ai"
)

// echoModel answers with the last message and the names of its tools. It is
// the smallest model that keeps the contract.
type echoModel struct{ tools []ai.Tool }

var _ ai.ToolableChatModel = (*echoModel)(nil)

func (m *echoModel) Generate(_ context.Context, messages []*ai.Message, opts ...ai.Option) (*ai.Message, error) {
	o := ai.NewOptions().Apply(opts...)
	names := []string{}
	for _, tool := range m.tools {
		names = append(names, tool.Info().Name)
	}
	sort.Strings(names)
	text := messages[len(messages)-1].Content + " [" + strings.Join(names, ",") + "]"
	if o.MaxTokens != nil && *o.MaxTokens == 0 {
		text = ""
	}
	return ai.NewAssistantMessage(text), nil
}

func (m *echoModel) Stream(ctx context.Context, messages []*ai.Message, opts ...ai.Option) (ai.MessageStream, error) {
	msg, err := m.Generate(ctx, messages, opts...)
	if err != nil {
		return nil, err
	}
	return chunks(&ai.MessageChunk{Content: msg.Content, Done: true}), nil
}

func (m *echoModel) WithTools(tools ...ai.Tool) ai.ToolableChatModel { return &echoModel{tools: tools} }

// chunks returns a stream of cs.
func chunks(cs ...*ai.MessageChunk) ai.ResultStream {
	return ai.NewMessageStream(func() (*ai.MessageChunk, error) {
		if len(cs) == 0 {
			return nil, io.EOF
		}
		c := cs[0]
		cs = cs[1:]
		return c, nil
	}, nil, nil)
}

// tool returns a tool that does nothing.
func tool(t *testing.T, name string) *ai.FuncTool {
	t.Helper()
	f, err := ai.NewFuncTool(name, "", func(context.Context, struct{}) (string, error) { return name, nil })
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestV16WithToolsLeavesTheBaseAlone(t *testing.T) {
	base := &echoModel{}
	a, b := base.WithTools(tool(t, "a")), base.WithTools(tool(t, "b"))
	tests := []struct {
		name  string
		model ai.ChatModel
		want  string
	}{{"base", base, "hi []"}, {"bound to a", a, "hi [a]"}, {"bound to b", b, "hi [b]"}}
	for _, tt := range tests {
		got, err := tt.model.Generate(t.Context(), []*ai.Message{ai.NewUserMessage("hi")})
		if err != nil || got.Content != tt.want {
			t.Errorf("%s answered %q (%v), want %q", tt.name, got.Content, err, tt.want)
		}
	}
}

func TestV17BothCallShapesTakeOptions(t *testing.T) {
	var model ai.ToolableChatModel = &echoModel{}
	var chat ai.ChatModel = model
	ask := []*ai.Message{ai.NewUserMessage("hi")}
	msg, err := chat.Generate(t.Context(), ask, ai.WithMaxTokens(0), ai.WithMeta("k", "v"))
	if err != nil || msg.Content != "" {
		t.Errorf("Generate ignored its options: %q, %v", msg.Content, err)
	}
	stream, err := chat.Stream(t.Context(), ask, ai.WithMaxTokens(0), ai.WithMeta("k", "v"))
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if msg, err := stream.Collect(); err != nil || msg.Content != "" {
		t.Errorf("Stream ignored its options: %q, %v", msg.Content, err)
	}
}
