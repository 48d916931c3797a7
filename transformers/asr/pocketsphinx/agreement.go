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
