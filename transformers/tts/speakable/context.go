package speakable

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	numberMark = map[Language]*regexp.Regexp{
		English: regexp.MustCompile(`^Nos?\. ?\d`),
		German:  regexp.MustCompile(`^Nr\. ?\d`),
		Spanish: regexp.MustCompile(`^[Nn](?:\.º|º|úm\.) ?\d`),
		French:  regexp.MustCompile(`^[Nn][°º] ?\d`),
	}
	feetPattern  = regexp.MustCompile(`^(\d)['′](\d{1,2})["″]?`)
	ratioPattern = regexp.MustCompile(`^(\d{1,3}):(\d{1,3})`)
	minusPattern = regexp.MustCompile(`^(?: - | − )\d[^=\n]{0,40}=`)
	timesDE      = regexp.MustCompile(`^(\d{1,4})er`)
	eightiesEN   = regexp.MustCompile(`^([2-9]0)s`)
)

// numberName is the rule for No. and its like in front of a number.
func numberName(s *scanner, i int) (int, string) {
	p := numberMark[s.language]
	if p == nil || isWordRune(s.before(i)) {
		return 0, ""
	}
	m := p.FindString(s.src[i:])
	if m == "" {
		return 0, ""
	}
	return len(strings.TrimRight(m[:len(m)-1], " ")), s.signs["№"]
}

// special is the rule for figures that are no plain number in one language:
// feet and inches, the eighties, ratios.
func special(s *scanner, i int) (int, string) {
	rest := s.src[i:]
	switch s.language {
	case English:
		if m := feetPattern.FindStringSubmatch(rest); m != nil && s.wordEnds(i+len(m[0])) {
			return len(m[0]), enCardinal(atoi(m[1]), alone) + " foot " + enCardinal(atoi(m[2]), alone)
		}
		if m := eightiesEN.FindStringSubmatch(rest); m != nil && s.wordEnds(i+len(m[0])) && s.wordBefore(i) == "the" {
			return len(m[0]), strings.TrimSuffix(enCardinal(atoi(m[1]), alone), "y") + "ies"
		}
	case German:
		if m := timesDE.FindStringSubmatch(rest); m != nil && s.wordEnds(i+len(m[0])) {
			return len(m[0]), deCardinal(atoi(m[1]), alone) + "er"
		}
	}
	if m := ratioPattern.FindStringSubmatch(rest); m != nil && s.endsFraction(i+len(m[0])) && s.after(i+len(m[0])) != ':' && s.before(i) != ':' {
		ratio := [...]string{English: "to", German: "zu", Spanish: "a", French: "à", Chinese: "比", Japanese: "対"}[s.language]
		return len(m[0]), s.cardinal(atoi(m[1]), alone) + s.gap() + ratio + s.gap() + s.cardinal(atoi(m[2]), alone)
	}
	return 0, ""
}

// nounBehind returns the form of the number one in front of the word that text
// begins with, as far as its ending tells: ein Tag, eine Minute; un libro, una
// hora; une minute. Two is 两 in front of a Chinese measure word.
func (t *tongue) nounBehind(text string) form {
	if t.language == Chinese {
		r, _ := utf8.DecodeRuneInString(text)
		if strings.ContainsRune("个位次天点小分周本杯米只条张件块种家台辆斤公倍岁层间双", r) {
			return masculine
		}
		return alone
	}
	word, ok := strings.CutPrefix(text, " ")
	if !ok {
		return alone
	}
	if end := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
		word = word[:end]
	}
	first, _ := utf8.DecodeRuneInString(word)
	switch {
	case utf8.RuneCountInString(word) < 3:
		return alone
	case t.language == German:
		if !unicode.IsUpper(first) {
			return alone
		}
		return gender(word, "e ung heit keit schaft tion tät", "Name Käse Junge Kunde Kollege Buchstabe")
	case t.language == Spanish:
		if function[word] || !unicode.IsLower(first) {
			return alone
		}
		return gender(word, "a as ción ciones dad dades vez veces", "día días problema problemas mapa mapas idioma idiomas programa programas sistema sistemas tema temas planeta planetas")
	case t.language == French && unicode.IsLower(first):
		if word != "fois" {
			word = strings.TrimSuffix(word, "s")
		}
		return gender(word, "tion té ée ette esse ance ence ure heure minute seconde semaine fois personne page tonne tasse cuillère", "")
	}
	return alone
}

// gender tells it by the endings of feminine nouns and the masculine exceptions.
func gender(word, endings, exceptions string) form {
	for exception := range strings.FieldsSeq(exceptions) {
		if word == exception {
			return masculine
		}
	}
	for ending := range strings.FieldsSeq(endings) {
		if strings.HasSuffix(word, ending) {
			return feminine
		}
	}
	return masculine
}

// function are Spanish words of three letters and more that a number may stand in
// front of without counting them.
var function = map[string]bool{"más": true, "menos": true, "por": true, "son": true, "que": true, "con": true, "del": true, "para": true, "entre": true, "está": true, "igual": true, "coma": true, "pero": true, "cuando": true}
