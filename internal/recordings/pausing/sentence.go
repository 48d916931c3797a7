package pausing

import (
	_ "embed"
	"math/rand/v2"
	"strings"
	"time"

	"edged/internal/recordings"
)

//go:embed tuning.txt
var tuningTexts string

//go:embed held-out.txt
var heldOutTexts string

// Sentence is a text in which a speaker may stop.
type Sentence struct {
	// Words of it.
	Words []string
	// Places are the numbers of words after which people stop to think, such
	// as a conjunction, an article, a preposition or a part of a number.
	Places []int
	// Command tells that the offline model understands it.
	Command bool
}

// Sentences returns the texts of a split.
func Sentences(split recordings.Split) []Sentence {
	text := tuningTexts
	if split == recordings.HeldOut {
		text = heldOutTexts
	}
	var all []Sentence
	command := true
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if heading, ok := strings.CutPrefix(line, "# "); ok || line == "" {
			command = command && !strings.HasPrefix(heading, "free:")
			continue
		}
		s := Sentence{Command: command}
		for _, token := range strings.Fields(line) {
			if token == "|" {
				s.Places = append(s.Places, len(s.Words))
			} else {
				s.Words = append(s.Words, token)
			}
		}
		all = append(all, s)
	}
	return all
}

// Voices returns the speakers of a split: voices of flite, which are those of the
// split in testdata/audio.
func Voices(split recordings.Split) []string {
	if split == recordings.HeldOut {
		return []string{"awb", "kal16"}
	}
	return []string{"rms", "slt"}
}

// Pause is a stop between two words.
type Pause struct {
	// After is the number of words before it.
	After int
	// Likely tells that it is one of the sentence's Places.
	Likely bool
	// Length is what was put in.
	Length time.Duration
}

// Script is one sentence as it is to be spoken.
type Script struct {
	Sentence
	Voice string
	Pause Pause
	Seed  uint64
}

// Scripts draws n scripts of a split: the sentences and voices in turn, the pauses
// by seed, 300, 400, ... 1200 ms long and three times in four at one of the
// sentence's Places, otherwise between any two words. The same seed draws the
// same.
func Scripts(split recordings.Split, n int, seed uint64) []Script {
	random := rand.New(rand.NewPCG(seed, 300))
	sentences, voices := Sentences(split), Voices(split)
	order := random.Perm(len(sentences) * len(voices))
	scripts := make([]Script, n)
	for i := range scripts {
		at := order[i%len(order)]
		s := sentences[at%len(sentences)]
		p := Pause{Length: time.Duration(3+random.IntN(10)) * 100 * time.Millisecond, Likely: random.IntN(4) > 0}
		if p.Likely {
			p.After = s.Places[random.IntN(len(s.Places))]
		} else {
			p.After = 1 + random.IntN(len(s.Words)-1)
		}
		scripts[i] = Script{Sentence: s, Voice: voices[at/len(sentences)], Pause: p, Seed: random.Uint64()}
	}
	return scripts
}
