package match_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"edged/ai/match"
	"edged/internal/jsgf"
)

// FuzzCompile: no pattern panics; a bad one is a SyntaxError within the
// pattern, a good one can be matched and written as a grammar that parses.
func FuzzCompile(f *testing.F) {
	for _, s := range []string{
		"set [a] timer for {d:duration}", "(a | b [c]) {n:number}", "... {rest}", "<x> <y>", "[", "{", "((((", "a|b|", "<x", "é 今", "[[a]] b",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		rule := match.Rule{Name: "r", Patterns: []string{pattern}}
		cfg := match.Config{Rules: []match.Rule{rule}, Fragments: map[string]string{"x": "[a] b", "y": "<x> | <y>"}}
		set, err := match.Compile(cfg)
		if err != nil {
			var syntax *match.SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("%q: error %v is no SyntaxError", pattern, err)
			}
			if n := utf8.RuneCountInString(syntax.Pattern); syntax.Column < 1 || syntax.Column > n+1 {
				t.Fatalf("%q: column %d lies outside", pattern, syntax.Column)
			}
			return
		}
		set.Match("set a timer for ten minutes")
		set.Match(strings.Repeat("a b ", 30))
		if _, err := jsgf.Parse(set.JSGF("g")); err != nil {
			t.Fatalf("%q: the grammar does not parse: %v", pattern, err)
		}
	})
}

// FuzzMatch: no utterance panics, and what was captured are words of it.
func FuzzMatch(f *testing.F) {
	for _, s := range []string{
		"what's 21 plus 4.5", "set a timer for an hour and a half", "one hundred and and", "minus", "a", "point point",
		"half a", "-", "1/0", "9999999999999999999999999999999999", "\xff\xfe", "a couple of", "12:30:99",
	} {
		f.Add(s)
	}
	set := one(f, "[...] {a:number} [plus {b:number}] [...]", "{d:duration} {rest}", "... {u:unit} {w:weekday} {m:month} {o:ordinal}", "{x:rest} and {y:rest}")
	f.Fuzz(func(t *testing.T, text string) {
		m, ok := set.Match(text)
		if !ok {
			return
		}
		said := " " + strings.Join(m.Words, " ") + " "
		for _, slot := range []string{"a", "b", "d", "rest", "x", "y", "u"} {
			if m.Has(slot) && !strings.Contains(said, " "+m.Text(slot)+" ") {
				t.Fatalf("%q: slot %s holds %q, which was not said", text, slot, m.Text(slot))
			}
		}
	})
}
