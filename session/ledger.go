package session

import (
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// Ledger is the account of one reply: which text lies on which part of its
// audio. It alone decides what a listener who heard the reply up to some
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
			cut = wordsWithin(s.text, float64(offset-s.start)/float64(end-s.start))
		}
		return joinText(l.spans[:i]) + s.text[:cut], s.text[cut:] + joinText(l.spans[i+1:])
	}
	return joinText(l.spans), ""
}

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
