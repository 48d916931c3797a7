package admin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

const (
	// heartbeat is how long a tail may be silent: below what proxies take for a
	// dead connection, usually a minute.
	heartbeat = 15 * time.Second
	// writeTimeout is how long one write may take: a reader that stands still
	// for longer is cut off.
	writeTimeout = 10 * time.Second
	// batchBytes is about how much is written at once when lines have piled up.
	batchBytes = 32 << 10
	// retryAfter is when somebody may try again for whom there was no place.
	retryAfter = "5"
)

// tail answers GET events.
func (h *Handler) tail(w http.ResponseWriter, r *http.Request) {
	q, err := parseQuery(r)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	format, ok := formatOf(r.Header.Get("Accept"))
	if !ok {
		refuse(w, http.StatusNotAcceptable, fmt.Sprintf("events come as %s or %s", mimeSSE, mimeLines))
		return
	}
	select {
	case h.tails <- struct{}{}:
		defer func() { <-h.tails }()
	default:
		w.Header().Set("Retry-After", retryAfter)
		refuse(w, http.StatusTooManyRequests, fmt.Sprintf("%d tails are open already, which is as many as the server allows (operators.tails)", cap(h.tails)))
		return
	}
	feed, err := h.events.Tail(q.from)
	switch {
	case errors.Is(err, ErrPosition):
		refuse(w, http.StatusBadRequest, fmt.Sprintf("%.60q is not the id of an event; allowed: an id as this API gives it", q.from.After))
		return
	case err != nil:
		refuse(w, http.StatusInternalServerError, "the log cannot be read: "+err.Error())
		return
	}
	defer feed.Close()
	w.Header().Set("Content-Type", format.mime)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // reverse proxies pass it on at once
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	s := &stream{out: w, control: http.NewResponseController(w), format: format, query: q}
	s.run(r.Context(), feed)
}

// stream is one answer to GET events.
type stream struct {
	out     http.ResponseWriter
	control *http.ResponseController
	format  format
	query   query
	batch   []byte
}

// run writes until the client is gone, the feed has ended, or ctx is done.
func (s *stream) run(ctx context.Context, feed Tail) {
	// The connection may serve another request, which has no deadline.
	defer func() { _ = s.control.SetWriteDeadline(time.Time{}) }()
	// At the end nobody waits for a client that does not read.
	defer context.AfterFunc(ctx, func() { _ = s.control.SetWriteDeadline(time.Now()) })()
	s.batch = s.format.position(s.batch, feed.Position()) // a first sign of life
	for {
		for len(s.batch) < batchBytes {
			l, ok := feed.Ready()
			if !ok {
				break
			}
			s.add(l)
		}
		if s.flush(ctx) != nil {
			return
		}
		if !s.query.follow {
			if l, ok := feed.Ready(); ok {
				s.add(l)
				continue
			}
			return
		}
		wait, cancel := context.WithTimeout(ctx, heartbeat)
		l, err := feed.Next(wait)
		cancel()
		switch {
		case err == nil:
			s.add(l)
		case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
			s.batch = s.format.position(s.batch, feed.Position())
		default:
			return
		}
	}
}

func (s *stream) add(l Line) {
	if s.query.wants(l) {
		s.batch = s.format.line(s.batch, l)
	}
}

// flush writes the batch.
func (s *stream) flush(ctx context.Context) error {
	if len(s.batch) == 0 {
		return nil
	}
	// Where a deadline cannot be set there is none.
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTimeout))
	if ctx.Err() != nil { // from now on the end of ctx sets the deadline anew
		return ctx.Err()
	}
	_, err := s.out.Write(s.batch)
	s.batch = s.batch[:0]
	if err != nil {
		return err
	}
	return s.control.Flush()
}

const (
	mimeSSE   = "text/event-stream"
	mimeLines = "application/x-ndjson"
)

// format is how lines are written.
type format struct {
	mime string
	// line appends a line, position that nothing was said up to an id.
	line     func(b []byte, l Line) []byte
	position func(b []byte, id string) []byte
}

// formatOf chooses what the client accepts; ok is false if it accepts nothing of
// what there is.
func formatOf(accept string) (f format, ok bool) {
	if strings.TrimSpace(accept) == "" {
		return format{mimeSSE, lineSSE, positionSSE}, true
	}
	for part := range strings.SplitSeq(accept, ",") {
		mime, _, _ := strings.Cut(part, ";")
		switch strings.ToLower(strings.TrimSpace(mime)) {
		case mimeSSE, "text/*", "*/*":
			return format{mimeSSE, lineSSE, positionSSE}, true
		case mimeLines:
			return format{mimeLines, lineJSON, positionJSON}, true
		}
	}
	return format{}, false
}

func lineSSE(b []byte, l Line) []byte {
	b = append(append(append(b, "id: "...), l.ID...), '\n')
	if l.Event != "" {
		b = append(append(append(b, "event: "...), l.Event...), '\n')
	}
	return append(append(append(b, "data: "...), l.JSON...), "\n\n"...)
}

// positionSSE is an event without data, which clients do not see, but its id
// counts.
func positionSSE(b []byte, id string) []byte {
	return append(append(append(b, "id: "...), id...), "\n\n"...)
}

// lineJSON puts the id into the object as its first field.
func lineJSON(b []byte, l Line) []byte {
	fields, ok := strings.CutPrefix(string(l.JSON), "{")
	if !ok {
		return b // no object: not of the session log
	}
	b = append(append(append(b, `{"id":"`...), l.ID...), '"')
	if strings.TrimSpace(fields) != "}" {
		b = append(b, ',')
	}
	return append(append(b, fields...), '\n')
}

func positionJSON(b []byte, _ string) []byte { return append(b, '\n') }
