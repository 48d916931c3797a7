package match

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Normalize returns the words of text in normal form, the form that patterns
// are written in:
//
//   - lower case without punctuation, hyphenated words in two;
//   - contractions spelled out: what's becomes what is, don't do not;
//   - signs as words: + plus, % percent, ² squared, between digits also - minus
//     and x times;
//   - digits as they are, without thousands separators (1,000 becomes 1000) and
//     apart from letters (5km becomes 5 km), but ordinals (3rd), fractions
//     (3/4) and dates (3/4/25) whole.
//
// It keeps fillers such as "please"; Set.Match sees through those itself.
// Invalid UTF-8 counts as white space. Empty or wordless text gives no words.
func Normalize(text string) []string {
	var words []string
	for _, raw := range strings.FieldsFunc(text, isSeparator) {
		words = appendWords(words, strings.ToLower(raw))
	}
	return joinSigns(words)
}

func isSeparator(r rune) bool {
	return unicode.IsSpace(r) || r == utf8.RuneError || unicode.IsControl(r)
}

// signs are spelled out wherever they stand. The unit signs come first, since
// some contain others.
var signs = strings.NewReplacer(
	"km/h", " kilometers per hour ", "m/s", " meters per second ", "mi/h", " miles per hour ",
	"°c", " degrees celsius ", "°f", " degrees fahrenheit ", "°", " degrees ",
	"+", " plus ", "×", " times ", "*", " times ", "÷", " divided by ", "%", " percent ",
	"²", " squared ", "³", " cubed ", "√", " square root of ", "^", " to the power of ",
	"½", " 1/2 ", "¼", " 1/4 ", "¾", " 3/4 ",
	"−", "-", "–", "-", "—", " ", "&", " and ", "’", "'", "‘", "'", "ʼ", "'", "`", "'",
)

// appendWords appends the words of raw, a lower-case run without spaces.
func appendWords(words []string, raw string) []string {
	for _, part := range strings.Fields(signs.Replace(raw)) {
		for _, piece := range splitPunctuation(part) {
			words = appendSpelledOut(words, piece)
		}
	}
	return words
}

// splitPunctuation cuts s into runs of letters, runs of digits with their
// decimal point, and the signs - and / that stand before or between digits.
func splitPunctuation(s string) []string {
	var pieces []string
	runes := []rune(s)
	for i := 0; i < len(runes); {
		r := runes[i]
		switch {
		case isDigit(r), r == '.' && digitAt(runes, i+1):
			var number string
			number, i = scanNumber(runes, i)
			pieces = append(pieces, number)
		case isLetter(r):
			start := i
			for i < len(runes) && (isLetter(runes[i]) || isInnerApostrophe(runes, i)) {
				i++
			}
			pieces = append(pieces, string(runes[start:i]))
		default:
			alone := len(runes) == 1
			afterDigit := i > 0 && isDigit(runes[i-1])
			if (r == '-' || r == '/') && (alone || digitAt(runes, i+1) && afterDigit) ||
				r == '-' && i == 0 && digitAt(runes, i+1) {
				pieces = append(pieces, string(r))
			}
			i++
		}
	}
	return pieces
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

// isLetter counts combining marks as letters, without which words of many
// scripts would fall apart.
func isLetter(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r) && !isDigit(r)
}

func digitAt(runes []rune, i int) bool { return i < len(runes) && isDigit(runes[i]) }

func isInnerApostrophe(runes []rune, i int) bool {
	return runes[i] == '\'' && i > 0 && i+1 < len(runes) && isLetter(runes[i-1]) && isLetter(runes[i+1])
}

// scanNumber reads digits, thousands separators, a decimal point, the slash of a
// fraction or the colon of a time of day, and the ending of an ordinal.
func scanNumber(runes []rune, i int) (string, int) {
	var b strings.Builder
	if runes[i] == '.' {
		b.WriteByte('0')
	}
	point := false // a point, colon or slash was seen
	for i < len(runes) {
		switch r := runes[i]; {
		case isDigit(r):
			b.WriteRune(r)
		case r == ',' && !point && thousandsFollow(runes, i+1):
		case (r == '.' || r == ':') && !point && digitAt(runes, i+1), r == '/' && digitAt(runes, i+1):
			point = true
			b.WriteRune(r)
		default:
			if end := ordinalEnding(runes, i); end > i && !point {
				b.WriteString(string(runes[i:end]))
				i = end
			}
			return b.String(), i
		}
		i++
	}
	return b.String(), i
}

// thousandsFollow reports whether exactly three digits begin at i.
func thousandsFollow(runes []rune, i int) bool {
	return digitAt(runes, i) && digitAt(runes, i+1) && digitAt(runes, i+2) && !digitAt(runes, i+3)
}

// ordinalEnding returns the index after st, nd, rd or th at i, or i.
func ordinalEnding(runes []rune, i int) int {
	if i+2 > len(runes) || i+2 < len(runes) && isLetter(runes[i+2]) {
		return i
	}
	switch string(runes[i : i+2]) {
	case "st", "nd", "rd", "th":
		return i + 2
	}
	return i
}

// joinSigns turns the signs that splitPunctuation left into words: - is minus,
// / is divided by and x is times next to numbers, else nothing.
func joinSigns(words []string) []string {
	out := words[:0:0]
	for i, w := range words {
		numberBefore := i > 0 && startsWithDigit(words[i-1])
		numberAfter := i+1 < len(words) && startsWithDigit(words[i+1])
		switch {
		case w == "-" && (numberBefore || numberAfter):
			out = append(out, "minus")
		case w == "/" && numberBefore && numberAfter:
			out = append(out, "divided", "by")
		case w == "x" && numberBefore && numberAfter:
			out = append(out, "times")
		case w == "-", w == "/":
		default:
			out = append(out, w)
		}
	}
	return out
}

func startsWithDigit(w string) bool { return w != "" && isDigit(rune(w[0])) }

func appendSpelledOut(words []string, w string) []string {
	if full, ok := contractions[w]; ok {
		return append(words, full...)
	}
	return append(words, w)
}

// contractions maps each contraction to its words. Possessives (today's) are
// not contractions and stay whole; that is why what may stand before 's is
// listed.
var contractions = contractionTable()

func contractionTable() map[string][]string {
	table := map[string][]string{
		"let's": {"let", "us"}, "can't": {"can", "not"}, "cannot": {"can", "not"}, "won't": {"will", "not"},
		"i'm": {"i", "am"}, "gonna": {"going", "to"}, "wanna": {"want", "to"}, "gimme": {"give", "me"},
		"lemme": {"let", "me"}, "whats": {"what", "is"}, "whos": {"who", "is"}, "im": {"i", "am"},
		"dont": {"do", "not"}, "thats": {"that", "is"}, "hows": {"how", "is"}, "lets": {"let", "us"},
		"y'all": {"you", "all"},
	}
	add := func(ending, full string, stems ...string) {
		for _, stem := range stems {
			table[stem+ending] = []string{stem, full}
		}
	}
	add("'s", "is", "what", "who", "where", "when", "how", "why", "it", "that", "there", "here", "he", "she")
	add("'re", "are", "you", "we", "they", "what", "who")
	add("'ll", "will", "i", "you", "we", "they", "it", "that", "what")
	add("'d", "would", "i", "you", "we", "they", "it", "what", "how")
	add("'ve", "have", "i", "you", "we", "they")
	add("n't", "not", "do", "does", "did", "is", "are", "was", "were", "could", "would", "should", "has", "have", "had")
	return table
}
