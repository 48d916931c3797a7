package asr

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"edged/audio"
	"edged/realtime"
	"edged/transformers/turn"
)

// mimeType is the audio that is recognised.
var mimeType = audio.PCMMIMEType(audio.Rate16k)

// hearing is what the goroutine of one route knows.
type hearing struct {
	*Transformer
	out *realtime.StreamBuilder
	id  string

	// role and name are those of the speaker.
	role realtime.Role
	name string
	// at is the media time in ms up to which the audio has come; 0 is unknown.
	at int64

	// owed: an utterance has begun whose transcript is still to come.
	owed bool
	// failed: it failed, its further audio is void.
	failed bool
	// utterance is nil before the first full block of audio.
	utterance Utterance
	// pcm is audio that is not yet a full block.
	pcm []int16
	// half is the first byte of a sample that was cut at the end of a Blob.
	half    byte
	hasHalf bool
	// partial is the last one sent.
	partial string
	// announced: the text channel has begun.
	announced bool
}

// run recognises the chunks of r until its end. It returns early only when ctx
// is done or the output is closed.
func (h *hearing) run(ctx context.Context, r *route) {
	defer func() { _ = h.release() }()
	if r.before != nil {
		select {
		case <-r.before:
		case <-ctx.Done():
			return
		}
	}
	for {
		select {
		case chunk, open := <-r.chunks:
			if !open {
				_ = h.finish(ctx)
				return
			}
			if h.handle(ctx, chunk) != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// handle takes one chunk. Its error is that of the output, failures of the
// utterance have been sent.
func (h *hearing) handle(ctx context.Context, chunk *realtime.MessageChunk) error {
	h.identify(chunk)
	switch {
	case isSpeech(chunk):
		return h.speech(ctx, chunk)
	case chunk.ControlOnly() && (chunk.IsBeginOfStream() || chunk.IsEndOfStream()):
		if err := h.finish(ctx); err != nil { // of an utterance that nobody ended
			return err
		}
		if chunk.IsBeginOfStream() {
			h.begin()
		}
		if chunk.IsBeginOfStream() && chunk.IsEndOfStream() {
			if err := h.finish(ctx); err != nil {
				return err
			}
		}
	case chunk.ControlOnly() && chunk.Ctrl.Label == turn.LabelPause:
		if err := h.pause(ctx); err != nil {
			return err
		}
	}
	return h.out.Add(ctx, chunk)
}

// pause brings the partial up to date: the user has fallen silent.
func (h *hearing) pause(ctx context.Context) error {
	if !h.owed || h.failed {
		return nil
	}
	err := h.write(ctx)
	if pauser, ok := h.utterance.(Pauser); ok && err == nil {
		var partial string
		err = guarded(func() (err error) { partial, err = pauser.Pause(ctx); return err })
		if err == nil {
			err = h.announce(ctx, partial)
		}
	}
	if err != nil {
		return h.fail(ctx, err)
	}
	return nil
}

// speech takes audio or a gap, with its boundaries.
func (h *hearing) speech(ctx context.Context, chunk *realtime.MessageChunk) error {
	if chunk.IsBeginOfStream() && (h.utterance != nil || len(h.pcm) > 0 || h.failed) {
		if err := h.finish(ctx); err != nil {
			return err
		}
	}
	if !h.owed {
		h.begin()
	}
	duration := realtime.MediaDuration(chunk.Part)
	h.advance(chunk, duration)
	if h.failed {
		h.counters.dropped(DropFailed, duration)
	} else if err := h.hear(ctx, chunk.Part); err != nil {
		if err := h.fail(ctx, err); err != nil {
			return err
		}
	}
	if chunk.IsEndOfStream() {
		return h.finish(ctx)
	}
	return nil
}

// hear recognises the audio of part.
func (h *hearing) hear(ctx context.Context, part realtime.Part) error {
	switch part := part.(type) {
	case *realtime.Blob:
		if err := checkFormat(part.MIMEType); err != nil {
			return err
		}
		return h.samples(ctx, part.Data)
	case *realtime.Gap:
		if err := checkFormat(part.MIMEType); err != nil {
			return err
		}
		h.hasHalf = false // its other half is in the gap
		filled := min(part.Duration, h.maxGap)
		h.counters.dropped(DropGap, part.Duration-filled)
		for range audio.Rate16k.Samples(filled) {
			if err := h.sample(ctx, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// samples takes s16le samples. A sample may be cut at the end of a Blob (F07).
func (h *hearing) samples(ctx context.Context, data []byte) error {
	if h.hasHalf && len(data) > 0 {
		h.hasHalf = false
		if err := h.sample(ctx, int16(uint16(h.half)|uint16(data[0])<<8)); err != nil {
			return err
		}
		data = data[1:]
	}
	for ; len(data) >= 2; data = data[2:] {
		if err := h.sample(ctx, int16(binary.LittleEndian.Uint16(data))); err != nil {
			return err
		}
	}
	if len(data) == 1 {
		h.half, h.hasHalf = data[0], true
	}
	return nil
}

// sample takes one sample; with the last one of a block the recogniser runs.
func (h *hearing) sample(ctx context.Context, s int16) error {
	h.pcm = append(h.pcm, s)
	if len(h.pcm) < h.block {
		return nil
	}
	return h.write(ctx)
}

// write has the recogniser hear the audio at hand and sends a new partial.
func (h *hearing) write(ctx context.Context) error {
	partial, err := h.recognize(ctx)
	if err != nil {
		return err
	}
	return h.announce(ctx, partial)
}

// announce sends a partial that is a new one.
func (h *hearing) announce(ctx context.Context, partial string) error {
	if partial == "" || partial == h.partial {
		return nil
	}
	h.partial = partial
	if err := h.out.Add(ctx, h.text(partial, realtime.LabelPartial, false)); err != nil {
		return &outputError{err}
	}
	return nil
}

// recognize hands the audio at hand to the recogniser.
func (h *hearing) recognize(ctx context.Context) (partial string, err error) {
	if len(h.pcm) == 0 {
		return "", nil
	}
	err = guarded(func() (err error) {
		if h.utterance == nil {
			if h.utterance, err = h.recognizer.Open(ctx); err != nil {
				h.utterance = nil
				return err
			}
		}
		partial, err = h.utterance.Write(ctx, h.pcm)
		return err
	})
	h.pcm = h.pcm[:0]
	return partial, err
}

// finish sends the transcript of the utterance, if one is owed. It is no error
// if none is.
func (h *hearing) finish(ctx context.Context) error {
	if !h.owed || h.failed {
		h.reset()
		return nil
	}
	var result Result
	_, err := h.recognize(ctx) // no partial of it: the transcript comes next
	if err == nil && h.utterance != nil {
		err = guarded(func() (err error) { result, err = h.utterance.Finish(ctx); return err })
	}
	if err == nil {
		err = h.release() // the decoder is free before a reader may be slow
	}
	if err != nil {
		if err := h.fail(ctx, err); err != nil {
			return err
		}
		h.reset()
		return nil
	}
	h.counters.recognized(result)
	last := h.text(result.Text, realtime.LabelTranscript, true)
	h.reset()
	return h.out.Add(ctx, last)
}

// outputError is the failure to send a partial: nobody reads any more.
type outputError struct{ error }

// fail ends the utterance with an error on its route. When nobody is there to
// read that, it returns why.
func (h *hearing) fail(ctx context.Context, cause error) error {
	_ = h.release()
	var output *outputError
	switch {
	case errors.As(cause, &output):
		return output.error
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	failed := failure(h.id, cause)
	h.counters.failed(failed.Code)
	h.failed = true
	last := h.text("", realtime.LabelTranscript, true)
	last.Ctrl.Error = failed.Error()
	return h.out.Add(ctx, last)
}

// begin opens an utterance.
func (h *hearing) begin() {
	h.reset()
	h.owed = true
}

func (h *hearing) reset() {
	h.owed, h.failed, h.hasHalf, h.announced = false, false, false, false
	h.pcm, h.partial = h.pcm[:0], ""
}

func (h *hearing) release() error {
	if h.utterance == nil {
		return nil
	}
	u := h.utterance
	h.utterance = nil
	return guarded(u.Close)
}

// identify takes over who speaks.
func (h *hearing) identify(chunk *realtime.MessageChunk) {
	if isSpeech(chunk) || h.role == "" {
		h.role, h.name = realtime.RoleUser, chunk.Name
	}
}

// advance moves the media time behind chunk.
func (h *hearing) advance(chunk *realtime.MessageChunk, d time.Duration) {
	switch {
	case chunk.Ctrl != nil && chunk.Ctrl.Timestamp > 0:
		h.at = chunk.Ctrl.Timestamp + d.Milliseconds()
	case h.at > 0:
		h.at += d.Milliseconds()
	}
}

// text is a chunk of the text channel.
func (h *hearing) text(text, label string, last bool) *realtime.MessageChunk {
	begins := !h.announced
	h.announced = true
	return &realtime.MessageChunk{
		Role: h.role,
		Name: h.name,
		Part: realtime.Text(text),
		Ctrl: &realtime.StreamCtrl{
			StreamID: h.id, Label: label, Timestamp: h.at,
			BeginOfStream: begins, EndOfStream: last,
		},
	}
}

// checkFormat refuses what is not mono PCM at the rate of recognition.
func checkFormat(got string) error {
	rate, channels, err := audio.ParsePCMMIMEType(got)
	if err != nil || rate != audio.Rate16k || channels != 1 {
		return &formatError{mimeType: got, cause: err}
	}
	return nil
}

// guarded turns a panic of a recogniser into an error: it costs one utterance.
func guarded(call func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			if cause, ok := v.(error); ok {
				err = fmt.Errorf("recogniser panicked: %w", cause)
			} else {
				err = errors.New(fmt.Sprint("recogniser panicked: ", v))
			}
		}
	}()
	return call()
}
