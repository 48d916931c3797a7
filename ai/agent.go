package ai

import "context"

// Agent answers with a model and tools together: it asks the model, runs the
// tools the model asks for, and asks again until there is an answer in words.
//
// It reports ErrToolNotFound when the model asks for a tool it lacks,
// ErrMaxIterationsReached when it ran out of rounds, ErrInvalidArguments when a
// tool's arguments do not fit, and ErrNoContent when the model's answer is
// empty.
type Agent interface {
	// Run returns the final answer to input.
	Run(ctx context.Context, input string, opts ...Option) (*Message, error)
	// Stream returns the answer as it is written. The caller closes the stream.
	Stream(ctx context.Context, input string, opts ...Option) (MessageStream, error)
}

// AgentBuilder puts an Agent together. The With methods return the builder to
// go on with; Build ends the chain.
type AgentBuilder interface {
	WithModel(model ToolableChatModel) AgentBuilder
	WithTools(tools ...Tool) AgentBuilder
	WithSystemPrompt(prompt string) AgentBuilder
	// WithMaxIterations bounds how often the model is asked for one input.
	WithMaxIterations(n int) AgentBuilder
	Build(ctx context.Context) (Agent, error)
}

// AgentConfig is what an AgentBuilder collects.
type AgentConfig struct {
	Model        ToolableChatModel
	Tools        []Tool
	SystemPrompt string
	// MaxIterations bounds how often the model is asked for one input. 0 means
	// the factory's default.
	MaxIterations int
}

// AgentFactory makes the builders of one type of agent.
type AgentFactory interface {
	// Name is the agent type that NewAgentBuilder selects it by.
	Name() string
	// NewBuilder returns a fresh builder.
	NewBuilder() AgentBuilder
}
