package tts

import (
	"context"
	"slices"

	"edged/realtime"
)

// reader is the half of a Transform that reads text and has it synthesised, at
// most buffers segments ahead of what has been handed on.
type reader struct {
	*Transformer
	items  chan item
	free   chan *speech
	routes []*route // in the order of their first chunk; few, so no map
}

// route is one StreamID of the input on which the model speaks.
type route struct {
	audio     *routeAudio
	segmenter Segmenter
	// from holds role, name and label of the latest text.
	from chunkSource
	// begins: the text channel was announced and no Text has been sent since.
	begins bool
	// failed: the route ends with an error, its further chunks are void.
	failed bool
}

// read transforms in to its end and returns how that was.
func (r *reader) read(ctx context.Context, in realtime.Stream) error {
	for {
		chunk, err := in.Next()
		if err != nil && !realtime.IsEnd(err) {
			return err
		}
		if err != nil {
			for _, route := range r.routes {
				if err := r.endRoute(ctx, route); err != nil {
					return err
				}
			}
			return err
		}
		if err := r.handle(ctx, chunk); err != nil {
			return err
		}
	}
}

func (r *reader) handle(ctx context.Context, chunk *realtime.MessageChunk) error {
	text, isSpeech := speechOf(chunk)
	route := r.route(chunk.Route())
	switch {
	case isSpeech && route == nil:
		route = r.openRoute(chunk.Route())
	case route == nil:
		return r.hand(ctx, item{pass: chunk}) // nothing of ours is pending on its route
	case chunk.ControlOnly() && chunk.IsBeginOfStream():
		return r.beginAgain(ctx, route, chunk)
	case route.failed:
		return nil
	}
	switch {
	case isSpeech:
		return r.text(ctx, route, chunk, text)
	case chunk.ToolCall != nil:
		if err := r.speakAll(ctx, route, route.segmenter.close()); err != nil || route.failed {
			return err
		}
	case chunk.ControlOnly() && chunk.IsEndOfStream():
		if err := r.speakAll(ctx, route, route.segmenter.close()); err != nil {
			return err
		}
		r.closeRoute(route)
		if route.failed {
			return nil
		}
	}
	return r.hand(ctx, item{pass: chunk})
}

// text handles a chunk of model text with whatever else it carries.
func (r *reader) text(ctx context.Context, route *route, chunk *realtime.MessageChunk, text string) error {
	route.from = sourceOf(chunk)
	route.begins = route.begins || chunk.IsBeginOfStream()
	segments := route.segmenter.push(text)
	if chunk.ToolCall != nil || chunk.IsEndOfStream() {
		segments = append(segments, route.segmenter.close()...)
	}
	if err := r.speakAll(ctx, route, segments); err != nil || route.failed {
		return err
	}
	rest := restOf(chunk, route.begins)
	if rest == nil {
		return nil
	}
	route.begins = route.begins && rest.Part == nil
	return r.hand(ctx, item{route: route.audio, from: route.from, pass: rest, endsAudio: chunk.IsEndOfStream()})
}

// beginAgain handles the control-only BOS of a route that is known already:
// whatever it still had to say is said first.
func (r *reader) beginAgain(ctx context.Context, route *route, chunk *realtime.MessageChunk) error {
	if err := r.speakAll(ctx, route, route.segmenter.close()); err != nil {
		return err
	}
	r.closeRoute(route)
	return r.hand(ctx, item{pass: chunk})
}

// endRoute says what is left of a route and ends it, when the input ended
// without doing so.
func (r *reader) endRoute(ctx context.Context, route *route) error {
	if err := r.speakAll(ctx, route, route.segmenter.close()); err != nil || route.failed {
		return err
	}
	end := item{route: route.audio, from: route.from}
	end.pass = end.end("")
	return r.hand(ctx, end)
}

// speakAll speaks segments until one fails, which ends the route. The error is
// that of the stream.
func (r *reader) speakAll(ctx context.Context, route *route, segments []segment) error {
	for _, segment := range segments {
		if route.failed {
			return nil
		}
		if err := r.speakOne(ctx, route, segment); err != nil {
			return err
		}
	}
	return nil
}

// speakOne hands a segment on and has it synthesised, once there is room for it.
func (r *reader) speakOne(ctx context.Context, route *route, segment segment) error {
	it := item{route: route.audio, from: route.from, begins: route.begins, segment: segment}
	route.begins = false
	if segment.kind == prose {
		it.said = r.language.Speak(segment.text)
	}
	if !sayable(it.said.Spoken) {
		return r.hand(ctx, it)
	}
	select {
	case it.speech = <-r.free:
		it.speech.reset()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err := r.hand(ctx, it); err != nil {
		return err
	}
	route.failed = it.speech.make(ctx, r.Transformer, it.said.Spoken) != nil
	return nil
}

// hand gives an item to the deliverer.
func (r *reader) hand(ctx context.Context, it item) error {
	select {
	case r.items <- it:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (r *reader) route(id string) *route {
	for _, route := range r.routes {
		if route.audio.id == id {
			return route
		}
	}
	return nil
}

func (r *reader) openRoute(id string) *route {
	route := &route{audio: &routeAudio{id: id}, segmenter: Segmenter{Language: r.language}}
	r.routes = append(r.routes, route)
	return route
}

func (r *reader) closeRoute(closed *route) {
	r.routes = slices.DeleteFunc(r.routes, func(route *route) bool { return route == closed })
}
