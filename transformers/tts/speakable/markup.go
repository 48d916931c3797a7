package speakable

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	linePattern     = regexp.MustCompile(`^(?:#{1,6}[ \t]+|[-*+•‣◦][ \t]+(?:\[[ xX]\][ \t]+)?|>[ \t]*)`)
	rulePattern     = regexp.MustCompile(`^(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|={3,}[ \t]*)(?:\n|$)`)
	dividerPattern  = regexp.MustCompile(`^\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)*\|?[ \t]*(?:\n|$)`)
	fencePattern    = regexp.MustCompile("^(?:`{3,}|~{3,})[^\n`]*(?:\n|$)")
	imagePattern    = regexp.MustCompile(`^!?\[([^\[\]\n]*)\](?:\((?:[^()\s]|\([^()\s]*\))*(?:[ \t]+"[^"\n]*")?\)|\[[^\[\]\n]*\])`)
	notePattern     = regexp.MustCompile(`^\[\^[^\[\]\s]+\]:?`)
	tagPattern      = regexp.MustCompile(`^(?:</?[A-Za-z][A-Za-z0-9-]*(?:\s+[^<>]*)?/?>|<!--[^>]*-->|<!DOCTYPE[^>]*>)`)
	entityPattern   = regexp.MustCompile(`^&(amp|lt|gt|quot|apos|nbsp|#39|#34);`)
	emoticonPattern = regexp.MustCompile(`^(?:[:;=8]['’]?-?[)(\]\[DPpOo/\\|*]+|[xX]D+|\^_*\^|-_+-|:3|[oO]_[oO]|¯\\_\(ツ\)_/¯)`)
)

// lineMark is the rule for marks at the begin of a line.
func lineMark(s *scanner, i int) (int, string) {
	rest := s.src[i:]
	for _, p := range []*regexp.Regexp{fencePattern, rulePattern, dividerPattern} {
		if m := p.FindString(rest); m != "" {
			return len(m), ""
		}
	}
	if m := linePattern.FindString(rest); m != "" {
		return len(m), ""
	}
	if rest[0] == '|' {
		return 1, ""
	}
	return 0, ""
}

// markup is the rule for marks inside a line.
func markup(s *scanner, i int) (int, string) {
	rest := s.src[i:]
	switch rest[0] {
	case '!', '[':
		if m := notePattern.FindString(rest); m != "" {
			return len(m), ""
		}
		if m := imagePattern.FindStringSubmatchIndex(rest); m != nil {
			s.hide(i+m[3], i+m[1])
			return m[2], ""
		}
	case '<':
		if m := tagPattern.FindString(rest); m != "" {
			return len(m), " "
		}
	case '&':
		if m := entityPattern.FindStringSubmatch(rest); m != nil {
			return len(m[0]), s.entity(m[1])
		}
	case '`':
		return len(rest) - len(strings.TrimLeft(rest, "`")), ""
	case '|':
		if strings.TrimSpace(strings.SplitN(rest[1:], "\n", 2)[0]) == "" {
			return 1, ""
		}
		return 1, ","
	case '\\':
		if len(rest) > 1 && strings.IndexByte("*_`#[]()<>|~\\", rest[1]) >= 0 {
			return 2, ""
		}
		return 1, " "
	case '*', '_', '~':
		return s.emphasis(i)
	}
	return 0, ""
}

func (t *tongue) entity(name string) string {
	switch name {
	case "amp":
		return t.signs["&"]
	case "lt":
		return t.signs["<"]
	case "gt":
		return t.signs[">"]
	case "nbsp":
		return " "
	case "apos", "#39":
		return "'"
	}
	return `"`
}

// emphasis is silent; the signs have a meaning only where no emphasis can be.
func (s *scanner) emphasis(i int) (int, string) {
	mark := s.src[i]
	n := len(s.src[i:]) - len(strings.TrimLeft(s.src[i:], string(mark)))
	before, after := s.before(i), s.after(i+n)
	switch {
	case n == 1 && mark == '_' && isWordRune(before) && isWordRune(after):
		return 1, " " // snake_case
	case n == 1 && mark == '*' && (unicode.IsSpace(before) && unicode.IsSpace(after) || unicode.IsDigit(before) && unicode.IsDigit(after)):
		return 1, s.signs["×"]
	case n == 1 && mark == '~' && unicode.IsDigit(after):
		return 1, s.signs["~"]
	}
	return n, ""
}

// picture is the rule for emoji and emoticons.
func picture(s *scanner, i int) (int, string) {
	rest := s.src[i:]
	if b := s.before(i); b == 0 || unicode.IsSpace(b) || b == '.' || b == '!' || b == '?' {
		if m := emoticonPattern.FindString(rest); m != "" && s.wordEnds(i+len(m)) {
			return len(m), ""
		}
	}
	n := 0
	for n < len(rest) {
		r, size := utf8.DecodeRuneInString(rest[n:])
		if !isPicture(r) && (n == 0 || !joinsPictures(r)) {
			break
		}
		n += size
	}
	if n == 0 {
		return 0, ""
	}
	if isWordRune(s.before(i)) && isWordRune(s.after(i+n)) {
		return n, " "
	}
	return n, ""
}

func isPicture(r rune) bool {
	switch r {
	case '°', '→', '←', '↔', '⇒', '№':
		return false
	}
	return unicode.Is(unicode.So, r) || r >= 0x1F000 && r <= 0x1FAFF || r >= 0xE0020 && r <= 0xE007F ||
		r >= 0x2190 && r <= 0x23FF || r >= 0x2500 && r <= 0x27BF
}

// joinsPictures: variation selectors, joiners and the keycap.
func joinsPictures(r rune) bool {
	return r == 0x200D || r == 0xFE0F || r == 0xFE0E || r == 0x20E3
}
