package speakable

import (
	"regexp"
	"strings"
	"unicode"
)

var (
	urlPattern   = regexp.MustCompile(`^(?:https?://|ftp://|www\.)[^\s<>"“”«»（）。，、！？]+`)
	mailPattern  = regexp.MustCompile(`^(?:mailto:)?([A-Za-z0-9][A-Za-z0-9._%+-]*)@([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,})`)
	sitePattern  = regexp.MustCompile(`^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.(?:com|org|net|edu|gov|info|biz|io|dev|app|ai|eu|uk|us|de|at|ch|es|mx|fr|be|cn|jp|tw|hk|xyz|me|tv)(?::\d{2,5})?(?:/[^\s<>"“”«»（）。，、！？]*)?`)
	closedMark   = regexp.MustCompile(`^<([^<>\s]+)>`)
	wordsOfPath  = regexp.MustCompile(`[A-Za-z]+|[0-9]+|[^A-Za-z0-9]`)
	trailingMark = ".,;:!?'\")]}*_~`"
)

// address is the rule for addresses of the web and of mail.
func address(s *scanner, i int) (int, string) {
	if b := s.before(i); isWordRune(b) && !isIdeograph(b) || b == '.' || b == '-' || b == '@' || b == '_' {
		return 0, "" // not in the middle of something that is none
	}
	rest := s.src[i:]
	token := rest
	if end := strings.IndexFunc(rest, unicode.IsSpace); end >= 0 {
		token = rest[:end]
	}
	if !strings.ContainsAny(token, ".@:") {
		return 0, ""
	}
	if rest[0] == '<' {
		m := closedMark.FindStringSubmatch(rest)
		if m == nil {
			return 0, ""
		}
		inner := scanner{src: m[1], tongue: s.tongue}
		if n, words := address(&inner, 0); n == len(m[1]) {
			return len(m[0]), words
		}
		return 0, ""
	}
	if m := mailPattern.FindStringSubmatch(rest); m != nil {
		return len(m[0]), s.spell(m[1]) + s.gap() + s.signs["@"] + s.gap() + s.spell(m[2])
	}
	for _, p := range []*regexp.Regexp{urlPattern, sitePattern} {
		m := strings.TrimRight(p.FindString(rest), trailingMark)
		if m == "" || !s.wordEnds(i+len(m)) {
			continue
		}
		return len(m), s.url(m)
	}
	return 0, ""
}

// url reads host and path; nobody wants to hear a scheme or a query.
func (s *scanner) url(u string) string {
	if _, rest, ok := strings.Cut(u, "://"); ok {
		u = rest
	}
	u, _, _ = strings.Cut(u, "?")
	u, _, _ = strings.Cut(u, "#")
	u = strings.TrimRight(strings.TrimPrefix(u, "www."), "/")
	if u == "" {
		return s.signs["."]
	}
	return s.spell(u)
}

// spell reads a host, path or name part by part.
func (s *scanner) spell(text string) string {
	var parts []string
	for _, p := range wordsOfPath.FindAllString(text, -1) {
		switch {
		case p[0] >= '0' && p[0] <= '9':
			parts = append(parts, s.digitsOrNumber(p))
		case s.addressSigns[p] != "":
			parts = append(parts, s.addressSigns[p])
		case unicode.IsLetter([]rune(p)[0]):
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, s.gap())
}

// pause stands between groups of figures.
func (t *tongue) pause() string {
	switch t.language {
	case Chinese:
		return "，"
	case Japanese:
		return "、"
	}
	return ", "
}

// gap stands between two words.
func (t *tongue) gap() string {
	if t.spaced {
		return " "
	}
	return ""
}
