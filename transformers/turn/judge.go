package turn

import (
	"strings"
	"unicode"
)

// Judge tells by a preliminary transcript what to expect. It is pure and may be
// called concurrently.
type Judge func(partial string) Expectation

// Commands returns the Judge of an assistant that understands commands only.
// progress tells of a text whether it is a command and whether more words would
// make it another one (rules.Progress is such). A command that ends is Complete,
// one that could go on is Unknown. All else is Incomplete: the assistant can do
// nothing with it as it is, so that it is worth waiting for the rest.
func Commands(progress func(text string) (complete, open bool)) Judge {
	return func(partial string) Expectation {
		switch complete, open := progress(partial); {
		case complete && open:
			return Unknown
		case complete:
			return Complete
		}
		return Incomplete
	}
}

// ForLanguage returns the Judge of a language, by its ISO 639-1 code ("en",
// "en-GB", "zh_CN"), and nil if there is none for it.
func ForLanguage(code string) Judge {
	code, _, _ = strings.Cut(strings.ReplaceAll(strings.ToLower(code), "_", "-"), "-")
	switch code {
	case "en":
		return English()
	case "de":
		return German()
	case "es":
		return Spanish()
	case "fr":
		return French()
	case "zh":
		return Chinese()
	case "ja":
		return Japanese()
	}
	return nil
}

// lexicon is what a Judge knows of a language.
type lexicon struct {
	// hanging are words, or several words, after which a sentence goes on.
	hanging map[string]bool
	// longest is how many words the longest of them has.
	longest int
	// digits are the words of the digits: after a few of them more are likely.
	digits map[string]bool
	// spaceless: words are not apart; hanging are endings of the text.
	spaceless bool
	// closing are endings of a spaceless text with which a sentence is over.
	closing []string
}

// dictation is how many digits one by one are a number that is read out; such a
// number ends nobody knows when.
const dictation = 3

func newLexicon(hanging, digits string) *lexicon {
	l := &lexicon{hanging: map[string]bool{}, digits: map[string]bool{}}
	for entry := range strings.SplitSeq(hanging, ",") {
		words := strings.Fields(entry)
		l.hanging[strings.Join(words, " ")] = true
		l.longest = max(l.longest, len(words))
	}
	for _, digit := range strings.Fields(digits) {
		l.digits[digit] = true
	}
	return l
}

func newSpaceless(hanging, closing, digits string) *lexicon {
	l := newLexicon("", digits)
	l.spaceless, l.closing = true, strings.Fields(closing)
	l.hanging = map[string]bool{}
	for _, ending := range strings.Fields(hanging) {
		l.hanging[ending] = true
		l.longest = max(l.longest, len([]rune(ending)))
	}
	return l
}

// judge is the Judge. What ends in a hanging word, in a comma or in dots goes on,
// however a recogniser has punctuated it; a full stop behind another word, which
// only a recogniser that follows the sentence writes, ends it.
func (l *lexicon) judge(partial string) Expectation {
	text := strings.TrimSpace(strings.ToLower(partial))
	words := strings.TrimRightFunc(text, isPunctuation)
	mark := strings.TrimSpace(text[len(words):])
	switch {
	case words == "":
		return Unknown
	case l.hangs(words), strings.HasSuffix(mark, ","), strings.HasSuffix(mark, "..."), strings.HasSuffix(mark, "-"),
		strings.ContainsAny(mark, "…，、:：;；—"):
		return Incomplete
	case strings.ContainsAny(mark, ".!?。！？"):
		return Complete
	}
	for _, ending := range l.closing {
		if strings.HasSuffix(words, ending) {
			return Complete
		}
	}
	return Unknown
}

// hangs reports whether text ends with a word after which a sentence goes on, or
// in a number that is read out.
func (l *lexicon) hangs(text string) bool {
	if l.spaceless {
		return l.hangsSpaceless([]rune(text))
	}
	words := strings.FieldsFunc(strings.ReplaceAll(text, "’", "'"), isPunctuation)
	for n := 1; n <= min(l.longest, len(words)); n++ {
		if l.hanging[strings.Join(words[len(words)-n:], " ")] {
			return true
		}
	}
	run := 0
	for i := len(words) - 1; i >= 0 && l.isDigit(words[i]); i-- {
		run++
	}
	return run >= dictation
}

func (l *lexicon) hangsSpaceless(text []rune) bool {
	for n := 1; n <= min(l.longest, len(text)); n++ {
		if l.hanging[string(text[len(text)-n:])] {
			return true
		}
	}
	run := 0
	for i := len(text) - 1; i >= 0 && l.isDigit(string(text[i])); i-- {
		run++
	}
	return run >= dictation
}

func (l *lexicon) isDigit(word string) bool {
	return l.digits[word] || len(word) == 1 && '0' <= word[0] && word[0] <= '9'
}

// isPunctuation takes an apostrophe for a part of its word ("I'm", "l'").
func isPunctuation(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '\'' && r != '’'
}
