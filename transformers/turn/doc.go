// Package turn finds utterances in a microphone: a Detector reads the audio of
// listening periods and gives it on as utterances, each with its beginning, its
// audio and its end.
//
// It stands between the device's uplink and the recogniser. The session reads
// the Detector: boundaries of the microphone pass through, and for each
// utterance a route of its own appears that can be handed to a recogniser as it
// is.
//
// # What goes in and comes out
//
// Audio on routes named "mic/..." is 16 kHz mono s16le ("audio/pcm;rate=16000")
// in chunks of any length, and gaps. A control-only beginning opens a listening
// period; its Label says who ends an utterance:
//
//   - "listen.manual": the user does. The utterance begins with the first speech
//     and ends with the listening period.
//   - "listen.auto" and any other: silence does. The utterance begins when
//     speech has lasted Config.MinSpeech and ends when silence has lasted
//     Config.MinSilence, or with the listening period. What is understood so
//     far makes it less or more: see Detector.Expect and Judge.
//
// Either ends after Config.MaxUtterance; if speech goes on, the next utterance
// begins at once. An utterance is, on a route "utterance/1", "utterance/2", ...:
//
//   - a control-only beginning, with the Label of the listening period and the
//     media time of the onset of speech as Timestamp;
//   - the audio from Config.PreRoll before the onset on, without a sample lost
//     or doubled, gaps included. Utterances never overlap: what belonged to one
//     is no pre-roll of the next, and pre-roll never reaches into another
//     listening period;
//   - where the user falls silent for Config.PauseAfter, a control-only chunk
//     with LabelPause, by which a recogniser knows that it is asked;
//   - a control-only end with the media time at which the last speech ended.
//
// Audio outside an utterance is not given on; Detector.Position tells how far
// the microphone has been heard. Everything else passes unchanged and in order.
// A boundary of a microphone's audio channel that rides on audio passes as the
// same boundary on an empty Blob. Audio on a route that was never begun begins
// a listening period by itself; audio after the end of its route is discarded.
//
// # Time
//
// Endpointing counts audio, in windows of WindowSamples: when a chunk arrives
// never matters, and neither does how the audio is cut into chunks. Lost audio
// is unknown audio: a Gap counts neither as silence nor as speech, so it can
// neither end an utterance nor keep one alive, nor make one of two noises. A
// gap of more than one second freezes endpointing altogether: the speech
// detector starts afresh behind it, while an open utterance stays open, however
// long the gap, until audio arrives again or the listening period ends. It is
// for the reader to give up on a device that sends nothing. A pause that a
// device makes on purpose (discontinuous transmission) ends an utterance only
// if it arrives as audio, such as a decoder's comfort noise.
//
// # Concurrency
//
// A Detector starts no goroutine: Next does the work, on the goroutine that
// reads. Close, CloseWithError, Position, Spoken and Expect may be called from any
// goroutine.
package turn
