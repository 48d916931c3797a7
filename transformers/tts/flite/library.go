package flite

// #cgo LDFLAGS: -ldl
// #include <stdlib.h>
// #include "bridge.h"
import "C"

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unsafe"
)

// The Debian packages that have the libraries.
const (
	enginePackage = "libflite1"
	soundPackage  = "libasound2" // libflite can play by itself and wants it for that
)

// entryPrefix and a voice's name make the name of the function that gives it.
const entryPrefix = "register_cmu_us_"

// ErrLibrary is matched by the *LibraryError of a library that cannot be used.
var ErrLibrary = errors.New("flite: library cannot be loaded")

// LibraryError says that a shared library is missing, or is not the one that
// this package needs. It matches ErrLibrary.
type LibraryError struct {
	// Library is the file name of the library, such as "libflite.so.1".
	Library string
	// Package is the Debian package that has it.
	Package string
	// Reason is what the dynamic loader said.
	Reason string
}

// Error says what is missing and how to install it.
func (e *LibraryError) Error() string {
	return fmt.Sprintf("flite: the library %s cannot be loaded: %s; to install it, run: %s", e.Library, e.Reason, e.Install())
}

// Unwrap returns ErrLibrary.
func (e *LibraryError) Unwrap() error { return ErrLibrary }

// Install returns the command that installs what is missing, or that replaces
// what is damaged.
func (e *LibraryError) Install() string {
	if strings.HasSuffix(e.Reason, "No such file or directory") {
		return "apt-get install " + e.Package
	}
	return "apt-get install --reinstall " + e.Package
}

// library names the shared libraries of one voice: file names, which the dynamic
// loader looks up in its directories, or paths.
type library struct{ engine, voice string }

// installed returns the libraries of a voice as Debian names them.
func installed(voice string) library {
	return library{engine: "libflite.so.1", voice: "libflite_cmu_us_" + voice + ".so.1"}
}

// open returns the voice that the function entry gives. The error is a
// *LibraryError.
func (l library) open(entry string) (*C.cst_voice, error) {
	engine, voice, function := C.CString(l.engine), C.CString(l.voice), C.CString(entry)
	defer C.free(unsafe.Pointer(engine))
	defer C.free(unsafe.Pointer(voice))
	defer C.free(unsafe.Pointer(function))
	var out *C.cst_voice
	reason := make([]byte, C.EDGED_FLITE_REASON)
	said := (*C.char)(unsafe.Pointer(&reason[0]))
	if C.edged_flite_open(engine, voice, function, &out, said) != 0 {
		return nil, libraryError(C.GoString(said))
	}
	return out, nil
}

// libraryError makes an error of what the dynamic loader said. It begins with
// the library that is the trouble, which may be one that another needs.
func libraryError(said string) *LibraryError {
	object, reason, found := strings.Cut(said, ": ")
	if !found {
		object, reason = "libflite", said
	}
	e := &LibraryError{Library: path.Base(object), Package: enginePackage, Reason: reason}
	if strings.HasPrefix(e.Library, "libasound.") {
		e.Package = soundPackage
	}
	return e
}
