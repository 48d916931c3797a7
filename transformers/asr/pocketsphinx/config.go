//go:build cgo

package pocketsphinx

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"
)

// Defaults of a Config.
const (
	// DefaultModelDir is where Debian's pocketsphinx-en-us puts the model.
	DefaultModelDir = "/usr/share/pocketsphinx/model"
	DefaultLibrary  = "libpocketsphinx.so.3"
	DefaultDecoders = 2
	// DefaultWait is short enough for somebody who waits for an answer.
	DefaultWait = 2 * time.Second
	// DefaultThreshold was chosen with two voices. With the five of the tuning split
	// of docs/recognition.md it takes 235 of 238 commands and 3 of 207 other
	// utterances.
	DefaultThreshold    = 0.55
	DefaultMaxUtterance = 20 * time.Second
)

// Gate limits how many engine calls run at the same time in this process.
type Gate interface {
	// Do runs call when it is its turn and returns its error, or returns an
	// error matching ctx's when ctx is done before. name says whose call it is.
	Do(ctx context.Context, name string, call func() error) error
}

// Config says how to recognise. The zero value works: without a grammar, the
// language model alone decides.
type Config struct {
	// Library is the name or path of the shared library. The first one that was
	// loaded serves the whole process. Default: DefaultLibrary.
	Library string
	// ModelDir holds en-us/. Default: DefaultModelDir.
	ModelDir string
	// Grammar is a JSGF grammar, in one piece and with one public rule, of what
	// is to be understood. Empty means none.
	Grammar string
	// Pronunciations are those of words that the dictionary lacks, such as
	// "edged": "EH JH D" (ARPABET without stress). A word that the dictionary
	// has keeps its own.
	Pronunciations map[string]string
	// Threshold is the greatest asr.Result.Distance of the readings of grammar and
	// language model at which the grammar's is taken, from 0 to 1. Less than 0
	// means never. Default: DefaultThreshold.
	Threshold float64
	// Decoders is how many utterances can be open at once. Default:
	// DefaultDecoders.
	Decoders int
	// Wait is how long Open waits for a decoder. Default: DefaultWait.
	Wait time.Duration
	// MaxUtterance is how much of an utterance is listened to; it bounds memory
	// and the time of the second search. Default: DefaultMaxUtterance.
	MaxUtterance time.Duration
	// Gate admits the calls into the library, under the name "asr". Nil means no
	// limit.
	Gate Gate
}

// ungated admits everybody.
type ungated struct{}

func (ungated) Do(ctx context.Context, _ string, call func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return call()
}

func (c Config) withDefaults() Config {
	if c.Library == "" {
		c.Library = DefaultLibrary
	}
	if c.ModelDir == "" {
		c.ModelDir = DefaultModelDir
	}
	if c.Threshold == 0 {
		c.Threshold = DefaultThreshold
	}
	if c.Decoders <= 0 {
		c.Decoders = DefaultDecoders
	}
	if c.Wait <= 0 {
		c.Wait = DefaultWait
	}
	if c.MaxUtterance <= 0 {
		c.MaxUtterance = DefaultMaxUtterance
	}
	if c.Gate == nil {
		c.Gate = ungated{}
	}
	return c
}

// The library reads imported grammars from files, which is not wanted here.
var grammarImport = regexp.MustCompile(`(?m)^\s*import\s*<`)

// check finds what would not reach the library intact.
func (c Config) check() error {
	switch {
	case math.IsNaN(c.Threshold) || c.Threshold > 1:
		return &Error{Code: CodeConfig, Message: fmt.Sprintf("threshold is %v and must be at most 1", c.Threshold)}
	case strings.ContainsRune(c.Grammar, 0):
		return &Error{Code: CodeGrammar, Message: "the grammar holds a NUL"}
	case grammarImport.MatchString(c.Grammar):
		return &Error{Code: CodeGrammar, Message: "the grammar imports another one: put it in one piece"}
	}
	for word, phones := range c.Pronunciations {
		if word == "" || strings.ContainsFunc(word, unprintable) || strings.TrimSpace(phones) == "" || strings.ContainsRune(phones, 0) {
			return &Error{Code: CodeVocabulary, Words: []string{word}, Message: fmt.Sprintf("%q is no pronunciation for a word", phones)}
		}
	}
	return nil
}

func unprintable(r rune) bool { return r <= ' ' || r == 0x7f }
