package match_test

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"edged/ai/match"
	"edged/internal/jsgf"
)

// FuzzGrammar: whatever the pattern is, each sentence that a recogniser can hear
// by its grammar is understood, and the same rules make the same grammar and the
// same understanding again. The rules stand alone: with polite words around it, a
// pattern that is made of polite words may go with them.
func FuzzGrammar(f *testing.F) {
	f.Fuzz(func(t *testing.T, pattern, second string, seed uint64) {
		if len(pattern)+len(second) > 300 {
			return
		}
		cfg := match.Config{
			Rules:     []match.Rule{{Name: "first", Patterns: []string{pattern}, Alone: true}, {Name: "second", Patterns: []string{second}, Alone: true}},
			Fragments: map[string]string{"x": "[a] b"},
			Lists:     map[string][]match.Term{"op": {{Value: "+", Spoken: []string{"plus", "added to"}}}},
		}
		set, err := match.Compile(cfg)
		if err != nil {
			return // FuzzCompile looks at those
		}
		twin, err := match.Compile(cfg)
		if err != nil || twin.JSGF("g") != set.JSGF("g") {
			t.Fatalf("the same rules make another grammar: %v", err)
		}
		grammar, err := jsgf.Parse(set.JSGF("g"))
		if err != nil {
			t.Fatalf("the grammar does not parse: %v\n%s", err, set.JSGF("g"))
		}
		if strings.Contains(set.JSGF("g"), "<VOID>") {
			return // there is no sentence
		}
		rng := rand.New(rand.NewPCG(seed, 1))
		for range 8 {
			s := grammar.Sentence(rng)
			if len(s.Words) == 0 || len(s.Words) > 60 {
				continue // longer than any command, see maxWords
			}
			m, ok := set.Match(s.String())
			if !ok {
				t.Fatalf("%q is heard by the grammar and not understood", s)
			}
			if again, _ := twin.Match(s.String()); again.Rule != m.Rule || !reflect.DeepEqual(again.Words, m.Words) {
				t.Fatalf("%q is %+v, then %+v", s, m, again)
			}
		}
	})
}
