package transformers

import (
	"context"

	"edged/realtime"
)

// Mux is a Transformer that chooses among registered ones by pattern, as the
// package describes. The zero value is ready. It may be used concurrently.
type Mux struct {
	patterns patterns[Transformer]
}

var _ Transformer = (*Mux)(nil)

// Handle registers t for pattern. The error is a *PatternError that matches
// ErrInvalidPattern or ErrDuplicatePattern.
func (m *Mux) Handle(pattern string, t Transformer) error { return m.patterns.add(pattern, t) }

// Transform passes the call, the whole pattern included, to the Transformer
// that pattern chooses. If there is none the error is a *PatternError matching
// ErrUnknownPattern.
func (m *Mux) Transform(ctx context.Context, pattern string, input realtime.Stream) (realtime.Stream, error) {
	t, err := m.patterns.find(pattern)
	if err != nil {
		return nil, err
	}
	return t.Transform(ctx, pattern, input)
}

// Patterns returns what is registered, sorted.
func (m *Mux) Patterns() []string { return m.patterns.all() }

// GeneratorMux is a Generator that chooses among registered ones by pattern, as
// the package describes. The zero value is ready. It may be used concurrently.
type GeneratorMux struct {
	patterns patterns[Generator]
}

var _ Generator = (*GeneratorMux)(nil)

// Handle registers g for pattern. The error is a *PatternError that matches
// ErrInvalidPattern or ErrDuplicatePattern.
func (m *GeneratorMux) Handle(pattern string, g Generator) error { return m.patterns.add(pattern, g) }

// GenerateStream passes the call, the whole pattern included, to the Generator
// that pattern chooses. If there is none the error is a *PatternError matching
// ErrUnknownPattern.
func (m *GeneratorMux) GenerateStream(ctx context.Context, pattern string, modelContext ModelContext) (realtime.Stream, error) {
	g, err := m.patterns.find(pattern)
	if err != nil {
		return nil, err
	}
	return g.GenerateStream(ctx, pattern, modelContext)
}

// Invoke is like GenerateStream.
func (m *GeneratorMux) Invoke(ctx context.Context, pattern string, modelContext ModelContext, tool *FuncTool) (realtime.Usage, *FuncCall, error) {
	g, err := m.patterns.find(pattern)
	if err != nil {
		return realtime.Usage{}, nil, err
	}
	return g.Invoke(ctx, pattern, modelContext, tool)
}

// Patterns returns what is registered, sorted.
func (m *GeneratorMux) Patterns() []string { return m.patterns.all() }
