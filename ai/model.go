package ai

import (
	"context"
	"time"
)

// ChatModel answers a dialogue.
//
// Both methods read messages and do not change or keep them. They may be called
// by several goroutines at once. An error of the provider is a *ModelError.
type ChatModel interface {
	// Generate returns the whole answer at once.
	Generate(ctx context.Context, messages []*Message, opts ...Option) (*Message, error)
	// Stream returns the answer as it is written. ctx governs the whole life of
	// the stream: when it ends, Recv returns its error. The caller closes the
	// stream.
	Stream(ctx context.Context, messages []*Message, opts ...Option) (MessageStream, error)
}

// ToolableChatModel is a ChatModel that can be told of tools.
type ToolableChatModel interface {
	ChatModel
	// WithTools returns a model that knows exactly these tools. The receiver
	// stays as it was.
	WithTools(tools ...Tool) ToolableChatModel
}

// ModelProvider makes the models of one vendor or engine.
type ModelProvider interface {
	// Name is what ModelConfig.Provider selects it by.
	Name() string
	// CreateModel returns the model that cfg describes. A model name the
	// provider does not have is ErrModelNotSupported.
	CreateModel(ctx context.Context, cfg *ModelConfig) (ToolableChatModel, error)
}

// ModelConfig describes the model to create.
type ModelConfig struct {
	// Provider is the registered name of a ModelProvider.
	Provider string
	// Model is the provider's name of the model. Empty means its default.
	Model string
	// APIKey authenticates against the provider.
	APIKey string
	// BaseURL replaces the provider's address. Empty means its own.
	BaseURL string
	// Temperature and MaxTokens are defaults for every request; nil leaves the
	// provider's own. Options of a request override them.
	Temperature *float64
	MaxTokens   *int
	// Timeout bounds one request, the whole stream included. 0 means none
	// beside the context's.
	Timeout time.Duration
}

// ModelInfo says what a model is. Nil fields are unknown.
type ModelInfo struct {
	Provider    string
	Model       string
	MaxTokens   *int
	Temperature *float64
}
