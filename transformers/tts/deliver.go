package tts

import (
	"context"
	"runtime/debug"

	"edged/realtime"
	"edged/transformers/tts/speakable"
)

const (
	// buffers is how many segments a Transform holds: one that is handed on and
	// one that is prepared.
	buffers = 2
	// queued is how many items may wait to be handed on, chunks that are passed
	// through above all. When they are that many the reader waits.
	queued = 16
)

// item is what the reader hands to the deliverer: a segment, or a chunk to pass
// on.
type item struct {
	route *routeAudio
	from  chunkSource
	// begins: the Text is the first of its channel.
	begins  bool
	segment segment
	said    speakable.Text
	speech  *speech // nil: the segment has no sound
	// pass is the chunk to pass on, nil for a segment.
	pass *realtime.MessageChunk
	// endsAudio: the audio channel ends before pass, if there was one.
	endsAudio bool
}

// routeAudio is what has been sent of a route. It belongs to the deliverer.
type routeAudio struct {
	id string
	// spoken: audio has been sent and its channel not yet ended.
	spoken bool
	// position is how much audio has been sent, in samples.
	position int64
}

// speak transforms in to its end: a reader that runs ahead cuts the text and has
// it synthesised, segment by segment, while what is there is handed on.
func (t *Transformer) speak(ctx context.Context, in realtime.Stream, out *realtime.StreamBuilder) error {
	reading, stop := context.WithCancel(ctx)
	r := &reader{Transformer: t, items: make(chan item, queued), free: make(chan *speech, buffers)}
	for range buffers {
		r.free <- newSpeech(t.maxSamples)
	}
	var end error
	go func() {
		defer close(r.items)
		end = r.readAll(reading, in)
	}()
	d := &deliverer{Transformer: t, out: out, free: r.free}
	err := d.deliver(ctx, r.items)
	stop()
	if err != nil {
		_ = in.CloseWithError(err) // the reader may wait for it
	}
	for range r.items { // closed when the reader has gone
	}
	if err != nil {
		return err
	}
	return end
}

// readAll is read that survives a panic.
func (r *reader) readAll(ctx context.Context, in realtime.Stream) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &realtime.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return r.read(ctx, in)
}

// deliverer hands items on in their order.
type deliverer struct {
	*Transformer
	out  *realtime.StreamBuilder
	free chan<- *speech
}

// deliver returns when items are at their end, or with the error of the stream.
func (d *deliverer) deliver(ctx context.Context, items <-chan item) error {
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case it, more := <-items:
			if !more {
				return nil
			}
			if err := d.one(ctx, &it); err != nil {
				return err
			}
		}
	}
}

func (d *deliverer) one(ctx context.Context, it *item) error {
	if it.pass == nil {
		return d.segment(ctx, it)
	}
	if it.endsAudio && it.route.spoken {
		it.route.spoken = false
		if err := d.out.Add(ctx, d.audioEnd(it)); err != nil {
			return err
		}
	}
	return d.out.Add(ctx, it.pass)
}

// segment sends one segment: its text, then its audio as the engine makes it. If
// the engine fails, that ends the route.
func (d *deliverer) segment(ctx context.Context, it *item) error {
	if err := d.out.Add(ctx, d.textChunk(it)); err != nil || it.speech == nil {
		return err
	}
	told := false
	for first := true; ; first = false {
		n, failure, err := it.speech.wait(ctx, d.chunkSamples, first)
		if err != nil {
			return err
		}
		if words := it.speech.timing(); !told && words != nil {
			told = true
			if err := d.out.Add(ctx, d.wordsChunk(it, alignWords(it.segment.text, it.said, words, d.rate))); err != nil {
				return err
			}
		}
		switch {
		case n > 0:
			if err := d.out.Add(ctx, d.audioChunk(it, n)); err != nil {
				return err
			}
			continue
		case failure != nil:
			err = d.out.Add(ctx, it.end(failure.Error()))
		}
		d.free <- it.speech // has room for every buffer
		return err
	}
}
