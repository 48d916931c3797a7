package doctor

import (
	"edged/transformers/asr/pocketsphinx"
	"edged/transformers/tts/flite"
)

// Stages holds the times of an answer against the bars.
var Stages = stages

// Similar compares the loudness of sound.
var Similar = similar

// Installs returns the commands that install packages: the doctor's own, and those
// of the engines as they come in their errors.
func Installs() []string {
	return []string{
		install(packageZones), install(packageTime), install(packageCapabilities),
		(&pocketsphinx.Error{Package: "libpocketsphinx3"}).Install(), (&pocketsphinx.Error{Package: "pocketsphinx-en-us"}).Install(),
		(&flite.LibraryError{Package: "libflite1", Reason: "No such file or directory"}).Install(),
		(&flite.LibraryError{Package: "libasound2", Reason: "No such file or directory"}).Install(),
	}
}
