package tts

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"edged/audio"
	"edged/realtime"
)

// WordsMIME is the MIME type of the chunk that tells where the words of a
// segment lie in its audio.
const WordsMIME = "application/vnd.edged.words+json"

// Word is a written word of a segment and where it is spoken.
type Word struct {
	// Start and End are bytes of the segment's text.
	Start int `json:"start"`
	End   int `json:"end"`
	// At and Until are places in the segment's audio, in nanoseconds on paper.
	At    time.Duration `json:"at"`
	Until time.Duration `json:"until"`
}

// ParseWords reads a blob of WordsMIME. The words are in order and do not
// overlap.
func ParseWords(blob *realtime.Blob) ([]Word, error) {
	if realtime.CanonicalMIME(blob.MIMEType) != WordsMIME {
		return nil, fmt.Errorf("tts: words: %q is not %s", blob.MIMEType, WordsMIME)
	}
	var words []Word
	if err := json.Unmarshal(blob.Data, &words); err != nil {
		return nil, fmt.Errorf("tts: words: %w", err)
	}
	last := Word{}
	for i, w := range words {
		if w.Start < last.End || w.End <= w.Start || w.At < last.Until || w.Until < w.At {
			return nil, fmt.Errorf("tts: words: word %d (%+v) is not behind the one before", i+1, w)
		}
		last = w
	}
	return words, nil
}

// SpokenWord is a word as an engine spoke it.
type SpokenWord struct {
	// Text is the word as the engine reads it: lower case, numbers written out.
	Text string
	// Start and End are samples of the audio.
	Start, End int
}

// TimedSynthesizer is what a Synthesizer may be besides: one that tells where
// in its audio the words are.
type TimedSynthesizer interface {
	Synthesizer
	// SynthesizeWords is Synthesize that returns the words of what was spoken,
	// in order.
	SynthesizeWords(ctx context.Context, text string, sink func(pcm []int16) error) ([]SpokenWord, error)
}

// alignWords finds the written words of text among the spoken ones. Words that
// are written as they are spoken are anchors; what lies between two of them, such
// as a number, shares the time between by its characters.
func alignWords(text string, spoken []SpokenWord, rate int) []Word {
	if len(spoken) == 0 {
		return nil
	}
	written := writtenWords(text)
	anchors := anchor(text, written, spoken)
	at := func(samples int) time.Duration { return audio.SampleRate(rate).Duration(samples) }
	words := make([]Word, 0, len(written))
	heard := 0 // of spoken, up to here it is given to written words
	for i := 0; i < len(written); {
		if a := anchors[i]; a.from >= 0 {
			words = append(words, Word{written[i].Start, written[i].End, at(spoken[a.from].Start), at(spoken[a.to-1].End)})
			heard, i = a.to, i+1
			continue
		}
		run := i
		for run < len(written) && anchors[run].from < 0 {
			run++
		}
		next := len(spoken)
		if run < len(written) {
			next = anchors[run].from
		}
		begin, end := spoken[len(spoken)-1].End, spoken[len(spoken)-1].End
		if heard < next {
			begin, end = spoken[heard].Start, spoken[next-1].End
		} else if heard < len(spoken) {
			begin, end = spoken[heard].Start, spoken[heard].Start
		}
		words = append(words, share(written[i:run], at(begin), at(end))...)
		heard, i = next, run
	}
	return ordered(words)
}

// share gives each written word of a run its part of the time.
func share(run []Word, begin, end time.Duration) []Word {
	total := 0
	for _, w := range run {
		total += w.End - w.Start
	}
	out := make([]Word, len(run))
	passed := 0
	for i, w := range run {
		w.At = begin + (end-begin)*time.Duration(passed)/time.Duration(total)
		passed += w.End - w.Start
		w.Until = begin + (end-begin)*time.Duration(passed)/time.Duration(total)
		out[i] = w
	}
	return out
}

// ordered makes sure that no word begins before the one before has ended.
func ordered(words []Word) []Word {
	var last time.Duration
	for i := range words {
		words[i].At = max(words[i].At, last)
		words[i].Until = max(words[i].Until, words[i].At)
		last = words[i].Until
	}
	return words
}

// span is a run of spoken words; from is -1 for none.
type span struct{ from, to int }

// reach is how many spoken words an anchor may lie ahead: a long number has
// about as many.
const reach = 16

// anchor finds for each written word the spoken ones that say exactly it.
func anchor(text string, written []Word, spoken []SpokenWord) []span {
	anchors := make([]span, len(written))
	next := 0
	for i, w := range written {
		anchors[i] = span{-1, -1}
		letters := plainLetters(text[w.Start:w.End])
		if letters == "" || strings.ContainsFunc(letters, unicode.IsDigit) {
			continue
		}
		for from := next; from < min(next+reach, len(spoken)); from++ {
			if to := says(spoken[from:], letters); to > 0 {
				anchors[i] = span{from, from + to}
				next = from + to
				break
			}
		}
	}
	return anchors
}

// says returns how many spoken words say the letters, 0 if they do not. Engines
// split words at hyphens and apostrophes.
func says(spoken []SpokenWord, letters string) int {
	for n, w := range spoken {
		said := plainLetters(w.Text)
		rest, ok := strings.CutPrefix(letters, said)
		switch {
		case !ok || said == "":
			return 0
		case rest == "":
			return n + 1
		}
		letters = rest
	}
	return 0
}

// writtenWords returns the words between white space that hold something to say.
func writtenWords(text string) []Word {
	var words []Word
	start := -1
	end := func(at int) {
		if start >= 0 && plainLetters(text[start:at]) != "" {
			words = append(words, Word{Start: start, End: at})
		}
		start = -1
	}
	for i, r := range text {
		switch {
		case unicode.IsSpace(r):
			end(i)
		case start < 0:
			start = i
		}
	}
	end(len(text))
	return words
}

// plainLetters returns the letters and digits of a word in lower case.
func plainLetters(word string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, word)
}
