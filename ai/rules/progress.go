package rules

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"edged/ai/match"
)

// Progress tells how far text is on its way through the commands that can be
// listened for (see Grammar). complete: it is one. open: more words would make
// it another one. Both are true of "set a timer", which may go on with "for ten
// minutes"; neither of what is no command. Not open are commands that are said
// alone, such as "stop", and those that hardly ever go on after a pause: with a
// polite word, an afterthought ("now", "a bit"), a further operation ("times
// two") or smaller units ("and thirty seconds"). Capitals, digits and punctuation
// do not matter. Progress may be called concurrently.
func Progress(text string) (complete, open bool) {
	a := theAutomaton()
	words := match.Normalize(text)
	if len(words) == 0 {
		return false, false
	}
	at := a.reach([]int{0})
	for _, word := range words {
		if at = a.step(at, word); len(at) == 0 {
			return false, false
		}
	}
	alone := slices.Contains(at, a.alone)
	complete = alone || slices.Contains(at, a.end)
	last := words[len(words)-1]
	for _, state := range at {
		for _, e := range a.edges[state] {
			open = open || e.word != "" && !alone && !(complete && rarelyFollows(e.word, last))
		}
	}
	return complete, open
}

// rarelyFollows reports whether word hardly ever follows a complete command that
// ends with last.
func rarelyFollows(word, last string) bool {
	return afterthoughts[word] || numberParts[word] && !numberParts[last]
}

var (
	afterthoughts = setOf("please thank now today a an percent per point hundred thousand million billion " +
		"plus minus times multiplied divided over")
	numberParts = setOf("and one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen " +
		"sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety")
)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}

// automaton is the grammar as a nondeterministic automaton. State 0 is the
// beginning.
type automaton struct {
	edges [][]grammarEdge // by state
	// end is where a command ends, alone where one does that is said alone.
	end, alone int
}

// grammarEdge leads to a state over a word, or over nothing if word is empty.
type grammarEdge struct {
	word string
	to   int
}

// theAutomaton is made at its first use: it takes milliseconds and a megabyte.
var theAutomaton = sync.OnceValue(func() *automaton {
	b := builder{rules: map[string][]string{}, automaton: &automaton{edges: make([][]grammarEdge, 1)}}
	public := ""
	for statement := range strings.SplitSeq(Grammar(), ";") {
		left, right, ok := strings.Cut(statement, "=")
		if !ok {
			continue // the header
		}
		name, isPublic := strings.CutPrefix(strings.TrimSpace(left), "public ")
		b.rules[name] = grammarTokens(right)
		if isPublic {
			public = name
		}
	}
	tokens := b.rules[public]
	b.alone = b.state()
	// The rules without politeness around them stand first, each by itself.
	for len(tokens) > 1 && strings.HasPrefix(tokens[0], "<") && tokens[1] == "|" {
		b.connect(b.expand(tokens[0], 0), "", b.alone)
		tokens = tokens[2:]
	}
	b.end, _ = b.alternatives(tokens, 0)
	return b.automaton
})

// grammarTokens cuts the expansion of a rule into words, <rules> and signs.
func grammarTokens(expansion string) []string {
	var tokens []string
	for _, sign := range []string{"(", ")", "[", "]", "|", "{", "}"} {
		expansion = strings.ReplaceAll(expansion, sign, " "+sign+" ")
	}
	tagged := false
	for _, token := range strings.Fields(expansion) {
		switch {
		case token == "{" || token == "}":
			tagged = token == "{"
		case !tagged:
			tokens = append(tokens, token)
		}
	}
	return tokens
}

// builder makes the automaton of rules that are not recursive.
type builder struct {
	*automaton
	rules map[string][]string
}

func (b *builder) state() int {
	b.edges = append(b.edges, nil)
	return len(b.edges) - 1
}

func (b *builder) connect(from int, word string, to int) {
	b.edges[from] = append(b.edges[from], grammarEdge{word, to})
}

// expand appends the named rule behind the state from and returns its end.
func (b *builder) expand(name string, from int) int {
	tokens, ok := b.rules[name]
	if !ok {
		panic(fmt.Sprintf("rules: the grammar uses %s and does not define it", name))
	}
	end, rest := b.alternatives(tokens, from)
	if len(rest) > 0 {
		panic(fmt.Sprintf("rules: %q closes nothing in %s of the grammar", rest[0], name))
	}
	return end
}

// alternatives appends what stands before a closing sign or the end of tokens,
// and returns its end and the tokens from there on.
func (b *builder) alternatives(tokens []string, from int) (end int, rest []string) {
	end = b.state()
	for {
		at := b.state()
		b.connect(from, "", at)
		for len(tokens) > 0 && tokens[0] != "|" && tokens[0] != ")" && tokens[0] != "]" {
			at, tokens = b.item(tokens, at)
		}
		b.connect(at, "", end)
		if len(tokens) == 0 || tokens[0] != "|" {
			return end, tokens
		}
		tokens = tokens[1:]
	}
}

// item appends a word, a rule or a group.
func (b *builder) item(tokens []string, from int) (end int, rest []string) {
	token, tokens := tokens[0], tokens[1:]
	switch {
	case token == "(" || token == "[":
		end, tokens = b.alternatives(tokens, from)
		if token == "[" {
			b.connect(from, "", end)
		}
		return end, tokens[1:]
	case strings.HasPrefix(token, "<"):
		return b.expand(token, from), tokens
	}
	end = from
	for _, word := range match.Normalize(token) { // spelled as Progress sees it
		next := b.state()
		b.connect(end, word, next)
		end = next
	}
	return end, tokens
}

// step returns where word leads from any of the states, in ascending order of
// discovery and each once.
func (a *automaton) step(from []int, word string) []int {
	var to []int
	for _, state := range from {
		for _, e := range a.edges[state] {
			if e.word == word {
				to = append(to, e.to)
			}
		}
	}
	return a.reach(to)
}

// reach returns states and all that can be reached from them without a word.
func (a *automaton) reach(states []int) []int {
	seen := make(map[int]bool, len(states))
	var all []int
	for len(states) > 0 {
		state := states[len(states)-1]
		states = states[:len(states)-1]
		if seen[state] {
			continue
		}
		seen[state] = true
		all = append(all, state)
		for _, e := range a.edges[state] {
			if e.word == "" {
				states = append(states, e.to)
			}
		}
	}
	return all
}
