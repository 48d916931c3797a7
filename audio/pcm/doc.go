// Package pcm turns s16le bytes into samples and back, and does the sample
// arithmetic that needs no history: level, gain, downmix.
//
// It stands wherever bytes meet samples: behind the jitter buffer for devices
// that send PCM, in front of a stream's blobs, behind synthesisers that deliver
// bytes.
//
// No function allocates; whoever calls supplies the memory. Samples are signed
// 16 bit; on the wire they are little-endian.
package pcm
