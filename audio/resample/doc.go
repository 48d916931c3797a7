// Package resample changes the sample rate of mono sound with libspeexdsp.
//
// It stands in front of the encoder, where a synthesiser's rate differs from the
// device's, and behind the PCM input of a device whose rate is not the
// recogniser's. (Opus decodes to the wanted rate by itself.)
//
// # Building
//
// The package needs cgo and the static archive of libspeexdsp; without them the
// build fails. On Debian: apt-get install gcc libspeexdsp-dev.
//
// The archive becomes part of the program, which then runs on a machine without
// libspeexdsp. The price is that a security update of libspeexdsp reaches the
// program only when it is built again.
//
// # Concurrency
//
// A Resampler serves one goroutine at a time. It holds memory outside the
// garbage collector's reach until Close.
package resample
