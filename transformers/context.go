package transformers

import (
	"iter"
	"maps"

	"edged/realtime"
)

// Prompt is one system instruction.
type Prompt struct {
	// Name tells instructions of different sources apart. May be empty.
	Name string
	Text string
}

// ModelContext is a read-only view of what a model is given. Its sequences may
// be run any number of times and stopped early; nobody writes to what they
// yield.
type ModelContext interface {
	// Prompts yields the system instructions.
	Prompts() iter.Seq[*Prompt]
	// Messages yields the history, oldest first.
	Messages() iter.Seq[*realtime.Message]
	// CoTs yields the reasoning the model is to take up.
	CoTs() iter.Seq[string]
	// Tools yields what the model may ask for.
	Tools() iter.Seq[Tool]
	// Params returns the settings of the request, nil for those of the model.
	Params() *ModelParams
}

// ModelParams are the settings of one request. A nil field leaves the model's
// own default.
type ModelParams struct {
	// MaxTokens bounds the length of the answer.
	MaxTokens *int
	// Temperature is the randomness of the answer, 0 for none.
	Temperature *float64
	// TopP samples from the most likely tokens that together have this
	// probability, above 0 and up to 1.
	TopP *float64
	// Extra is passed through to the provider.
	Extra map[string]any
}

func (p *ModelParams) clone() *ModelParams {
	if p == nil {
		return nil
	}
	c := ModelParams{
		MaxTokens:   cloneValue(p.MaxTokens),
		Temperature: cloneValue(p.Temperature),
		TopP:        cloneValue(p.TopP),
		Extra:       maps.Clone(p.Extra),
	}
	return &c
}

func cloneValue[T int | float64](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// MultiModelContext is several contexts in sequence. Params are those of the
// first that has any. Nil contexts are skipped.
type MultiModelContext []ModelContext

var _ ModelContext = MultiModelContext(nil)

// Prompts yields the prompts of all contexts in order.
func (m MultiModelContext) Prompts() iter.Seq[*Prompt] { return sequence(m, ModelContext.Prompts) }

// Messages yields the messages of all contexts in order.
func (m MultiModelContext) Messages() iter.Seq[*realtime.Message] {
	return sequence(m, ModelContext.Messages)
}

// CoTs yields the reasoning of all contexts in order.
func (m MultiModelContext) CoTs() iter.Seq[string] { return sequence(m, ModelContext.CoTs) }

// Tools yields the tools of all contexts in order.
func (m MultiModelContext) Tools() iter.Seq[Tool] { return sequence(m, ModelContext.Tools) }

// Params returns the first params that are not nil, else nil.
func (m MultiModelContext) Params() *ModelParams {
	for _, c := range m {
		if c == nil {
			continue
		}
		if p := c.Params(); p != nil {
			return p
		}
	}
	return nil
}

func sequence[T any](contexts []ModelContext, of func(ModelContext) iter.Seq[T]) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, c := range contexts {
			if c == nil {
				continue
			}
			for v := range of(c) {
				if !yield(v) {
					return
				}
			}
		}
	}
}
