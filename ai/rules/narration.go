package rules

import (
	"slices"
	"strings"

	"edged/ai/match"
)

// Openings of sentences that tell of something, and words of which one is in
// nearly every request, wherever it begins.
var (
	narrating = []string{"he", "she", "they", "we", "it was", "i was", "there is", "there are", "there was", "there were"}
	asking    = strings.Fields(`
		what which when where who whose why how tell give set start add make let show please
		can could would will shall may do does did want need like hoping wondering asking you your yours
	`)
)

// narrates reports whether the text tells of something and asks for nothing: "they
// lived in a story book" has a word in it that a request may be made of, and still
// is none. The patterns see words; who listens hears first that nobody asks.
func narrates(text string) bool {
	words := match.Normalize(text)
	if !slices.ContainsFunc(narrating, func(opening string) bool { return startsWith(words, strings.Fields(opening)) }) {
		return false
	}
	return !slices.ContainsFunc(words, func(w string) bool { return slices.Contains(asking, w) })
}
