package session

import (
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"edged/transformers/tts"
)

// Ledger is the account of one reply: which text lies on which part of its
// audio, word by word where the synthesiser tells. It alone decides what a listener who heard the reply up to some
// offset has heard.
//
// The reply's own goroutine writes it, the session reads it: all methods may
// be called concurrently. The zero value is an empty ledger.
type Ledger struct {
	mu    sync.Mutex
	spans []span
	audio time.Duration
}

// span is a segment of the reply's text and where its audio begins. It ends
// where the next one begins, the last one at the end of the audio.
type span struct {
	text  string
	start time.Duration
	// words lie in text and, counted from start, in the audio; nil where the
	// synthesiser does not tell.
	words []tts.Word
}

// speakingRate is used to guess the length of a segment whose audio is not all
// there yet and that has no finished segment before it to learn from. English
// is read aloud at about 150 words or 900 characters a minute.
const speakingRate = 15 // characters a second

// Text records that the audio that follows speaks text. Texts are exact: all of
// them joined are the reply.
func (l *Ledger) Text(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spans = append(l.spans, span{text: text, start: l.audio})
}

// Words records where the words of the text recorded last lie in its audio, as
// the synthesiser says. Without them words are placed by their share of the
// characters.
func (l *Ledger) Words(words []tts.Word) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.spans); n > 0 {
		l.spans[n-1].words = words
	}
}

// Audio records that d more of audio belongs to the text recorded last.
func (l *Ledger) Audio(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.audio += d
}

// Length returns the audio recorded so far.
func (l *Ledger) Length() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.audio
}

// All returns the whole text recorded so far.
func (l *Ledger) All() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return joinText(l.spans)
}

// Split divides the text at the offset in the audio: heard is what was spoken
// before it, up to the last whole word, and unheard the rest. Inside a segment
// the words are placed by their share of its characters. complete tells that
// the audio is finished, so that the last segment's length is known.
func (l *Ledger) Split(offset time.Duration, complete bool) (heard, unheard string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if offset <= 0 {
		return "", joinText(l.spans)
	}
	for i, s := range l.spans {
		end := l.end(i, complete)
		if offset >= end {
			continue
		}
		cut := 0
		if offset > s.start {
			cut = s.heard(offset-s.start, end-s.start)
		}
		return joinText(l.spans[:i]) + s.text[:cut], s.text[cut:] + joinText(l.spans[i+1:])
	}
	return joinText(l.spans), ""
}

// Boundary returns the first place at or behind the offset where a word ends or
// nothing is said: where a reply can pause without cutting a word in two. It is
// the offset itself where no words are known.
func (l *Ledger) Boundary(offset time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := len(l.spans) - 1; i >= 0; i-- {
		s := l.spans[i]
		if s.start > offset {
			continue
		}
		for _, w := range s.words {
			if from, to := s.start+w.At, s.start+w.Until; from < offset && offset < to {
				return to
			}
		}
		break
	}
	return offset
}

// heard returns the byte length of what is spoken within so much of the audio of
// a span that is so long.
func (s span) heard(offset, length time.Duration) int {
	if len(s.words) == 0 {
		return wordsWithin(s.text, float64(offset)/float64(length))
	}
	cut := 0
	for _, w := range s.words {
		if w.Until > offset+wordTolerance {
			break
		}
		cut = min(w.End, len(s.text))
	}
	for cut < len(s.text) && !utf8.RuneStart(s.text[cut]) {
		cut++ // a synthesiser that cuts characters in two
	}
	if cut == 0 {
		return 0
	}
	rest := s.text[cut:]
	// The rest of the written word (its full stop) and the space behind it.
	if space := strings.IndexFunc(rest, unicode.IsSpace); space >= 0 && !strings.ContainsFunc(rest[:space], isWordRune) {
		cut += space
		rest = s.text[cut:]
	} else if space < 0 && !strings.ContainsFunc(rest, isWordRune) {
		return len(s.text)
	}
	return cut + len(rest) - len(strings.TrimLeftFunc(rest, unicode.IsSpace))
}

// wordTolerance is how much of the end of a word may be missing for it to count
// as heard: the last sounds die away.
const wordTolerance = 20 * time.Millisecond

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// end returns where span i ends.
func (l *Ledger) end(i int, complete bool) time.Duration {
	if i+1 < len(l.spans) {
		return l.spans[i+1].start
	}
	if complete {
		return l.audio
	}
	return max(l.audio, l.spans[i].start+l.guess(l.spans[i].text))
}

// guess estimates how long text takes to speak, at the pace of what is
// finished.
func (l *Ledger) guess(text string) time.Duration {
	perChar := time.Second / speakingRate
	last := len(l.spans) - 1
	if chars := utf8.RuneCountInString(joinText(l.spans[:last])); chars > 0 && l.spans[last].start > 0 {
		perChar = l.spans[last].start / time.Duration(chars)
	}
	return perChar * time.Duration(utf8.RuneCountInString(text))
}

// wordsWithin returns the byte length of the leading words of text that are
// spoken within the given share of it. A word counts once its last character
// is reached; the white space behind it belongs to it.
func wordsWithin(text string, share float64) int {
	reached := share * float64(utf8.RuneCountInString(text))
	cut, runes := 0, 0
	for cut < len(text) {
		word, space := nextWord(text[cut:])
		runes += utf8.RuneCountInString(word)
		if float64(runes) > reached {
			break
		}
		runes += utf8.RuneCountInString(space)
		cut += len(word) + len(space)
	}
	return cut
}

// nextWord returns the first word of text, with white space before it, and the
// white space behind it.
func nextWord(text string) (word, space string) {
	begin := len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	end := len(text)
	if n := strings.IndexFunc(text[begin:], unicode.IsSpace); n >= 0 {
		end = begin + n
	}
	rest := text[end:]
	return text[:end], rest[:len(rest)-len(strings.TrimLeftFunc(rest, unicode.IsSpace))]
}

func joinText(spans []span) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.text)
	}
	return b.String()
}
