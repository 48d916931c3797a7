package rejection

import (
	_ "embed"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"strings"

	"edged/internal/recordings"
)

// Class says what a text is to the assistant.
type Class string

const (
	// Command is in the recogniser's grammar: it is to be understood word by word.
	Command Class = "in grammar"
	// Paraphrase is answered by the model although no grammar holds it: it can only
	// come from the language model.
	Paraphrase Class = "paraphrase"
	// Outside is to be declined.
	Outside Class = "outside"
	// Sound holds no words: music, noises, coughs.
	Sound Class = "no speech"
)

// Fresh is the split of texts that were written when everything was done, to
// measure what changed after the held-out split had been looked at. The held-out
// speakers say them.
const Fresh recordings.Split = "fresh"

// Text is one thing to say.
type Text struct {
	Split recordings.Split
	Class Class
	// Family is what it has in common with others, none of which is in the other
	// split: the pattern it was made by, or what it is about.
	Family string
	// Said is in lower case, without punctuation, numbers in words.
	Said string
}

// The texts, one file for each class; the first lines of each say how they are
// written.
var (
	//go:embed texts/commands.txt
	commandTexts string
	//go:embed texts/drawn.txt
	drawnTexts string
	//go:embed texts/paraphrases.txt
	paraphraseTexts string
	//go:embed texts/outside.txt
	outsideTexts string
	//go:embed texts/fresh.txt
	freshTexts string
)

// draws is how many texts a pattern with a place for a number or word makes.
const draws = 4

// Texts returns all texts of a split, the same at every call.
func Texts(split recordings.Split) ([]Text, error) {
	var all []Text
	for _, file := range []struct {
		class Class
		text  string
	}{{Command, commandTexts}, {Command, drawnTexts}, {Paraphrase, paraphraseTexts}, {Outside, outsideTexts}, {Outside, freshTexts}} {
		texts, err := parseTexts(file.class, file.text)
		if err != nil {
			return nil, err
		}
		for _, t := range texts {
			if t.Split == split {
				all = append(all, t)
			}
		}
	}
	return all, nil
}

// parseTexts reads a file of texts. Lines beginning with # are remarks, lines
// beginning with == name the split and perhaps the family of what follows. Where
// they name none, each line is a pattern and a family of its own.
func parseTexts(class Class, file string) ([]Text, error) {
	var all []Text
	var split recordings.Split
	family := ""
	for number, line := range strings.Split(file, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if heading, ok := strings.CutPrefix(line, "== "); ok {
			name, rest, _ := strings.Cut(heading, " ")
			split, family = recordings.Split(name), rest
			if split != recordings.Tuning && split != recordings.HeldOut && split != Fresh {
				return nil, fmt.Errorf("rejection: line %d of the texts %s: %q is no split", number+1, class, name)
			}
			continue
		}
		if split == "" {
			return nil, fmt.Errorf("rejection: line %d of the texts %s: no line before it names a split", number+1, class)
		}
		said, err := draw(line)
		if err != nil {
			return nil, fmt.Errorf("rejection: line %d of the texts %s: %w", number+1, class, err)
		}
		of := family
		if of == "" {
			of = line
		}
		for _, s := range said {
			all = append(all, Text{Split: split, Class: class, Family: of, Said: s})
		}
	}
	return all, nil
}

// draw returns the texts that a pattern makes: itself if it has no place in
// braces, otherwise some that differ.
func draw(pattern string) ([]string, error) {
	if !strings.Contains(pattern, "{") {
		return []string{pattern}, nil
	}
	random := rand.New(rand.NewPCG(hash(pattern), 1))
	var texts []string
	known := map[string]bool{}
	for tries := 0; len(texts) < draws && tries < 50*draws; tries++ {
		text, err := fill(pattern, random)
		if err != nil {
			return nil, err
		}
		if !known[text] {
			known[text] = true
			texts = append(texts, text)
		}
	}
	return texts, nil
}

// fill puts a number or a word into each place of a pattern.
func fill(pattern string, random *rand.Rand) (string, error) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(pattern, "{")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		place, after, closed := strings.Cut(rest, "}")
		if !closed {
			return "", fmt.Errorf("%q: a place is not closed", pattern)
		}
		if from, to, ok := strings.Cut(place, "-"); ok {
			least, err := strconv.Atoi(from)
			most, err2 := strconv.Atoi(to)
			if err != nil || err2 != nil || least > most || most > 999 {
				return "", fmt.Errorf("{%s} is no range of numbers up to 999", place)
			}
			b.WriteString(inWords(least + random.IntN(most-least+1)))
		} else {
			words := strings.Split(place, "/")
			b.WriteString(words[random.IntN(len(words))])
		}
		pattern = after
	}
}

// inWords spells a number from 0 to 999 as the grammar has it.
func inWords(n int) string {
	small := strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
	tens := strings.Fields("- - twenty thirty forty fifty sixty seventy eighty ninety")
	switch {
	case n < 20:
		return small[n]
	case n < 100 && n%10 == 0:
		return tens[n/10]
	case n < 100:
		return tens[n/10] + " " + small[n%10]
	case n%100 == 0:
		return small[n/100] + " hundred"
	}
	return small[n/100] + " hundred and " + inWords(n%100)
}

func hash(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}
