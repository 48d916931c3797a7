package pocketsphinx

/*
#cgo LDFLAGS: -Wl,--as-needed -ldl -lpthread
#cgo pkg-config: pocketsphinx
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"regexp"
	"slices"
	"strings"
	"unsafe"
)

// decoder is one decoder of the library with one search. It serves one goroutine
// at a time.
type decoder struct {
	c       *C.eps_decoder
	message []byte // where the library's words go
	// broken: a fatal error has left it in no known state. It is then never
	// used again and never freed, which costs its memory.
	broken bool
}

// openLibrary finds the library, once per process.
func openLibrary(name string) error {
	d := newDecoder()
	n := C.CString(name)
	defer C.free(unsafe.Pointer(n))
	if C.eps_open_library(n, d.buffer()) != C.EPS_OK {
		return &Error{Code: CodeLibrary, Path: name, Package: libraryPackage, Message: d.said()}
	}
	return nil
}

func newDecoder() *decoder { return &decoder{message: make([]byte, C.EPS_MESSAGE)} }

// loadLanguage makes a decoder with dictionary and language model.
func loadLanguage(m model) (*decoder, error) {
	dictionary, language := C.CString(m.dictionary), C.CString(m.language)
	defer C.free(unsafe.Pointer(dictionary))
	defer C.free(unsafe.Pointer(language))
	return loadDecoder(m, dictionary, language)
}

// loadCommand makes a decoder without a word and without a search.
func loadCommand(m model) (*decoder, error) { return loadDecoder(m, nil, nil) }

func loadDecoder(m model, dictionary, language *C.char) (*decoder, error) {
	d := newDecoder()
	acoustic := C.CString(m.acoustic)
	defer C.free(unsafe.Pointer(acoustic))
	if err := d.result(CodeModel, C.eps_load(acoustic, dictionary, language, &d.c, d.buffer())); err != nil {
		err.Path = m.dir
		return nil, err
	}
	return d, nil
}

// phones returns the pronunciation of word, which may name a further one as in
// "the(2)"; it is empty if the dictionary has none.
func (d *decoder) phones(word string) string {
	w := C.CString(word)
	defer C.free(unsafe.Pointer(w))
	if C.eps_phones(d.c, w, d.buffer()) == 0 {
		return ""
	}
	return d.messageText()
}

// addWord adds a word. With the last one the search, if there is one, is rebuilt.
func (d *decoder) addWord(word, phones string, last bool) error {
	w, p := C.CString(word), C.CString(phones)
	defer C.free(unsafe.Pointer(w))
	defer C.free(unsafe.Pointer(p))
	rebuild := C.int(0)
	if last {
		rebuild = 1
	}
	if err := d.result(CodeVocabulary, C.eps_add_word(d.c, w, p, rebuild, d.buffer())); err != nil {
		err.Words = []string{word}
		return err
	}
	return nil
}

// parseGrammar reads a grammar and returns its words, sorted.
func (d *decoder) parseGrammar(text string) ([]string, error) {
	grammar := C.CString(text)
	defer C.free(unsafe.Pointer(grammar))
	if err := d.result(CodeGrammar, C.eps_parse_grammar(d.c, grammar, d.buffer())); err != nil {
		return nil, err
	}
	var words []string
	for i := range C.eps_grammar_words(d.c) {
		words = append(words, C.GoString(C.eps_grammar_word(d.c, i)))
	}
	slices.Sort(words)
	return words, nil
}

// useGrammar makes the grammar that was parsed the search.
func (d *decoder) useGrammar() error { return d.call(CodeGrammar, C.eps_use_grammar(d.c, d.buffer())) }

// settle estimates the channel from the beginning of an utterance.
func (d *decoder) settle(pcm []int16) error {
	if len(pcm) == 0 {
		return nil
	}
	return d.call(CodeEngine, C.eps_settle(d.c, samples(pcm), C.size_t(len(pcm)), d.buffer()))
}

// shareChannel gives the estimate of the channel to other.
func (d *decoder) shareChannel(other *decoder) { C.eps_channel(d.c, other.c) }

func (d *decoder) start() error { return d.call(CodeEngine, C.eps_start(d.c, d.buffer())) }

func (d *decoder) feed(pcm []int16) error {
	if len(pcm) == 0 {
		return nil
	}
	return d.call(CodeEngine, C.eps_feed(d.c, samples(pcm), C.size_t(len(pcm)), d.buffer()))
}

// stop ends the utterance and returns its reading.
func (d *decoder) stop() (reading, error) {
	if err := d.call(CodeEngine, C.eps_stop(d.c, d.buffer())); err != nil {
		return reading{}, err
	}
	return d.soFar()
}

// soFar returns the reading of what was fed.
func (d *decoder) soFar() (reading, error) {
	text, err := d.text()
	if err != nil {
		return reading{}, err
	}
	var score C.double
	var frames C.int
	if err := d.call(CodeEngine, C.eps_sound(d.c, &score, &frames, d.buffer())); err != nil {
		return reading{}, err
	}
	return reading{text: text, score: float64(score), frames: int(frames)}, nil
}

// text is the reading so far.
func (d *decoder) text() (string, error) {
	var text *C.char
	if err := d.call(CodeEngine, C.eps_text(d.c, &text, d.buffer())); err != nil {
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

func (d *decoder) call(code Code, status C.int) error {
	if err := d.result(code, status); err != nil {
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

func (d *decoder) buffer() *C.char { return (*C.char)(unsafe.Pointer(&d.message[0])) }

func (d *decoder) messageText() string {
	text, _, _ := strings.Cut(string(d.message), "\x00")
	return text
}

// said is what the library said last, in one line and without the places in its
// source: its messages read `ERROR: "fsg_search.c", line 123: ...`.
func (d *decoder) said() string {
	var said []string
	for _, line := range strings.Split(d.messageText(), "\n") {
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
