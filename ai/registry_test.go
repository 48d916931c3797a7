package ai_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"edged/ai"
)

// provider hands out what create returns.
type provider struct {
	name   string
	create func(context.Context, *ai.ModelConfig) (ai.ToolableChatModel, error)
}

func (p *provider) Name() string { return p.name }
func (p *provider) CreateModel(ctx context.Context, cfg *ai.ModelConfig) (ai.ToolableChatModel, error) {
	return p.create(ctx, cfg)
}

func named(name string) *provider {
	return &provider{name, func(context.Context, *ai.ModelConfig) (ai.ToolableChatModel, error) {
		return &echoModel{}, nil
	}}
}

func TestV24NothingBuiltIn(t *testing.T) {
	// A process of its own: the tests beside this one fill the default registry.
	if os.Getenv("AI_FRESH_PROCESS") != "" {
		fmt.Printf("providers=%d agents=%d\n", len(ai.ListModelProviders()), len(ai.ListAgentFactories()))
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestV24NothingBuiltIn$", "-test.v")
	cmd.Env = append(os.Environ(), "AI_FRESH_PROCESS=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "providers=0 agents=0") {
		t.Errorf("a fresh process is not empty (%v):\n%s", err, out)
	}
}

// panicText runs f and returns what it panicked with.
func panicText(f func()) (text any) {
	defer func() { text = recover() }()
	f()
	return nil
}

// uniqueName keeps repeated runs (-count) off each other's registrations in
// the default registry.
var uniqueName = func() func(string) string {
	var mu sync.Mutex
	n := 0
	return func(base string) string {
		mu.Lock()
		defer mu.Unlock()
		n++
		return fmt.Sprintf("%s-%d", base, n)
	}
}()

func TestV25DuplicateProviderPanics(t *testing.T) {
	name := uniqueName("dup")
	ai.RegisterModelProvider(named(name))
	got := panicText(func() { ai.RegisterModelProvider(named(name)) })
	if want := `ai: model provider "` + name + `" already registered`; got != want {
		t.Errorf("panic value %#v, want %q", got, want)
	}
	var r ai.Registry
	if err := r.RegisterModelProvider(named(name)); err != nil {
		t.Errorf("another registry refused a name that only the default one holds: %v", err)
	}
	if err := r.RegisterModelProvider(named(name)); err == nil || err.Error() != got {
		t.Errorf("Registry reports %v, want the same words as an error", err)
	}
}

func TestV26DuplicateFactoryPanics(t *testing.T) {
	name := uniqueName("dup")
	ai.RegisterAgentFactory(&loopFactory{name})
	got := panicText(func() { ai.RegisterAgentFactory(&loopFactory{name}) })
	if want := `ai: agent factory "` + name + `" already registered`; got != want {
		t.Errorf("panic value %#v, want %q", got, want)
	}
}

func TestV27RegistryLivesOnAfterThePanic(t *testing.T) {
	name := uniqueName("first")
	first := &echoModel{}
	ai.RegisterModelProvider(&provider{name, func(context.Context, *ai.ModelConfig) (ai.ToolableChatModel, error) {
		return first, nil
	}})
	ai.RegisterAgentFactory(&loopFactory{name})
	panicText(func() { ai.RegisterModelProvider(named(name)) })
	panicText(func() { ai.RegisterAgentFactory(&loopFactory{name}) })

	// A registry left locked would hang here, which the test's own time limit shows.
	model, err := ai.NewChatModel(t.Context(), &ai.ModelConfig{Provider: name})
	if err != nil || model != ai.ToolableChatModel(first) {
		t.Errorf("the first provider no longer resolves: %v, %v", model, err)
	}
	if _, err := ai.NewAgentBuilder(name); err != nil {
		t.Errorf("the first factory no longer resolves: %v", err)
	}
	ai.RegisterModelProvider(named(uniqueName("next")))
}

func TestV28UnknownProvider(t *testing.T) {
	_, err := ai.NewChatModel(t.Context(), &ai.ModelConfig{Provider: "no-such-vendor"})
	if !errors.Is(err, ai.ErrProviderNotFound) || !strings.Contains(err.Error(), "no-such-vendor") {
		t.Errorf("error %v, want ErrProviderNotFound with the name", err)
	}
}

func TestV29UnknownAgent(t *testing.T) {
	_, err := ai.NewAgentBuilder("no-such-agent")
	if !errors.Is(err, ai.ErrAgentNotFound) || !strings.Contains(err.Error(), "no-such-agent") {
		t.Errorf("error %v, want ErrAgentNotFound with the name", err)
	}
}

func TestV30ProviderGetsAndReturnsUnchanged(t *testing.T) {
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, "mine")
	cfg := &ai.ModelConfig{Provider: "p", Model: "m"}
	model, fail := &echoModel{}, errors.New("quota")
	var r ai.Registry
	err := r.RegisterModelProvider(&provider{"p", func(c context.Context, got *ai.ModelConfig) (ai.ToolableChatModel, error) {
		if c != ctx || got != cfg {
			t.Errorf("the provider got another context or config")
		}
		return model, fail
	}})
	if err != nil {
		t.Fatal(err)
	}
	gotModel, gotErr := r.NewChatModel(ctx, cfg)
	if gotModel != ai.ToolableChatModel(model) || gotErr != fail {
		t.Errorf("got %v, %v: want the provider's own model and error", gotModel, gotErr)
	}
}

func TestV31NilIsTheCallersFault(t *testing.T) {
	var r ai.Registry
	for name, f := range map[string]func(){
		"config":   func() { _, _ = r.NewChatModel(t.Context(), nil) },
		"provider": func() { _ = r.RegisterModelProvider(nil) },
		"factory":  func() { _ = r.RegisterAgentFactory(nil) },
	} {
		if panicText(f) == nil {
			t.Errorf("nil %s went through silently", name)
		}
	}
	// The panics above left nothing locked.
	if err := r.RegisterModelProvider(named("p")); err != nil {
		t.Error(err)
	}
}

func TestV32ListsAreSets(t *testing.T) {
	var r ai.Registry
	want := []string{"a", "b", "c"}
	for _, name := range want {
		if err := errors.Join(r.RegisterModelProvider(named(name)), r.RegisterAgentFactory(&loopFactory{name})); err != nil {
			t.Fatal(err)
		}
	}
	for kind, got := range map[string][]string{"providers": r.ListModelProviders(), "factories": r.ListAgentFactories()} {
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", kind, got, want)
		}
	}
}

func TestV33SeparateNamespacesWithoutRaces(t *testing.T) {
	var r ai.Registry
	if err := errors.Join(r.RegisterModelProvider(named("same")), r.RegisterAgentFactory(&loopFactory{"same"})); err != nil {
		t.Fatalf("one name in both namespaces: %v", err)
	}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			name := fmt.Sprint("p", i)
			if err := errors.Join(r.RegisterModelProvider(named(name)), r.RegisterAgentFactory(&loopFactory{name})); err != nil {
				t.Error(err)
			}
			if _, err := r.NewChatModel(context.Background(), &ai.ModelConfig{Provider: name}); err != nil {
				t.Error(err)
			}
			if _, err := r.NewAgentBuilder("same"); err != nil {
				t.Error(err)
			}
			_, _ = r.ListModelProviders(), r.ListAgentFactories()
		})
	}
	wg.Wait()
	if got := len(r.ListModelProviders()); got != 17 {
		t.Errorf("%d providers after concurrent registration, want 17", got)
	}
}
