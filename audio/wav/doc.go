// Package wav reads and writes WAV files of 16-bit PCM.
//
// It serves the tools around the server: recordings that the simulated device
// speaks, what it heard, test data. The live path does not touch it.
//
// Reading is tolerant where programs differ (other chunks before the audio, the
// extensible header, sizes that a streaming writer never knew) and strict about
// the audio itself: anything but 16-bit PCM with one or two channels is refused
// with an error that says what it is. Nothing is allocated by what a header
// claims, only by what is really there.
package wav
