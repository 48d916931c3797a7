package asr

import (
	"context"
	"errors"
	"time"
)

// SampleRate is the rate in Hz of the audio that is recognised.
const SampleRate = 16000

var (
	// ErrBusy is matched by the error of an Open for which there was no free
	// decoder by the deadline. Trying again later makes sense.
	ErrBusy = errors.New("asr: all decoders are in use")
	// ErrClosed is matched by what a Recognizer returns after its Close, and an
	// Utterance after its end.
	ErrClosed = errors.New("asr: closed")
)

// Recognizer is a speech recogniser.
type Recognizer interface {
	// Open starts an utterance. It may wait for a free decoder; when the
	// recogniser's own deadline passes, the error matches ErrBusy, when ctx is
	// done, ctx's error. It may be called concurrently.
	Open(ctx context.Context) (Utterance, error)
}

// Utterance is one utterance that is being recognised. It serves one goroutine
// at a time.
type Utterance interface {
	// Write recognises the next audio, 16 kHz mono, and returns what it makes of
	// the utterance so far: "" if nothing yet, and not necessarily a
	// continuation of what it returned before. It does not keep pcm. When ctx
	// is done it returns ctx's error, and the utterance is good for Close only.
	Write(ctx context.Context, pcm []int16) (partial string, err error)
	// Finish ends the utterance and returns the result.
	Finish(ctx context.Context) (Result, error)
	// Close frees what the utterance holds, finished or not. It is idempotent.
	Close() error
}

// Pauser is an Utterance that can say at once what was spoken so far. Where the
// Utterance of a Recognizer is none, a pause brings no more than what Write returns.
type Pauser interface {
	// Pause is called when the user has fallen silent, perhaps only for a
	// moment, and returns what the utterance makes of all the audio so far: ""
	// if nothing. More Writes, more Pauses and Finish may follow, and what they
	// return is no worse for it. Its errors are those of Write.
	Pause(ctx context.Context) (partial string, err error)
}

// Result is what a Recognizer made of an utterance.
type Result struct {
	// Text is what is taken as said, in lower case without punctuation. It is
	// empty if nothing was understood.
	Text string
	// Accepted reports that Text is the reading of a grammar that a second
	// opinion agreed with. It is false without a grammar.
	Accepted bool
	// Grammar and Free are the readings of the grammar and of the language
	// model. Either may be empty.
	Grammar, Free string
	// Distance is how far the two are apart by the recogniser's own measure, from
	// 0 to 1: of the same reading that fits the sound, 0.
	Distance float64
	// Audio is how much audio was listened to; Truncated reports that there was
	// more, which was ignored.
	Audio     time.Duration
	Truncated bool
	// Took is how long Finish took.
	Took time.Duration
}
