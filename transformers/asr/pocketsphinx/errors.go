//go:build cgo

package pocketsphinx

import (
	"fmt"
	"strings"
)

// Code says what kind of failure an Error is.
type Code string

const (
	// CodeLibrary: the shared library is missing or another than expected.
	CodeLibrary Code = "library"
	// CodeModel: a file of the model is missing or damaged.
	CodeModel Code = "model"
	// CodeGrammar: the grammar is not one.
	CodeGrammar Code = "grammar"
	// CodeVocabulary: the grammar has words without a pronunciation, or a
	// pronunciation is not one.
	CodeVocabulary Code = "vocabulary"
	// CodeConfig: a value of the Config is impossible.
	CodeConfig Code = "config"
	// CodeEngine: the library failed in the middle of an utterance.
	CodeEngine Code = "engine"
)

// Error is a failure of this package.
type Error struct {
	Code Code
	// Path is the file or library concerned, if any.
	Path string
	// Package is the Debian package that has it.
	Package string
	// Words are those without a pronunciation.
	Words []string
	// Message is what was wrong, in the library's words where it said something.
	Message string
}

// Error says what was wrong and what to do about it.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("pocketsphinx: ")
	switch e.Code {
	case CodeLibrary:
		fmt.Fprintf(&b, "the library %s cannot be loaded: %s", e.Path, e.Message)
	case CodeModel:
		fmt.Fprintf(&b, "the model at %s cannot be loaded: %s", e.Path, e.Message)
	case CodeVocabulary:
		fmt.Fprintf(&b, "pronunciation of %q: %s", e.Words, e.Message)
	default:
		fmt.Fprintf(&b, "%s: %s", e.Code, e.Message)
	}
	if command := e.Install(); command != "" {
		fmt.Fprintf(&b, "; to install it, run: %s", command)
	}
	return b.String()
}

// Install returns the command that installs what is missing, "" if that would
// not help.
func (e *Error) Install() string {
	if e.Package == "" {
		return ""
	}
	return "apt-get install " + e.Package
}

const (
	libraryPackage = "libpocketsphinx3"
	modelPackage   = "pocketsphinx-en-us"
)
