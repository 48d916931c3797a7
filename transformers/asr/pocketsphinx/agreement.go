//go:build cgo

package pocketsphinx

import (
	"strings"
	"unicode"

	"edged/internal/edits"
)

// clean returns the words of a reading without what the library adds: fillers
// such as <s>, [NOISE] and ++breath++, and the number of the pronunciation in
// "the(2)".
func clean(text string) string {
	var words []string
	for _, word := range strings.Fields(text) {
		if strings.ContainsAny(word[:1], "<[+") {
			continue
		}
		if i := strings.IndexByte(word, '('); i > 0 {
			word = word[:i]
		}
		words = append(words, strings.ToLower(word))
	}
	return strings.Join(words, " ")
}

// reading is what a decoder heard.
type reading struct {
	text string
	// score is how well the sound fits it, 0 at best; frames is how many frames
	// of 10 ms are words.
	score  float64
	frames int
}

// disagreement is how little the readings of language model and grammar agree,
// from 0 to 1: a weighted mean of how far their texts are apart and of how much
// worse the sound fits the grammar's. Either alone is deceived. Texts with the
// same beginning are close whatever follows ("what is the capital of france" and
// "what is two cups in kilograms"), and for "toss a coin" the language model
// writes "chaucer coy and", which sounds the same.
//
// Both are deceived by what the language model does not know either, such as
// music, and by single words. So what the sound hardly fits at all counts for
// more than its difference, and where the language model hears one word and the
// grammar several ("thirteenth" and "thirteen cubed") they do not agree at all. That
// never happened with a command of the tuning voices that the grammar had heard
// rightly.
func disagreement(free, command reading) float64 {
	// These told the commands of two tuning voices from their other speech with
	// the widest gap, in the middle of which is DefaultThreshold. unit is a loss
	// in the library's units per frame of words. That the grammar fits better
	// than the language model happens; by how much means nothing.
	const textWeight, soundWeight, unit, fitsBetter = 0.65, 0.35, 16, -5
	// Of 225 commands of five tuning voices that the grammar had heard rightly, 98 in
	// 100 lose less than this a frame, with noise 10 dB below them as well as without;
	// of other speech that passed otherwise, half lose more, up to 250. From 60 to 75
	// and half as steep to twice it makes little difference.
	const hardlyFits, strange = 70, 0.012
	if free.text == "" || command.text == "" {
		return distance(free.text, command.text)
	}
	if !strings.Contains(free.text, " ") && strings.Contains(command.text, " ") {
		return 1
	}
	frames := float64(max(command.frames, 1))
	loss := max((free.score-command.score)/frames, fitsBetter)
	apart := max(textWeight*distance(free.text, command.text)+soundWeight*loss/unit, 0)
	return min(apart+strange*max(-command.score/frames-hardlyFits, 0), 1)
}

// distance is the edit distance of two readings in characters, divided by the
// length of the longer: 0 if they are the same, 1 if nothing is. Two empty ones
// are the same. Only letters, digits and spaces count.
func distance(a, b string) float64 {
	x, y := letters(a), letters(b)
	longer := max(len(x), len(y))
	if longer == 0 {
		return 0
	}
	return float64(edits.Count(x, y)) / float64(longer)
}

func letters(text string) []rune {
	return []rune(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == ' ':
			return unicode.ToLower(r)
		case r == '-':
			return ' '
		}
		return -1
	}, text))
}
