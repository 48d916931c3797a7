// Package tts turns streams of text into streams of text and audio with any
// speech engine that implements Synthesizer. It needs no C; an engine that does
// has its own package below (flite).
//
// # Place in the flow
//
// A generator produces the text of a reply token by token. The Transformer cuts
// it into segments (see Segmenter), makes each speakable (package speakable:
// numbers, dates, signs and markup in the language of the Config) and has it
// spoken as soon as it is complete, while the generator goes on. What comes out,
// on the StreamID of its input:
//
//	Text   Role model, Label assistant: the characters of one segment
//	Blob   its audio, "audio/pcm;rate=R", mono s16le, at most 100 ms each
//	Blob   WordsMIME: where its words are in that audio, if the engine tells
//	Blob   more audio ...
//	Text   the next segment
//	...
//	EOS    control-only, the end of the route
//
// The Texts of a route put together are the text that went in, to the byte, so
// that a position in the audio is a position in the text. Timestamps count
// milliseconds of the route's audio and start at 1; a Text bears that of its
// first sample.
//
// What is no model text passes through unchanged: tool calls after the text
// before them has been spoken, everything else in the order in which it came.
//
// # Words
//
// The words come once the engine has finished the segment, before the next Text.
// They cover the words as they are written: an engine that says "five dollars" and
// tells when leads back to the bytes of "$5". See Word and TimedSynthesizer.
//
// # Text without sound
//
// Some segments have no audio: space and punctuation, emoji, blocks of code, and
// what a model thinks between <think> and </think>. Their Texts come all the same.
// For an account of what was heard a Text without audio counts as heard when the
// text behind it begins to be heard. Code bears the label of the reply: it belongs
// to what a device with a screen shows and to the history. A thought bears
// LabelThought: whoever shows the reply or writes the history leaves it out.
//
// # Latency and the engine
//
// A segment is synthesised in one call of the engine, into a buffer that holds
// it whole, so the engine never waits for the listener and is released as soon
// as it has done its work; the audio is handed on from the buffer while the
// engine still fills it. The first sound therefore comes with the engine's first
// block, and a listener as slow as real time costs the engine nothing. While one
// segment is handed on the next one is synthesised, but none after that.
//
// # Concurrency
//
// A Transformer may be used by any number of goroutines. Each Transform starts
// two: one reads, cuts and calls the engine, one hands on what is there. Both have
// ended when Close of the returned stream returns, or when it has been read to its
// end. Segments of one Transform are synthesised one after another.
package tts
