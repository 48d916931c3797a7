package asr

import (
	"context"
	"strings"
	"sync"

	"edged/realtime"
)

// listener is the reading side of one Transform: it hands the chunks of the
// input to the routes they belong to.
type listener struct {
	*Transformer
	out     *realtime.StreamBuilder
	routes  map[string]*route // those with an open utterance
	ended   endings
	workers sync.WaitGroup
}

// route is one StreamID of the input from its beginning to its end.
type route struct {
	id string
	// chunks is closed at the end of the route.
	chunks chan *realtime.MessageChunk
	// done is closed when the last of the route's text is out.
	done chan struct{}
	// before, if not nil, is done of the last route with the same StreamID.
	before <-chan struct{}
}

// listen reads in to its end and returns how that was.
func (l *listener) listen(ctx context.Context, in realtime.Stream) error {
	defer l.workers.Wait()
	working, cancel := context.WithCancel(ctx)
	defer cancel()
	for {
		chunk, err := in.Next()
		switch {
		case err == nil:
			err = l.dispatch(working, chunk)
			if err != nil {
				return err
			}
		case realtime.IsEnd(err):
			for id := range l.routes {
				l.end(id)
			}
			l.workers.Wait() // before cancel: they still have transcripts to give
			return err
		default:
			return err
		}
	}
}

func (l *listener) dispatch(ctx context.Context, chunk *realtime.MessageChunk) error {
	id := chunk.Route()
	speech, boundary := isSpeech(chunk), chunk.ControlOnly()
	begins, ends := chunk.IsBeginOfStream(), chunk.IsEndOfStream()
	r := l.routes[id]
	switch {
	case r != nil:
	case speech && !begins && l.ended.lately(id):
		l.counters.dropped(DropLate, realtime.MediaDuration(chunk.Part))
		return nil
	case boundary && ends && !begins && l.ended.lately(id):
		return nil // the route has ended already
	case speech || boundary && begins:
		if len(l.routes) >= l.maxRoutes {
			return l.refuse(ctx, chunk)
		}
		r = l.open(ctx, id)
	default:
		return l.out.Add(ctx, chunk)
	}
	select {
	case r.chunks <- chunk:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if ends && (speech || boundary) {
		l.end(id)
	}
	return nil
}

// open begins a route.
func (l *listener) open(ctx context.Context, id string) *route {
	r := &route{
		id:     id,
		chunks: make(chan *realtime.MessageChunk, l.queue),
		done:   make(chan struct{}),
		before: l.ended.done(id),
	}
	l.routes[id] = r
	l.workers.Go(func() {
		defer close(r.done)
		h := hearing{Transformer: l.Transformer, out: l.out, id: id}
		h.run(ctx, r)
	})
	return r
}

func (l *listener) end(id string) {
	r := l.routes[id]
	close(r.chunks)
	delete(l.routes, id)
	l.ended.add(id, r.done)
}

// refuse fails a route for which there is no room.
func (l *listener) refuse(ctx context.Context, chunk *realtime.MessageChunk) error {
	h := hearing{Transformer: l.Transformer, out: l.out, id: chunk.Route()}
	h.identify(chunk)
	l.ended.add(h.id, closedChannel())
	return h.fail(ctx, errTooManyRoutes)
}

// isSpeech reports whether chunk is audio (or lost audio) of the user that is
// to be recognised.
func isSpeech(chunk *realtime.MessageChunk) bool {
	if chunk == nil || chunk.Role != realtime.RoleUser && chunk.Role != "" || chunk.ForHistory() {
		return false
	}
	switch part := chunk.Part.(type) {
	case *realtime.Blob:
		return part != nil && isAudio(part.MIMEType)
	case *realtime.Gap:
		return part != nil && isAudio(part.MIMEType)
	}
	return false
}

func isAudio(mimeType string) bool {
	const audioType = "audio/"
	return len(mimeType) >= len(audioType) && strings.EqualFold(mimeType[:len(audioType)], audioType)
}

// endings remembers the routes that ended last: enough to know late audio, and
// bounded because StreamIDs are not used again as a rule.
type endings struct {
	last [64]struct {
		id   string
		done <-chan struct{}
	}
	next int
}

func (e *endings) add(id string, done <-chan struct{}) {
	for i := range e.last {
		if e.last[i].done != nil && e.last[i].id == id {
			e.last[i].done = done
			return
		}
	}
	e.last[e.next].id, e.last[e.next].done = id, done
	e.next = (e.next + 1) % len(e.last)
}

// done returns the done of the last route with this id that is remembered, nil
// if there is none.
func (e *endings) done(id string) <-chan struct{} {
	for i := range e.last {
		if e.last[i].done != nil && e.last[i].id == id {
			return e.last[i].done
		}
	}
	return nil
}

func (e *endings) lately(id string) bool { return e.done(id) != nil }

func closedChannel() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}
