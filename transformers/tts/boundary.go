package tts

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"edged/transformers/tts/speakable"
)

// sentenceEnd looks at the run of stops that begins at text[i] with the quotes
// and brackets behind it, of at most room characters. It returns where the run
// ends (with yes: where the segment ends, which includes one space), its length
// in characters and whether it ends a sentence.
func (s *Segmenter) sentenceEnd(text string, i, room int) (end, runes int, known decision) {
	run := stopRun{end: i}
	run.take(text, room)
	if run.runes < room && run.closesBehindSpace(text) == unknown {
		return run.end, run.runes, unknown
	}
	end, runes = run.end, run.runes
	rest := text[end:]
	if !utf8.FullRuneInString(rest) {
		return end, runes, unknown
	}
	if runes >= room {
		return end, runes, no // cutLong decides
	}
	r, size := utf8.DecodeRuneInString(rest)
	if !unicode.IsSpace(r) {
		return end, runes, run.endsBefore(text[:i], r)
	}
	next := rest[size:]
	switch {
	case r == '\n':
		return end + size, runes + 1, yes
	case run.quoted && !run.wide:
		// "Stop!" he said.
		if !utf8.FullRuneInString(next) {
			return end, runes, unknown
		}
		if c, _ := utf8.DecodeRuneInString(next); unicode.IsLower(c) {
			return end, runes, no
		}
	}
	if text[i:end] == "." {
		if known := s.afterWord(text[:i], next); known != yes {
			return end, runes, known
		}
	}
	return end + size, runes + 1, yes
}

// stopRun is a run of stops and what closes behind it.
type stopRun struct {
	end, runes int
	last       rune // of the stops
	wide       bool // one of them needs no space
	quoted     bool // a quote closes
}

// take reads the run at text[run.end:], of at most room characters.
func (run *stopRun) take(text string, room int) {
	for closers := run.quoted; run.runes < room; run.runes++ {
		r, size := utf8.DecodeRuneInString(text[run.end:])
		switch {
		case isStop(r) && !closers:
			run.last, run.wide = r, run.wide || isWideStop(r)
		case run.closes(text[:run.end], r):
			closers = true
			run.quoted = run.quoted || !strings.ContainsRune("*_", r)
		default:
			return
		}
		run.end += size
	}
}

// closes reports whether r closes something behind before. Quotes that open in
// one language close in another: „Ja.“ and »Ja.«
func (run *stopRun) closes(before string, r rune) bool {
	switch r {
	case '“':
		return strings.Count(before, "„") > strings.Count(before, "“")
	case '«':
		return strings.Count(before, "»") > strings.Count(before, "«")
	case '"', '\'':
		return !run.wide || strings.Count(before, string(r))%2 == 1
	}
	return isCloser(r)
}

// closesBehindSpace extends the run by a French guillemet, which has a space in
// front: « Oui. »
func (run *stopRun) closesBehindSpace(text string) decision {
	rest := text[run.end:]
	r, size := utf8.DecodeRuneInString(rest)
	if strings.Count(text[:run.end], "«") <= strings.Count(text[:run.end], "»") || r != ' ' && r != '\u00a0' && r != '\u202f' {
		return no
	}
	if !utf8.FullRuneInString(rest[size:]) {
		return unknown
	}
	if r, closer := utf8.DecodeRuneInString(rest[size:]); r == '»' {
		run.end, run.runes, run.quoted = run.end+size+closer, run.runes+2, true
		return yes
	}
	return no
}

// endsBefore decides about a run that r follows, which is no space. before is what
// stands in front of the run.
func (run *stopRun) endsBefore(before string, r rune) decision {
	switch {
	case run.wide && strings.ContainsRune("，、；：,;:", r), run.wide && run.quoted && strings.ContainsRune("とっなの", r):
		return no // 「はい。」と言った
	case run.wide, r == '¿', r == '¡':
		return yes
	case !isIdeograph(r) || run.last == '…':
		return no
	}
	if run.last == '.' { // 好.我
		last, _ := utf8.DecodeLastRuneInString(before)
		if !isIdeograph(last) {
			return no
		}
	}
	return yes
}

// afterWord decides whether a full stop between before and a space that next
// follows ends the sentence.
func (s *Segmenter) afterWord(before, next string) decision {
	line := strings.TrimLeftFunc(before[strings.LastIndexByte(before, '\n')+1:], unicode.IsSpace)
	head := line[:strings.LastIndexFunc(line, unicode.IsSpace)+1]
	word := line[len(head):]
	if isNumber(word) {
		switch {
		case strings.Trim(head, "-*+•>#_ \t") == "":
			return no // "2. Stir"
		case s.Language == speakable.German && len(word) <= 3:
			return germanOrdinal(strings.TrimSpace(head), next)
		}
		return yes
	}
	word = strings.TrimLeftFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if r, size := utf8.DecodeRuneInString(word); size > 0 && size == len(word) && unicode.IsUpper(r) && (r != 'I' || s.Language != speakable.English) {
		return no // the initial of a name
	}
	kind := abbreviationsOf(s.Language)[strings.ToLower(word)]
	if kind == plain && strings.ContainsRune(word, '.') {
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

// germanOrdinal decides about a small number with a full stop: "am 3. Mai", "der 2.
// Weltkrieg", but "Es sind 3. Ich gehe".
func germanOrdinal(head, next string) decision {
	before := strings.ToLower(head[strings.LastIndexFunc(head, unicode.IsSpace)+1:])
	if germanArticles[before] {
		return no
	}
	if !utf8.FullRuneInString(next) {
		return unknown
	}
	if r, _ := utf8.DecodeRuneInString(next); !unicode.IsUpper(r) {
		return no
	}
	end := strings.IndexFunc(next, func(r rune) bool { return !unicode.IsLetter(r) })
	for _, noun := range germanNouns {
		switch {
		case end >= 0 && next[:end] == noun:
			return no
		case end < 0 && strings.HasPrefix(noun, next):
			return unknown
		}
	}
	return yes
}

// clauseEnd decides whether the first segment of a text may end behind a comma.
// Not in front of a figure ("May 3, 2026") nor inside a link.
func clauseEnd(text, next string) decision {
	if !utf8.FullRuneInString(next) {
		return unknown
	}
	if r, _ := utf8.DecodeRuneInString(next); unicode.IsDigit(r) || isGap(r) || strings.Count(text, "[") > strings.Count(text, "]") {
		return no
	}
	return yes
}

func isStop(r rune) bool { return r == '.' || r == '!' || r == '?' || r == '…' || isWideStop(r) }

func isWideStop(r rune) bool { return r == '。' || r == '！' || r == '？' || r == '｡' }

func isWideClause(r rune) bool { return r == '，' || r == '、' || r == '；' || r == '：' }

func isCloser(r rune) bool { return strings.ContainsRune("\"'”’»)]}*_」』）】》〉›", r) }

// isGap reports whether words can be told apart at r: white space and the
// invisible space of Thai.
func isGap(r rune) bool { return unicode.IsSpace(r) || r == '\u200b' }

func isNumber(word string) bool {
	return word != "" && strings.Trim(word, "0123456789.,") == ""
}
