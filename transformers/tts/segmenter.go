package tts

import (
	"unicode/utf8"

	"edged/transformers/tts/speakable"
)

// MaxSegment is the longest segment in characters. It bounds how long one call
// of an engine can take and how much sound waits to be played.
const MaxSegment = 300

// Segmenter cuts text that arrives in pieces of any size into segments that can
// be spoken one by one: sentences, lines, or parts of a sentence that is long.
//
// Not a byte is lost or changed: the segments put together are the input. They
// depend on the text alone, not on how it was cut into pieces. No segment is
// empty, none is longer than MaxSegment characters.
//
// # Where a segment ends
//
// Behind . ! ? or … if a space follows (several of them count as one end; quotes
// and brackets that follow belong to it, in French also behind a space), behind
// 。！ or ？ without one, and behind a newline, so that headings, list items and
// rows of a table stand alone. A stop ends nothing
//
//   - inside numbers, times, addresses and versions,
//   - behind titles and words such as "e.g.", behind "p.m." or "etc." unless a
//     capital follows, behind an initial, each in its language,
//   - behind a number that begins a line ("2. Stir") or is a German ordinal ("am
//     3. Mai"),
//   - in a quotation that goes on in small letters ("Stop!" he said; 「はい。」と).
//
// A sentence that is long is cut at its last comma before MaxSegment, else between
// words. The first segment of a text ends at a comma much earlier, so that there
// is something to hear soon.
//
// # What is not spoken
//
// What stands between <think> and </think> and blocks of code between lines of
// ``` become segments of their own. A thought is known when it ends; a <think>
// that is never closed is text like any other. A block of code that is never closed
// goes on to the end.
//
// # Look-ahead
//
// An end is known one character or, where a word decides, one word later. Only
// tags and thoughts are held until they are complete.
//
// The zero value is ready to use and cuts English. A Segmenter serves one
// goroutine at a time.
type Segmenter struct {
	// Language decides about abbreviations and ordinals. It must not change while
	// text is pending.
	Language speakable.Language

	pending string
	// spoken: a segment that has a sound was cut off.
	spoken bool
	// midLine: the last segment did not end with a newline.
	midLine bool
	// thought is how much of pending is known to be a thought; thinking tells that
	// it goes on behind that.
	thought  int
	thinking bool
	// fence is the mark of the block of code that pending begins in; opened tells
	// that its first line was cut off.
	fence  string
	opened bool
}

// kind is what a segment is.
type kind int

const (
	prose   kind = iota // spoken
	thought             // neither spoken nor shown
	code                // shown, but not spoken
)

type segment struct {
	text string
	kind kind
}

// Push appends text and returns the segments that are complete now, none if
// there are none.
func (s *Segmenter) Push(text string) []string { return texts(s.push(text)) }

// Close returns what is left as segments and makes the Segmenter ready for the
// next text.
func (s *Segmenter) Close() []string { return texts(s.close()) }

func texts(segments []segment) []string {
	var out []string
	for _, s := range segments {
		out = append(out, s.text)
	}
	return out
}

func (s *Segmenter) push(text string) []segment {
	s.pending += text
	return s.take(false)
}

func (s *Segmenter) close() []segment {
	segments := s.take(true)
	*s = Segmenter{Language: s.Language}
	return segments
}

func (s *Segmenter) take(closing bool) []segment {
	var segments []segment
	for s.pending != "" {
		n, kind := s.next(closing)
		if n == 0 {
			break
		}
		text := s.pending[:n]
		s.pending = s.pending[n:]
		s.midLine = text[n-1] != '\n'
		s.spoken = s.spoken || kind == prose && sayable(text)
		segments = append(segments, segment{text, kind})
	}
	return segments
}

// next returns the length of the first segment in bytes, 0 if it is not complete.
// closing says that no more text follows.
func (s *Segmenter) next(closing bool) (n int, kind kind) {
	if s.fence == "" && s.thought == 0 {
		if s.findThought(closing) {
			return 0, thought
		}
	}
	if s.thought > 0 {
		n := limited(s.pending[:s.thought])
		s.thought -= n
		return n, thought
	}
	if s.fence == "" && !s.midLine {
		mark, known := fenceMark(s.pending, closing)
		if !known {
			return 0, code
		}
		s.fence = mark
	}
	if s.fence != "" {
		return s.codeLine(closing), code
	}
	text, ends := s.proseOnly(closing)
	return s.cut(text, ends), prose
}

// limited returns the length of text, or where to cut it if it is too long.
func limited(text string) int {
	count := 0
	for i := range text {
		if count == MaxSegment {
			return cutLong(text[:i], text[i:])
		}
		count++
	}
	return len(text)
}

// decision is what is known about a possible end of a sentence.
type decision int

const (
	no decision = iota
	yes
	unknown // depends on what follows, which has not arrived
)

// firstClause is how long the first segment has to be to end at a comma, in Latin
// letters: some four seconds of speech. Chinese and Japanese characters take
// about three times as long.
const firstClause, ideographWeight = 60, 3

// cut returns the length of the first segment of text in bytes, 0 if it is not
// complete. closing says that no more text follows.
func (s *Segmenter) cut(text string, closing bool) int {
	content := false // something else than space and stops came
	clausal := false // the last character was the end of a clause
	count, weight := 0, 0
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
			n, runes, known := s.sentenceEnd(text, i, MaxSegment-count)
			switch {
			case known == yes:
				return n
			case known == unknown && !closing:
				return 0
			}
			i, count, weight, clausal = n, count+runes, weight+runes, false
			continue
		}
		if !s.spoken && weight >= firstClause && (clausal && isGap(r) || r == '，' || r == '；' || r == '：') {
			switch known := clauseEnd(text[:end], text[end:]); {
			case known == yes:
				return end
			case known == unknown && !closing:
				return 0
			}
		}
		content = content || !isGap(r) && !isStop(r) && !isCloser(r)
		clausal = r == ',' || r == ';' || r == ':' || r == '–' || r == '—'
		i, count, weight = end, count+1, weight+1
		if isIdeograph(r) {
			weight += ideographWeight - 1
		}
	}
	if closing {
		return len(text)
	}
	return 0
}
