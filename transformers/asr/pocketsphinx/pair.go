//go:build cgo

package pocketsphinx

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
)

// pair is what an utterance is recognised with: two decoders that hear the same.
type pair struct {
	// language has the language model, command the grammar; command is nil
	// without one.
	language, command *decoder
}

// loadPair makes a pair that is ready for the first utterance.
func loadPair(cfg Config) (p pair, err error) {
	m, err := findModel(cfg.ModelDir)
	if err != nil {
		return pair{}, err
	}
	if err := openLibrary(cfg.Library); err != nil {
		return pair{}, err
	}
	defer func() {
		if err != nil {
			p.free()
			p = pair{}
		}
	}()
	if p.language, err = loadLanguage(m); err != nil {
		return p, err
	}
	if err := p.addWords(cfg.Pronunciations); err != nil {
		return p, err
	}
	if cfg.Grammar != "" {
		if p.command, err = loadCommand(m); err != nil {
			return p, err
		}
		if err := p.setGrammar(cfg.Grammar); err != nil {
			return p, err
		}
	}
	return p, p.warm()
}

// addWords adds to the dictionary the words that it lacks.
func (p pair) addWords(pronunciations map[string]string) error {
	words := slices.DeleteFunc(slices.Sorted(maps.Keys(pronunciations)), func(word string) bool {
		return p.language.phones(word) != ""
	})
	for i, word := range words {
		if err := p.language.addWord(word, pronunciations[word], i == len(words)-1); err != nil {
			return err
		}
	}
	return nil
}

// setGrammar gives the command decoder a grammar and, with all their
// pronunciations, its words. A dictionary of only these saves 23 MB.
func (p pair) setGrammar(text string) error {
	words, err := p.command.parseGrammar(text)
	if err != nil {
		return err
	}
	var unknown []string
	for _, word := range words {
		if p.language.phones(word) == "" {
			unknown = append(unknown, word)
		}
	}
	if len(unknown) > 0 {
		return &Error{Code: CodeVocabulary, Words: unknown,
			Message: "the grammar uses words that the dictionary lacks: give their pronunciations or word it otherwise"}
	}
	for _, word := range words {
		further := word
		for n := 2; ; n++ {
			phones := p.language.phones(further)
			if phones == "" {
				break
			}
			if err := p.command.addWord(further, phones, false); err != nil {
				return err
			}
			further = fmt.Sprintf("%s(%d)", word, n)
		}
	}
	return p.command.useGrammar()
}

// warm touches the memory that an utterance needs.
func (p pair) warm() error {
	noise := make([]int16, pieceSamples)
	random := rand.New(rand.NewPCG(1, 1))
	for i := range noise {
		noise[i] = int16(random.IntN(200) - 100)
	}
	if err := p.start(noise); err != nil {
		return err
	}
	for range 3 {
		if _, err := p.feed(noise); err != nil {
			return err
		}
	}
	_, _, err := p.stop()
	return err
}

// start begins an utterance that begins with pcm, with the channel as these
// samples tell and not as it was in the utterance before.
func (p pair) start(pcm []int16) error {
	if err := p.language.settle(pcm); err != nil {
		return err
	}
	if p.command != nil {
		p.language.shareChannel(p.command)
		if err := p.command.start(); err != nil {
			return err
		}
	}
	return p.language.start()
}

// feed recognises pcm and returns the language model's reading so far.
func (p pair) feed(pcm []int16) (partial string, err error) {
	if p.command != nil {
		if err := p.command.feed(pcm); err != nil {
			return "", err
		}
	}
	if err := p.language.feed(pcm); err != nil {
		return "", err
	}
	return p.language.text()
}

// soFar returns both readings of what was fed.
func (p pair) soFar() (free, command reading, err error) {
	if free, err = p.language.soFar(); err != nil {
		return reading{}, reading{}, err
	}
	if p.command != nil {
		command, err = p.command.soFar()
	}
	return free, command, err
}

// stop ends the utterance and returns both readings.
func (p pair) stop() (free, command reading, err error) {
	if free, err = p.language.stop(); err != nil {
		return reading{}, reading{}, err
	}
	if p.command != nil {
		command, err = p.command.stop()
	}
	return free, command, err
}

// broken reports that the pair must be replaced.
func (p pair) broken() bool {
	return p.language == nil || p.language.broken || p.command != nil && p.command.broken
}

func (p pair) free() {
	for _, d := range []*decoder{p.language, p.command} {
		if d != nil {
			d.free()
		}
	}
}
