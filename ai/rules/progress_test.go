package rules

import (
	"math/rand/v2"
	"strings"
	"testing"

	"edged/ai/match"
)

func TestProgress(t *testing.T) {
	tests := []struct {
		text           string
		complete, open bool
	}{
		{"", false, false},
		{"...", false, false},
		{"set", false, true},
		{"Set a", false, true},
		{"set a timer", true, true},
		{"set a timer for", false, true},
		{"set a timer for twenty", false, true},
		{"set a timer for twenty five", false, true},
		{"set a timer for twenty five minutes please", true, false},
		{"what is seven plus", false, true},
		{"what is seven plus five", true, false},
		{"what is seven plus twenty", true, true},
		{"tell me a joke", true, false},
		{"flip a coin", true, false},
		{"what time is it", true, false},
		{"what day is it", true, true},
		{"set the volume to twenty", true, true},
		{"set the volume to fifty five", true, false},
		{"set a timer for an hour", true, false},
		{"set a timer for an hour and", false, true},
		{"stop", true, false},
		{"who won the world cup", false, false},
		{"tell me a joke about", false, false},
		{"joke a me tell", false, false},
	}
	for _, test := range tests {
		if complete, open := Progress(test.text); complete != test.complete || open != test.open {
			t.Errorf("Progress(%q): complete %v, open %v; want %v, %v", test.text, complete, open, test.complete, test.open)
		}
	}
}

// TestProgressFollowsTheGrammar: every sentence that can be listened for is
// complete, and each of its beginnings is open or complete.
func TestProgressFollowsTheGrammar(t *testing.T) {
	grammar := parsedGrammar(t)
	rng := rand.New(rand.NewPCG(3, 3))
	for range 1000 {
		words := match.Normalize(grammar.Sentence(rng).String())
		text := strings.Join(words, " ")
		if complete, _ := Progress(text); !complete {
			t.Fatalf("%q is a sentence of the grammar and not complete", text)
		}
		for n := 1; n < len(words); n++ {
			beginning := strings.Join(words[:n], " ")
			if complete, open := Progress(beginning); !open && !complete {
				t.Fatalf("%q can become %q and is not open", beginning, text)
			}
		}
	}
}

func BenchmarkProgress(b *testing.B) {
	theAutomaton()
	b.ReportAllocs()
	for b.Loop() {
		Progress("set a timer for twenty five minutes and thirty seconds")
	}
}
