package tts

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// minClause is how many characters a segment that has to be cut in the middle
// of a sentence must have for a cut behind a comma to be better than a later
// one between two words.
const minClause = 100

// cutLong returns where to cut text, a part of a sentence as long as a segment
// may be, that goes on with rest: behind a comma, between words, between
// characters of which one is no letter of a word, between characters.
func cutLong(text, rest string) int {
	clause, gap, edge, char := 0, 0, 0, 0
	count := 0
	clausal := false
	last := rune(0)
	visit := func(i int, r rune) {
		if i > 0 && characterEnds(text[:i], r) {
			char = i
			if !sameWord(last, r) {
				edge = i
			}
		}
	}
	for i, r := range text {
		visit(i, r)
		_, size := utf8.DecodeRuneInString(text[i:])
		end := i + size
		if isGap(r) {
			gap = end
			if clausal && count >= minClause {
				clause = end
			}
		}
		if isWideClause(r) && count >= minClause {
			clause = end
		}
		clausal = strings.ContainsRune(",;:–—.!?)", r)
		last = r
		count++
	}
	r, _ := utf8.DecodeRuneInString(rest)
	visit(len(text), r)
	switch {
	case clause > 0:
		return clause
	case gap > 0:
		return gap
	case edge >= len(text)/2 && edge > 0:
		return edge
	case char > 0:
		return char
	}
	return len(text)
}

// sameWord reports whether a word may go on from one character to the next: Latin
// letters, figures and Katakana run together, Chinese characters do not tell, and
// punctuation stays with what is before it.
func sameWord(before, r rune) bool {
	if !isIdeograph(r) {
		return isIdeograph(before) && !unicode.IsLetter(r) && !unicode.IsDigit(r) || !isIdeograph(before)
	}
	return unicode.Is(unicode.Katakana, before) && (unicode.Is(unicode.Katakana, r) || r == 'ー')
}

// characterEnds reports whether what a reader takes for a character ends between
// before and r: not in front of an accent, a vowel sign of Thai, a variation of an
// emoji, not around a joiner, not in the middle of a flag or a Korean syllable.
func characterEnds(before string, r rune) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	switch {
	case unicode.Is(unicode.M, r), r == '\u200d', last == '\u200d',
		r == 0x0E33, r == 0x0EB3, // SARA AM of Thai and Lao
		r >= 0x1F3FB && r <= 0x1F3FF, // tones of skin
		r >= 0xE0020 && r <= 0xE007F, // tags of flags
		r >= 0x1160 && r <= 0x11FF,   // vowels and finals of Korean
		r == 0xFF9E, r == 0xFF9F,     // voice marks
		last == '\r' && r == '\n',
		last >= 0x0E40 && last <= 0x0E44: // Thai vowels written before their consonant
		return false
	case !isFlagHalf(r):
		return true
	}
	halves := 0
	for isFlagHalf(last) {
		halves++
		before = before[:len(before)-utf8.RuneLen(last)]
		last, _ = utf8.DecodeLastRuneInString(before)
	}
	return halves%2 == 0
}

func isFlagHalf(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }
