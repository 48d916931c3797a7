package doctor

import (
	"math"
	"strings"
	"unicode"
)

// weakBits is the strength below which a secret is called weak: somebody who can
// try a million a second needs more than a human life for 64 bits.
const weakBits = 64

// strength estimates how many bits whoever guesses a secret has to guess, from
// above: each character that its neighbours do not tell counts as one of those of
// its kind. It cannot see that random-looking text is written on a wall.
func strength(secret string, known ...string) float64 {
	rest := strings.ToLower(secret)
	for _, word := range append(known, "secret", "password", "changeme", "token", "device", "edged", "qwerty", "test") {
		if word = strings.ToLower(word); len(word) > 2 {
			rest = strings.ReplaceAll(rest, word, "")
		}
	}
	return float64(unforeseen(rest)) * math.Log2(float64(kinds(secret)))
}

// unforeseen counts the characters that neither repeat what came a period before
// nor go on counting (aaa, 123, fed).
func unforeseen(text string) int {
	runes := []rune(text)
	runes = runes[:period(runes)]
	n := 0
	for i, r := range runes {
		if i < 2 || r-runes[i-1] != runes[i-1]-runes[i-2] || (r-runes[i-1])*(r-runes[i-1]) > 1 {
			n++
		}
	}
	return n
}

// period is after how many characters the text begins again, its length if it
// never does.
func period(text []rune) int {
	for p := 1; p < len(text); p++ {
		repeats := true
		for i := p; i < len(text) && repeats; i++ {
			repeats = text[i] == text[i-p]
		}
		if repeats {
			return p
		}
	}
	return len(text)
}

// kinds is how many characters there are of the kinds that occur.
func kinds(text string) int {
	lower, upper, digit, hex, other := false, false, false, true, false
	for _, r := range text {
		switch {
		case r >= '0' && r <= '9':
			digit = true
		case unicode.IsLower(r):
			lower = true
		case unicode.IsUpper(r):
			upper = true
		default:
			other = true
		}
		hex = hex && strings.ContainsRune("0123456789abcdefABCDEF", r)
	}
	switch n := 0; {
	case hex && digit && (lower || upper):
		return 16
	default:
		for _, k := range []struct {
			there bool
			n     int
		}{{lower, 26}, {upper, 26}, {digit, 10}, {other, 10}} {
			if k.there {
				n += k.n
			}
		}
		return max(n, 2)
	}
}
