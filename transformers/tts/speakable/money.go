package speakable

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// price is the rule for an amount behind the sign of a currency.
func price(s *scanner, i int) (int, string) {
	sign, size := utf8.DecodeRuneInString(s.src[i:])
	c, ok := s.money[string(sign)]
	if !ok {
		return 0, ""
	}
	from := i + size
	if strings.HasPrefix(s.src[from:], " ") || strings.HasPrefix(s.src[from:], "\u00a0") {
		from += len(s.src[from:]) - len(strings.TrimLeft(s.src[from:], " \u00a0"))
	}
	num := s.number(s.src[from:])
	if num.n == 0 {
		return 0, ""
	}
	end := from + num.n
	if words, n := s.scaled(s.src[end:], num, c); n > 0 {
		return end + n - i, words
	}
	if dash, other := s.rangeAt(s.src[end:]); dash > 0 {
		return end + dash + other.n - i, s.sayNumber(num, c.form) + s.gap() + s.until + s.gap() + s.cash(other, c)
	}
	return end - i, s.cash(num, c)
}

// moneyBehind finds the sign of a currency behind a number or a range.
func (s *scanner) moneyBehind(text string, gap int) (f form, noun string, n int) {
	sign, size := utf8.DecodeRuneInString(text[gap:])
	if c, ok := s.money[string(sign)]; ok {
		return c.form, c.many, gap + size
	}
	return alone, "", 0
}

// moneyAmount is the rule for an amount in front of the sign of a currency.
func moneyAmount(s *scanner, i int) (int, string) {
	rest := s.src[i:]
	num := s.number(rest)
	if num.n == 0 {
		return 0, ""
	}
	at := num.n + len(rest[num.n:]) - len(strings.TrimLeft(rest[num.n:], " \u00a0\u202f"))
	for sign := range s.scales {
		behind := strings.TrimLeft(strings.TrimPrefix(rest[at:], sign), " \u00a0\u202f")
		if !strings.HasPrefix(rest[at:], sign) {
			continue
		}
		r, size := utf8.DecodeRuneInString(behind)
		if c, ok := s.money[string(r)]; ok {
			words, n := s.scaled(rest[num.n:], num, c)
			if n > 0 {
				return len(rest) - len(behind) + size, words
			}
		}
	}
	sign, size := utf8.DecodeRuneInString(rest[at:])
	c, ok := s.money[string(sign)]
	if !ok {
		return 0, ""
	}
	return at + size, s.cash(num, c)
}

// cash says an amount with its hundredths.
func (s *scanner) cash(num number, c currency) string {
	noun := c.many
	if s.isOne(num) || num.whole == "1" && len(num.fraction) == 2 {
		noun = c.one
	}
	if len(num.fraction) != 2 || c.cent == "" {
		return s.join(s.sayNumber(num, c.form), noun)
	}
	cents, _ := strconv.ParseUint(num.fraction, 10, 64)
	whole := s.join(s.sayNumber(number{whole: num.whole}, c.form), noun)
	small := s.cardinal(cents, masculine) + " " + plural(cents, c.cent, c.cents)
	switch {
	case cents == 0:
		return whole
	case num.whole == "0":
		return small
	}
	switch s.language {
	case English:
		return whole + " and " + small
	case Spanish:
		return whole + " con " + small
	}
	return whole + " " + s.cardinal(cents, alone) // fünf Euro fünfzig
}

// scaled says an amount of millions: five million dollars.
func (s *scanner) scaled(text string, num number, c currency) (words string, n int) {
	gap := len(text) - len(strings.TrimLeft(text, " \u00a0\u202f"))
	best := ""
	for sign := range s.scales {
		if strings.HasPrefix(text[gap:], sign) && len(sign) > len(best) && endsSign(text[gap:], sign) {
			best = sign
		}
	}
	if best == "" || gap > 0 && len(best) == 1 && s.spaced {
		return "", 0
	}
	u := s.scales[best]
	noun := u.many
	if s.isOne(num) {
		noun = u.one
	}
	return s.join(s.join(s.sayNumber(num, u.form), noun), c.many), gap + len(best)
}
