// Package tts turns streams of text into streams of text and audio with any
// speech engine that implements Synthesizer. It needs no C; an engine that does
// has its own package below (flite).
//
// # Place in the flow
//
// A generator produces the text of a reply token by token. The Transformer cuts
// it into segments (see Segmenter) and has each spoken as soon as it is
// complete, while the generator goes on. What comes out, on the StreamID of its
// input:
//
//	Text   Role model, Label assistant: the characters of one segment
//	Blob   its audio, "audio/pcm;rate=R", mono s16le, at most 100 ms each
//	Blob   ...
//	Text   the next segment
//	...
//	EOS    control-only, the end of the route
//
// The Texts of a route put together are the text that went in, to the byte, so
// that a position in the audio is a position in the text. Timestamps count
// milliseconds of the route's audio and start at 1; a Text bears that of its
// first sample. A segment without a letter or digit has no audio.
//
// What is no model text passes through unchanged: tool calls after the text
// before them has been spoken, everything else at once.
//
// # Latency and the engine
//
// A segment is synthesised in one call of the engine, into a buffer that holds
// it whole, so the engine never waits for the listener and is released as soon
// as it has done its work; the audio is handed on from the buffer while the
// engine still fills it. The first sound therefore comes with the engine's first
// block, and a listener as slow as real time costs the engine nothing.
//
// # Concurrency
//
// A Transformer may be used by any number of goroutines. Each Transform starts
// one goroutine, and one more while the engine speaks a segment; both have
// ended when Close of the returned stream returns, or when it has been read to
// its end. Segments of one Transform are spoken one after another.
package tts
