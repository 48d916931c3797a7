package match_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"edged/ai/match"
)

func TestPatterns(t *testing.T) {
	set, err := match.Compile(match.Config{
		Rules: []match.Rule{
			{Name: "lamp", Patterns: []string{"turn [the] (lamp | light) (on | off)", "lights out"}},
			{Name: "paint", Patterns: []string{"paint it <colour>"}},
			{Name: "size", Patterns: []string{"a {s:size} one"}},
			{Name: "note", Loose: []string{"note {rest}", "... buy {what:rest}"}},
			{Name: "wake", Loose: []string{"wake {who} up"}},
		},
		Fragments: map[string]string{"colour": "[dark | light] <base>", "base": "red | green"},
		Lists: map[string][]match.Term{
			"size": {{Value: "S", Spoken: []string{"small", "very small"}}, {Value: "L", Spoken: []string{"large"}, Written: []string{"lg"}}},
			"who":  {{Value: "me", Spoken: []string{"me"}}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ text, rule, slot, value string }{
		{"turn the lamp on", "lamp", "", ""},
		{"Turn light OFF!", "lamp", "", ""},
		{"lights out", "lamp", "", ""},
		{"turn the on", "", "", ""},
		{"turn the lamp", "", "", ""},
		{"turn the lamp on now my dear", "", "", ""},
		{"paint it dark red", "paint", "", ""},
		{"paint it green", "paint", "", ""},
		{"paint it dark", "", "", ""},
		{"a very small one", "size", "s", "very small"},
		{"a lg one", "size", "s", "lg"},
		{"note milk and eggs", "note", "rest", "milk and eggs"},
		{"note", "", "", ""},
		{"remember that i must buy two apples", "note", "what", "two apples"},
		{"wake me up", "wake", "who", "me"},
	}
	for _, tt := range tests {
		m, ok := set.Match(tt.text)
		if !ok {
			if tt.rule != "" {
				t.Errorf("%q is not understood, want rule %s", tt.text, tt.rule)
			}
			continue
		}
		if m.Rule != tt.rule || tt.slot != "" && m.Text(tt.slot) != tt.value {
			t.Errorf("%q: rule %q with %q, want %q with %q", tt.text, m.Rule, m.Text(tt.slot), tt.rule, tt.value)
		}
	}
	m, _ := set.Match("a very small one")
	if term, ok := m.Term("s"); !ok || term != "S" {
		t.Errorf("the term of \"very small\" is %q, want S", term)
	}
	if m.Has("rest") || m.Text("rest") != "" {
		t.Error("a slot of another pattern counts as filled")
	}
	if _, ok := m.Number("s"); ok {
		t.Error("a list slot has a number")
	}
}

// TestRanking: the rule that explains an utterance best wins, whatever the
// order, and the order decides between equals.
func TestRanking(t *testing.T) {
	tests := []struct {
		name, text, want string
		rules            []match.Rule
	}{
		{"less free text", "play jazz loud", "loud", []match.Rule{
			{Name: "any", Loose: []string{"play {rest}"}}, {Name: "loud", Loose: []string{"play {rest} loud"}}}},
		{"fewer soft words skipped", "the time of day", "ofday", []match.Rule{
			{Name: "time", Loose: []string{"time day"}}, {Name: "ofday", Loose: []string{"time of day"}}}},
		{"more words matched literally", "set five", "five", []match.Rule{
			{Name: "number", Loose: []string{"set {n:number}"}}, {Name: "five", Loose: []string{"set five"}}}},
		{"first of equals", "go on", "first", []match.Rule{
			{Name: "first", Loose: []string{"go on"}}, {Name: "second", Loose: []string{"go on"}}}},
		{"exact text beats a skipped word elsewhere", "good night", "night", []match.Rule{
			{Name: "good", Loose: []string{"good {rest}"}}, {Name: "night", Loose: []string{"night"}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			set, err := match.Compile(match.Config{Rules: tt.rules, Soft: []string{"the", "of", "good"}})
			if err != nil {
				t.Fatal(err)
			}
			for range 20 { // the same each time
				if m, ok := set.Match(tt.text); !ok || m.Rule != tt.want {
					t.Fatalf("%q is understood as %v, want %q", tt.text, m, tt.want)
				}
			}
		})
	}
}

func TestSoftFirmAndExact(t *testing.T) {
	set, err := match.Compile(match.Config{
		Rules: []match.Rule{
			{Name: "time", Loose: []string{"time"}},
			{Name: "today", Exact: []string{"[for] today"}},
			{Name: "timer", Loose: []string{"... timer ... {d:duration}"}},
		},
		Soft: []string{"what", "is", "the", "for"},
		Firm: []string{"not"},
	})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ text, want string }{
		{"what is the time", "time"},
		{"what is the time of the film", ""}, // film is no soft word
		{"today", "today"},
		{"for today", "today"},
		{"the today", ""}, // exact
		{"i want a timer that rings after five minutes", "timer"},
		{"do not start the timer for five minutes", ""}, // no gap swallows a firm word
	}
	for _, tt := range tests {
		m, ok := set.Match(tt.text)
		if got := ""; ok {
			if got = m.Rule; got != tt.want {
				t.Errorf("%q is understood as %q, want %q", tt.text, got, tt.want)
			}
		} else if tt.want != "" {
			t.Errorf("%q is not understood, want %q", tt.text, tt.want)
		}
	}
}

func TestPoliteness(t *testing.T) {
	set := one(t, "tell a joke", "hey", "can you hear me", "please")
	for _, text := range []string{
		"tell a joke", "please tell a joke", "Hey, could you tell a joke, please?", "um, tell uh a joke",
		"okay can you please tell a joke for me", "i want you to tell a joke thanks", "hello computer tell a joke now",
		"hey", "can you hear me", "please", "hey can you hear me please",
	} {
		if _, ok := set.Match(text); !ok {
			t.Errorf("%q is not understood", text)
		}
	}
	for _, text := range []string{"", "um", "thank you", "could you", "tell please"} {
		if m, ok := set.Match(text); ok {
			t.Errorf("%q is understood as %v", text, m.Words)
		}
	}
}

func TestSyntaxErrors(t *testing.T) {
	long := strings.Repeat("a ", 3000)
	tests := []struct {
		name, pattern string
		column        int
		says          string
	}{
		{"empty", "", 1, "missing"},
		{"empty alternative", "a | | b", 4, "missing"},
		{"empty group", "a ()", 4, "missing"},
		{"group not closed", "a (b | c", 3, "not closed"},
		{"option not closed", "a [b", 3, "not closed"},
		{"wrong closing", "a (b]", 3, "not closed"},
		{"closes nothing", "a b)", 4, "closes nothing"},
		{"slot not closed", "a {n:number", 3, "not closed"},
		{"slot without a name", "a {:number}", 3, "slot name"},
		{"slot of unknown type", "a {n:colour}", 3, "unknown"},
		{"slot twice", "{n:number} and {n:number}", 16, "twice"},
		{"slot twice through an option", "{n:number} [{n:count}]", 13, "twice"},
		{"free text", "a {rest}", 3, "free text"},
		{"gap", "a ... b", 3, "gap"},
		{"half a gap", "a .. b", 3, "three points"},
		{"digits", "set 5", 5, "digits"},
		{"upper case", "Set it", 1, `write "set"`},
		{"contraction", "well what's up", 6, `write "what is"`},
		{"unknown sign", "a & b", 3, "no meaning"},
		{"unknown fragment", "a <thing>", 3, "not defined"},
		{"fragment within itself", "a <loop>", 4, "contains itself"},
		{"matches silence", "[a] [b]", 1, "without words"},
		{"too deep", strings.Repeat("(", 40) + "a" + strings.Repeat(")", 40), 33, "inside each other"},
		{"too long", long, 1, "longer than"},
		{"fragments that multiply", "<b8>", 0, "parts"},
		{"not UTF-8", "a \xff", 1, "UTF-8"},
	}
	fragments := map[string]string{"loop": "x [<loop>]", "b0": "a a a a"}
	for i := range 8 {
		b := string(rune('0' + i))
		fragments["b"+string(rune('1'+i))] = strings.Repeat("<b"+b+"> ", 4)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := match.Compile(match.Config{
				Rules:     []match.Rule{{Name: "r", Patterns: []string{tt.pattern}}},
				Fragments: fragments,
			})
			var syntax *match.SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("error %v, want a SyntaxError", err)
			}
			if tt.column > 0 && syntax.Column != tt.column || !strings.Contains(syntax.Reason, tt.says) {
				t.Errorf("column %d: %s; want column %d and %q", syntax.Column, syntax.Reason, tt.column, tt.says)
			}
			if !strings.Contains(err.Error(), "rule") {
				t.Errorf("%q does not name the rule", err)
			}
		})
	}
}

func TestConfigErrors(t *testing.T) {
	tests := []struct {
		name string
		cfg  match.Config
		says string
	}{
		{"rule without a name", match.Config{Rules: []match.Rule{{Patterns: []string{"a"}}}}, "rule name"},
		{"rule with a space", match.Config{Rules: []match.Rule{{Name: "a b"}}}, "rule name"},
		{"rule twice", match.Config{Rules: []match.Rule{{Name: "a"}, {Name: "a"}}}, "twice"},
		{"list named like a type", match.Config{Lists: map[string][]match.Term{"number": nil}}, "number"},
		{"list with a bad name", match.Config{Lists: map[string][]match.Term{"My List": nil}}, "My List"},
		{"term without words", match.Config{Lists: map[string][]match.Term{"l": {{Value: "v", Spoken: []string{"!"}}}}}, "without words"},
	}
	for _, tt := range tests {
		if _, err := match.Compile(tt.cfg); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: error %v, want one that says %q", tt.name, err, tt.says)
		}
	}
	set, err := match.Compile(match.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := set.Match("anything"); ok {
		t.Error("a set without rules understands something")
	}
}

// TestNoBacktracking: these patterns have about 2^60 ways to fail. A matcher
// that tried them one after another would not end.
func TestNoBacktracking(t *testing.T) {
	as := strings.Repeat("a ", 60)
	set := one(t,
		strings.Repeat("[a] ", 60)+"b",
		strings.Repeat("(a | a a | a a a) ", 30)+"c",
		strings.Repeat("... a ", 60)+"d",
		strings.Repeat("[... [a]] ", 30)+"e",
		"{x:rest} {y:rest} {z:rest} a {u:rest} f",
	)
	if m, ok := set.Match(as + "g"); ok {
		t.Errorf("understood as %v", m)
	}
	for _, last := range []string{"b", "d", "e"} {
		if _, ok := set.Match(as + last); !ok {
			t.Errorf("sixty times a and %s is not understood", last)
		}
	}
	numbers := one(t, "{a:number} {b:number} {c:number} {d:number} {e:number} x")
	if _, ok := numbers.Match(strings.Repeat("one hundred and two thousand ", 12) + "y"); ok {
		t.Error("numbers without the x are understood")
	}
}

func TestLongUtterance(t *testing.T) {
	set := one(t, "{rest}")
	if _, ok := set.Match(strings.Repeat("word ", 80)); !ok {
		t.Error("80 words are not understood")
	}
	if _, ok := set.Match(strings.Repeat("word ", 81)); ok {
		t.Error("81 words are understood, want them refused")
	}
}

func TestFreeWords(t *testing.T) {
	set := one(t, "play {rest}", "stop")
	for text, want := range map[string]int{"stop": 0, "play some old jazz": 3} {
		if m, ok := set.Match(text); !ok || m.FreeWords() != want {
			t.Errorf("%q has %v free words, want %d", text, m, want)
		}
	}
	if m, _ := set.Match("please play jazz"); !slices.Equal(m.Words, []string{"play", "jazz"}) {
		t.Errorf("compared as %q, want the politeness gone", m.Words)
	}
}
