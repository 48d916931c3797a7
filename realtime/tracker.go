package realtime

import (
	"fmt"
	"maps"
	"slices"
)

// RouteState says where a route is in its life.
type RouteState uint8

const (
	// RouteUnknown: never seen, or complete so long ago that it was forgotten.
	RouteUnknown RouteState = iota
	// RouteOpen: begun, or with a channel seen or announced that has not ended.
	RouteOpen
	// RouteComplete: every channel seen or announced has ended, or the route
	// was ended as a whole.
	RouteComplete
)

// String returns "unknown", "open" or "complete".
func (s RouteState) String() string {
	switch s {
	case RouteOpen:
		return "open"
	case RouteComplete:
		return "complete"
	}
	return "unknown"
}

// Breach is a kind of violation of the stream contract by a producer.
type Breach string

const (
	// BreachLateChannel: a channel appeared on a route that was complete. It
	// should have been announced before, or the route kept open.
	BreachLateChannel Breach = "late channel"
	// BreachDataAfterEnd: data on a channel that had ended, without a new
	// beginning.
	BreachDataAfterEnd Breach = "data after end"
)

// BreachError reports a violation of the stream contract. It says something
// about the producer; the stream itself goes on.
type BreachError struct {
	Breach   Breach
	StreamID string
	Channel  string
}

// Error names the breach, the route and the channel.
func (e *BreachError) Error() string {
	return fmt.Sprintf("realtime: %s on route %q, channel %q", e.Breach, e.StreamID, e.Channel)
}

// keptRoutes bounds how many complete routes a Tracker remembers.
const keptRoutes = 128

// Tracker follows the lifecycles of the routes and MIME channels of a Stream:
// which are open, and when a route is complete. The zero value is ready. It
// serves one goroutine at a time.
//
// It remembers every open route and the last 128 complete ones; a route that
// was forgotten counts as new.
type Tracker struct {
	routes   map[string]*routeRecord
	complete []string // in the order of completion
	keys     KeyCache
}

type routeRecord struct {
	state    RouteState
	channels map[string]bool // true while open
}

// Observe takes note of the next chunk of the stream. Its error, if any, is a
// *BreachError; after BreachLateChannel the channel is tracked all the same,
// after BreachDataAfterEnd it stays ended. A second end is no breach.
func (t *Tracker) Observe(c *MessageChunk) error {
	if c.ControlOnly() {
		t.observeControl(c)
		return nil
	}
	id, channel := c.Route(), t.keys.Channel(c)
	r := t.routes[id]
	if r == nil {
		r = t.begin(id)
	}
	open, known := r.channels[channel]
	if known && !open && !c.IsBeginOfStream() {
		if c.IsEndOfStream() && empty(c) {
			return nil
		}
		return &BreachError{BreachDataAfterEnd, id, channel}
	}
	var breach error
	if !known && r.state == RouteComplete {
		breach = &BreachError{BreachLateChannel, id, channel}
	}
	if r.state == RouteComplete {
		t.reopen(id, r)
	}
	r.channels[channel] = !c.IsEndOfStream()
	if r.allEnded() {
		t.end(id, r)
	}
	return breach
}

func (t *Tracker) observeControl(c *MessageChunk) {
	id := c.Route()
	r := t.routes[id]
	if c.IsBeginOfStream() && (r == nil || r.state == RouteComplete) {
		t.forget(id)
		r = t.begin(id)
	}
	if c.IsEndOfStream() && r != nil {
		t.end(id, r)
	}
}

// Route returns the state of the route named id.
func (t *Tracker) Route(id string) RouteState {
	if r := t.routes[id]; r != nil {
		return r.state
	}
	return RouteUnknown
}

// ChannelOpen reports whether the channel (a key, see ChannelKey) of the route
// id was seen or announced and has not ended.
func (t *Tracker) ChannelOpen(id, channel string) bool {
	r := t.routes[id]
	return r != nil && r.channels[channel]
}

// Open returns the names of all open routes, sorted.
func (t *Tracker) Open() []string {
	var open []string
	for id, r := range t.routes {
		if r.state == RouteOpen {
			open = append(open, id)
		}
	}
	slices.Sort(open)
	return open
}

// Finish takes note of the end of the enclosing Stream, which ends all routes,
// and returns those that were still open, sorted.
func (t *Tracker) Finish() []string {
	open := t.Open()
	for _, id := range open {
		t.end(id, t.routes[id])
	}
	return open
}

func (t *Tracker) begin(id string) *routeRecord {
	if t.routes == nil {
		t.routes = map[string]*routeRecord{}
	}
	r := &routeRecord{state: RouteOpen, channels: map[string]bool{}}
	t.routes[id] = r
	return r
}

func (t *Tracker) reopen(id string, r *routeRecord) {
	r.state = RouteOpen
	if i := slices.Index(t.complete, id); i >= 0 {
		t.complete = slices.Delete(t.complete, i, i+1)
	}
}

func (t *Tracker) end(id string, r *routeRecord) {
	for channel := range r.channels {
		r.channels[channel] = false
	}
	if r.state == RouteComplete {
		return
	}
	r.state = RouteComplete
	t.complete = append(t.complete, id)
	if len(t.complete) > keptRoutes {
		delete(t.routes, t.complete[0])
		t.complete = slices.Delete(t.complete, 0, 1)
	}
}

func (t *Tracker) forget(id string) {
	if r := t.routes[id]; r != nil {
		t.reopen(id, r)
		delete(t.routes, id)
	}
}

// allEnded is false for a route that no channel was seen on: it was begun and
// waits for its first.
func (r *routeRecord) allEnded() bool {
	for open := range maps.Values(r.channels) {
		if open {
			return false
		}
	}
	return len(r.channels) > 0
}

// empty reports whether a chunk has a Part but no data in it, as an end of
// channel without last data does.
func empty(c *MessageChunk) bool {
	if c.ToolCall != nil {
		return false
	}
	switch p := c.Part.(type) {
	case Text:
		return p == ""
	case *Blob:
		return p == nil || len(p.Data) == 0
	case *Gap:
		return p == nil || p.Duration <= 0
	}
	return true
}
