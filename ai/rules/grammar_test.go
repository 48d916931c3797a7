package rules

import (
	"math/rand/v2"
	"strings"
	"testing"

	"edged/ai/match"
	"edged/internal/jsgf"
)

func parsedGrammar(t *testing.T) *jsgf.Grammar {
	t.Helper()
	g, err := jsgf.Parse(Grammar())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestGrammarMeansTheSame: whatever the recogniser can hear by the grammar, the
// model understands as what it was meant, with the same words in each slot.
func TestGrammarMeansTheSame(t *testing.T) {
	set := theBook().set
	grammar := parsedGrammar(t)
	ruleOf := map[string]string{}
	for name := range theBook().skills {
		ruleOf["r_"+strings.ReplaceAll(name, ".", "_")] = name
	}
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 3))
	heard := map[string]int{}
	for range 4000 {
		s := grammar.Sentence(rng)
		want := ruleOf[s.Rules[1]]
		m, ok := set.Match(s.String())
		if !ok {
			t.Fatalf("seed %d: %q is not understood, want rule %s", seed, s, want)
		}
		if m.Rule != want {
			t.Fatalf("seed %d: %q is understood by rule %s, want %s", seed, s, m.Rule, want)
		}
		for slot, words := range s.Tags {
			if got := m.Text(slot); got != strings.Join(match.Normalize(words), " ") {
				t.Fatalf("seed %d: %q: slot %s holds %q, want %q", seed, s, slot, got, words)
			}
		}
		heard[want]++
	}
	for name, s := range theBook().skills {
		if len(s.Patterns) > 0 && heard[name] == 0 {
			t.Errorf("seed %d: rule %s made none of 4000 sentences", seed, name)
		}
	}
}

// TestGrammarIsCompact: a recogniser copies a rule into each place that uses
// it. The number of word positions after that copying bounds what it has to
// search; a few thousand load in a tenth of a second.
func TestGrammarIsCompact(t *testing.T) {
	positions := parsedGrammar(t).Positions()
	t.Logf("%d rules, %d words, %d word positions", len(theBook().skills), len(Vocabulary()), positions)
	if positions > 12000 {
		t.Errorf("the grammar has %d word positions, want at most 12000", positions)
	}
}
