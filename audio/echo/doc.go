// Package echo keeps the sound of a loudspeaker out of the microphone beside it,
// for devices that have no echo cancelling of their own. Without it a device that
// listens while it speaks would interrupt itself.
//
// It stands behind the decoder of the microphone and in front of the speech
// detector: the edge tells a Guard what went to the speaker and passes the
// microphone through it.
//
// # How it works
//
// Time has two lines, both in samples at 16 kHz: that of the microphone, which
// Process advances, and that of the reference, which is what was sent to the
// speaker. Place says where on the first a point of the second is, as far as it
// is known from the device's acknowledgements. That is right to within some tenths of a
// second; what is missing (buffers, the way through the air) is found by
// correlating the two signals with whitened spectra, summed over windows.
//
// Three steps follow each other in frames of 10 ms while the speaker may be heard:
//
//   - the echo canceller of libspeexdsp subtracts what it can predict, from the
//     moment on at which the delay is known;
//   - the gate measures how loud what is left becomes at most compared to the
//     reference, and closes on everything that is no louder than that: it is
//     replaced by faint noise. So it needs neither an exact delay nor a canceller
//     that has converged;
//   - what is clearly louder is somebody who speaks over the reply: the gate opens
//     for it and for the pauses between its syllables.
//
// While nothing is played the microphone passes bit by bit as it is.
//
// # Building
//
// The package needs cgo and the static archive of libspeexdsp; without them the
// build fails. On Debian: apt-get install gcc libspeexdsp-dev.
//
// # Concurrency
//
// A Guard starts no goroutine and serves one at a time. It holds memory outside
// the garbage collector's reach until Close.
package echo
