package jsgf

import (
	"slices"
	"strings"
)

// Accepts reports whether the words of text, in lower case with single spaces,
// are a sentence of the public rule.
func (g *Grammar) Accepts(text string) bool {
	words := strings.Fields(text)
	return slices.Contains(g.ends(ref(g.Public), words, []int{0}), len(words))
}

// ends returns where n can end in words when it begins at one of starts, sorted
// and without repetition.
func (g *Grammar) ends(n node, words []string, starts []int) []int {
	var ends []int
	switch n := n.(type) {
	case word:
		for _, at := range starts {
			if at < len(words) && words[at] == string(n) {
				ends = append(ends, at+1)
			}
		}
	case ref:
		return g.ends(g.rules[string(n)], words, starts)
	case sequence:
		ends = starts
		for _, part := range n {
			ends = g.ends(part, words, ends)
		}
	case choice:
		for _, part := range n {
			ends = append(ends, g.ends(part, words, starts)...)
		}
	case optional:
		ends = append(slices.Clone(starts), g.ends(n.inner, words, starts)...)
	case tagged:
		return g.ends(n.inner, words, starts)
	}
	slices.Sort(ends)
	return slices.Compact(ends)
}
