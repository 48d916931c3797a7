package ai_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"edged/ai"
)

// exported returns the names of the exported fields of a struct.
func exported(v any) []string {
	var names []string
	for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
		if f.IsExported() {
			names = append(names, f.Name)
		}
	}
	return names
}

func TestV01Roles(t *testing.T) {
	roles := []ai.Role{ai.RoleSystem, ai.RoleUser, ai.RoleAssistant, ai.RoleTool}
	words := []ai.Role{"system", "user", "assistant", "tool"}
	if !slices.Equal(roles, words) {
		t.Fatalf("roles are %q, want the wire words %q", roles, words)
	}
}

// TestPublicShapes pins the exported fields of every documented struct: other
// programs fill and read them by name.
func TestPublicShapes(t *testing.T) {
	tests := []struct {
		line   string
		value  any
		fields string
	}{
		{"V02", ai.Message{}, "Role Content ToolCalls ToolResult Usage"},
		{"V08", ai.ToolCall{}, "ID Name Arguments"},
		{"V08", ai.ToolResult{}, "CallID Content"},
		{"V08", ai.TokenUsage{}, "PromptTokens CompletionTokens TotalTokens"},
		{"V18", ai.ModelConfig{}, "Provider Model APIKey BaseURL Temperature MaxTokens Timeout"},
		{"V18", ai.ModelInfo{}, "Provider Model MaxTokens Temperature"},
		{"V20", ai.ToolInfo{}, "Name Description Parameters"},
		{"V20", ai.ParameterSchema{}, "Type Properties Required"},
		{"V20", ai.PropertySchema{}, "Type Description Enum Items"},
		{"V22", ai.AgentConfig{}, "Model Tools SystemPrompt MaxIterations"},
		{"V36", ai.MessageChunk{}, "Content ToolCalls Done"},
		{"V40", ai.ToolError{}, "ToolName Err"},
		{"V41", ai.ModelError{}, "Provider StatusCode Message"},
	}
	for _, tt := range tests {
		name := reflect.TypeOf(tt.value).Name()
		t.Run(tt.line+" "+name, func(t *testing.T) {
			got, want := exported(tt.value), strings.Fields(tt.fields)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s exports %v, want exactly %v", name, got, want)
			}
		})
	}
	m := reflect.TypeFor[ai.Message]()
	for _, field := range []string{"ToolResult", "Usage"} {
		if f, _ := m.FieldByName(field); f.Type.Kind() != reflect.Pointer {
			t.Errorf("V02: Message.%s is %v, want a pointer so that absent is nil", field, f.Type)
		}
	}
}

func TestConstructors(t *testing.T) {
	calls := []ai.ToolCall{{ID: "c1", Name: "roll", Arguments: `{"sides":6}`}}
	tests := []struct {
		line string
		got  *ai.Message
		want ai.Message
	}{
		{"V03", ai.NewSystemMessage("be brief"), ai.Message{Role: ai.RoleSystem, Content: "be brief"}},
		{"V04 user", ai.NewUserMessage("hi"), ai.Message{Role: ai.RoleUser, Content: "hi"}},
		{"V04 assistant", ai.NewAssistantMessage("hello"), ai.Message{Role: ai.RoleAssistant, Content: "hello"}},
		{"V05", ai.NewAssistantMessageWithToolCalls("rolling", calls),
			ai.Message{Role: ai.RoleAssistant, Content: "rolling", ToolCalls: calls}},
		{"V06", ai.NewToolMessage("c1", "4"),
			ai.Message{Role: ai.RoleTool, ToolResult: &ai.ToolResult{CallID: "c1", Content: "4"}}},
	}
	for _, tt := range tests {
		t.Run(tt.line, func(t *testing.T) {
			if !reflect.DeepEqual(*tt.got, tt.want) {
				t.Errorf("got %+v, want exactly %+v", *tt.got, tt.want)
			}
		})
	}
}

func TestV07Predicates(t *testing.T) {
	for _, role := range []ai.Role{ai.RoleSystem, ai.RoleUser, ai.RoleAssistant, ai.RoleTool, ""} {
		m := &ai.Message{Role: role}
		got := map[ai.Role]bool{
			ai.RoleSystem: m.IsSystem(), ai.RoleUser: m.IsUser(),
			ai.RoleAssistant: m.IsAssistant(), ai.RoleTool: m.IsTool(),
		}
		for r, is := range got {
			if is != (r == role) {
				t.Errorf("role %q: predicate for %q is %v", role, r, is)
			}
		}
	}
	calls := []struct {
		name  string
		calls []ai.ToolCall
		want  bool
	}{{"nil", nil, false}, {"empty", []ai.ToolCall{}, false}, {"one", make([]ai.ToolCall, 1), true}}
	for _, tt := range calls {
		if got := (&ai.Message{ToolCalls: tt.calls}).HasToolCalls(); got != tt.want {
			t.Errorf("HasToolCalls with %s calls is %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestProviderState: state set by a provider is found again on the same
// message and is invisible to everybody who encodes it.
func TestProviderState(t *testing.T) {
	m := ai.NewAssistantMessage("hi")
	if m.ProviderState() != nil {
		t.Fatal("a new message has provider state")
	}
	state := &ai.ProviderState{Provider: "p", Data: json.RawMessage(`{"sig":"abc"}`)}
	m.SetProviderState(state)
	if m.ProviderState() != state {
		t.Error("the state did not come back as it was set")
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "abc") {
		t.Errorf("opaque state leaked into JSON: %s", text)
	}
	m.SetProviderState(nil)
	if m.ProviderState() != nil {
		t.Error("nil did not remove the state")
	}
}
