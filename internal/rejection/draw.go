package rejection

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"edged/ai/rules"
	"edged/internal/jsgf"
	"edged/internal/recordings"
)

// Draw returns n commands a split that the recogniser's grammar makes by chance,
// in the form of a file of texts. Whole rules of the grammar belong to a split in
// turn, and what a pattern of the other split would make is left out. Sentences of
// more than maxDrawn words are, too: nobody says "minus a thousand nine hundred and
// sixty one point four five over negative eight hundred and seventy". The grammar
// does not inflect: what it makes of one thing or of several is left out where it
// is wrong ("nine second"), since nobody can hear which was meant.
func Draw(seed uint64, n int) (string, error) {
	grammar, err := jsgf.Parse(rules.Grammar())
	if err != nil {
		return "", fmt.Errorf("rejection: draw: %w", err)
	}
	written, err := parseTexts(Command, commandTexts)
	if err != nil {
		return "", err
	}
	patterns := map[recordings.Split]*regexp.Regexp{}
	var known []string
	for _, split := range []recordings.Split{recordings.Tuning, recordings.HeldOut} {
		var all []string
		for _, t := range written {
			known = append(known, t.Said)
			if t.Split == split {
				all = append(all, place.ReplaceAllString(t.Family, ".+"))
			}
		}
		slices.Sort(all)
		patterns[split] = regexp.MustCompile("^(" + strings.Join(slices.Compact(all), "|") + ")$")
	}
	other := map[recordings.Split]recordings.Split{recordings.Tuning: recordings.HeldOut, recordings.HeldOut: recordings.Tuning}
	vocabulary := rules.Vocabulary()
	random := rand.New(rand.NewPCG(seed, 2))
	splitOf := map[string]recordings.Split{} // by rule
	drawn := map[recordings.Split][]string{}
	next := recordings.Tuning
	for tries := 0; len(drawn[recordings.Tuning]) < n || len(drawn[recordings.HeldOut]) < n; tries++ {
		if tries > 1000*n {
			return "", fmt.Errorf("rejection: draw: the grammar does not make %d sentences a split", n)
		}
		s := grammar.Sentence(random)
		rule := s.Rules[1]
		if splitOf[rule] == "" {
			splitOf[rule], next = next, other[next]
		}
		split, text := splitOf[rule], s.String()
		if len(drawn[split]) == n || len(s.Words) > maxDrawn || !inflected(s.Words, vocabulary) || !Answered(text) || slices.Contains(known, text) || patterns[other[split]].MatchString(text) {
			continue
		}
		known = append(known, text)
		drawn[split] = append(drawn[split], text)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Made by the grammar by chance: measure -draw %d -seed %d\n", n, seed)
	for _, split := range []recordings.Split{recordings.Tuning, recordings.HeldOut} {
		fmt.Fprintf(&b, "\n== %s\n%s\n", split, strings.Join(drawn[split], "\n"))
	}
	return b.String(), nil
}

const maxDrawn = 11

// place is a place for a number or a word in a pattern.
var place = regexp.MustCompile(`\{[^}]*\}`)

// inflected reports whether every word behind a number has the right form, and
// every a and an.
func inflected(words, vocabulary []string) bool {
	for i, word := range words[:len(words)-1] {
		next := words[i+1]
		plural := slices.Contains(vocabulary, strings.TrimSuffix(next, "s")) && strings.HasSuffix(next, "s") || next == "feet" || next == "inches"
		singular := slices.Contains(vocabulary, next+"s") || next == "foot" || next == "inch"
		switch {
		case word == "a" && strings.ContainsAny(next[:1], "aeiou"), word == "an" && !strings.ContainsAny(next[:1], "aeioh"):
			return false
		case word == "one" || word == "a" || word == "an":
			if plural {
				return false
			}
		case slices.Contains(numerals, word) && singular && !slices.Contains(numerals, next):
			return false
		}
	}
	return true
}

// numerals are the words that numbers other than one end on.
var numerals = strings.Fields("zero oh two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen " +
	"twenty thirty forty fifty sixty seventy eighty ninety hundred thousand")
