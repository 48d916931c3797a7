package generate

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"edged/ai"
	"edged/realtime"
	"edged/transformers"
)

func TestContextBecomesMessages(t *testing.T) {
	var b transformers.ModelContextBuilder
	b.Prompt("a", "Be brief.")
	b.Prompt("b", "Be kind.")
	b.CoT("They want the time.")
	b.Text(realtime.RoleUser, "ann", "hello")
	b.Text(realtime.RoleUser, "ann", "what time is it?")
	b.Text(realtime.RoleModel, "", "Let me look.")
	b.ToolCall(realtime.ToolCall{ID: "1", Name: "clock", Arguments: "{}"})
	b.ToolCall(realtime.ToolCall{ID: "2", Name: "zone", Arguments: "{}"})
	b.ToolResult(realtime.ToolResult{ID: "1", Content: "12:00"})
	b.ToolResult(realtime.ToolResult{ID: "2", Content: "UTC"})
	b.ToolCall(realtime.ToolCall{ID: "3", Name: "clock", Arguments: "{}"})
	b.ToolResult(realtime.ToolResult{ID: "3", Content: "12:01"})
	b.Text(realtime.RoleModel, "", "Noon.")
	got, err := messagesOf(b.Build())
	if err != nil {
		t.Fatal(err)
	}
	call := func(id, name string) ai.ToolCall { return ai.ToolCall{ID: id, Name: name, Arguments: "{}"} }
	want := []*ai.Message{
		ai.NewSystemMessage("Be brief."),
		ai.NewSystemMessage("Be kind."),
		ai.NewSystemMessage("Your reasoning so far: They want the time."),
		ai.NewUserMessage("hello\nwhat time is it?"),
		ai.NewAssistantMessageWithToolCalls("Let me look.", []ai.ToolCall{call("1", "clock"), call("2", "zone")}),
		ai.NewToolMessage("1", "12:00"),
		ai.NewToolMessage("2", "UTC"),
		ai.NewAssistantMessageWithToolCalls("", []ai.ToolCall{call("3", "clock")}),
		ai.NewToolMessage("3", "12:01"),
		ai.NewAssistantMessage("Noon."),
	}
	if !reflect.DeepEqual(got, want) {
		for i, m := range got {
			t.Logf("%d: %+v", i, *m)
		}
		t.Error("want prompts, reasoning, then the history with the calls of one answer together")
	}
}

func TestG63ParamsArePassedOn(t *testing.T) {
	model := &scripted{log: &asked{}, pieces: say("hi")}
	for _, test := range []struct {
		name   string
		params *transformers.ModelParams
		want   *ai.Options
	}{
		{"none", nil, ai.NewOptions()},
		{"all", &transformers.ModelParams{MaxTokens: new(0), Temperature: new(0.0), TopP: new(0.9), Extra: map[string]any{"user": "ann", "seed": 7, "stop": []string{"a"}}},
			&ai.Options{MaxTokens: new(0), Temperature: new(0.0), Meta: map[string]string{"top_p": "0.9", "user": "ann", "seed": "7", "stop": `["a"]`}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := question("hello")
			b.Params(test.params)
			stream, err := New(model, Config{}).GenerateStream(t.Context(), "chat/x", b.Build())
			if err != nil {
				t.Fatal(err)
			}
			_, _ = read(stream)
			if got := model.log.options; !reflect.DeepEqual(got, test.want) {
				t.Errorf("options = %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestRequestsThatAModelCannotServe(t *testing.T) {
	image := &realtime.Blob{MIMEType: "Image/PNG"}
	for _, test := range []struct {
		name  string
		build func(*transformers.ModelContextBuilder)
		want  error
		names string
	}{
		{"an image", func(b *transformers.ModelContextBuilder) {
			b.Message(realtime.Message{Role: realtime.RoleUser, Payload: realtime.Contents{realtime.Text("what is it?"), image}})
		}, ErrUnsupportedContent, "image/png"},
		{"contents of a tool", func(b *transformers.ModelContextBuilder) { b.Text(realtime.RoleTool, "", "x") }, ErrUnsupportedContent, "tool"},
		{"a message without payload", func(b *transformers.ModelContextBuilder) { b.Message(realtime.Message{Role: realtime.RoleUser}) }, ErrUnsupportedContent, "user"},
		{"a nil part", func(b *transformers.ModelContextBuilder) {
			b.Message(realtime.Message{Role: realtime.RoleUser, Payload: realtime.Contents{nil}})
		}, ErrUnsupportedContent, "nil"},
		{"web search", func(b *transformers.ModelContextBuilder) { b.Tool(&transformers.SearchWebTool{}) }, transformers.ErrUnsupportedTool, "web search"},
		{"a tool for a model that takes none", func(b *transformers.ModelContextBuilder) { b.Tool(forbiddenTool(t)) }, transformers.ErrUnsupportedTool, "volume"},
		{"a parameter that JSON cannot express", func(b *transformers.ModelContextBuilder) {
			b.Params(&transformers.ModelParams{Extra: map[string]any{"hook": func() {}}})
		}, nil, "hook"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := question("hello")
			test.build(b)
			stream, err := New(talkOnly{&scripted{log: &asked{}}}, Config{}).GenerateStream(t.Context(), "chat/x", b.Build())
			var failure *Error
			if stream != nil || !errors.As(err, &failure) || (test.want != nil && !errors.Is(err, test.want)) || !strings.Contains(err.Error(), test.names) {
				t.Errorf("GenerateStream = %v, want an *Error matching %v that names %q", err, test.want, test.names)
			}
		})
	}
}
