// Package asr turns the speech on a stream into text. A [Transformer] works with
// any [Recognizer]; package pocketsphinx is the one that runs offline.
//
// # Place in the flow
//
//	session -> microphone audio -> Transformer -> partial and final transcripts -> session
//
// # What travels
//
// An utterance is the audio on one StreamID: it begins with a BOS or with the
// first audio and ends with the EOS of the audio channel or of the route, or
// with the stream. Audio is 16 kHz mono "audio/pcm;rate=16000" of the user; a Gap
// in it counts as silence of its duration. Of each utterance the Transformer makes,
// on the same StreamID and with the role and name of the audio,
//
//   - Text chunks labelled realtime.LabelPartial, each of which replaces the one
//     before it, then
//   - one Text chunk labelled realtime.LabelTranscript with EndOfStream, empty if
//     nothing was understood; or, if the utterance failed, an empty one with
//     EndOfStream and Ctrl.Error, whose text is that of an [Error].
//
// The first of these chunks begins the text channel (BeginOfStream), and the
// Timestamp of each is the media time of the audio up to which it listened. What
// else is on the input (control-only boundaries, text, tool calls, audio of the
// model or kept for history) is passed on unchanged, boundaries in their place.
//
// A control-only chunk of the route with the Label turn.LabelPause says that the
// user has fallen silent. It is passed on behind a partial that is up to date, if
// that is a new one.
//
// A failure ends its utterance only. Audio that still comes on its route is
// dropped until a BOS begins a new one; other routes do not notice.
//
// # Concurrency
//
// A Transformer serves any number of streams at once, a stream any number of
// routes up to Config.Routes. A stream has one goroutine that reads and one for
// each route with an open utterance; closing the result ends and joins them. Each
// route has a queue; while it is full the input is not read, so that nothing
// is lost in here (a recogniser that is too slow for live audio shows as
// congestion where the audio comes from).
package asr
