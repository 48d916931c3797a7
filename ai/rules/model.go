package rules

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"time"
	"unicode"

	"edged/ai"
)

// ProviderName is the name under which a Model registers as a provider.
const ProviderName = "rules"

// Config is how a Model presents itself. The zero value works.
type Config struct {
	// Name is what the assistant calls itself and answers to. Empty means
	// "Edged".
	Name string
	// Location is where the clock and the calendar are. Nil means time.Local.
	Location *time.Location
	// Seed makes coins, dice and the choice among jokes and wordings
	// repeatable: two models with one seed that are asked the same questions in
	// the same order answer alike. 0 means a seed of chance.
	Seed uint64
}

// Model is the rule-based chat model and, at the same time, the provider of it.
type Model struct {
	name     string
	location *time.Location
	chance   *chance
	tools    map[string]bool
}

var (
	_ ai.ToolableChatModel = (*Model)(nil)
	_ ai.ModelProvider     = (*Model)(nil)
)

// New returns a model without tools.
func New(cfg Config) *Model {
	m := &Model{name: cfg.Name, location: cfg.Location}
	if m.name == "" {
		m.name = "Edged"
	}
	if m.location == nil {
		m.location = time.Local
	}
	seed := cfg.Seed
	if seed == 0 {
		seed = rand.Uint64()
	}
	m.chance = &chance{rng: rand.New(rand.NewPCG(seed, seed))}
	return m
}

// Name returns ProviderName.
func (m *Model) Name() string { return ProviderName }

// CreateModel returns the model itself, without tools. The only model name is
// "rules"; empty means the same. Anything else is ai.ErrModelNotSupported.
func (m *Model) CreateModel(_ context.Context, cfg *ai.ModelConfig) (ai.ToolableChatModel, error) {
	if cfg.Model != "" && cfg.Model != ProviderName {
		return nil, fmt.Errorf("rules: %w: %q (the only model is %q)", ai.ErrModelNotSupported, cfg.Model, ProviderName)
	}
	return m.WithTools(), nil
}

// WithTools returns a model that may ask for these tools. It shares only the
// source of chance with m.
func (m *Model) WithTools(tools ...ai.Tool) ai.ToolableChatModel {
	bound := *m
	bound.tools = map[string]bool{}
	for _, t := range tools {
		bound.tools[t.Info().Name] = true
	}
	return &bound
}

// Generate answers the last user message. Of opts it honours MaxTokens (in
// words) and StopSequences. The only error is the context's.
func (m *Model) Generate(ctx context.Context, messages []*ai.Message, opts ...ai.Option) (*ai.Message, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a := m.answer(messages, opts)
	msg := ai.NewAssistantMessageWithToolCalls(a.text, a.calls)
	msg.Usage = a.result.Usage
	return msg, nil
}

// Stream is Generate word by word: each chunk is one word with the white space
// after it. The stream is an ai.ResultStream. Recv returns the context's error
// once ctx has ended.
func (m *Model) Stream(ctx context.Context, messages []*ai.Message, opts ...ai.Option) (ai.MessageStream, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a := m.answer(messages, opts)
	words := splitWords(a.text)
	calls := a.calls
	next := func() (*ai.MessageChunk, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(words) == 0 && calls == nil {
			return nil, io.EOF
		}
		chunk := &ai.MessageChunk{}
		if len(words) > 0 {
			chunk.Content, words = words[0], words[1:]
		}
		if len(words) == 0 {
			chunk.ToolCalls, chunk.Done, calls = calls, true, nil
		}
		return chunk, nil
	}
	return ai.NewMessageStream(next, func() ai.Result { return a.result }, nil), nil
}

// Understands reports whether the model, asked text and nothing before it, does
// anything but say that it does not know.
func (m *Model) Understands(text string) bool {
	return !m.reply([]*ai.Message{ai.NewUserMessage(text)}).declined
}

// answered is a complete answer.
type answered struct {
	text   string
	calls  []ai.ToolCall
	result ai.Result
}

func (m *Model) answer(messages []*ai.Message, opts []ai.Option) answered {
	r := m.reply(messages)
	a := answered{text: r.text, result: ai.Result{FinishReason: ai.FinishStop}}
	if r.call != nil {
		a.calls = []ai.ToolCall{*r.call}
		a.result.FinishReason = ai.FinishToolCalls
	}
	o := ai.NewOptions().Apply(opts...)
	for _, stop := range o.StopSequences {
		if i := strings.Index(a.text, stop); i >= 0 && stop != "" {
			a.text = a.text[:i]
		}
	}
	words := splitWords(a.text)
	if o.MaxTokens != nil && len(words) > max(0, *o.MaxTokens) {
		words = words[:max(0, *o.MaxTokens)]
		a.text = strings.Join(words, "")
		a.result.FinishReason = ai.FinishLength
	}
	prompt := 0
	for _, msg := range messages {
		prompt += len(strings.Fields(msg.Content))
		if msg.ToolResult != nil {
			prompt += len(strings.Fields(msg.ToolResult.Content))
		}
	}
	a.result.Usage = &ai.TokenUsage{PromptTokens: prompt, CompletionTokens: len(words), TotalTokens: prompt + len(words)}
	return a
}

// splitWords cuts text into words, each with the white space that follows it;
// joined they are the text again.
func splitWords(text string) []string {
	var words []string
	start, inSpace := 0, false
	for i, r := range text {
		space := unicode.IsSpace(r)
		if inSpace && !space && i > start {
			words = append(words, text[start:i])
			start = i
		}
		inSpace = space
	}
	if start < len(text) {
		words = append(words, text[start:])
	}
	return words
}

// chance is the source of coins, dice and variety.
type chance struct {
	mu  sync.Mutex
	rng *rand.Rand
}

// below returns a number from 0 to n-1.
func (c *chance) below(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rng.IntN(n)
}
