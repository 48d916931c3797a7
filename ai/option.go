package ai

import "slices"

// Options are the settings of one request. A nil field means that the model's
// own default holds.
type Options struct {
	// Temperature is the randomness of the answer, 0 for none.
	Temperature *float64
	// MaxTokens bounds the length of the answer.
	MaxTokens *int
	// StopSequences end the answer where one of them would appear.
	StopSequences []string
	// Meta is free metadata for logs and providers.
	Meta map[string]string
}

// Option changes one setting. An Option may be applied any number of times, to
// any number of Options: they share no memory afterwards.
type Option func(*Options)

// NewOptions returns Options with nothing set and an empty Meta map.
func NewOptions() *Options { return &Options{Meta: map[string]string{}} }

// Apply applies opts in order, so that a later one overrides an earlier one,
// and returns o itself. Nil options are skipped.
func (o *Options) Apply(opts ...Option) *Options {
	for _, opt := range opts {
		if opt != nil {
			opt(o)
		}
	}
	return o
}

// WithTemperature sets the randomness. 0 is a value, not "unset".
func WithTemperature(t float64) Option {
	return func(o *Options) { v := t; o.Temperature = &v }
}

// WithMaxTokens bounds the answer to n tokens. 0 is a value, not "unset".
func WithMaxTokens(n int) Option {
	return func(o *Options) { v := n; o.MaxTokens = &v }
}

// WithStopSequences replaces all stop sequences; without arguments it removes
// them.
func WithStopSequences(seqs ...string) Option {
	seqs = slices.Clone(seqs)
	return func(o *Options) { o.StopSequences = slices.Clone(seqs) }
}

// WithMeta sets one metadata entry and keeps the others.
func WithMeta(key, value string) Option {
	return func(o *Options) {
		if o.Meta == nil {
			o.Meta = map[string]string{}
		}
		o.Meta[key] = value
	}
}
