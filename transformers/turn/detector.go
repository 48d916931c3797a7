package turn

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"edged/audio"
	"edged/realtime"
)

// ErrFormat is matched by the failure of a Detector whose microphone carries
// audio that it cannot listen to.
var ErrFormat = errors.New(`turn: microphone audio must be 16 kHz mono PCM ("audio/pcm;rate=16000")`)

// Detector is the stream of utterances of one device; see the package comment
// for what it gives. It implements realtime.Stream. Make one with New.
type Detector struct {
	in       realtime.Stream
	speech   SpeechDetector
	position atomic.Int64 // a time.Duration
	spoken   atomic.Int64 // a time.Duration
	hint     atomic.Pointer[hint]
	closed   atomic.Bool

	// The rest belongs to the goroutine in Next.

	out   []*realtime.MessageChunk // found; given up to given
	given int
	end   error // of the input; what Next returns after out

	endpoint endpointer
	timeline timeline
	history  *preRoll
	preRoll  int64 // samples

	route string // of the open listening period; "" is none
	ended string // the last route that ended
	role  realtime.Role
	name  string
	label string
	mime  string // of the audio, as its producer wrote it

	window [WindowSamples]int16
	filled int    // samples in window
	begun  int64  // media position of its first sample
	half   []byte // of a sample, where a chunk ends inside one

	utterance  string // route of the open utterance; "" is none
	utterances int    // so far
}

var _ realtime.Stream = (*Detector)(nil)

// New returns the utterances in the microphone routes of in, judged by speech,
// which serves this Detector alone. The Detector owns in: it reads it and closes
// it. The zero Config is ready for use.
func New(in realtime.Stream, speech SpeechDetector, cfg Config) *Detector {
	cfg = cfg.withDefaults()
	// What must be at hand when an utterance begins: its pre-roll and the
	// speech that decided it, rounded up to windows.
	remembered := rate.Samples(cfg.PreRoll) + rate.Samples(cfg.MinSpeech) + 2*WindowSamples
	return &Detector{
		in:       in,
		speech:   speech,
		endpoint: newEndpointer(cfg),
		history:  newPreRoll(remembered),
		preRoll:  int64(rate.Samples(cfg.PreRoll)),
	}
}

// Next returns the next boundary, the next audio of an utterance, or whatever
// else passes. It blocks while the input has nothing, or nothing but audio
// outside of utterances. The end of the input ends an open utterance first; if
// the input failed, that end carries the failure in Ctrl.Error. Input that
// cannot be listened to ends the stream with an error matching ErrFormat.
func (d *Detector) Next() (*realtime.MessageChunk, error) {
	for {
		if d.given < len(d.out) && !d.closed.Load() {
			chunk := d.out[d.given]
			d.out[d.given] = nil
			d.given++
			return chunk, nil
		}
		d.out, d.given = d.out[:0], 0
		if d.end != nil {
			return nil, d.end
		}
		chunk, err := d.in.Next()
		if err == nil {
			if err = d.take(chunk); err != nil {
				_ = d.in.CloseWithError(err) // err is what counts
			}
		}
		if err != nil {
			d.finish(err)
		}
	}
}

// Close ends the stream and its input normally. What was found and not yet read
// is dropped.
func (d *Detector) Close() error {
	d.closed.Store(true)
	return d.in.Close()
}

// CloseWithError ends the stream and its input with a cause. What was found and
// not yet read is dropped.
func (d *Detector) CloseWithError(cause error) error {
	d.closed.Store(true)
	return d.in.CloseWithError(cause)
}

// Position returns how far the microphone has been heard: the media time, on the
// scale of the chunks' Timestamps, behind the last audio or gap that Next has
// read. It never decreases. Any goroutine may call it.
func (d *Detector) Position() time.Duration { return time.Duration(d.position.Load()) }

// finish takes the end of the input.
func (d *Detector) finish(err error) {
	failure := ""
	if !realtime.IsEnd(err) {
		failure = err.Error()
	}
	d.closeUtterance(failure)
	d.end = err
}

// take processes one chunk of the input. Its error is fatal.
func (d *Detector) take(chunk *realtime.MessageChunk) error {
	route := chunk.Route()
	if !strings.HasPrefix(route, MicPrefix) {
		d.push(chunk)
		return nil
	}
	switch part := chunk.Part.(type) {
	case nil:
		d.takeBoundary(chunk)
		return nil
	case *realtime.Gap:
		if part != nil {
			d.takeSound(chunk, part.MIMEType, func() { d.gap(part.Duration) })
			return nil
		}
	case *realtime.Blob:
		if part != nil && strings.HasPrefix(realtime.CanonicalMIME(part.MIMEType), "audio/") {
			hz, channels, err := audio.ParsePCMMIMEType(part.MIMEType)
			if err != nil || hz != rate || channels != 1 {
				return fmt.Errorf("%w: route %q carries %q", ErrFormat, route, part.MIMEType)
			}
			d.takeSound(chunk, part.MIMEType, func() { d.audio(part.Data) })
			return nil
		}
	}
	d.push(chunk)
	return nil
}

// takeBoundary takes a control-only chunk of a microphone route.
func (d *Detector) takeBoundary(chunk *realtime.MessageChunk) {
	if chunk.IsBeginOfStream() {
		d.listen(chunk)
	}
	if chunk.IsEndOfStream() && chunk.Route() == d.route {
		d.stop()
	}
	d.push(chunk)
}

// takeSound takes a chunk of audio or of a gap, which hear hears.
func (d *Detector) takeSound(chunk *realtime.MessageChunk, mimeType string, hear func()) {
	ctrl := chunk.Ctrl
	switch {
	case ctrl.BeginOfStream:
		if ctrl.StreamID != d.route {
			d.listen(chunk)
		}
		d.pushMark(chunk, mimeType, realtime.StreamCtrl{BeginOfStream: true})
	case ctrl.StreamID == d.route:
	case ctrl.StreamID == d.ended:
		return // what comes after an end belongs to nothing
	default:
		d.listen(chunk)
	}
	d.mime = mimeType
	d.timeline.meet(ctrl.Timestamp)
	hear()
	d.advance()
	if ctrl.EndOfStream {
		d.stop()
		d.pushMark(chunk, mimeType, realtime.StreamCtrl{EndOfStream: true, Error: ctrl.Error})
	}
}

// pushMark passes a boundary that rides on sound, without the sound.
func (d *Detector) pushMark(chunk *realtime.MessageChunk, mimeType string, ctrl realtime.StreamCtrl) {
	ctrl.StreamID, ctrl.Label, ctrl.Timestamp = chunk.Ctrl.StreamID, chunk.Ctrl.Label, chunk.Ctrl.Timestamp
	d.push(&realtime.MessageChunk{
		Role: chunk.Role, Name: chunk.Name, Part: &realtime.Blob{MIMEType: mimeType}, Ctrl: &ctrl,
	})
}

func (d *Detector) push(chunk *realtime.MessageChunk) { d.out = append(d.out, chunk) }
