package ai

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// Registry finds model providers and agent factories by name. The two kinds are
// separate namespaces. The zero value is empty and ready; a Registry must not
// be copied and serves any number of goroutines.
type Registry struct {
	mu        sync.RWMutex
	providers map[string]ModelProvider
	factories map[string]AgentFactory
}

// RegisterModelProvider adds p under p.Name(). A name that is taken is an
// error, and the first registration stands. p must not be nil.
func (r *Registry) RegisterModelProvider(p ModelProvider) error {
	name := p.Name()
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.providers[name]; taken {
		return fmt.Errorf("ai: model provider %q already registered", name)
	}
	if r.providers == nil {
		r.providers = map[string]ModelProvider{}
	}
	r.providers[name] = p
	return nil
}

// RegisterAgentFactory adds f under f.Name(). A name that is taken is an error,
// and the first registration stands. f must not be nil.
func (r *Registry) RegisterAgentFactory(f AgentFactory) error {
	name := f.Name()
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.factories[name]; taken {
		return fmt.Errorf("ai: agent factory %q already registered", name)
	}
	if r.factories == nil {
		r.factories = map[string]AgentFactory{}
	}
	r.factories[name] = f
	return nil
}

// NewChatModel asks the provider cfg.Provider for the model that cfg describes.
// Without such a provider the error matches ErrProviderNotFound and holds the
// name; otherwise model and error are the provider's own. cfg must not be nil.
func (r *Registry) NewChatModel(ctx context.Context, cfg *ModelConfig) (ToolableChatModel, error) {
	name := cfg.Provider
	r.mu.RLock()
	p, ok := r.providers[name]
	r.mu.RUnlock()
	if !ok {
		return nil, fmt.Errorf("%w: %q (register it first)", ErrProviderNotFound, name)
	}
	return p.CreateModel(ctx, cfg)
}

// NewAgentBuilder returns a fresh builder of the agent type agentType. Without
// such a factory the error matches ErrAgentNotFound and holds the name.
func (r *Registry) NewAgentBuilder(agentType string) (AgentBuilder, error) {
	r.mu.RLock()
	f, ok := r.factories[agentType]
	r.mu.RUnlock()
	if !ok {
		return nil, fmt.Errorf("%w: %q (register it first)", ErrAgentNotFound, agentType)
	}
	return f.NewBuilder(), nil
}

// ListModelProviders returns the names of the registered providers in no
// particular order.
func (r *Registry) ListModelProviders() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Collect(maps.Keys(r.providers))
}

// ListAgentFactories returns the names of the registered factories in no
// particular order.
func (r *Registry) ListAgentFactories() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Collect(maps.Keys(r.factories))
}

// defaultRegistry is what the package-level functions work on. It is the one
// global of this package; programs that want several registries, or an error
// instead of a panic, use a Registry of their own.
var defaultRegistry Registry

// RegisterModelProvider adds p to the default registry and panics when its name
// is taken.
func RegisterModelProvider(p ModelProvider) {
	if err := defaultRegistry.RegisterModelProvider(p); err != nil {
		panic(err.Error())
	}
}

// RegisterAgentFactory adds f to the default registry and panics when its name
// is taken.
func RegisterAgentFactory(f AgentFactory) {
	if err := defaultRegistry.RegisterAgentFactory(f); err != nil {
		panic(err.Error())
	}
}

// NewChatModel is Registry.NewChatModel on the default registry.
func NewChatModel(ctx context.Context, cfg *ModelConfig) (ToolableChatModel, error) {
	return defaultRegistry.NewChatModel(ctx, cfg)
}

// NewAgentBuilder is Registry.NewAgentBuilder on the default registry.
func NewAgentBuilder(agentType string) (AgentBuilder, error) {
	return defaultRegistry.NewAgentBuilder(agentType)
}

// ListModelProviders returns the names in the default registry in no
// particular order.
func ListModelProviders() []string { return defaultRegistry.ListModelProviders() }

// ListAgentFactories returns the names in the default registry in no
// particular order.
func ListAgentFactories() []string { return defaultRegistry.ListAgentFactories() }
