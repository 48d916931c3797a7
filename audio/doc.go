// Package audio holds the units and formats of sound: sample rates, codecs, the
// format that a connection negotiates, and the MIME type under which PCM travels
// on a stream.
//
// The subpackages are one processing step each, without goroutines or I/O:
//
//	jitter    orders the packets of one track and says what is missing
//	opus      decodes and encodes Opus packets (libopus)
//	pcm       turns bytes into samples and back; level, gain, downmix
//	resample  changes the sample rate (libspeexdsp)
//	vad       tells speech from everything else
//	wav       reads and writes WAV files
//
// Inside the server sound is mono, signed 16 bit, 16 kHz on the way in and at
// the rate of the synthesiser on the way out. Only the edge knows what a device
// speaks.
//
// Samples are counted per channel everywhere unless a comment says otherwise;
// with two channels they are interleaved left, right.
//
// # Concurrency
//
// The types of this package are plain values. In the subpackages a value with
// state (a decoder, a resampler, a jitter buffer) serves one goroutine at a time.
package audio
