package pocketsphinx

/*
#cgo LDFLAGS: -Wl,--as-needed -ldl -lpthread
#cgo pkg-config: pocketsphinx
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"unsafe"
)

// search is what a decoder searches for.
type search C.int

const (
	languageSearch search = 0
	grammarSearch  search = 1
)

// decoder is one decoder of the library with both searches. It serves one
// goroutine at a time.
type decoder struct {
	c       *C.eps_decoder
	message []byte // where the library's words go
	// broken: a fatal error has left it in no known state. It is then never
	// used again and never freed, which costs its memory.
	broken bool
}

// load makes a decoder that is ready for the first utterance.
func load(cfg Config) (*decoder, error) {
	m, err := findModel(cfg.ModelDir)
	if err != nil {
		return nil, err
	}
	d := &decoder{message: make([]byte, C.EPS_MESSAGE)}
	name := C.CString(cfg.Library)
	defer C.free(unsafe.Pointer(name))
	if C.eps_open_library(name, d.messageBuffer()) != C.EPS_OK {
		return nil, &Error{Code: CodeLibrary, Path: cfg.Library, Package: libraryPackage, Message: d.said()}
	}
	acoustic, dictionary, language := C.CString(m.acoustic), C.CString(m.dictionary), C.CString(m.language)
	defer C.free(unsafe.Pointer(acoustic))
	defer C.free(unsafe.Pointer(dictionary))
	defer C.free(unsafe.Pointer(language))
	if err := d.result(CodeModel, C.eps_load(acoustic, dictionary, language, &d.c, d.messageBuffer())); err != nil {
		err.Path = cfg.ModelDir
		return nil, err
	}
	if err := d.prepare(cfg); err != nil {
		d.free()
		return nil, err
	}
	return d, nil
}

// prepare adds words and grammar and touches the memory that they need.
func (d *decoder) prepare(cfg Config) error {
	if err := d.addWords(cfg.Pronunciations); err != nil {
		return err
	}
	if cfg.Grammar != "" {
		if err := d.setGrammar(cfg.Grammar); err != nil {
			return err
		}
	}
	noise := make([]int16, 4800) // 0.3 s
	random := rand.New(rand.NewPCG(1, 1))
	for i := range noise {
		noise[i] = int16(random.IntN(200) - 100)
	}
	searches := []search{languageSearch}
	if cfg.Grammar != "" {
		searches = append(searches, grammarSearch)
	}
	for _, s := range searches {
		if err := d.start(s); err != nil {
			return err
		}
		if err := d.feed(noise); err != nil {
			return err
		}
		if _, err := d.stop(); err != nil {
			return err
		}
	}
	d.forget()
	return nil
}

// addWords adds the words that the dictionary lacks.
func (d *decoder) addWords(pronunciations map[string]string) error {
	var words []string
	for word := range pronunciations {
		if !d.knows(word) {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	for i, word := range words {
		w, phones := C.CString(word), C.CString(pronunciations[word])
		rebuild := C.int(0)
		if i == len(words)-1 {
			rebuild = 1
		}
		err := d.result(CodeVocabulary, C.eps_add_word(d.c, w, phones, rebuild, d.messageBuffer()))
		C.free(unsafe.Pointer(w))
		C.free(unsafe.Pointer(phones))
		if err != nil {
			err.Words = []string{word}
			return err
		}
	}
	return nil
}

func (d *decoder) knows(word string) bool {
	w := C.CString(word)
	defer C.free(unsafe.Pointer(w))
	return C.eps_knows(d.c, w) != 0
}

// setGrammar makes text the grammar. All its words must be known before.
func (d *decoder) setGrammar(text string) error {
	grammar := C.CString(text)
	defer C.free(unsafe.Pointer(grammar))
	if err := d.result(CodeGrammar, C.eps_parse_grammar(d.c, grammar, d.messageBuffer())); err != nil {
		return err
	}
	var unknown []string
	for i := range C.eps_grammar_words(d.c) {
		word := C.eps_grammar_word(d.c, i)
		if C.eps_knows(d.c, word) == 0 {
			unknown = append(unknown, C.GoString(word))
		}
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		return &Error{Code: CodeVocabulary, Words: unknown,
			Message: "the grammar uses words that the dictionary lacks: give their pronunciations or word it otherwise"}
	}
	if err := d.result(CodeGrammar, C.eps_use_grammar(d.c, d.messageBuffer())); err != nil {
		return err
	}
	return nil
}

// settle estimates the channel from the beginning of an utterance.
func (d *decoder) settle(pcm []int16) error {
	if len(pcm) == 0 {
		return nil
	}
	return d.call(C.eps_settle(d.c, samples(pcm), C.size_t(len(pcm)), d.messageBuffer()))
}

// forget takes back the estimate of the channel.
func (d *decoder) forget() { C.eps_forget(d.c) }

func (d *decoder) start(s search) error {
	return d.call(C.eps_start(d.c, C.int(s), d.messageBuffer()))
}

func (d *decoder) feed(pcm []int16) error {
	if len(pcm) == 0 {
		return nil
	}
	return d.call(C.eps_feed(d.c, samples(pcm), C.size_t(len(pcm)), d.messageBuffer()))
}

// stop ends the utterance and returns its text.
func (d *decoder) stop() (string, error) {
	if err := d.call(C.eps_stop(d.c, d.messageBuffer())); err != nil {
		return "", err
	}
	return d.text()
}

// text is the reading so far.
func (d *decoder) text() (string, error) {
	var text *C.char
	if err := d.call(C.eps_text(d.c, &text, d.messageBuffer())); err != nil {
		return "", err
	}
	return clean(C.GoString(text)), nil
}

// free gives back the memory. The decoder must not be used after it.
func (d *decoder) free() {
	if !d.broken {
		C.eps_free(d.c)
	}
	d.c = nil
}

func (d *decoder) call(status C.int) error {
	if err := d.result(CodeEngine, status); err != nil {
		return err
	}
	return nil
}

// result is the error of a call into the library, nil for success.
func (d *decoder) result(code Code, status C.int) *Error {
	if status == C.EPS_OK {
		return nil
	}
	d.broken = d.broken || status == C.EPS_BROKEN
	return &Error{Code: code, Message: d.said()}
}

func (d *decoder) messageBuffer() *C.char { return (*C.char)(unsafe.Pointer(&d.message[0])) }

// said is what the library said last, in one line and without the places in its
// source: its messages read `ERROR: "fsg_search.c", line 123: ...`.
func (d *decoder) said() string {
	text, _, _ := strings.Cut(string(d.message), "\x00")
	var said []string
	for _, line := range strings.Split(text, "\n") {
		if _, after, ok := strings.Cut(line, ", line "); ok {
			_, line, _ = strings.Cut(after, ": ")
		}
		line = strings.TrimSpace(noLine.ReplaceAllString(line, ""))
		if line != "" && !slices.Contains(said, line) {
			said = append(said, line)
		}
	}
	return strings.Join(said, "; ")
}

// noLine is the number that the library gives for the line of a syntax error in
// a grammar: it is not initialised.
var noLine = regexp.MustCompile(` at line \d+`)

func samples(pcm []int16) *C.int16_t { return (*C.int16_t)(unsafe.Pointer(&pcm[0])) }
