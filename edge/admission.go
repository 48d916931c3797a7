package edge

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"
	"time"

	"edged/audio"
	"edged/dialog"
)

// registry knows every connection of a server. Places are reserved and given
// back under one lock, so that two devices never share the last one.
type registry struct {
	limit int

	mu       sync.Mutex
	places   int // reserved
	alive    map[*Admission]struct{}
	devices  map[string]*Admission // the newest connection of each device
	draining bool
	empty    chan struct{} // closed when draining and nobody is alive
}

func newRegistry(limit int) *registry {
	return &registry{
		limit:   limit,
		alive:   make(map[*Admission]struct{}),
		devices: make(map[string]*Admission),
		empty:   make(chan struct{}),
	}
}

// Admission is the right of one connection to be served. Whoever got it from
// Admit calls Release when the connection is over.
type Admission struct {
	server   *Server
	identity Identity

	// Guarded by registry.mu.
	device  string // under which it is registered
	placed  bool   // it counts among the places
	evicted bool   // a newer connection of the device took over
	leg     *Leg   // once it is served
}

// Admit reserves a place for a connection of the given identity. When the
// identity names a device, an older connection of that device is evicted and its
// place taken over. The error is an *Error: busy with a hint when to try again,
// or shutdown.
func (s *Server) Admit(id Identity) (*Admission, error) {
	r := s.registry
	r.mu.Lock()
	if r.draining {
		r.mu.Unlock()
		return nil, &Error{Code: dialog.ErrorShutdown, Message: "the server is shutting down", RetryAfter: shutdownRetry, Err: ErrShutdown}
	}
	a := &Admission{server: s, identity: id, placed: true}
	if old := r.devices[id.Device]; id.Device != "" && old != nil && old.placed {
		old.placed = false
	} else if r.places < r.limit {
		r.places++
	} else {
		r.mu.Unlock()
		return nil, &Error{Code: dialog.ErrorBusy, Message: "all sessions are taken; try again later", RetryAfter: busyRetry, Err: ErrBusy}
	}
	r.alive[a] = struct{}{}
	old := r.claim(a, id.Device)
	r.mu.Unlock()
	if old != nil {
		old.end(ErrReplaced)
	}
	return a, nil
}

// claim makes a the connection of device and returns the leg of the one that it
// evicts, if that is served. It needs mu.
func (r *registry) claim(a *Admission, device string) (evicted *Leg) {
	if device == "" || a.device == device {
		return nil
	}
	if old := r.devices[device]; old != nil {
		old.evicted = true
		evicted = old.leg
	}
	a.device = device
	r.devices[device] = a
	return evicted
}

// Release gives the place back. It is idempotent.
func (a *Admission) Release() {
	r := a.server.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, alive := r.alive[a]; !alive {
		return
	}
	delete(r.alive, a)
	if r.devices[a.device] == a {
		delete(r.devices, a.device)
	}
	if a.placed {
		r.places--
	}
	r.checkEmpty()
}

// checkEmpty needs mu.
func (r *registry) checkEmpty() {
	if !r.draining || len(r.alive) > 0 {
		return
	}
	select {
	case <-r.empty:
	default:
		close(r.empty)
	}
}

// Open makes the leg of an admitted connection from what the device offers. The
// transport then answers the device's hello with what the leg's Hello says and
// calls Serve. The error is an *Error that the device is to be told.
func (a *Admission) Open(offer Offer, transport Transport) (*Leg, error) {
	hello := offer.Hello
	if id := a.identity; id.Device != "" && id.Device != hello.Device {
		return nil, failure(dialog.ErrorUnauthorized, "the credentials belong to device %q, the hello claims %q", id.Device, hello.Device)
	}
	if hello.Device == "" {
		return nil, failure(dialog.ErrorProtocol, "the hello names no device")
	}
	for direction, format := range map[string]audio.Format{"up": offer.Up, "down": offer.Down} {
		if err := format.Validate(); err != nil {
			return nil, &Error{Code: dialog.ErrorProtocol, Message: "audio " + direction + ": " + err.Error(), Err: err}
		}
		if format.Channels != 1 {
			return nil, failure(dialog.ErrorProtocol, "audio %s: %d channels are not supported: use 1", direction, format.Channels)
		}
	}
	queue := hello.Capabilities.QueueCap
	if queue > 0 && queue < offer.Down.Ptime {
		return nil, failure(dialog.ErrorProtocol, "a playback queue of %s does not hold one packet of %s", queue, offer.Down.Ptime)
	}
	hello.Profile = a.identity.Profile
	hello.Capabilities.Lead = LeadFor(queue, offer.Down.Ptime)
	hello, resumed := a.identify(hello)
	server := a.server
	log := server.log.With().Str("session", hello.Session).Str("device", hello.Device).Logger()
	return newLeg(terms{Limits: server.limits, hello: hello, resumed: resumed, up: offer.Up, down: offer.Down, reorder: offer.Reorder}, transport, log), nil
}

// identify gives the connection the session that the device comes back to, or a
// new one. A device that comes back may be faster than the news that its old
// connection is lost: that one ends first. A connection that was itself replaced
// in the meantime takes no session away from the newer one.
func (a *Admission) identify(hello dialog.Hello) (dialog.Hello, dialog.Resumed) {
	if hello.Resume != nil && a.server.resume != nil {
		r := a.server.registry
		r.mu.Lock()
		old, evicted := r.claim(a, hello.Device), a.evicted
		r.mu.Unlock()
		if old != nil {
			old.end(ErrReplaced)
		}
		if !evicted {
			if resumed, ok := a.server.resume(hello); ok {
				hello.Session = hello.Resume.Session
				return hello, resumed
			}
		}
	}
	hello.Session, hello.Resume = sessionID(), nil
	return hello, dialog.Resumed{}
}

// Serve runs the server's handler on the leg until the connection is over and
// the handler has returned. An older connection of the device is evicted. The
// error says why the connection ended; nil when either side announced it.
func (a *Admission) Serve(ctx context.Context, leg *Leg) error {
	r := a.server.registry
	r.mu.Lock()
	a.leg = leg
	old := r.claim(a, leg.terms.hello.Device)
	evicted, draining := a.evicted, r.draining
	r.mu.Unlock()
	if old != nil {
		old.end(ErrReplaced)
	}
	switch {
	case evicted:
		leg.end(ErrReplaced)
	case draining:
		leg.end(ErrShutdown)
	}
	began := time.Now()
	err := leg.run(ctx, a.server.handler)
	leg.log.Debug().Err(err).Dur("duration", time.Since(began)).Msg("connection ended")
	return err
}

// sessionID returns an identifier that is unique and hard to guess: 128 random
// bits.
func sessionID() string { return strings.ToLower(rand.Text()) }
