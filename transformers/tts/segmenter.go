package tts

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxSegment is the longest segment in characters. It bounds how long one call
// of an engine can take and how much sound waits to be played.
const MaxSegment = 300

// minClause is how many characters a segment that has to be cut in the middle
// of a sentence must have for a cut behind a comma to be better than a later
// one between two words.
const minClause = 100

// Segmenter cuts text that arrives in pieces of any size into segments that can
// be spoken one by one: sentences, lines, or parts of a sentence longer than
// MaxSegment.
//
// Not a byte is lost or changed: the segments put together are the input. They
// depend on the text alone, not on how it was cut into pieces. No segment is
// empty, none is longer than MaxSegment characters.
//
// A sentence ends behind . ! or ? (several of them count as one end, quotes and
// brackets that follow belong to it) if a space follows, behind 。！ or ？ and
// behind a newline. Since a full stop may be a decimal point ("3", ".", "14")
// or be followed by a quote, an end is known one character later. Full stops
// of abbreviations end nothing: those of titles and of "e.g." never, those of
// "p.m.", "etc." or "U.S." unless a capital follows; neither do those behind an
// initial or a number that begins a line ("2. Stir").
//
// The zero value is ready to use. A Segmenter serves one goroutine at a time.
type Segmenter struct {
	pending string
}

// Push appends text and returns the segments that are complete now, none if
// there are none.
func (s *Segmenter) Push(text string) []string {
	s.pending += text
	return s.take(false)
}

// Close returns what is left as segments and makes the Segmenter ready for the
// next text.
func (s *Segmenter) Close() []string {
	return s.take(true)
}

func (s *Segmenter) take(closing bool) []string {
	var segments []string
	for s.pending != "" {
		n := cut(s.pending, closing)
		if n == 0 {
			break
		}
		segments = append(segments, s.pending[:n])
		s.pending = s.pending[n:]
	}
	return segments
}

// decision is what is known about a possible end of a sentence.
type decision int

const (
	no decision = iota
	yes
	unknown // depends on what follows, which has not arrived
)

// cut returns the length of the first segment of text in bytes, 0 if it is not
// complete. closing says that no more text follows.
func cut(text string, closing bool) int {
	content := false // something else than space and stops came
	count := 0
	for i := 0; i < len(text); {
		if !closing && !utf8.FullRuneInString(text[i:]) {
			return 0
		}
		if count == MaxSegment {
			return cutLong(text[:i], text[i:])
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		end := i + size
		switch {
		case r == '\n' && content:
			return end
		case isStop(r) && content:
			n, runes, known := sentenceEnd(text, i, MaxSegment-count)
			switch {
			case known == yes:
				return n
			case known == unknown && !closing:
				return 0
			}
			i, count = n, count+runes
			continue
		}
		content = content || !unicode.IsSpace(r) && !isStop(r) && !isCloser(r)
		i, count = end, count+1
	}
	if closing {
		return len(text)
	}
	return 0
}

// sentenceEnd looks at the run of stops that begins at text[i] with the quotes
// and brackets behind it, of at most room characters. It returns where the run
// ends (with yes: where the segment ends, which includes one space), its length
// in characters and whether it ends a sentence.
func sentenceEnd(text string, i, room int) (end, runes int, known decision) {
	end = i
	wide := false
	for closers := false; runes < room; runes++ {
		r, size := utf8.DecodeRuneInString(text[end:])
		switch {
		case isStop(r) && !closers:
			wide = wide || isWideStop(r)
		case isCloser(r):
			closers = true
		default:
			size = 0
		}
		if size == 0 {
			break
		}
		end += size
	}
	rest := text[end:]
	if !utf8.FullRuneInString(rest) {
		return end, runes, unknown
	}
	if runes == room {
		return end, runes, no // cutLong decides
	}
	r, size := utf8.DecodeRuneInString(rest)
	space := unicode.IsSpace(r)
	if wide && !space {
		return end, runes, yes
	}
	if !space {
		return end, runes, no
	}
	if text[i:end] == "." && r != '\n' {
		if known := afterWord(text[:i], rest[size:]); known != yes {
			return end, runes, known
		}
	}
	return end + size, runes + 1, yes
}

// afterWord decides whether a full stop between before and a space that next
// follows ends the sentence.
func afterWord(before, next string) decision {
	line := strings.TrimLeftFunc(before[strings.LastIndexByte(before, '\n')+1:], unicode.IsSpace)
	word := line[strings.LastIndexFunc(line, unicode.IsSpace)+1:]
	if word == line && isNumber(word) {
		return no // "2. Stir"
	}
	word = strings.TrimLeftFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if r, size := utf8.DecodeRuneInString(word); size > 0 && size == len(word) && unicode.IsUpper(r) && r != 'I' {
		return no // the initial of a name
	}
	kind := abbreviations[strings.ToLower(word)]
	if kind == plain && strings.ContainsRune(word, '.') && !isNumber(word) {
		kind = mayEnd // U.S.A., a.m.
	}
	if kind == plain {
		return yes
	}
	if kind == neverEnds {
		return no
	}
	if !utf8.FullRuneInString(next) {
		return unknown
	}
	r, _ := utf8.DecodeRuneInString(next)
	switch {
	case kind == beforeNumber:
		if unicode.IsDigit(r) {
			return no
		}
	case unicode.IsLower(r) || unicode.IsDigit(r):
		return no
	}
	return yes
}

// cutLong returns where to cut text, a part of a sentence as long as a segment
// may be, that goes on with rest.
func cutLong(text, rest string) int {
	clause, gap, char := 0, 0, 0
	count := 0
	clausal := false
	for i, r := range text {
		if unicode.IsSpace(r) {
			end := i + utf8.RuneLen(r)
			gap = end
			if clausal && count >= minClause {
				clause = end
			}
		}
		if i > 0 && !continuesCharacter(r) {
			char = i
		}
		if isWideClause(r) && count >= minClause {
			clause = i + utf8.RuneLen(r)
		}
		clausal = strings.ContainsRune(",;:–—.!?)", r)
		count++
	}
	switch r, _ := utf8.DecodeRuneInString(rest); {
	case clause > 0:
		return clause
	case gap > 0:
		return gap
	case char > 0 && continuesCharacter(r):
		return char
	}
	return len(text)
}

func isStop(r rune) bool { return r == '.' || r == '!' || r == '?' || r == '…' || isWideStop(r) }

func isWideStop(r rune) bool { return r == '。' || r == '！' || r == '？' }

func isWideClause(r rune) bool { return r == '，' || r == '、' || r == '；' || r == '：' }

func isCloser(r rune) bool { return strings.ContainsRune("\"'”’»)]}*_」』）", r) }

// continuesCharacter reports whether r belongs to the character before it: an
// accent, an emoji's variation or the joiner between two emoji.
func continuesCharacter(r rune) bool { return unicode.Is(unicode.M, r) || r == '\u200d' }

func isNumber(word string) bool {
	return word != "" && strings.Trim(word, "0123456789.,") == ""
}
