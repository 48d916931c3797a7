package transformers

import (
	"context"

	"edged/realtime"
)

// Transformer turns one stream into another without changing who speaks.
type Transformer interface {
	// Transform starts to transform input and returns the stream of the
	// result. pattern is the whole name that chose this implementation.
	//
	// On success the Transformer owns input: it reads it to its end and closes
	// it, at the latest when the result is closed. On an error input is still
	// the caller's. ctx governs the whole life of the result. Routes, roles,
	// labels, boundaries and errors of input stay on the chunks of the result
	// that are made of them.
	Transform(ctx context.Context, pattern string, input realtime.Stream) (realtime.Stream, error)
}

// TransformerFunc is a function that is a Transformer.
type TransformerFunc func(ctx context.Context, pattern string, input realtime.Stream) (realtime.Stream, error)

// Transform calls f.
func (f TransformerFunc) Transform(ctx context.Context, pattern string, input realtime.Stream) (realtime.Stream, error) {
	return f(ctx, pattern, input)
}

// Generator answers a context with a model.
type Generator interface {
	// GenerateStream starts a generation and returns its answer as it is
	// written: text and tool calls, then as terminal error a *realtime.State
	// with status and usage. pattern is the whole name that chose this
	// implementation. ctx governs the whole life of the stream; the caller
	// closes it.
	GenerateStream(ctx context.Context, pattern string, modelContext ModelContext) (realtime.Stream, error)
	// Invoke makes the model fill in the arguments of tool and returns them
	// without running it.
	Invoke(ctx context.Context, pattern string, modelContext ModelContext, tool *FuncTool) (realtime.Usage, *FuncCall, error)
}
