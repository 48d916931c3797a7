package speakable

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Language is a language that text can be made speakable in. The zero value is
// English.
type Language int

// The languages.
const (
	English Language = iota
	German
	Spanish
	French
	Chinese
	Japanese
)

// Parse returns the language of a tag such as "en", "de-AT" or "zh_CN"; the
// empty tag is English. ok is false for a language that is not among them.
func Parse(tag string) (l Language, ok bool) {
	primary, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(tag), "_", "-"), "-")
	switch primary {
	case "", "en":
		return English, true
	case "de":
		return German, true
	case "es":
		return Spanish, true
	case "fr":
		return French, true
	case "zh":
		return Chinese, true
	case "ja":
		return Japanese, true
	}
	return English, false
}

// String returns the tag of the language.
func (l Language) String() string { return [...]string{"en", "de", "es", "fr", "zh", "ja"}[l.valid()] }

// valid is l, or English for a value that is none of the constants.
func (l Language) valid() Language {
	if l < English || l > Japanese {
		return English
	}
	return l
}

// Text is text with what to say for it.
type Text struct {
	// Spoken is what to say.
	Spoken string
	// Pieces lead from Spoken back to the text. They are in order and cover both
	// without holes. Nil if both are empty.
	Pieces []Piece
}

// Piece is a part of the text and what is said for it.
type Piece struct {
	// Start and End are bytes of the text. Start < End.
	Start, End int
	// At and Until are bytes of Text.Spoken; equal if the piece makes no sound.
	At, Until int
	// Same tells that the piece is said as it is written, byte by byte.
	Same bool
}

// Speak returns what to say for text, which may be anything, even invalid UTF-8.
func (l Language) Speak(text string) Text {
	s := scanner{src: text, tongue: tongues[l.valid()]}
	s.out.Grow(len(text) + len(text)/4)
	s.scan()
	return Text{Spoken: s.out.String(), Pieces: s.pieces}
}

// scanner goes through the text once.
type scanner struct {
	*tongue
	src    string
	out    strings.Builder
	last   rune // of out
	pieces []Piece
	// apart: words were said last, so that a letter after them needs a space.
	apart bool
	// silent maps the begin of marks that were announced to their end.
	silent map[int]int
}

// rule recognises something at src[i:]. It returns how many bytes it is and the
// words for it ("" for silence), or 0.
type rule func(s *scanner, i int) (n int, words string)

func (s *scanner) scan() {
	for i := 0; i < len(s.src); {
		if end := s.silent[i]; end > i {
			s.say(i, end, "")
			i = end
			continue
		}
		r, size := utf8.DecodeRuneInString(s.src[i:])
		n, words := s.match(i, r)
		if n > 0 {
			s.say(i, i+n, words)
			i += n
			continue
		}
		if unicode.IsLetter(r) {
			size = s.word(i)
		}
		s.keep(i, i+size)
		i += size
	}
}

// match tries the rules that fit a rune.
func (s *scanner) match(i int, r rune) (n int, words string) {
	var rules []rule
	switch {
	case '0' <= r && r <= '9':
		rules = digitRules
	case unicode.IsLetter(r):
		rules = letterRules
	case unicode.IsSpace(r):
		return 0, ""
	default:
		rules = signRules
	}
	if s.lineStart(i) {
		if n, words := lineMark(s, i); n > 0 {
			return n, words
		}
	}
	for _, rule := range rules {
		if n, words := rule(s, i); n > 0 {
			return n, words
		}
	}
	return 0, ""
}

// word returns the length of the run of letters at i, with what belongs to
// them. Chinese and Japanese letters stand alone.
func (s *scanner) word(i int) int {
	for n, r := range s.src[i:] {
		switch {
		case n > 0 && isIdeograph(r):
			return n
		case unicode.IsLetter(r) || unicode.Is(unicode.M, r):
			if n == 0 && isIdeograph(r) {
				return utf8.RuneLen(r)
			}
			continue
		case (r == '\'' || r == '’') && n > 0:
			continue
		}
		return n
	}
	return len(s.src) - i
}

// keep says src[i:end] as it is.
func (s *scanner) keep(i, end int) {
	text := s.src[i:end]
	first, _ := utf8.DecodeRuneInString(text)
	if s.apart && s.spaced && (unicode.IsLetter(first) || unicode.IsDigit(first)) {
		s.pieces[len(s.pieces)-1].Until++
		s.out.WriteByte(' ')
	}
	s.apart = false
	at := s.out.Len()
	s.out.WriteString(text)
	s.last, _ = utf8.DecodeLastRuneInString(text)
	if n := len(s.pieces); n > 0 && s.pieces[n-1].Same {
		s.pieces[n-1].End, s.pieces[n-1].Until = end, s.out.Len()
		return
	}
	s.pieces = append(s.pieces, Piece{Start: i, End: end, At: at, Until: s.out.Len(), Same: true})
}

// say says words for src[i:end], nothing for "".
func (s *scanner) say(i, end int, words string) {
	at := s.out.Len()
	if words != "" {
		first, _ := utf8.DecodeRuneInString(words)
		if s.spaced && isWordRune(first) && isWordRune(s.last) {
			s.out.WriteByte(' ')
		}
		s.out.WriteString(words)
		s.last, _ = utf8.DecodeLastRuneInString(words)
		s.apart = isWordRune(s.last)
	}
	s.pieces = append(s.pieces, Piece{Start: i, End: end, At: at, Until: s.out.Len()})
}

// before returns the rune in front of src[i], 0 at the begin.
func (s *scanner) before(i int) rune {
	if i == 0 {
		return 0
	}
	r, _ := utf8.DecodeLastRuneInString(s.src[:i])
	return r
}

// after returns the rune at src[i], 0 at the end.
func (s *scanner) after(i int) rune {
	if i >= len(s.src) {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(s.src[i:])
	return r
}

// wordBefore returns the last word in front of src[i] in lower case, "" if
// something else than space stands between.
func (s *scanner) wordBefore(i int) string {
	head := strings.TrimRight(s.src[:i], " \u00a0\u202f")
	from := len(head)
	for from > 0 {
		r, size := utf8.DecodeLastRuneInString(head[:from])
		if !unicode.IsLetter(r) {
			break
		}
		from -= size
	}
	return strings.ToLower(head[from:])
}

// wordEnds reports whether no letter or digit follows at src[i].
func (s *scanner) wordEnds(i int) bool {
	r := s.after(i)
	return !isWordRune(r) || isIdeograph(r)
}

// hide announces that src[from:end] makes no sound.
func (s *scanner) hide(from, end int) {
	if s.silent == nil {
		s.silent = make(map[int]int)
	}
	s.silent[from] = end
}

func (s *scanner) lineStart(i int) bool {
	line := s.src[strings.LastIndexByte(s.src[:i], '\n')+1 : i]
	return strings.Trim(line, " \t>") == ""
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isIdeograph reports whether r is written without spaces between words.
func isIdeograph(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == 'ー'
}
