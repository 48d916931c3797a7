package match_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"edged/ai/match"
	"edged/internal/jsgf"
)

func grammarConfig() match.Config {
	return match.Config{
		Rules: []match.Rule{
			{Name: "time.now", Patterns: []string{"what is the [current] time", "do not tell me the time"}},
			{Name: "timer-set", Patterns: []string{"set [a] timer for {d:duration}"}, Loose: []string{"timer {rest}"}},
			{Name: "sum", Patterns: []string{"[what is] {a:number} {op:op} {b:number}"}},
			{Name: "convert", Patterns: []string{"convert {n:number} {u:unit} (to | into) {v:unit}"}},
			{Name: "day", Patterns: []string{"when is ({w:weekday} | {m:month} [the] {o:ordinal} | in {c:count} days)"}},
			{Name: "loose", Loose: []string{"... nothing ..."}},
			{Name: "hello", Patterns: []string{"hello"}, Alone: true},
		},
		Lists: map[string][]match.Term{"op": {
			{Value: "+", Spoken: []string{"plus"}, Written: []string{"added to"}},
			{Value: "*", Spoken: []string{"times", "multiplied by"}},
		}},
	}
}

func grammarSet(t *testing.T) *match.Set {
	t.Helper()
	set, err := match.Compile(grammarConfig())
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestGrammarAgreesWithMatcher: every sentence that a recogniser could hear by
// the grammar is understood, by the rule it came from and with the words of
// each slot where the grammar has them.
func TestGrammarAgreesWithMatcher(t *testing.T) {
	set := grammarSet(t)
	grammar, err := jsgf.Parse(set.JSGF("test"))
	if err != nil {
		t.Fatalf("%v in\n%s", err, set.JSGF("test"))
	}
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 2))
	ruleOf := map[string]string{"r_time_now": "time.now", "r_timer_set": "timer-set", "r_sum": "sum", "r_convert": "convert", "r_day": "day", "r_hello": "hello"}
	heard := map[string]int{}
	for range 5000 {
		s := grammar.Sentence(rng)
		want := ruleOf[s.Rules[1]]
		m, ok := set.Match(s.String())
		if !ok || m.Rule != want {
			t.Fatalf("seed %d: %q is understood as %+v, want rule %s", seed, s, m, want)
		}
		for slot, words := range s.Tags {
			if got := m.Text(slot); got != strings.Join(match.Normalize(words), " ") {
				t.Fatalf("seed %d: %q: slot %s holds %q, want %q", seed, s, slot, got, words)
			}
		}
		heard[want]++
	}
	for _, rule := range ruleOf {
		if heard[rule] < 300 {
			t.Errorf("rule %s made only %d of 5000 sentences", rule, heard[rule])
		}
	}
}

func TestGrammarText(t *testing.T) {
	text := grammarSet(t).JSGF("home")
	for _, want := range []string{
		"#JSGF V1.0;", "grammar home;", "public <utterance> =", "( what is | what's ) the [ current ] time",
		"( do not | don't ) tell me", "public <utterance> = <r_hello> | [ hey |", "<duration> {d}", "<op> = plus | times | multiplied by;",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the grammar lacks %q:\n%s", want, text)
		}
	}
	for _, unwanted := range []string{"rest", "nothing", "added"} {
		if strings.Contains(text, unwanted) {
			t.Errorf("the grammar holds %q, which belongs to no grammar", unwanted)
		}
	}
	if again := grammarSet(t).JSGF("home"); again != text {
		t.Error("the grammar of the same rules is not the same text")
	}
}

func TestGrammarWords(t *testing.T) {
	set := grammarSet(t)
	grammar, err := jsgf.Parse(set.JSGF("g"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	grammar.Words(func(w string) { want[w] = true })
	got := set.Words()
	if len(got) != len(want) || !slices.IsSorted(got) {
		t.Errorf("%d words, want the %d of the grammar, sorted", len(got), len(want))
	}
	for _, w := range got {
		if !want[w] {
			t.Errorf("%q is no word of the grammar", w)
		}
	}
}

func TestGrammarOfNothing(t *testing.T) {
	set := one(t, "... loose ...")
	if text := set.JSGF("empty"); !strings.Contains(text, "<VOID>") {
		t.Errorf("a set without patterns has the grammar\n%s", text)
	}
	if words := set.Words(); len(words) != 0 {
		t.Errorf("and the words %v", words)
	}
}
