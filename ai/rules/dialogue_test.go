package rules

import (
	"context"
	"errors"
	"math/big"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"edged/ai"
	"edged/ai/match"
)

// named returns tools that are only offered, never run.
func named(t testing.TB, names ...string) []ai.Tool {
	t.Helper()
	var tools []ai.Tool
	for _, name := range names {
		tool, err := ai.NewRawTool(name, "", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		tools = append(tools, tool)
	}
	return tools
}

// exchange is one call that the model is expected to make, and its result.
type exchange struct{ tool, arguments, result string }

// TestToolDialogues: which tools are asked for, in which order, with which
// arguments, and what is said in the end.
func TestToolDialogues(t *testing.T) {
	all := []string{"set_timer", "list_timers", "cancel_timer", "set_volume", "get_volume"}
	two := `{"timers":[{"id":"t1","label":"pasta","remaining_seconds":61,"seconds":300},{"id":"t2","label":"","remaining_seconds":5,"seconds":600}]}`
	tests := []struct {
		name, said string
		history    []*ai.Message
		steps      []exchange
		reply      string
	}{
		{name: "labelled timer", said: "set a pasta timer for five minutes",
			steps: []exchange{{"set_timer", `{"seconds":300,"label":"pasta"}`, `{"id":"t1","label":"pasta","seconds":300}`}},
			reply: "Okay, your pasta timer is set for five minutes."},
		{name: "the length answers the question", said: "ten minutes",
			history: []*ai.Message{ai.NewUserMessage("set a tea timer"), ai.NewAssistantMessage("A tea timer. For how long?")},
			steps:   []exchange{{"set_timer", `{"seconds":600,"label":"tea"}`, `{"id":"t1","label":"tea","seconds":600}`}},
			reply:   "Okay, your tea timer is set for ten minutes."},
		{name: "no length", said: "set a timer", reply: "A timer. For how long?"},
		{name: "list of two", said: "how much time is left", steps: []exchange{{"list_timers", `{}`, two}},
			reply: "You have two timers: the pasta timer has one minute and one second left; the timer for ten minutes has five seconds left."},
		{name: "one of two by its label", said: "how much time is left on the pasta timer", steps: []exchange{{"list_timers", `{}`, two}},
			reply: "Your pasta timer has one minute and one second left."},
		{name: "none running", said: "check my timer", steps: []exchange{{"list_timers", `{}`, `{"timers":[]}`}},
			reply: "There are no timers running."},
		{name: "cancel all", said: "cancel all timers", steps: []exchange{{"cancel_timer", `{"all":true}`, `{"cancelled":2}`}},
			reply: "Okay, I cancelled two timers."},
		{name: "cancel by length", said: "cancel the five minute timer",
			steps: []exchange{{"list_timers", `{}`, two}, {"cancel_timer", `{"label":"pasta"}`, `{"cancelled":1}`}},
			reply: "Okay, I cancelled the pasta timer."},
		{name: "nothing to cancel", said: "cancel the timer", steps: []exchange{{"cancel_timer", `{}`, `{"cancelled":0}`}},
			reply: "There is no timer to cancel."},
		{name: "louder", said: "turn it up",
			steps: []exchange{{"get_volume", `{}`, `{"level":60}`}, {"set_volume", `{"level":70}`, `{}`}},
			reply: "Okay, the volume is at 70 percent."},
		{name: "quieter by an amount", said: "turn the volume down by 25",
			steps: []exchange{{"get_volume", `{}`, `{"level":20}`}, {"set_volume", `{"level":0}`, `{}`}},
			reply: "Okay, the volume is at zero percent."},
		{name: "as loud as it gets", said: "louder", steps: []exchange{{"get_volume", `{}`, `{"level":100}`}},
			reply: "The volume is at its highest already."},
		{name: "too loud", said: "set the volume to 140", reply: "The volume goes from zero to 100."},
		{name: "a result that makes no sense", said: "turn it up", steps: []exchange{{"get_volume", `{}`, `nonsense`}},
			reply: "Sorry, I couldn't change the volume: the answer made no sense to me."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			model := New(Config{Seed: 1}).WithTools(named(t, all...)...)
			messages := append(tt.history, ai.NewUserMessage(tt.said))
			for _, step := range tt.steps {
				msg, err := model.Generate(t.Context(), messages)
				if err != nil || len(msg.ToolCalls) != 1 {
					t.Fatalf("%+v, %v: want a call of %s", msg, err, step.tool)
				}
				call := msg.ToolCalls[0]
				if call.Name != step.tool || call.Arguments != step.arguments {
					t.Fatalf("called %s %s, want %s %s", call.Name, call.Arguments, step.tool, step.arguments)
				}
				messages = append(messages, msg, ai.NewToolMessage(call.ID, step.result))
			}
			msg, err := model.Generate(t.Context(), messages)
			if err != nil || msg.HasToolCalls() || msg.Content != tt.reply {
				t.Errorf("said %q %v (%v), want %q", msg.Content, msg.ToolCalls, err, tt.reply)
			}
		})
	}
}

// TestAgain: "another one" does the last thing of chance once more, and a joke
// is not told twice while there are others.
func TestAgain(t *testing.T) {
	model := New(Config{Seed: 4})
	history := []*ai.Message{ai.NewUserMessage("tell me a joke")}
	told := map[string]bool{}
	for range jokes {
		msg, err := model.Generate(t.Context(), history)
		if err != nil {
			t.Fatal(err)
		}
		if told[msg.Content] {
			t.Errorf("%q was told twice, with others left", msg.Content)
		}
		told[msg.Content] = true
		history = append(history, msg, ai.NewUserMessage("another one"))
	}
}

func TestOptions(t *testing.T) {
	ask := []*ai.Message{ai.NewSystemMessage("ignore me"), ai.NewUserMessage("what is seven plus five")}
	model := New(Config{})
	stream, err := model.Stream(t.Context(), ask, ai.WithMaxTokens(3))
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	msg, err := stream.Collect()
	if err != nil || msg.Content != "Seven plus five " {
		t.Errorf("three words at most gave %q, %v", msg.Content, err)
	}
	if r := stream.(ai.ResultStream).Result(); r.FinishReason != ai.FinishLength || r.Usage.CompletionTokens != 3 || r.Usage.PromptTokens != 7 {
		t.Errorf("the result is %+v with %+v, want length, 3 and 7 words", r, r.Usage)
	}
	msg, err = model.Generate(t.Context(), ask, ai.WithStopSequences(" is"))
	if err != nil || msg.Content != "Seven plus five" {
		t.Errorf("a stop sequence gave %q, %v", msg.Content, err)
	}
}

func TestContextEndsTheStream(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	stream, err := New(Config{}).Stream(ctx, []*ai.Message{ai.NewUserMessage("tell me a story")})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if _, err := stream.Recv(); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := stream.Recv(); !errors.Is(err, context.Canceled) {
		t.Errorf("after the cancel: %v, want context.Canceled", err)
	}
	if _, err := New(Config{}).Generate(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Generate with a cancelled context: %v", err)
	}
}

func TestProvider(t *testing.T) {
	var registry ai.Registry
	if err := registry.RegisterModelProvider(New(Config{Name: "Otto"})); err != nil {
		t.Fatal(err)
	}
	model, err := registry.NewChatModel(t.Context(), &ai.ModelConfig{Provider: "rules"})
	if err != nil {
		t.Fatal(err)
	}
	for _, said := range []string{"what is your name", "hey Otto, what is your name?", "who are you, Otto"} {
		msg, err := model.Generate(t.Context(), []*ai.Message{ai.NewUserMessage(said)})
		if err != nil || !strings.Contains(msg.Content, "Otto") {
			t.Errorf("%q: %q, %v, want the name", said, msg.Content, err)
		}
	}
	_, err = registry.NewChatModel(t.Context(), &ai.ModelConfig{Provider: "rules", Model: "gpt-4"})
	if !errors.Is(err, ai.ErrModelNotSupported) || !strings.Contains(err.Error(), "gpt-4") {
		t.Errorf("error %v, want ErrModelNotSupported with the name", err)
	}
}

// TestUnitFactors: every unit that can be heard can be converted, there and
// back without loss, and known pairs have their known ratio.
func TestUnitFactors(t *testing.T) {
	all := map[string]match.Unit{}
	for _, u := range match.Units() {
		all[u.Name] = u
		if u.Dimension != match.Temperature && unitFactors[u.Name] == nil {
			t.Errorf("%s has no factor", u.Name)
		}
	}
	for _, u := range all {
		for _, v := range all {
			there, ok := convert(big.NewRat(7, 3), u, v)
			if ok != (u.Dimension == v.Dimension) {
				t.Errorf("%s to %s: %v", u.Name, v.Name, ok)
			}
			if !ok {
				continue
			}
			if back, _ := convert(there, v, u); back.Cmp(big.NewRat(7, 3)) != 0 {
				t.Errorf("%s to %s and back is %v", u.Name, v.Name, back)
			}
		}
	}
	// Each as in NIST Handbook 44, appendix C, or by definition.
	for _, known := range []struct{ n, from, want, to string }{
		{"1", "mile", "5280", "foot"}, {"1", "mile", "1.609344", "kilometer"}, {"1", "inch", "2.54", "centimeter"},
		{"1", "pound", "16", "ounce"}, {"1", "pound", "453.59237", "gram"}, {"1", "stone", "14", "pound"},
		{"1", "gallon", "3.785411784", "liter"}, {"1", "gallon", "4", "quart"}, {"1", "cup", "16", "tablespoon"},
		{"1", "tablespoon", "3", "teaspoon"}, {"1", "cup", "8", "fluid ounce"}, {"1", "nautical mile", "1852", "meter"},
		{"1", "knot", "1.852", "kilometer per hour"}, {"36", "kilometer per hour", "10", "meter per second"},
		{"212", "degree Fahrenheit", "100", "degree Celsius"}, {"-40", "degree Celsius", "-40", "degree Fahrenheit"},
		{"0", "kelvin", "-273.15", "degree Celsius"}, {"1", "week", "168", "hour"}, {"1", "ton", "2000", "pound"},
	} {
		n, _ := new(big.Rat).SetString(known.n)
		want, _ := new(big.Rat).SetString(known.want)
		if got, ok := convert(n, all[known.from], all[known.to]); !ok || got.Cmp(want) != 0 {
			t.Errorf("%s %s is %v %s, want %s", known.n, known.from, got, known.to, known.want)
		}
	}
}

func TestHolidays(t *testing.T) {
	for _, known := range []struct{ name, day string }{
		{"Easter", "2024-03-31"}, {"Easter", "2025-04-20"}, {"Easter", "2038-04-25"}, {"Good Friday", "2025-04-18"},
		{"Thanksgiving", "2026-11-26"}, {"Labor Day", "2025-09-01"}, {"Memorial Day", "2025-05-26"},
		{"Mother's Day", "2025-05-11"}, {"Father's Day", "2025-06-15"}, {"Christmas", "2025-12-25"}, {"New Year's Day", "2026-01-01"},
	} {
		want, err := time.Parse(time.DateOnly, known.day)
		if err != nil {
			t.Fatal(err)
		}
		if got := feastDay(known.name, want.Year(), time.UTC).Format(time.DateOnly); got != known.day {
			t.Errorf("%s is on %s, want %s", known.name, got, known.day)
		}
	}
	if got := addMonths(time.Date(2024, time.January, 31, 9, 0, 0, 0, time.UTC), 1).Format(time.DateOnly); got != "2024-02-29" {
		t.Errorf("a month after January 31, 2024 is %s, want the end of February", got)
	}
}

// TestDaysAcrossSummerTime: the day on which clocks change has 23 or 25 hours
// and still counts as one.
func TestDaysAcrossSummerTime(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2000, time.March, 25, 22, 30, 0, 0, time.UTC))) // half past eleven in Berlin
		msg, err := New(Config{Location: berlin}).Generate(t.Context(), []*ai.Message{ai.NewUserMessage("what day is it in two days")})
		if want := "In two days it will be Monday, March 27, 2000."; err != nil || msg.Content != want {
			t.Errorf("%q, %v, want %q", msg.Content, err, want)
		}
	})
}

func TestNumbersAsSaid(t *testing.T) {
	tests := []struct{ said, reply string }{
		{"2 to the power of 64", "Two to the power of 64 is 18,446,744,073,709,551,616."},
		{"what is a million times a million", "1,000,000 times 1,000,000 is 1,000,000,000,000."},
		{"0.1 plus 0.2", "0.1 plus 0.2 is 0.3."},
		{"square root of two", "The square root of two is about 1.4142."},
		{"square root of minus four", "The square root of minus 4 is not a real number."},
		{"12345 divided by 0", divisionByZero},
		{"two plus three times four", "Two plus three times four is 14."},
		{"three quarters of 12", "0.75 times twelve is 9."},
		{"9 to the power of 999999", "That exponent is too much for me."},
		{"five is what percent of 20", "Five is 25 percent of 20."},
	}
	for _, tt := range tests {
		msg, err := New(Config{}).Generate(t.Context(), []*ai.Message{ai.NewUserMessage(tt.said)})
		if err != nil || msg.Content != tt.reply {
			t.Errorf("%q: %q, %v, want %q", tt.said, msg.Content, err, tt.reply)
		}
	}
}
