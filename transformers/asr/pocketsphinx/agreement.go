//go:build cgo

package pocketsphinx

import (
	"strings"
	"unicode"
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
func disagreement(free, command reading) float64 {
	// These told the commands of two tuning voices from their other speech with
	// the widest gap, in the middle of which is DefaultThreshold. unit is a loss
	// in the library's units per frame of words. That the grammar fits better
	// than the language model happens; by how much means nothing.
	const textWeight, soundWeight, unit, fitsBetter = 0.65, 0.35, 16, -5
	if free.text == "" || command.text == "" {
		return distance(free.text, command.text)
	}
	loss := max((free.score-command.score)/float64(max(command.frames, 1)), fitsBetter)
	return min(max(textWeight*distance(free.text, command.text)+soundWeight*loss/unit, 0), 1)
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
	return float64(edits(x, y)) / float64(longer)
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

// edits is the least number of insertions, deletions and replacements that make
// b of a (Levenshtein).
func edits(a, b []rune) int {
	row := make([]int, len(b)+1) // of the last prefix of a, by prefix of b
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			replaced := diagonal
			if x != y {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
