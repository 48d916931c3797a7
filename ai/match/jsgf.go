package match

import (
	"fmt"
	"slices"
	"strings"
)

// grammarRule is a JSGF rule of a slot type. It is either a list of spellings
// or an expansion in JSGF notation.
type grammarRule struct {
	name         string
	alternatives [][]string
	expansion    string
}

func (r grammarRule) text() string {
	if r.expansion != "" {
		return r.expansion
	}
	spellings := make([]string, len(r.alternatives))
	for i, words := range r.alternatives {
		spellings[i] = spoken(words)
	}
	return strings.Join(spellings, " | ")
}

// JSGF returns the grammar of all Patterns, in JSpeech Grammar Format 1.0 under
// the given grammar name. Its one public rule is <utterance>; each Rule and each
// slot type in use has a rule of its own, and every use of a slot carries its
// name as a tag, {name}. Rules are named as in the Config, with '-' and '.'
// turned into '_'. The text depends on nothing but the Config.
func (s *Set) JSGF(name string) string {
	w := &grammarWriter{seen: map[string]bool{}}
	var names, alone []string
	for _, rule := range s.rules {
		if len(rule.roots) == 0 {
			continue
		}
		ruleName := "r_" + strings.NewReplacer(".", "_", "-", "_").Replace(rule.name)
		if rule.alone {
			alone = append(alone, "<"+ruleName+">")
		} else {
			names = append(names, "<"+ruleName+">")
		}
		var patterns []string
		for _, root := range rule.roots {
			patterns = append(patterns, w.sequence(root))
		}
		w.define(ruleName, strings.Join(patterns, "\n  | "))
	}
	var out strings.Builder
	fmt.Fprintf(&out, "#JSGF V1.0;\n\ngrammar %s;\n\n", name)
	if len(names) > 0 {
		alone = append(alone, fmt.Sprintf("[ %s ] ( %s ) [ %s ]",
			spellOut(spokenLeads), strings.Join(names, " | "), spellOut(spokenTails)))
	}
	if len(alone) == 0 {
		alone = []string{"<VOID>"}
	}
	fmt.Fprintf(&out, "public <utterance> = %s;\n\n", strings.Join(alone, " | "))
	out.WriteString(w.rules.String())
	return out.String()
}

func spellOut(phrases []string) string { return strings.Join(phrases, " | ") }

// grammarWriter collects the rules of a grammar.
type grammarWriter struct {
	rules strings.Builder
	seen  map[string]bool
}

func (w *grammarWriter) define(name, expansion string) {
	fmt.Fprintf(&w.rules, "<%s> = %s;\n", name, expansion)
}

// useType makes sure that the rules of t are part of the grammar.
func (w *grammarWriter) useType(t *slotType) {
	for _, r := range t.grammar {
		if !w.seen[r.name] {
			w.seen[r.name] = true
			w.define(r.name, r.text())
		}
	}
}

// sequence writes n as a part of a sequence: alternatives in parentheses.
func (w *grammarWriter) sequence(n node) string {
	switch n := n.(type) {
	case wordNode:
		return string(n)
	case slotNode:
		w.useType(n.typ)
		return fmt.Sprintf("<%s> {%s}", n.typ.name, n.name)
	case seqNode:
		return w.parts(n)
	case altNode:
		return "( " + w.branches(n) + " )"
	case maybeNode:
		if alt, ok := single(n.inner).(altNode); ok {
			return "[ " + w.branches(alt) + " ]"
		}
		return "[ " + w.sequence(n.inner) + " ]"
	}
	return ""
}

// single looks through sequences of one part.
func single(n node) node {
	for {
		seq, ok := n.(seqNode)
		if !ok || len(seq) != 1 {
			return n
		}
		n = seq[0]
	}
}

func (w *grammarWriter) branches(alt altNode) string {
	branches := make([]string, len(alt))
	for i, b := range alt {
		branches[i] = w.sequence(b)
	}
	return strings.Join(branches, " | ")
}

// parts writes a sequence. Neighbouring words are written together, since some
// are said as one: what is, what's.
func (w *grammarWriter) parts(seq seqNode) string {
	var out, words []string
	flush := func() {
		if len(words) > 0 {
			out = append(out, spoken(words))
			words = nil
		}
	}
	for _, n := range seq {
		if word, ok := n.(wordNode); ok {
			words = append(words, string(word))
			continue
		}
		flush()
		out = append(out, w.sequence(n))
	}
	flush()
	return strings.Join(out, " ")
}

// spoken returns words in JSGF notation, with the contractions that people make
// of them as alternatives.
func spoken(words []string) string {
	var out []string
	for i := 0; i < len(words); i++ {
		if i+1 < len(words) {
			if short, ok := spokenContractions[words[i]+" "+words[i+1]]; ok {
				out = append(out, fmt.Sprintf("( %s %s | %s )", words[i], words[i+1], short))
				i++
				continue
			}
		}
		out = append(out, words[i])
	}
	return strings.Join(out, " ")
}

// spokenContractions maps two words to what they contract to. All of these are
// in the CMU dictionary; rarer ones would only add chances to mishear.
var spokenContractions = func() map[string]string {
	short := map[string]string{}
	for _, c := range []string{
		"what's", "who's", "where's", "when's", "how's", "it's", "that's", "there's", "i'm", "you're",
		"i'll", "i'd", "don't", "doesn't", "didn't", "can't", "isn't", "let's",
	} {
		short[strings.Join(contractions[c], " ")] = c
	}
	return short
}()

// Words returns the vocabulary of the grammar: every word that JSGF can
// produce, sorted.
func (s *Set) Words() []string {
	grammar := s.JSGF("words")
	_, grammar, _ = strings.Cut(grammar, "public")
	seen := map[string]bool{}
	for _, field := range strings.Fields(grammar) {
		field = strings.TrimSuffix(field, ";")
		if field != "" && strings.Trim(field, "abcdefghijklmnopqrstuvwxyz'") == "" {
			seen[field] = true
		}
	}
	words := make([]string, 0, len(seen))
	for w := range seen {
		words = append(words, w)
	}
	slices.Sort(words)
	return words
}

// The grammars of numbers and times. A recogniser copies a rule into every
// place that uses it, so these cover what people say and no more: numbers up to
// 9999 with up to two decimals, counts to 999, times in seconds, minutes and
// hours. Each sentence of theirs is read by the reader of its type.

const (
	jsgfDigit = "one | two | three | four | five | six | seven | eight | nine"
	jsgfTeen  = "ten | eleven | twelve | thirteen | fourteen | fifteen | sixteen | seventeen | eighteen | nineteen"
	jsgfTens  = "twenty | thirty | forty | fifty | sixty | seventy | eighty | ninety"
)

// smallGrammar are the rules that all numbers share: <below_hundred> is 1 to 99.
func smallGrammar() []grammarRule {
	return []grammarRule{
		{name: "below_hundred", expansion: jsgfDigit + " | " + jsgfTeen + " | ( " + jsgfTens + " ) [ " + jsgfDigit + " ]"},
	}
}

func countGrammar() []grammarRule {
	return append(smallGrammar(), grammarRule{
		name:      "count",
		expansion: "<below_hundred> | ( a | " + jsgfDigit + " ) hundred [ [ and ] <below_hundred> ]",
	})
}

func numberGrammar() []grammarRule {
	return append(smallGrammar(), grammarRule{
		name: "number",
		expansion: "[ minus | negative ] ( zero | <below_hundred> " +
			"| ( a | " + jsgfDigit + " ) ( hundred | thousand [ ( " + jsgfDigit + " ) hundred ] ) [ [ and ] <below_hundred> ] ) " +
			"[ point <decimal> [ <decimal> ] ]",
	}, grammarRule{name: "decimal", expansion: "zero | oh | " + jsgfDigit})
}

func ordinalGrammar() []grammarRule {
	return []grammarRule{{
		name: "ordinal",
		expansion: "first | second | third | fourth | fifth | sixth | seventh | eighth | ninth | tenth | eleventh | twelfth " +
			"| thirteenth | fourteenth | fifteenth | sixteenth | seventeenth | eighteenth | nineteenth | twentieth " +
			"| twenty ( first | second | third | fourth | fifth | sixth | seventh | eighth | ninth ) | thirtieth | thirty first",
	}}
}

func durationGrammar() []grammarRule {
	return append(smallGrammar(), grammarRule{
		name: "duration",
		expansion: "<below_hundred> ( second | seconds | and a half ( minutes | hours ) " +
			"| ( minute | minutes ) [ [ and ] <below_hundred> seconds ] | ( hour | hours ) [ [ and ] <below_hundred> minutes ] ) " +
			"| ( a minute | an hour ) [ and a half ] | half an hour | half a minute",
	})
}
