package speakable

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// number is a number as written.
type number struct {
	whole    string // figures in front of the decimal mark, without separators
	fraction string // figures behind it
	n        int    // bytes
	grouped  bool
}

// number reads the number at the begin of text; n is 0 if there is none.
func (t *tongue) number(text string) number {
	first := figures(text)
	num := number{whole: text[:first], n: first}
	if first == 0 {
		return number{}
	}
	if first <= 3 && text[0] != '0' {
		for _, sep := range append(t.groups[:len(t.groups):len(t.groups)], " ") {
			for strings.HasPrefix(text[num.n:], sep) && figures(text[num.n+len(sep):]) == 3 {
				// A space may also stand between two numbers.
				if sep == " " && t.language != French && text[num.n+1:num.n+4] != "000" {
					break
				}
				from := num.n + len(sep)
				num.whole += text[from : from+3]
				num.n, num.grouped = from+3, true
			}
			if num.grouped {
				break
			}
		}
	}
	rest := text[num.n:]
	if rest == "" || rest[0] != t.decimal && (rest[0] != '.' || num.grouped) {
		return num
	}
	f := figures(rest[1:])
	if f == 0 || 1+f+1 < len(rest) && rest[1+f] == rest[0] && figures(rest[f+2:]) > 0 {
		return num // "1.2.3" is none
	}
	num.fraction = rest[1 : 1+f]
	num.n += 1 + f
	return num
}

// figures returns how many ASCII digits text begins with.
func figures(text string) int {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n
}

// value is the whole part; ok is false if it has to be read figure by figure.
func (num number) value() (v uint64, ok bool) {
	if len(num.whole) > 15 || len(num.whole) > 1 && num.whole[0] == '0' {
		return 0, false
	}
	v, err := strconv.ParseUint(num.whole, 10, 64)
	return v, err == nil
}

// isOne tells whether a noun behind the number is in the singular.
func (t *tongue) isOne(num number) bool {
	v, ok := num.value()
	if t.language == French {
		return ok && v < 2 // un virgule cinq litre
	}
	return ok && v == 1 && num.fraction == ""
}

// sayNumber returns the words of a number.
func (t *tongue) sayNumber(num number, f form) string {
	v, ok := num.value()
	words := ""
	switch {
	case num.fraction != "":
		f = alone
		if ok {
			words = t.cardinal(v, alone)
		}
	case ok:
		words = t.cardinal(v, f)
	}
	if !ok {
		words = t.oneByOne(num.whole)
	}
	if num.fraction == "" {
		return words
	}
	gap := t.gap()
	fraction := t.oneByOne(num.fraction)
	if (t.language == French || t.language == Spanish) && len(num.fraction) == 2 && num.fraction[0] != '0' {
		v, _ := strconv.ParseUint(num.fraction, 10, 64)
		fraction = t.cardinal(v, alone)
	}
	return words + gap + t.point + gap + fraction
}

// oneByOne reads figures one by one.
func (t *tongue) oneByOne(figures string) string {
	words := make([]string, 0, len(figures))
	for _, r := range figures {
		words = append(words, t.cardinal(uint64(r-'0'), alone))
	}
	return strings.Join(words, t.gap())
}

// digitsOrNumber reads figures of an address: short ones as a number.
func (t *tongue) digitsOrNumber(text string) string {
	num := number{whole: text}
	if v, ok := num.value(); ok && len(text) <= 2 {
		return t.cardinal(v, alone)
	}
	return t.oneByOne(text)
}

// amount is the rule for a number with what stands behind it, and a range of
// them.
func amount(s *scanner, i int) (int, string) {
	rest := s.src[i:]
	num := s.number(rest)
	if num.n == 0 {
		return 0, ""
	}
	n := num.n
	if !strings.HasPrefix(rest[n:], ".") || figures(rest[n+1:]) == 0 {
		if dash, other := s.rangeAt(rest[n:]); dash > 0 && s.before(i) != '-' {
			end := n + dash + other.n
			f, noun, unit := s.noun(rest[end:], other)
			words := s.bare(i, num, f) + s.gap() + s.until + s.gap()
			return end + unit, words + s.join(s.bare(i, other, f), noun)
		}
	}
	f, noun, unit := s.noun(rest[n:], num)
	if unit > 0 {
		return n + unit, s.join(s.sayNumber(num, f), noun)
	}
	return n, s.bare(i, num, s.nounBehind(rest[n:]))
}

// join puts a noun behind a number.
func (s *scanner) join(words, noun string) string {
	if noun == "" {
		return words
	}
	if s.language == Chinese && noun == "%" {
		return "百分之" + words
	}
	if stem, ok := strings.CutSuffix(words, " de"); ok && s.language == French && strings.IndexByte("aeiou", noun[0]) >= 0 {
		return stem + " d'" + noun
	}
	return words + s.gap() + noun
}

// rangeAt recognises a dash and a number that end a range.
func (s *scanner) rangeAt(text string) (dash int, other number) {
	for _, d := range []string{"-", "–", " – ", "—", "~", "～", "〜"} {
		if !strings.HasPrefix(text, d) {
			continue
		}
		other = s.number(text[len(d):])
		end := len(d) + other.n
		if other.n == 0 || end < len(text) && (text[end] == '-' || text[end] == '/' || text[end] == ':') {
			return 0, number{}
		}
		return len(d), other
	}
	return 0, number{}
}

// noun finds the unit behind a number.
func (s *scanner) noun(text string, num number) (f form, noun string, n int) {
	gap := 0
	for _, space := range []string{" ", "\u00a0", "\u202f"} {
		if strings.HasPrefix(text, space) {
			gap = len(space)
		}
	}
	best := ""
	for sign := range s.units {
		if strings.HasPrefix(text[gap:], sign) && len(sign) > len(best) && endsSign(text[gap:], sign) {
			best = sign
		}
	}
	if best != "" {
		u := s.units[best]
		if s.isOne(num) {
			return u.form, u.one, gap + len(best)
		}
		return u.form, u.many, gap + len(best)
	}
	if s.language == Chinese && strings.HasPrefix(text[gap:], "%") {
		return alone, "%", gap + 1
	}
	return s.moneyBehind(text, gap)
}

// endsSign reports whether a sign is a word of its own.
func endsSign(text, sign string) bool {
	last, _ := utf8.DecodeLastRuneInString(sign)
	r, size := utf8.DecodeRuneInString(text[len(sign):])
	if r == '/' { // km/h, but 25°C/77°F
		r, _ = utf8.DecodeRuneInString(text[len(sign)+size:])
		return !unicode.IsLetter(r)
	}
	return len(sign) == len(text) || isIdeograph(r) || !unicode.IsLetter(last) && last != '²' && last != '³' ||
		!isWordRune(r) && r != '²' && r != '³' && r != '\'' && r != '’'
}

// bare says a number without a unit; a year where one is meant.
func (s *scanner) bare(i int, num number, f form) string {
	v, ok := num.value()
	if ok && num.fraction == "" && !num.grouped && len(num.whole) == 4 && (s.language == English || s.language == German) {
		if v >= 1900 && v <= 2099 || v >= 1100 && v < 1900 && yearWords[s.wordBefore(i)] {
			return s.year(v)
		}
	}
	return s.sayNumber(num, f)
}

var yearWords = map[string]bool{
	"in": true, "since": true, "until": true, "from": true, "by": true, "of": true, "year": true, "around": true, "circa": true,
	"seit": true, "bis": true, "von": true, "um": true, "jahr": true, "jahre": true, "ab": true,
}

// behindLetter is the rule for figures inside a word of letters and figures,
// such as B12.
func behindLetter(s *scanner, i int) (int, string) {
	if b := s.before(i); !unicode.IsLetter(b) || isIdeograph(b) {
		return 0, ""
	}
	n := figures(s.src[i:])
	return n, s.digitsOrNumber(s.src[i : i+n])
}

// serial is the rule for what only looks like a number: versions and addresses of
// hosts.
func serial(s *scanner, i int) (int, string) {
	rest := s.src[i:]
	n, parts := 0, []string{}
	for {
		f := figures(rest[n:])
		if f == 0 {
			return 0, ""
		}
		parts = append(parts, s.digitsOrNumber(rest[n:n+f]))
		n += f
		if n+1 >= len(rest) || rest[n] != '.' || figures(rest[n+1:]) == 0 {
			break
		}
		n++
	}
	if len(parts) < 3 || s.number(rest).n >= n {
		return 0, ""
	}
	return n, strings.Join(parts, s.gap()+s.signs["."]+s.gap())
}
