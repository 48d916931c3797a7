package speakable

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	isoPattern    = regexp.MustCompile(`^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2}))?`)
	dottedPattern = regexp.MustCompile(`^(\d{1,2})\.[ \x{a0}]?(\d{1,2})\.(?:[ \x{a0}]?(\d{4}|\d{2}))?`)
	slashPattern  = regexp.MustCompile(`^(\d{1,4})/(\d{1,2})/(\d{1,4})`)
	hanPattern    = regexp.MustCompile(`^(\d{2,4})年`)
	clockPattern  = regexp.MustCompile(`^(\d{1,2}):(\d{2})(?::(\d{2}))?`)
	dotClock      = regexp.MustCompile(`^(\d{1,2})\.([0-5]\d)`)
	hourPattern   = regexp.MustCompile(`^(\d{1,2})[ \x{a0}\x{202f}]?[hH][ \x{a0}\x{202f}]?(\d{2})`)
	uhrPattern    = regexp.MustCompile(`^(\d{1,2})(?:[.:](\d{2}))?[ \x{a0}]Uhr`)
	halfPattern   = regexp.MustCompile(`^[ \x{a0}]?([aApP])\.?[ \x{a0}]?[mM](?:\.|\b)`)
	ordinalEN     = regexp.MustCompile(`^(\d[\d,]*)(?:st|nd|rd|th)`)
	betweenDE     = regexp.MustCompile(`^\. (?:bis|und|oder) \d`)
	ordinalES     = regexp.MustCompile(`^(\d+)(?:\.?[ºª]|\.?er|\.[oa])`)
	ordinalFR     = regexp.MustCompile(`^(\d+)(?:ers?|res?|ères?|èmes?|nde?|es?)`)
	dayMonth      = regexp.MustCompile(`^(\d{1,2})(\.|st|nd|rd|th|er|º)?[ \x{a0}]+(?:of[ ]|de[ ])?`)
	yearPattern   = regexp.MustCompile(`^,?[ \x{a0}]+(?:de[ ]|of[ ])?(\d{4})`)
	dayPattern    = regexp.MustCompile(`^[ \x{a0}]+(\d{1,2})(?:st|nd|rd|th)?`)
	decadePattern = regexp.MustCompile(`^(\d{3}0)s`)
)

func atoi(text string) uint64 {
	v, _ := strconv.ParseUint(text, 10, 64)
	return v
}

func isDate(month, day uint64) bool { return month >= 1 && month <= 12 && day >= 1 && day <= 31 }

// dateRule is the rule for dates in figures, and days in front of a month's name.
func dateRule(s *scanner, i int) (int, string) {
	rest := s.src[i:]
	if m := isoPattern.FindStringSubmatch(rest); m != nil && s.wordEnds(i+len(m[0])) && isDate(atoi(m[2]), atoi(m[3])) {
		words := s.date(atoi(m[1]), atoi(m[2]), atoi(m[3]), s.wordBefore(i))
		if m[4] != "" && atoi(m[4]) < 24 && atoi(m[5]) < 60 {
			words += s.pause() + s.clock(atoi(m[4]), atoi(m[5]), 0, "")
		}
		return len(m[0]), words
	}
	if m := slashPattern.FindStringSubmatch(rest); m != nil && s.wordEnds(i+len(m[0])) {
		a, b, c := atoi(m[1]), atoi(m[2]), atoi(m[3])
		year, month, day := c, b, a
		switch {
		case len(m[1]) == 4:
			year, month, day = a, b, c
		case s.language == English && a <= 12:
			month, day = a, b
		}
		if isDate(month, day) && (len(m[1]) == 4 || len(m[3]) == 4 || len(m[3]) == 2) {
			return len(m[0]), s.date(fullYear(year), month, day, s.wordBefore(i))
		}
	}
	if s.language == German || s.language == French || s.language == Spanish || s.language == English {
		if m := dottedPattern.FindStringSubmatch(rest); m != nil && s.wordEnds(i+len(m[0])) && isDate(atoi(m[2]), atoi(m[1])) &&
			(s.language == German || len(m[3]) == 4) && !strings.HasPrefix(rest[len(m[0]):], ".") {
			return len(m[0]), s.date(fullYear(atoi(m[3])), atoi(m[2]), atoi(m[1]), s.wordBefore(i))
		}
	}
	if s.language == Chinese {
		if m := hanPattern.FindStringSubmatch(rest); m != nil && len(m[1]) == 4 {
			return len(m[1]), hanFigures(atoi(m[1]))
		}
	}
	return s.namedDate(i)
}

// fullYear makes a year of two figures one of four.
func fullYear(y uint64) uint64 {
	switch {
	case y == 0 || y > 99:
		return y
	case y < 70:
		return 2000 + y
	}
	return 1900 + y
}

// namedDate is a day in front of the name of a month: 3. Mai, 3 de mayo de 2026.
func (s *scanner) namedDate(i int) (int, string) {
	rest := s.src[i:]
	m := dayMonth.FindStringSubmatch(rest)
	if m == nil || atoi(m[1]) < 1 || atoi(m[1]) > 31 || s.language == German && m[2] != "." {
		return 0, ""
	}
	month, n := s.month(rest[len(m[0]):])
	if month == 0 {
		return 0, ""
	}
	n += len(m[0])
	year := uint64(0)
	if y := yearPattern.FindStringSubmatch(rest[n:]); y != nil && s.wordEnds(i+n+len(y[0])) {
		year, n = atoi(y[1]), n+len(y[0])
	}
	if s.language == English { // the third of May
		words := enOrdinal(atoi(m[1])) + " of " + s.months[month-1]
		if s.wordBefore(i) != "the" {
			words = "the " + words
		}
		if year > 0 {
			words += ", " + enYear(year)
		}
		return n, words
	}
	return n, s.date(year, month, atoi(m[1]), s.wordBefore(i))
}

// monthRule is the rule for the name of a month in front of a day: May 3rd, 2026.
func monthRule(s *scanner, i int) (int, string) {
	if s.language != English || isWordRune(s.before(i)) {
		return 0, ""
	}
	rest := s.src[i:]
	month, n := s.month(rest)
	if month == 0 {
		return 0, ""
	}
	d := dayPattern.FindStringSubmatch(rest[n:])
	if d == nil || !isDate(month, atoi(d[1])) || !s.wordEnds(i+n+len(d[0])) {
		return 0, ""
	}
	n += len(d[0])
	if strings.HasPrefix(rest[n:], ":") || strings.HasPrefix(rest[n:], "%") {
		return 0, ""
	}
	year := uint64(0)
	if y := yearPattern.FindStringSubmatch(rest[n:]); y != nil && s.wordEnds(i+n+len(y[0])) {
		year, n = atoi(y[1]), n+len(y[0])
	}
	return n, enDate(year, month, atoi(d[1]), "")
}

// timeRule is the rule for times of day.
func timeRule(s *scanner, i int) (int, string) {
	rest := s.src[i:]
	if s.language == German {
		if m := uhrPattern.FindStringSubmatch(rest); m != nil && atoi(m[1]) <= 24 && atoi(m[2]) < 60 {
			return len(m[0]), deClock(atoi(m[1]), atoi(m[2]), 0, "")
		}
	}
	if s.language == French {
		if m := hourPattern.FindStringSubmatch(rest); m != nil && atoi(m[1]) <= 24 && atoi(m[2]) < 60 && s.wordEnds(i+len(m[0])) {
			return len(m[0]), frClock(atoi(m[1]), atoi(m[2]), 0, "")
		}
	}
	return s.span(i)
}

// span is a time of day up to another: 10:30-11:00.
func (s *scanner) span(i int) (int, string) {
	n, from := s.oneTime(i)
	if n == 0 {
		return 0, ""
	}
	for _, dash := range []string{"-", "–", " – ", " - "} {
		if !strings.HasPrefix(s.src[i+n:], dash) {
			continue
		}
		if m, to := s.oneTime(i + n + len(dash)); m > 0 {
			return n + len(dash) + m, from + s.gap() + s.until + s.gap() + to
		}
	}
	return n, from
}

func (s *scanner) oneTime(i int) (int, string) {
	rest := s.src[i:]
	if m := dotClock.FindStringSubmatch(rest); m != nil && s.language == English && atoi(m[1]) <= 12 {
		if n, half := s.half(i + len(m[0])); n > 0 {
			return len(m[0]) + n, enClock(atoi(m[1]), atoi(m[2]), 0, half)
		}
	}
	if m := clockPattern.FindStringSubmatch(rest); m != nil && atoi(m[1]) <= 24 && atoi(m[2]) < 60 && atoi(m[3]) < 60 {
		n, half := s.half(i + len(m[0]))
		n += len(m[0])
		if n > len(m[0]) || s.wordEnds(i+n) {
			if s.language == German && strings.HasPrefix(rest[n:], " Uhr") {
				n += len(" Uhr")
			}
			return n, s.clock(atoi(m[1]), atoi(m[2]), atoi(m[3]), half)
		}
	}
	if f := figures(rest); f <= 2 && atoi(rest[:f]) >= 1 && atoi(rest[:f]) <= 12 && s.language != German && s.language != French {
		if n, half := s.half(i + f); n > 0 {
			return f + n, s.clock(atoi(rest[:f]), 0, 0, half)
		}
	}
	return 0, ""
}

// half recognises a.m. and p.m. A full stop that may end the sentence is left.
func (s *scanner) half(i int) (n int, half string) {
	m := halfPattern.FindStringSubmatch(s.src[i:])
	if m == nil {
		return 0, ""
	}
	n = len(m[0])
	if rest := strings.TrimSpace(s.src[i+n:]); strings.HasSuffix(m[0], ".") && rest == "" {
		n--
	}
	return n, strings.ToLower(m[1]) + "m"
}

// ordinalRule is the rule for ordinals.
func ordinalRule(s *scanner, i int) (int, string) {
	rest := s.src[i:]
	switch s.language {
	case English:
		if m := decadePattern.FindStringSubmatch(rest); m != nil && s.wordEnds(i+len(m[0])) {
			words := enYear(atoi(m[1]))
			if stem, ok := strings.CutSuffix(words, "y"); ok {
				return len(m[0]), stem + "ies"
			}
			return len(m[0]), words + "s"
		}
		if m := ordinalEN.FindStringSubmatch(rest); m != nil && s.wordEnds(i+len(m[0])) {
			num := s.number(m[1])
			if v, ok := num.value(); ok && num.n == len(m[1]) && num.fraction == "" {
				return len(m[0]), enOrdinal(v)
			}
		}
	case German:
		f := figures(rest)
		if f == 0 || f > 3 || rest[0] == '0' || !strings.HasPrefix(rest[f:], ". ") || s.lineStart(i) && !betweenDE.MatchString(rest[f:]) {
			return 0, ""
		}
		if next := s.after(i + f + 2); isWordRune(next) && !(next >= '0' && next <= '9') {
			return f + 1, deOrdinal(atoi(rest[:f])) + deEnding(s.wordBefore(i))
		}
	case Spanish:
		if m := ordinalES.FindStringSubmatch(rest); m != nil && s.wordEnds(i+len(m[0])) && len(m[1]) < 4 {
			f := alone
			switch {
			case strings.HasSuffix(m[0], "ª") || strings.HasSuffix(m[0], "a"):
				f = feminine
			case strings.HasSuffix(m[0], "er"):
				f = masculine
			}
			return len(m[0]), esOrdinal(atoi(m[1]), f)
		}
	case French:
		if m := ordinalFR.FindStringSubmatch(rest); m != nil && s.wordEnds(i+len(m[0])) && len(m[1]) < 10 {
			f := masculine
			if strings.Contains(m[0], "re") {
				f = feminine
			}
			return len(m[0]), frOrdinal(atoi(m[1]), f)
		}
	}
	return 0, ""
}
