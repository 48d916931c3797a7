package match

import (
	"fmt"
	"slices"
	"strings"
)

// Rule is one thing to understand, with the ways to say it.
type Rule struct {
	// Name is what Match.Rule reports. Letters, digits, '.', '_' and '-'.
	Name string
	// Patterns are the ways to say it that a recogniser can listen for. They
	// have neither free text nor gaps.
	Patterns []string
	// Loose are further patterns for text whose words are already known. They
	// may have free text and gaps, and are not part of the grammar.
	Loose []string
	// Exact are like Loose, but no soft word beside theirs is skipped: for
	// utterances that mean something only when they stand alone.
	Exact []string
	// Alone says that the grammar has no politeness around the Patterns: for
	// those that are politeness themselves.
	Alone bool
}

// Term is one value of a list, with the words that stand for it.
type Term struct {
	// Value is what Match.Term returns.
	Value string
	// Spoken are the spellings that belong in the grammar, too.
	Spoken []string
	// Written are the spellings that only the matcher knows.
	Written []string
}

// Config is what a Set is made of. The zero value matches nothing.
type Config struct {
	// Rules in order of precedence: of two that explain an utterance equally
	// well the first one wins.
	Rules []Rule
	// Fragments are pieces of patterns, used as <name>.
	Fragments map[string]string
	// Lists are slot types of the caller: each holds one of its terms.
	Lists map[string][]Term
	// Soft are words of little meaning that an utterance may hold anywhere
	// beside what a pattern asks for.
	Soft []string
	// Firm are words of so much meaning that neither a gap nor free text may
	// swallow them: not, never, cancel.
	Firm []string
}

// Set matches utterances against rules. Make one with Compile.
type Set struct {
	rules []compiledRule
	soft  map[string]bool
	firm  map[string]bool
}

type compiledRule struct {
	name     string
	alone    bool
	roots    []node // of Patterns, for the grammar
	programs []*program
}

// maxWords bounds the utterances that are compared with rules: nobody speaks a
// longer command.
const maxWords = 80

// Compile checks and compiles a Config. The error of a bad pattern is a
// *SyntaxError.
func Compile(cfg Config) (*Set, error) {
	types := builtinTypes()
	for name, terms := range cfg.Lists {
		if _, taken := types[name]; taken || !isIdentifier(name) {
			return nil, fmt.Errorf("match: list %q: the name is taken or not made of lower-case letters, digits and _", name)
		}
		phrases, err := termPhrases(name, terms)
		if err != nil {
			return nil, err
		}
		types[name] = listType(name, phrases)
	}
	s := &Set{soft: setOf(cfg.Soft), firm: setOf(cfg.Firm)}
	for _, rule := range cfg.Rules {
		compiled, err := compileRule(rule, types, cfg.Fragments)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(s.rules, func(r compiledRule) bool { return r.name == rule.Name }) {
			return nil, fmt.Errorf("match: rule %q is defined twice", rule.Name)
		}
		s.rules = append(s.rules, compiled)
	}
	return s, nil
}

func compileRule(rule Rule, types map[string]*slotType, fragments map[string]string) (compiledRule, error) {
	c := compiledRule{name: rule.Name, alone: rule.Alone}
	if rule.Name == "" || strings.Trim(rule.Name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") != "" {
		return c, fmt.Errorf("match: rule name %q: want letters, digits, '.', '_' or '-'", rule.Name)
	}
	for i, source := range slices.Concat(rule.Patterns, rule.Loose, rule.Exact) {
		loose := i >= len(rule.Patterns)
		root, err := parsePattern(rule.Name, source, loose, types, fragments)
		if err != nil {
			return c, err
		}
		program, ok := compileProgram(root)
		if !ok {
			return c, &SyntaxError{rule.Name, source, 1, fmt.Sprintf("more than %d states", maxStates)}
		}
		program.exact = i >= len(rule.Patterns)+len(rule.Loose)
		c.programs = append(c.programs, program)
		if !loose {
			c.roots = append(c.roots, root)
		}
	}
	return c, nil
}

func setOf(words []string) map[string]bool {
	set := map[string]bool{}
	for _, w := range words {
		set[w] = true
	}
	return set
}

// termPhrases turns the terms of a list into phrases in normal form.
func termPhrases(list string, terms []Term) ([]phrase, error) {
	var out []phrase
	for _, term := range terms {
		for i, text := range slices.Concat(term.Spoken, term.Written) {
			words := Normalize(text)
			if len(words) == 0 {
				return nil, fmt.Errorf("match: list %q: term %q has a spelling without words", list, term.Value)
			}
			out = append(out, phrase{words, term.Value, i < len(term.Spoken)})
		}
	}
	return out, nil
}

// Match finds the rule that explains text best. It is false when none does, and
// for text of more than 80 words.
func (s *Set) Match(text string) (*Match, bool) {
	words := Normalize(text)
	if len(words) == 0 || len(words) > maxWords {
		return nil, false
	}
	var best *Match
	for _, variant := range politeVariants(words) {
		if m := s.matchWords(variant); m != nil && (best == nil || m.cost.better(best.cost)) {
			best = m
		}
	}
	return best, best != nil
}

// politeVariants returns words as they are, without hesitations, and without
// more and more of the politeness at the beginning and at the end, each one
// once.
func politeVariants(words []string) [][]string {
	quiet := withoutNoise(words)
	variants := [][]string{words}
	add := func(v []string) {
		if !slices.ContainsFunc(variants, func(w []string) bool { return slices.Equal(v, w) }) {
			variants = append(variants, v)
		}
	}
	for _, v := range append([][]string{quiet}, withoutLeads(quiet)...) {
		add(v)
		for _, w := range withoutTails(v) {
			add(w)
		}
	}
	return variants
}

// matchWords compares words, as they are, with all the rules.
func (s *Set) matchWords(words []string) *Match {
	h := newHearing(words, s.soft, s.firm)
	var best *Match
	for _, rule := range s.rules {
		for _, program := range rule.programs {
			if end, ok := program.run(h); ok && (best == nil || end.cost.better(best.cost)) {
				best = newMatch(rule.name, words, program, end)
			}
		}
	}
	return best
}
