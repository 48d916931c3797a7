package tts

import (
	"context"
	"slices"

	"edged/realtime"
)

// reader is the state of one Transform.
type reader struct {
	*Transformer
	out    *realtime.StreamBuilder
	speech *speech
	routes []*route // in the order of their first chunk; few, so no map
}

// route is one StreamID of the input on which the model speaks.
type route struct {
	id        string
	segmenter Segmenter
	// from holds role, name and label of the latest text.
	from chunkSource
	// begins: the text channel was announced and no Text has been sent since.
	begins bool
	// spoken: audio has been sent and its channel not yet ended.
	spoken bool
	// failed: the route has ended with an error, its further chunks are void.
	failed bool
	// position is how much audio has been sent, in samples.
	position int64
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
		return r.out.Add(ctx, chunk) // nothing of ours is pending on its route
	case chunk.ControlOnly() && chunk.IsBeginOfStream():
		return r.beginAgain(ctx, route, chunk)
	case route.failed:
		return nil
	}
	switch {
	case isSpeech:
		return r.text(ctx, route, chunk, text)
	case chunk.ToolCall != nil:
		if err := r.speakAll(ctx, route, route.segmenter.Close()); err != nil || route.failed {
			return err
		}
	case chunk.ControlOnly() && chunk.IsEndOfStream():
		if err := r.speakAll(ctx, route, route.segmenter.Close()); err != nil {
			return err
		}
		r.closeRoute(route)
		if route.failed {
			return nil
		}
	}
	return r.out.Add(ctx, chunk)
}

// text handles a chunk of model text with whatever else it carries.
func (r *reader) text(ctx context.Context, route *route, chunk *realtime.MessageChunk, text string) error {
	route.from = sourceOf(chunk)
	route.begins = route.begins || chunk.IsBeginOfStream()
	segments := route.segmenter.Push(text)
	if chunk.ToolCall != nil || chunk.IsEndOfStream() {
		segments = append(segments, route.segmenter.Close()...)
	}
	if err := r.speakAll(ctx, route, segments); err != nil || route.failed {
		return err
	}
	if chunk.IsEndOfStream() && route.spoken {
		route.spoken = false
		if err := r.out.Add(ctx, r.audioEnd(route)); err != nil {
			return err
		}
	}
	rest := restOf(chunk, route.begins)
	if rest == nil {
		return nil
	}
	route.begins = route.begins && rest.Part == nil
	return r.out.Add(ctx, rest)
}

// beginAgain handles the control-only BOS of a route that is known already:
// whatever it still had to say is said first.
func (r *reader) beginAgain(ctx context.Context, route *route, chunk *realtime.MessageChunk) error {
	if err := r.speakAll(ctx, route, route.segmenter.Close()); err != nil {
		return err
	}
	r.closeRoute(route)
	return r.out.Add(ctx, chunk)
}

// endRoute says what is left of a route and ends it, when the input ended
// without doing so.
func (r *reader) endRoute(ctx context.Context, route *route) error {
	if err := r.speakAll(ctx, route, route.segmenter.Close()); err != nil || route.failed {
		return err
	}
	return r.out.Add(ctx, route.end(""))
}

// speakAll speaks segments until one fails, which ends the route. The error is
// that of the stream.
func (r *reader) speakAll(ctx context.Context, route *route, segments []string) error {
	for _, segment := range segments {
		if route.failed {
			return nil
		}
		failure, err := r.speak(ctx, route, segment)
		if err != nil {
			return err
		}
		if failure != nil {
			route.failed = true
			return r.out.Add(ctx, route.end(failure.Error()))
		}
	}
	return nil
}

// speak sends one segment: its text, then its audio as the engine makes it. It
// returns the failure of the engine apart from the error of the stream.
func (r *reader) speak(ctx context.Context, route *route, segment string) (failure, err error) {
	if !sayable(segment) {
		return nil, r.out.Add(ctx, r.textChunk(route, segment))
	}
	join := r.speech.start(ctx, r.Transformer, segment)
	defer join()
	if err := r.out.Add(ctx, r.textChunk(route, segment)); err != nil {
		return nil, err
	}
	told := false
	for first := true; ; first = false {
		n, failure, err := r.speech.wait(ctx, r.chunkSamples, first)
		if words := r.speech.timing(); !told && words != nil {
			told = true
			if err := r.out.Add(ctx, r.wordsChunk(route, alignWords(segment, words, r.rate))); err != nil {
				return nil, err
			}
		}
		if n == 0 {
			return failure, err
		}
		if err := r.out.Add(ctx, r.audioChunk(route, n)); err != nil {
			return nil, err
		}
	}
}

func (r *reader) route(id string) *route {
	for _, route := range r.routes {
		if route.id == id {
			return route
		}
	}
	return nil
}

func (r *reader) openRoute(id string) *route {
	route := &route{id: id}
	r.routes = append(r.routes, route)
	return route
}

func (r *reader) closeRoute(closed *route) {
	r.routes = slices.DeleteFunc(r.routes, func(route *route) bool { return route == closed })
}
