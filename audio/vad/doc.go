// Package vad answers one question about microphone audio: is this speech? It
// runs the Silero VAD network (version 6, 16 kHz) in pure Go, without cgo, and
// puts an energy gate in front of it so that silence costs next to nothing.
//
// In the flow of a frame it sits behind the codec and in front of endpointing:
// transformers/turn cuts the uplink into windows of WindowSamples, asks a
// Detector or a Gate for the probability of speech in each and decides from
// these where utterances begin and end. This package decides nothing; it knows
// no thresholds for speech, no utterances and no time other than the count of
// windows.
//
// # The network
//
// A window is 512 samples (32 ms) preceded by the last 64 samples of the window
// before and followed by their own reflection of 64, 640 in all. Four spectra
// (Hann window of 256, hop 128, 129 magnitudes) go through four convolutions
// over time, one LSTM cell of 128 units that carries the memory from window to
// window, and a logistic output. The weights are read from the model file as
// its authors published it; see README.md for its source and licence.
//
// # Concurrency
//
// A Model is immutable and may be shared by all goroutines: load it once. A
// Detector or Gate belongs to one audio stream and serves one goroutine at a
// time. Nothing here starts a goroutine, blocks or allocates after set-up.
package vad
