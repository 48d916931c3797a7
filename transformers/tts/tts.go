package tts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"edged/audio"
	"edged/realtime"
	"edged/transformers/tts/speakable"
)

// Synthesizer is a speech engine.
type Synthesizer interface {
	// SampleRate returns the rate of the audio in Hz.
	SampleRate() int
	// Synthesize speaks text and calls sink with the mono audio in order, on
	// the calling goroutine, in blocks of any size; the sooner the first, the
	// better. pcm is valid only during the call of sink, which does not block.
	// An error of sink ends the synthesis and is returned; so does ctx, within
	// one block. Text with nothing to say in it gives no audio and no error.
	// It may be called concurrently.
	Synthesize(ctx context.Context, text string, sink func(pcm []int16) error) error
}

// Gate limits how many engine calls run at the same time in this process.
type Gate interface {
	// Do runs call when it is its turn and returns its error, or returns an
	// error matching ctx's when ctx is done before. name says whose call it is.
	Do(ctx context.Context, name string, call func() error) error
}

// Defaults and limits of a Config.
const (
	// DefaultAhead is 64 chunks: some 6 s of audio.
	DefaultAhead = 64
	// DefaultMaxAudio is three times what a segment of MaxSegment characters
	// usually takes. Only 300 digits in a row are longer.
	DefaultMaxAudio = time.Minute
)

var (
	// ErrTooMuchAudio is the failure of a segment whose audio exceeds
	// Config.MaxAudio.
	ErrTooMuchAudio = errors.New("tts: segment too long")
	// ErrSampleRate is matched by the error of New for an engine with a sample
	// rate that the server does not handle (8 to 48 kHz).
	ErrSampleRate = errors.New("tts: unsupported sample rate of the engine")
	// ErrLanguage is matched by the error of New for a Config.Language that is
	// not supported.
	ErrLanguage = errors.New("tts: unknown language")
)

// LabelThought is the label of a Text that holds what a model wrote between
// <think> and </think>. It belongs to the text of the reply, so that no byte of
// it is lost, but it is neither spoken nor meant for a reader: whoever keeps an
// account of what was heard leaves it out.
const LabelThought = "assistant.thought"

// Config adjusts a Transformer. The zero value is ready to use.
type Config struct {
	// Language is the tag of the language that is spoken: en, de, es, fr, zh or
	// ja, with or without a region. It decides where sentences end and how
	// numbers, dates and signs are said. Default: en.
	Language string
	// Gate admits the engine calls, under the name "tts". Nil means no limit.
	Gate Gate
	// Ahead is how many chunks may wait in the returned stream. When it is full,
	// the segment after the one that is being handed on is still synthesised,
	// but none after that. Default: DefaultAhead.
	Ahead int
	// MaxAudio is the longest audio of one segment. It bounds the memory of a
	// reply, which keeps two segments besides what waits in the stream. Default:
	// DefaultMaxAudio.
	MaxAudio time.Duration
}

// Transformer speaks the model text of streams.
type Transformer struct {
	engine   Synthesizer
	language speakable.Language
	gate     Gate
	ahead    int
	rate     int
	mimeType string
	// chunkSamples is the size of an audio chunk, maxSamples of a segment.
	chunkSamples, maxSamples int
}

// New returns a Transformer that speaks with engine. The error matches
// ErrSampleRate or ErrLanguage.
func New(engine Synthesizer, cfg Config) (*Transformer, error) {
	rate := engine.SampleRate()
	if rate < int(audio.Rate8k) || rate > int(audio.Rate48k) {
		return nil, fmt.Errorf("%w: %d Hz, not within %d to %d", ErrSampleRate, rate, int(audio.Rate8k), int(audio.Rate48k))
	}
	language, ok := speakable.Parse(cfg.Language)
	if !ok {
		return nil, fmt.Errorf("%w %q: use one of en, de, es, fr, zh, ja", ErrLanguage, cfg.Language)
	}
	if cfg.Ahead <= 0 {
		cfg.Ahead = DefaultAhead
	}
	if cfg.MaxAudio <= 0 {
		cfg.MaxAudio = DefaultMaxAudio
	}
	return &Transformer{
		engine:       engine,
		language:     language,
		gate:         cfg.Gate,
		ahead:        cfg.Ahead,
		rate:         rate,
		mimeType:     audio.PCMMIMEType(audio.SampleRate(rate)),
		chunkSamples: chunkSamples(rate),
		maxSamples:   int(cfg.MaxAudio.Seconds() * float64(rate)),
	}, nil
}

// Transform speaks the model text of in; the package documentation says what
// the returned stream holds. pattern, the name under which a mux found the
// Transformer, has no meaning here.
//
// The returned stream ends as in does: an end (io.EOF, a *realtime.State) once
// all text is spoken and every spoken route has had its EOS; a failure of in
// with that failure, without speaking an unfinished sentence. When ctx is done
// the stream fails with its cause and the engine stops within one block. The
// failure of a segment ends its route with an EOS that carries Ctrl.Error; what
// else comes on that route is dropped until it begins anew, other routes go on.
//
// Transform takes over in and closes it. The error is always nil.
func (t *Transformer) Transform(ctx context.Context, pattern string, in realtime.Stream) (realtime.Stream, error) {
	return realtime.Produce(ctx, t.ahead, func(ctx context.Context, out *realtime.StreamBuilder) error {
		released := make(chan struct{})
		release := context.AfterFunc(ctx, func() { // unblocks in.Next
			defer close(released)
			_ = in.CloseWithError(context.Cause(ctx))
		})
		defer func() {
			if !release() {
				<-released
			}
			_ = in.Close()
		}()
		return t.speak(ctx, in, out)
	}), nil
}
