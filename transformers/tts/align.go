package tts

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"edged/audio"
	"edged/transformers/tts/speakable"
)

// alignWords finds the written words of a segment among the ones that an engine
// spoke. There are two steps: the engine's words are found in what it was given to
// say, and from there the pieces lead back to what was written. Every written word
// gets a place; one that makes no sound lasts no time.
func alignWords(text string, said speakable.Text, spoken []SpokenWord, rate int) []Word {
	if len(spoken) == 0 {
		return nil
	}
	heard := placeWords(said.Spoken, spoken, rate)
	words := writtenWords(text)
	piece, first := 0, 0
	for i := range words {
		w := &words[i]
		found := false
		for piece > 0 && said.Pieces[piece-1].End > w.Start {
			piece--
		}
		for ; piece < len(said.Pieces) && said.Pieces[piece].Start < w.End; piece++ {
			at, until, ok := share(said.Pieces[piece], *w, heard, &first)
			if !ok {
				continue
			}
			if !found {
				w.At, found = at, true
			}
			w.Until = max(w.Until, until)
		}
	}
	return ordered(words)
}

// share returns which part of the time of a piece a written word has. first is
// where to begin in heard; it moves on.
func share(p speakable.Piece, w Word, heard []Word, first *int) (at, until time.Duration, ok bool) {
	from, to := max(p.Start, w.Start), min(p.End, w.End)
	if from >= to || p.At == p.Until {
		return 0, 0, false
	}
	begin, end := p.At, p.Until
	if p.Same {
		begin, end = p.At+from-p.Start, p.At+to-p.Start
	}
	for *first < len(heard) && heard[*first].End <= begin {
		*first++
	}
	for *first > 0 && heard[*first-1].End > begin {
		*first--
	}
	for _, h := range heard[*first:] {
		if h.Start >= end {
			break
		}
		if !ok {
			at = h.At
		}
		until, ok = h.Until, true
	}
	if p.Same || !ok {
		return at, until, ok
	}
	// Several written words that are said together, such as a date, share its
	// time by their characters.
	length, whole := until-at, time.Duration(p.End-p.Start)
	return at + length*time.Duration(from-p.Start)/whole, at + length*time.Duration(to-p.Start)/whole, true
}

// placeWords finds the words of the text that an engine was given among those it
// spoke. Words that are spoken as they stand are anchors; what lies between two of
// them, such as an abbreviation, shares the time between by its characters.
func placeWords(text string, spoken []SpokenWord, rate int) []Word {
	given := writtenWords(text)
	anchors := anchor(text, given, spoken)
	at := func(samples int) time.Duration { return audio.SampleRate(rate).Duration(samples) }
	words := make([]Word, 0, len(given))
	heard := 0 // of spoken, up to here it is given to words
	for i := 0; i < len(given); {
		if a := anchors[i]; a.to > 0 {
			words = append(words, Word{given[i].Start, given[i].End, at(spoken[a.from].Start), at(spoken[a.to-1].End)})
			heard, i = a.to, i+1
			continue
		}
		run := i
		for run < len(given) && anchors[run].to == 0 {
			run++
		}
		next := len(spoken)
		if run < len(given) {
			next = anchors[run].from
		}
		begin, end := spoken[len(spoken)-1].End, spoken[len(spoken)-1].End
		if heard < next {
			begin, end = spoken[heard].Start, spoken[next-1].End
		} else if heard < len(spoken) {
			begin, end = spoken[heard].Start, spoken[heard].Start
		}
		words = append(words, divide(given[i:run], at(begin), at(end))...)
		heard, i = next, run
	}
	return ordered(words)
}

// divide gives each word of a run its part of the time.
func divide(run []Word, begin, end time.Duration) []Word {
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

// span is a run of spoken words; to is 0 for none.
type span struct{ from, to int }

// anchor finds for each given word the spoken ones that say exactly it, so that
// as many letters as possible are found again and the order is kept.
func anchor(text string, given []Word, spoken []SpokenWord) []span {
	letters := make([]string, len(given))
	for i, w := range given {
		letters[i] = plainLetters(text[w.Start:w.End])
	}
	said := make([]string, len(spoken))
	for j, w := range spoken {
		said[j] = plainLetters(w.Text)
	}
	// best[i][j] is how many letters of the words from i on can be found in the
	// spoken ones from j on.
	width := len(spoken) + 1
	best := make([]int, (len(given)+1)*width)
	says := make([]int, len(given)*width)
	for i := len(given) - 1; i >= 0; i-- {
		for j := len(spoken); j >= 0; j-- {
			here := i*width + j
			best[here] = best[here+width]
			if j == len(spoken) {
				continue
			}
			best[here] = max(best[here], best[here+1])
			n := sayCount(said[j:], letters[i])
			if n > 0 && len(letters[i])+best[here+width+n] >= best[here] {
				best[here], says[here] = len(letters[i])+best[here+width+n], n
			}
		}
	}
	anchors := make([]span, len(given))
	for i, j := 0, 0; i < len(given) && j < len(spoken); {
		here := i*width + j
		switch {
		case says[here] > 0:
			anchors[i] = span{j, j + says[here]}
			i, j = i+1, j+says[here]
		case best[here] == best[here+width]:
			i++
		default:
			j++
		}
	}
	return anchors
}

// sayCount returns how many words say the letters, 0 if they do not. Engines split
// words at hyphens and apostrophes.
func sayCount(said []string, letters string) int {
	for n, word := range said {
		rest, ok := strings.CutPrefix(letters, word)
		switch {
		case !ok || word == "":
			return 0
		case rest == "":
			return n + 1
		}
		letters = rest
	}
	return 0
}

// writtenWords returns the words between white space that hold a letter or digit.
// Chinese and Japanese characters, which are written without spaces, are words of
// their own; punctuation belongs to the word before it.
func writtenWords(text string) []Word {
	var words []Word
	start, sounds := -1, false
	end := func(at int) {
		if start >= 0 && sounds {
			words = append(words, Word{Start: start, End: at})
		}
		start, sounds = -1, false
	}
	ideograph := false // the word is a Chinese or Japanese character
	for i, r := range text {
		sound := unicode.IsLetter(r) || unicode.IsDigit(r)
		switch {
		case unicode.IsSpace(r):
			end(i)
			continue
		case isIdeograph(r) || ideograph && sound:
			if sounds {
				end(i)
			}
			ideograph = isIdeograph(r)
		}
		if start < 0 {
			start, ideograph = i, isIdeograph(r)
		}
		sounds = sounds || sound
	}
	end(len(text))
	return words
}

// isIdeograph reports whether r is written without spaces between words.
func isIdeograph(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == 'ー'
}

// plainLetters returns the letters and digits of a word in lower case.
func plainLetters(word string) string {
	return strings.Map(func(r rune) rune {
		if r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return unicode.ToLower(r)
		}
		return -1
	}, word)
}
