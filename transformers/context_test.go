package transformers

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"

	"edged/realtime"
)

// describe writes a context down in lines.
func describe(c ModelContext) []string {
	var all []string
	for p := range c.Prompts() {
		all = append(all, fmt.Sprintf("prompt %s: %s", p.Name, p.Text))
	}
	for m := range c.Messages() {
		switch p := m.Payload.(type) {
		case realtime.Contents:
			all = append(all, fmt.Sprintf("%s %s: %s", m.Role, m.Name, strings.ReplaceAll(p.Text(), "\n", " | ")))
		case *realtime.ToolCall:
			all = append(all, fmt.Sprintf("%s calls %s(%s)", m.Role, p.Name, p.Arguments))
		case *realtime.ToolResult:
			all = append(all, fmt.Sprintf("%s returns %s", m.Role, p.Content))
		}
	}
	for cot := range c.CoTs() {
		all = append(all, "cot: "+cot)
	}
	for tool := range c.Tools() {
		all = append(all, fmt.Sprintf("tool: %T", tool))
	}
	if p := c.Params(); p != nil {
		all = append(all, fmt.Sprintf("max %d", *p.MaxTokens))
	}
	return all
}

func full() *ModelContextBuilder {
	var b ModelContextBuilder
	b.Prompt("", "Be brief.")
	b.Text(realtime.RoleUser, "", "hello")
	b.CoT("the user is friendly")
	b.Tool(&SearchWebTool{})
	b.Params(&ModelParams{MaxTokens: new(100), Extra: map[string]any{"seed": 1}})
	return &b
}

func TestG52SequencesRunTwiceAndStopEarly(t *testing.T) {
	b := full()
	b.Prompt("second", "p2")
	b.Text(realtime.RoleModel, "", "hi")
	b.CoT("c2")
	b.Tool(&SearchWebTool{})
	for name, c := range map[string]ModelContext{"built": b.Build(), "multi": MultiModelContext{b.Build(), nil, b.Build()}} {
		t.Run(name, func(t *testing.T) {
			if first, second := describe(c), describe(c); !slices.Equal(first, second) || len(first) < 9 {
				t.Errorf("first run  %v\nsecond run %v", first, second)
			}
			for what, n := range map[string]int{
				"prompts": stopAfterOne(c.Prompts()), "messages": stopAfterOne(c.Messages()),
				"cots": stopAfterOne(c.CoTs()), "tools": stopAfterOne(c.Tools()),
			} {
				if n != 1 {
					t.Errorf("%s went on after the loop had stopped: %d", what, n)
				}
			}
		})
	}
}

func stopAfterOne[T any](s iter.Seq[T]) (n int) {
	for range s {
		n++
		break
	}
	return n
}

func TestG53Joining(t *testing.T) {
	var b ModelContextBuilder
	b.Prompt("a", "one")
	b.Prompt("a", "two")
	b.Prompt("b", "three")
	b.Prompt("a", "four")
	b.Text(realtime.RoleUser, "", "x")
	b.Text(realtime.RoleUser, "", "y")
	b.Text(realtime.RoleUser, "ann", "z")
	b.Text(realtime.RoleModel, "ann", "w")
	b.ToolCall(realtime.ToolCall{ID: "1", Name: "f", Arguments: "{}"})
	b.ToolCall(realtime.ToolCall{ID: "2", Name: "g", Arguments: "{}"})
	b.ToolResult(realtime.ToolResult{ID: "1", Content: "r1"})
	b.ToolResult(realtime.ToolResult{ID: "2", Content: "r2"})
	b.Text(realtime.RoleModel, "ann", "v")
	want := []string{
		"prompt a: one\ntwo", "prompt b: three", "prompt a: four",
		"user : x | y", "user ann: z", "model ann: w",
		"model calls f({})", "model calls g({})", "tool returns r1", "tool returns r2", "model ann: v",
	}
	if got := describe(b.Build()); !slices.Equal(got, want) {
		t.Errorf("context =\n%q\nwant\n%q", got, want)
	}
}

func TestG54BuiltContextDoesNotChange(t *testing.T) {
	b := full()
	params := &ModelParams{MaxTokens: new(7), Extra: map[string]any{"k": "v"}}
	contents := realtime.Contents{realtime.Text("original")}
	b.Message(realtime.Message{Role: realtime.RoleModel, Payload: contents})
	b.Params(params)
	c := b.Build()
	before := describe(c)

	b.Prompt("", "Also be kind.") // would join the prompt before
	b.Text(realtime.RoleModel, "", "more")
	b.CoT("more")
	b.Tool(&SearchWebTool{})
	*params.MaxTokens = 8
	params.Extra["k"] = "changed"
	contents[0] = realtime.Text("changed")
	*c.Params().MaxTokens = 9
	c.Params().Extra["k"] = "changed"
	b.Params(nil)

	if after := describe(c); !slices.Equal(before, after) {
		t.Errorf("context became\n%q\nwas\n%q", after, before)
	}
	if got := c.Params().Extra["k"]; got != "v" {
		t.Errorf("extra parameter became %v", got)
	}
	later := strings.Join(describe(b.Build()), "\n")
	if !strings.Contains(later, "Be brief.\nAlso be kind.") || !strings.Contains(later, "more") {
		t.Errorf("the builder lost what it was given:\n%s", later)
	}
}

func TestG55MultiModelContext(t *testing.T) {
	var a, b ModelContextBuilder
	a.Prompt("", "pa")
	a.Text(realtime.RoleUser, "", "ma")
	a.CoT("ca")
	a.Tool(&SearchWebTool{})
	b.Prompt("", "pb")
	b.Text(realtime.RoleUser, "", "mb")
	b.CoT("cb")
	b.Tool(NewFuncTool(clockTool(t)))
	b.Params(&ModelParams{MaxTokens: new(2)})
	third := full()
	got := describe(MultiModelContext{a.Build(), nil, b.Build(), third.Build()})
	want := []string{
		"prompt : pa", "prompt : pb", "prompt : Be brief.", "user : ma", "user : mb", "user : hello", "cot: ca", "cot: cb", "cot: the user is friendly",
		"tool: *transformers.SearchWebTool", "tool: *transformers.FuncTool", "tool: *transformers.SearchWebTool", "max 2",
	}
	if !slices.Equal(got, want) {
		t.Errorf("context =\n%q\nwant\n%q", got, want)
	}
	if (MultiModelContext{a.Build()}).Params() != nil || (MultiModelContext{}).Params() != nil {
		t.Error("params appeared although no context has any")
	}
}

func TestG56AddToolCallResult(t *testing.T) {
	var b ModelContextBuilder
	first, err := b.AddToolCallResult("timer", map[string]int{"seconds": 5}, "set")
	if err != nil {
		t.Fatal(err)
	}
	second, err := b.AddToolCallResult("timer", `{"seconds":6}`, struct {
		OK bool `json:"ok"`
	}{true})
	if err != nil {
		t.Fatal(err)
	}
	if first == second || !strings.HasPrefix(first, "call_") || !strings.HasPrefix(second, "call_") {
		t.Errorf("ids = %q and %q, want two different call_ ones", first, second)
	}
	if _, err := b.AddToolCallResult("timer", make(chan int), "x"); err == nil || !strings.Contains(err.Error(), "timer") {
		t.Errorf("arguments that JSON cannot express: %v, want an error naming the tool", err)
	}
	var got []realtime.Message
	for m := range b.Build().Messages() {
		got = append(got, *m)
	}
	want := []realtime.Message{
		{Role: realtime.RoleModel, Payload: &realtime.ToolCall{ID: first, Name: "timer", Arguments: `{"seconds":5}`}},
		{Role: realtime.RoleTool, Payload: &realtime.ToolResult{ID: first, Content: "set"}},
		{Role: realtime.RoleModel, Payload: &realtime.ToolCall{ID: second, Name: "timer", Arguments: `{"seconds":6}`}},
		{Role: realtime.RoleTool, Payload: &realtime.ToolResult{ID: second, Content: `{"ok":true}`}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("messages = %v, want %v", got, want)
	}
}
