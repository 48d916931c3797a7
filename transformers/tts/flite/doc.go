// Package flite speaks English with CMU Flite 2.2 through cgo. It is the
// speech engine that edged uses offline: small (about 26 MB resident for all
// voices), free (a BSD-like licence) and some sixty times faster than real time.
//
// A Voice implements the Synthesizer of edged/transformers/tts. Its place in
// the flow is the last engine of a turn: a segment of reply text goes in, 16 kHz
// PCM comes out in blocks of about 50 ms while the engine is still working on
// the rest of the sentence.
//
// # Building
//
// Only the headers are needed to build: Debian's flite1-dev.
//
// # What is needed
//
// New opens libflite and the library of the wanted voice when it is called, so
// that a program starts without them. If one is missing, the *LibraryError says
// which, and the command that installs it: Debian's libflite1 has them all. They
// stay open as long as the process. Updates of the package are in force after
// the next start.
//
// # Text
//
// Flite knows ASCII only and takes each byte of anything else for a symbol of
// its own, so text is made ASCII first: accents are stripped ("café" is read
// "cafe"), typographic quotes, dashes and common signs are replaced (° by
// "degrees"), marks that carry no sound (* # ` _ and the like) and every
// remaining character, such as emoji or Chinese, become a space. Text without
// anything left to say gives no audio and no error. Numbers, clock times,
// money, ordinals and common abbreviations are read out by flite itself.
//
// # Pauses
//
// Flite starts every utterance with a pause of 120 to 260 ms and ends it with
// one of 100 to 220 ms. Of the first only Config.Lead is kept: its length is
// known exactly from the engine's own segment times, and it would be added to
// the time until a user hears the first word. What remains between two
// sentences is about the pause that flite makes between two sentences of one
// utterance.
//
// # Concurrency
//
// A Voice is immutable and may be used by any number of goroutines at once,
// also together with other Voices. The usual way to stream from flite hangs
// the stream on the voice, which all callers share; here it hangs on the
// utterance, and helgrind and drd find no access conflict between utterances of
// one voice. No goroutine is started.
//
// # Limits
//
// The voices rms, slt and awb mix in noise from the C library's rand, so their
// samples differ from call to call (see Seed); kal16 is reproducible. What
// precedes the first block (reading the text, smoothing the parameter tracks of
// the whole utterance) cannot be interrupted; it takes about 10 ms for a
// short sentence, 25 for a usual one and 60 to 100 for 300 characters. kal16 names missing diphones on
// standard error. A fatal error inside flite ends the process; random text of
// every kind has not brought one about.
package flite
