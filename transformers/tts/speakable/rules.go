package speakable

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The rules in the order in which they are tried, by what the text begins with.
var (
	digitRules  = []rule{address, phone, behindLetter, dateRule, timeRule, special, fractionRule, serial, ordinalRule, moneyAmount, amount}
	letterRules = []rule{address, numberName, monthRule, roman}
	signRules   = []rule{address, markup, phone, price, negative, sign, picture}
)

var (
	phonePattern  = regexp.MustCompile(`^(?:\+\d{1,3}[ .-]?)?(?:\(\d{1,5}\)[ .-]?)?\d{2,12}(?:[ ./-]\d{2,8}){0,5}`)
	romanPattern  = regexp.MustCompile(`^[IVX]+`)
	phoneGroups   = regexp.MustCompile(`\d+`)
	fractionWords = regexp.MustCompile(`^(\d{1,3})/(\d{1,3})`)
	mixedWords    = regexp.MustCompile(`^(\d{1,3}) (\d)/(\d{1,2})`)
)

// phone is the rule for telephone numbers: figures one by one, a pause between
// their groups. What begins with + or a bracket, has three groups or begins with
// 0 and is long enough is one.
func phone(s *scanner, i int) (int, string) {
	if b := s.before(i); isWordRune(b) && !isIdeograph(b) || b == '.' || b == '/' || b == '-' {
		return 0, ""
	}
	m := phonePattern.FindString(s.src[i:])
	groups := phoneGroups.FindAllString(m, -1)
	digits := len(strings.Join(groups, ""))
	if m == "" || digits < 7 || digits > 15 || !s.wordEnds(i+len(m)) || isoPattern.MatchString(m) || slashPattern.MatchString(m) {
		return 0, ""
	}
	if r := s.after(i + len(m)); r == '%' || r == '/' || r == '-' {
		return 0, ""
	}
	dashed := strings.Count(m, "-")
	switch {
	case m[0] == '+' || m[0] == '(':
	case m[0] == '0' && digits >= 8 && !strings.Contains(m, "."):
	case dashed >= 2:
	case dashed == 1 && len(groups) == 2 && len(groups[0]) == 3 && len(groups[1]) == 4:
	case s.language == French && len(groups) == 5 && m[0] == '0':
	default:
		return 0, ""
	}
	for g, figures := range groups {
		groups[g] = s.oneByOne(figures)
	}
	words := strings.Join(groups, s.pause())
	if m[0] == '+' {
		words = s.signs["+"] + s.gap() + words
	}
	return len(m), words
}

// fractionRule is the rule for fractions in figures and for mixed numbers.
func fractionRule(s *scanner, i int) (int, string) {
	rest := s.src[i:]
	if m := mixedWords.FindStringSubmatch(rest); m != nil && s.endsFraction(i+len(m[0])) {
		if words := s.fraction(atoi(m[2]), atoi(m[3])); words != "" {
			return len(m[0]), s.mixed(atoi(m[1]), words, atoi(m[2]), atoi(m[3]))
		}
	}
	if m := fractionWords.FindStringSubmatch(rest); m != nil && s.endsFraction(i+len(m[0])) {
		if words := s.fraction(atoi(m[1]), atoi(m[2])); words != "" {
			return len(m[0]), words
		}
	}
	if f := figures(rest); f < 4 {
		r, size := utf8.DecodeRuneInString(rest[f:])
		if fr, ok := fractions[r]; ok {
			return f + size, s.mixed(atoi(rest[:f]), s.fraction(fr[0], fr[1]), fr[0], fr[1])
		}
	}
	return 0, ""
}

func (s *scanner) endsFraction(i int) bool {
	r := s.after(i)
	return s.wordEnds(i) && r != '/' && r != '%'
}

// mixed says a whole number and a fraction.
func (s *scanner) mixed(whole uint64, fraction string, n, d uint64) string {
	half := n == 1 && d == 2
	words := s.cardinal(whole, masculine)
	switch {
	case s.language == English && half:
		return words + " and a half"
	case s.language == English:
		return words + " and " + fraction
	case s.language == German && half && whole == 1:
		return "eineinhalb"
	case s.language == German && half:
		return words + "einhalb"
	case s.language == German:
		return words + " " + fraction
	case s.language == Spanish && half:
		return words + " y medio"
	case s.language == Spanish:
		return words + " y " + fraction
	case s.language == French:
		return words + " et " + fraction
	case s.language == Chinese:
		return zhCardinal(whole, alone) + "又" + fraction
	}
	return words + "と" + fraction
}

// romanNames say that Roman figures behind them are a number; true: an ordinal
// (Louis the Fourteenth).
var romanNames = map[Language]map[string]bool{
	English: {"chapter": false, "part": false, "volume": false, "act": false, "scene": false, "book": false, "phase": false, "war": false, "type": false, "class": false, "bowl": false,
		"louis": true, "henry": true, "charles": true, "george": true, "edward": true, "william": true, "elizabeth": true, "james": true, "richard": true, "philip": true, "napoleon": true, "paul": true, "pius": true, "benedict": true, "leo": true, "francis": true, "frederick": true},
	German: {"kapitel": false, "teil": false, "band": false, "akt": false, "szene": false, "klasse": false, "phase": false, "weltkrieg": false, "typ": false,
		"ludwig": true, "heinrich": true, "karl": true, "friedrich": true, "wilhelm": true, "elisabeth": true, "georg": true, "otto": true, "napoleon": true, "paul": true, "benedikt": true, "philipp": true},
	Spanish: {"capítulo": false, "parte": false, "tomo": false, "acto": false, "siglo": false, "fase": false, "tipo": false, "mundial": false,
		"felipe": true, "carlos": true, "alfonso": true, "fernando": true, "isabel": true, "enrique": true, "luis": true, "pablo": true, "juan": true},
	French: {"chapitre": false, "partie": false, "tome": false, "acte": false, "scène": false, "phase": false, "type": false,
		"louis": true, "henri": true, "charles": true, "napoléon": true, "françois": true, "philippe": true, "élisabeth": true, "paul": true, "jean": true},
}

// roman is the rule for Roman figures behind a word that shows what they are, and
// for the centuries of French and Spanish.
func roman(s *scanner, i int) (int, string) {
	if isWordRune(s.before(i)) {
		return 0, ""
	}
	m := romanPattern.FindString(s.src[i:])
	v := romanValue(m)
	if v == 0 {
		return 0, ""
	}
	if s.language == French && len(m) > 1 {
		for _, suffix := range []string{"ème", "e", "er"} {
			if strings.HasPrefix(s.src[i+len(m):], suffix) && s.wordEnds(i+len(m)+len(suffix)) {
				return len(m) + len(suffix), frOrdinal(v, masculine)
			}
		}
	}
	name, known := romanNames[s.language][s.wordBefore(i)]
	if !known || !s.wordEnds(i+len(m)) || s.after(i+len(m)) == '\'' || s.after(i+len(m)) == '’' {
		return 0, ""
	}
	switch {
	case !name:
		return len(m), s.cardinal(v, alone)
	case s.language == English && m == "I":
		return 0, "" // Louis, I think
	case s.language == English:
		return len(m), "the " + enOrdinal(v)
	case s.language == German && s.after(i+len(m)) == '.':
		n := len(m)
		if strings.TrimSpace(s.src[i+n+1:]) != "" {
			n++
		}
		return n, "der " + capital(deOrdinal(v)) + "e"
	case s.language == German:
		return 0, ""
	case s.language == Spanish:
		return len(m), esOrdinal(v, alone)
	case v == 1:
		return len(m), "premier"
	}
	return len(m), frCardinal(v, alone)
}

func capital(word string) string {
	r, size := utf8.DecodeRuneInString(word)
	return string(unicode.ToUpper(r)) + word[size:]
}

// romanValue returns the value of Roman figures up to 39, 0 for anything else.
func romanValue(text string) uint64 {
	tens := len(text) - len(strings.TrimLeft(text, "X"))
	if tens > 3 || text == "" {
		return 0
	}
	for v, ones := range []string{"", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"} {
		if text[tens:] == ones {
			return uint64(tens*10 + v)
		}
		if ones == "IX" && tens > 0 && text[tens-1:] == ones {
			return uint64((tens-1)*10 + v)
		}
	}
	return 0
}

// negative is the rule for a minus in front of a number.
func negative(s *scanner, i int) (int, string) {
	r, size := utf8.DecodeRuneInString(s.src[i:])
	if r != '-' && r != '−' && r != '–' || figures(s.src[i+size:]) == 0 {
		return 0, ""
	}
	b := s.before(i)
	if r == '−' || b == 0 || unicode.IsSpace(b) || strings.ContainsRune("(=:~≈<>\"“", b) || isIdeograph(b) {
		return size, s.minus
	}
	return 0, ""
}

// sign is the rule for signs that have a name.
func sign(s *scanner, i int) (int, string) {
	r, size := utf8.DecodeRuneInString(s.src[i:])
	if f, ok := fractions[r]; ok {
		return size, s.fraction(f[0], f[1])
	}
	before, after := s.before(i), s.after(i+size)
	switch r {
	case '-', '−':
		if unicode.IsSpace(before) && minusPattern.MatchString(s.src[i-1:]) {
			return size, s.minus // 10 - 3 = 7
		}
		if strings.HasPrefix(s.src[i:], "->") {
			return 2, s.signs["→"]
		}
		return 0, ""
	case '=':
		if strings.HasPrefix(s.src[i:], "=>") {
			return 2, s.signs["⇒"]
		}
		if n := len(s.src[i:]) - len(strings.TrimLeft(s.src[i:], "=")); n > 1 {
			return n, s.signs["="]
		}
	case '<', '>':
		if strings.HasPrefix(s.src[i+size:], "=") {
			return 2, s.signs[map[rune]string{'<': "≤", '>': "≥"}[r]]
		}
	case '#':
		switch {
		case after >= '0' && after <= '9':
			return 1, s.signs["№"]
		case unicode.IsLetter(before) && !isWordRune(after):
			return 1, map[bool]string{true: "sharp", false: s.signs["#"]}[s.language == English]
		case !unicode.IsLetter(after):
			return 1, ""
		}
	case '/':
		if strings.HasPrefix(s.src[i:], "//") || !isWordRune(before) && !isWordRune(after) && !unicode.IsSpace(before) {
			return 1, ""
		}
	case '%', '$', '@', '+', '&':
	case '.', ',':
		return 0, ""
	case '^':
		if !isWordRune(before) || !isWordRune(after) {
			return 1, " "
		}
	case '{', '}':
		return 1, " "
	case '²':
		return size, map[Language]string{English: "squared", German: "hoch zwei", Spanish: "al cuadrado", French: "au carré", Chinese: "平方", Japanese: "の二乗"}[s.language]
	case '³':
		return size, map[Language]string{English: "cubed", German: "hoch drei", Spanish: "al cubo", French: "au cube", Chinese: "立方", Japanese: "の三乗"}[s.language]
	}
	if words := s.signs[string(r)]; words != "" {
		return size, words
	}
	return 0, ""
}
