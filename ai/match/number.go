package match

import (
	"math/big"
	"strings"
)

// The words of English cardinal numbers.
var (
	smallNumbers = map[string]int64{
		"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
		"nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15,
		"sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
	}
	tens = map[string]int64{
		"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
	}
	scales = map[string]int64{
		"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12,
	}
	digitWords = map[string]byte{
		"zero": '0', "oh": '0', "one": '1', "two": '2', "three": '3', "four": '4', "five": '5', "six": '6',
		"seven": '7', "eight": '8', "nine": '9',
	}
)

// maxDigits bounds the digits of a number in writing, so that arithmetic on it
// stays cheap.
const maxDigits = 30

// whole is one reading of a whole number.
type whole struct {
	end   int
	value int64
}

// readNumber reads a number of any kind: spoken or in digits, with a sign, a
// decimal point, a scale (two point five million) or a vulgar fraction (two and
// a half, three quarters). Values are *big.Rat and exact.
func readNumber(words []string, at int) []span {
	if w := words[at]; w == "minus" || w == "negative" {
		var spans []span
		for _, s := range readUnsigned(words, at+1) {
			spans = append(spans, span{s.end, new(big.Rat).Neg(s.value.(*big.Rat))})
		}
		return spans
	}
	return readUnsigned(words, at)
}

func readUnsigned(words []string, at int) []span {
	if at >= len(words) {
		return nil
	}
	var spans []span
	add := func(end int, v *big.Rat) {
		spans = append(spans, span{end, v})
		if f, n := readFractionOfOne(words, end); n > 0 { // two and a half
			spans = append(spans, span{end + n, new(big.Rat).Add(v, f)})
		}
	}
	addScaled := func(end int, v *big.Rat) {
		add(end, v)
		if scale, ok := scales[wordAt(words, end)]; ok {
			add(end+1, new(big.Rat).Mul(v, new(big.Rat).SetInt64(scale)))
		}
	}
	if v, ok := parseDigits(words[at]); ok {
		addScaled(at+1, v)
		if wordAt(words, at+1) == "hundred" {
			addScaled(at+2, new(big.Rat).Mul(v, big.NewRat(100, 1)))
		}
	}
	for _, w := range readCardinal(words, at) {
		add(w.end, new(big.Rat).SetInt64(w.value))
		for _, s := range readDecimals(words, w.end, w.value) {
			addScaled(s.end, s.value.(*big.Rat))
		}
	}
	if wordAt(words, at) == "point" {
		for _, s := range readDecimals(words, at, 0) {
			addScaled(s.end, s.value.(*big.Rat))
		}
	}
	if v, n := readFraction(words, at); n > 0 {
		spans = append(spans, span{at + n, v})
	}
	return spans
}

// parseDigits reads a number in digits: whole, with a decimal point, or as a
// fraction with a slash.
func parseDigits(w string) (*big.Rat, bool) {
	if !startsWithDigit(w) || len(w) > maxDigits || strings.Trim(w, "0123456789./") != "" {
		return nil, false
	}
	return new(big.Rat).SetString(w) // refuses a zero below the slash
}

// readDecimals reads "point one four" after the whole number value: one reading
// for each digit more.
func readDecimals(words []string, at int, value int64) []span {
	if wordAt(words, at) != "point" {
		return nil
	}
	var spans []span
	digits := []byte{}
	for end := at + 1; end < len(words) && len(digits) < maxDigits; end++ {
		if d, ok := digitWords[words[end]]; ok {
			digits = append(digits, d)
		} else if w := words[end]; startsWithDigit(w) && strings.Trim(w, "0123456789") == "" {
			digits = append(digits, w...)
		} else {
			break
		}
		decimals, ok := new(big.Rat).SetString("0." + string(digits))
		if !ok {
			break
		}
		spans = append(spans, span{end + 1, decimals.Add(decimals, new(big.Rat).SetInt64(value))})
	}
	return spans
}

// fractionNames maps the name of a part to how many make a whole.
var fractionNames = map[string]int64{
	"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4,
	"fourth": 4, "fourths": 4, "fifth": 5, "fifths": 5, "sixth": 6, "sixths": 6, "seventh": 7, "sevenths": 7,
	"eighth": 8, "eighths": 8, "ninth": 9, "ninths": 9, "tenth": 10, "tenths": 10,
}

// readFraction reads half, a quarter, two thirds; it returns the value and how
// many words it took, 0 if there is no fraction.
func readFraction(words []string, at int) (*big.Rat, int) {
	first := wordAt(words, at)
	if first == "half" {
		return big.NewRat(1, 2), 1
	}
	parts, ok := fractionNames[wordAt(words, at+1)]
	if !ok {
		return nil, 0
	}
	if first == "a" {
		return big.NewRat(1, parts), 2
	}
	if n, ok := smallNumbers[first]; ok && n > 0 {
		return big.NewRat(n, parts), 2
	}
	if n, ok := parseDigits(first); ok && n.Sign() > 0 {
		return n.Quo(n, new(big.Rat).SetInt64(parts)), 2
	}
	return nil, 0
}

// readFractionOfOne reads "and a half", "and three quarters" after a number.
func readFractionOfOne(words []string, at int) (*big.Rat, int) {
	if wordAt(words, at) != "and" {
		return nil, 0
	}
	v, n := readFraction(words, at+1)
	if n == 0 || v.Cmp(big.NewRat(1, 1)) >= 0 {
		return nil, 0
	}
	return v, n + 1
}

// readCount reads a whole number that is not negative, in digits or words.
func readCount(words []string, at int) []span {
	var spans []span
	for _, s := range readUnsigned(words, at) {
		if s.value.(*big.Rat).IsInt() {
			spans = append(spans, s)
		}
	}
	return spans
}

// readCardinal returns all readings of a whole number in words that begins at
// words[at]: of "two hundred and five" these are 2, 200 and 205.
func readCardinal(words []string, at int) []whole {
	return readBelow(words, at, scales["trillion"]*1000)
}

// readBelow is readCardinal for numbers whose scale is below limit.
func readBelow(words []string, at int, limit int64) []whole {
	groups := readHundreds(words, at)
	out := append([]whole(nil), groups...)
	if wordAt(words, at) == "a" { // a thousand, a million
		groups = []whole{{at + 1, 1}}
	}
	for _, group := range groups {
		scale, ok := scales[wordAt(words, group.end)]
		if !ok || scale >= limit {
			continue
		}
		scaled := whole{group.end + 1, group.value * scale}
		out = append(out, scaled)
		for _, rest := range readBelow(words, skipAnd(words, scaled.end), scale) {
			if rest.value > 0 && rest.value < scale {
				out = append(out, whole{rest.end, scaled.value + rest.value})
			}
		}
	}
	return out
}

// readHundreds reads the numbers up to 9999 that need no word for a thousand
// (fifteen hundred), dozens, and a couple of.
func readHundreds(words []string, at int) []whole {
	heads := readBelowHundred(words, at)
	out := append([]whole(nil), heads...)
	if wordAt(words, at) == "a" {
		heads = []whole{{at + 1, 1}}
	}
	for _, h := range heads {
		switch wordAt(words, h.end) {
		case "couple":
			if end := h.end + 1; wordAt(words, end) == "of" {
				out = append(out, whole{end + 1, 2 * h.value})
			} else {
				out = append(out, whole{end, 2 * h.value})
			}
		case "dozen":
			out = append(out, whole{h.end + 1, 12 * h.value})
		case "hundred":
			value := h.value * 100
			out = append(out, whole{h.end + 1, value})
			for _, rest := range readBelowHundred(words, skipAnd(words, h.end+1)) {
				if rest.value > 0 {
					out = append(out, whole{rest.end, value + rest.value})
				}
			}
		}
	}
	return out
}

// readBelowHundred reads 0 to 99.
func readBelowHundred(words []string, at int) []whole {
	w := wordAt(words, at)
	if n, ok := smallNumbers[w]; ok {
		return []whole{{at + 1, n}}
	}
	n, ok := tens[w]
	if !ok {
		return nil
	}
	out := []whole{{at + 1, n}}
	if unit, ok := smallNumbers[wordAt(words, at+1)]; ok && unit >= 1 && unit <= 9 {
		out = append(out, whole{at + 2, n + unit})
	}
	return out
}

func skipAnd(words []string, at int) int {
	if wordAt(words, at) == "and" {
		return at + 1
	}
	return at
}
