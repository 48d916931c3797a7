// Package jsgf reads the JSpeech Grammar Format, makes sentences from it and
// tells which sentences belong to it. It serves the tests of the packages that
// write grammars, which compare what a recogniser would be able to hear with what
// the matcher understands, and the measurement of that recogniser. It reads
// the part of the format that edged writes: words, sequences, alternatives,
// groups, optional groups, rule references and tags.
package jsgf

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Grammar is a parsed grammar.
type Grammar struct {
	// Public is the name of the public rule.
	Public string
	rules  map[string]node
}

type node interface{}

type (
	word     string
	ref      string
	sequence []node
	choice   []node
	optional struct{ inner node }
	tagged   struct {
		inner node
		tag   string
	}
)

// Sentence is one sentence of a grammar.
type Sentence struct {
	Words []string
	// Rules are the rules that the sentence went through, outermost first.
	Rules []string
	// Tags maps each tag to the words that it was put on.
	Tags map[string]string
}

// String returns the words with spaces between them.
func (s Sentence) String() string { return strings.Join(s.Words, " ") }

// Parse reads a grammar.
func Parse(text string) (*Grammar, error) {
	header, body, ok := strings.Cut(text, ";")
	if !ok || !strings.HasPrefix(header, "#JSGF V1.0") {
		return nil, fmt.Errorf("jsgf: header %q: want #JSGF V1.0", header)
	}
	g := &Grammar{rules: map[string]node{}}
	for statement := range strings.SplitSeq(body, ";") {
		statement = strings.TrimSpace(statement)
		if statement == "" || strings.HasPrefix(statement, "grammar ") {
			continue
		}
		left, right, ok := strings.Cut(statement, "=")
		name := strings.TrimSpace(left)
		name, public := strings.CutPrefix(name, "public ")
		if !ok || !strings.HasPrefix(name, "<") || !strings.HasSuffix(name, ">") {
			return nil, fmt.Errorf("jsgf: %q is no rule", statement)
		}
		name = strings.Trim(name, "<>")
		if _, twice := g.rules[name]; twice {
			return nil, fmt.Errorf("jsgf: rule <%s> is defined twice", name)
		}
		p := &parser{tokens: tokens(right)}
		n, err := p.alternatives()
		if err != nil {
			return nil, fmt.Errorf("jsgf: rule <%s>: %w", name, err)
		}
		if len(p.tokens) > 0 {
			return nil, fmt.Errorf("jsgf: rule <%s>: %q closes nothing", name, p.tokens[0])
		}
		g.rules[name] = n
		if public {
			g.Public = name
		}
	}
	return g, g.check()
}

// check refuses references to rules that are not defined.
func (g *Grammar) check() error {
	for name, n := range g.rules {
		var missing string
		walk(n, func(n node) {
			if r, ok := n.(ref); ok && g.rules[string(r)] == nil {
				missing = string(r)
			}
		})
		if missing != "" {
			return fmt.Errorf("jsgf: rule <%s> uses <%s>, which is not defined", name, missing)
		}
	}
	if g.Public == "" {
		return fmt.Errorf("jsgf: no public rule")
	}
	return nil
}

func walk(n node, visit func(node)) {
	visit(n)
	switch n := n.(type) {
	case sequence:
		for _, part := range n {
			walk(part, visit)
		}
	case choice:
		for _, part := range n {
			walk(part, visit)
		}
	case optional:
		walk(n.inner, visit)
	case tagged:
		walk(n.inner, visit)
	}
}

// tokens cuts an expansion into words, references, tags and signs.
func tokens(s string) []string {
	for _, sign := range []string{"(", ")", "[", "]", "|"} {
		s = strings.ReplaceAll(s, sign, " "+sign+" ")
	}
	return strings.Fields(s)
}

type parser struct{ tokens []string }

func (p *parser) peek() string {
	if len(p.tokens) == 0 {
		return ""
	}
	return p.tokens[0]
}

func (p *parser) alternatives() (node, error) {
	var c choice
	for {
		seq, err := p.sequence()
		if err != nil {
			return nil, err
		}
		c = append(c, seq)
		if p.peek() != "|" {
			return c, nil
		}
		p.tokens = p.tokens[1:]
	}
}

func (p *parser) sequence() (node, error) {
	var seq sequence
	for {
		token := p.peek()
		switch {
		case token == "" || strings.Contains("|)]", token):
			if len(seq) == 0 {
				return nil, fmt.Errorf("an expansion is empty")
			}
			return seq, nil
		case strings.HasPrefix(token, "{"):
			if len(seq) == 0 {
				return nil, fmt.Errorf("tag %s stands on nothing", token)
			}
			seq[len(seq)-1] = tagged{seq[len(seq)-1], strings.Trim(token, "{}")}
			p.tokens = p.tokens[1:]
			continue
		}
		n, err := p.item(token)
		if err != nil {
			return nil, err
		}
		seq = append(seq, n)
	}
}

func (p *parser) item(token string) (node, error) {
	p.tokens = p.tokens[1:]
	switch {
	case token == "(" || token == "[":
		inner, err := p.alternatives()
		if err != nil {
			return nil, err
		}
		if closing := p.peek(); closing != map[string]string{"(": ")", "[": "]"}[token] {
			return nil, fmt.Errorf("%q is closed by %q", token, closing)
		}
		p.tokens = p.tokens[1:]
		if token == "[" {
			return optional{inner}, nil
		}
		return inner, nil
	case strings.HasPrefix(token, "<"):
		return ref(strings.Trim(token, "<>")), nil
	}
	return word(token), nil
}

// Words calls visit for every word of the grammar.
func (g *Grammar) Words(visit func(string)) {
	for _, n := range g.rules {
		walk(n, func(n node) {
			if w, ok := n.(word); ok {
				visit(string(w))
			}
		})
	}
}

// Sentence returns a sentence of the public rule, chosen by rng.
func (g *Grammar) Sentence(rng *rand.Rand) Sentence {
	s := Sentence{Tags: map[string]string{}}
	g.expand(ref(g.Public), rng, &s)
	return s
}

func (g *Grammar) expand(n node, rng *rand.Rand, s *Sentence) {
	switch n := n.(type) {
	case word:
		s.Words = append(s.Words, string(n))
	case ref:
		s.Rules = append(s.Rules, string(n))
		g.expand(g.rules[string(n)], rng, s)
	case sequence:
		for _, part := range n {
			g.expand(part, rng, s)
		}
	case choice:
		g.expand(n[rng.IntN(len(n))], rng, s)
	case optional:
		if rng.IntN(2) == 0 {
			g.expand(n.inner, rng, s)
		}
	case tagged:
		start := len(s.Words)
		g.expand(n.inner, rng, s)
		s.Tags[n.tag] = strings.Join(s.Words[start:], " ")
	}
}

// Positions counts the words of the public rule with every rule copied into
// each place that uses it. The grammar must not be recursive.
func (g *Grammar) Positions() int { return g.positions(ref(g.Public)) }

func (g *Grammar) positions(n node) int {
	sum := 0
	switch n := n.(type) {
	case word:
		return 1
	case ref:
		return g.positions(g.rules[string(n)])
	case sequence:
		for _, part := range n {
			sum += g.positions(part)
		}
	case choice:
		for _, part := range n {
			sum += g.positions(part)
		}
	case optional:
		return g.positions(n.inner)
	case tagged:
		return g.positions(n.inner)
	}
	return sum
}
