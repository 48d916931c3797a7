package session

import (
	"slices"
	"strings"
	"time"
	"unicode"
)

// BargeIn says when speech during a reply interrupts it. It is judged in
// dialog.ModeRealtime only, where the microphone is open while a reply plays. A
// zero field means its default.
type BargeIn struct {
	// Off: speech never interrupts. Buttons and wake words still do.
	Off bool
	// MinSpeech is how long the user must speak. Default 200 ms: longer than a
	// cough or a clap, and with the endpointer's own 96 ms and a packet of 60 ms
	// well within the half second in which people expect to be given the floor.
	MinSpeech time.Duration
	// MinWords is how many words must have been understood, back-channels not
	// counted. Default 0: the length of the speech is enough.
	MinWords int
	// Backchannels are words and phrases that a listener says without wanting
	// the floor ("mhmm", "I see"). Nil means those of Backchannels for English.
	Backchannels []string
	// Protect is the opening of every reply that speech cannot interrupt.
	// Default none.
	Protect time.Duration
	// JudgeSpeech is how long a user must speak to interrupt a reply that is
	// held meanwhile, whatever it is that is said. Default 600 ms, which one or
	// two short words do not fill.
	JudgeSpeech time.Duration
	// HoldFor bounds how long a reply is held. Default 2 s.
	HoldFor time.Duration
	// IgnoreWithoutHold: a device that cannot hold a reply is not interrupted by
	// speech. The default is to interrupt it.
	IgnoreWithoutHold bool
}

func (p BargeIn) withDefaults() BargeIn {
	p.MinSpeech = orDefault(p.MinSpeech, 200*time.Millisecond)
	p.JudgeSpeech = max(p.MinSpeech, orDefault(p.JudgeSpeech, 600*time.Millisecond))
	p.HoldFor = orDefault(p.HoldFor, 2*time.Second)
	p.MinWords, p.Protect = max(0, p.MinWords), max(0, p.Protect)
	if p.Backchannels == nil {
		p.Backchannels = Backchannels("en")
	}
	return p
}

// thresholds are the lengths of speech at which the policy looks again.
func (p BargeIn) thresholds() []time.Duration {
	return slices.Compact([]time.Duration{p.MinSpeech, p.JudgeSpeech})
}

// Words counts the words of a transcript that are no back-channel. In writing
// without spaces every two characters count as a word.
func (p BargeIn) Words(text string) int {
	count := 0
	for plain := plainWords(text); len(plain) > 0; {
		if n := p.leading(plain); n > 0 {
			plain = plain[n:]
			continue
		}
		count += wordsIn(p.unspaced(plain[0]))
		plain = plain[1:]
	}
	return count
}

// leading returns how many words at the beginning of plain are a back-channel.
func (p BargeIn) leading(plain []string) int {
	longest := 0
	for _, phrase := range p.Backchannels {
		words := plainWords(phrase)
		if n := len(words); n > longest && n <= len(plain) && slices.Equal(words, plain[:n]) {
			longest = n
		}
	}
	return longest
}

// unspaced strips back-channels off a word of a script without spaces, where a
// whole sentence is one.
func (p BargeIn) unspaced(word string) string {
	if !isUnspaced(word) {
		return word
	}
	for stripped := true; stripped; {
		stripped = false
		for _, phrase := range p.Backchannels {
			if rest, ok := strings.CutPrefix(word, phrase); ok && phrase != "" {
				word, stripped = rest, true
			}
		}
	}
	return word
}

func wordsIn(word string) int {
	if word == "" {
		return 0
	}
	if isUnspaced(word) {
		return (len([]rune(word)) + 1) / 2
	}
	return 1
}

func isUnspaced(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
	})
}

// plainWords returns the words of text in lower case, without punctuation; an
// apostrophe or hyphen inside a word stays out of it.
func plainWords(text string) []string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\'' || r == '’' || r == '-':
			return -1
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			return unicode.ToLower(r)
		}
		return ' '
	}, text)
	return strings.Fields(text)
}
