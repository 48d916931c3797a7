package edge

import (
	"context"
	"crypto/rand"
	"net/netip"
	"strings"
	"time"

	"edged/audio"
	"edged/dialog"
)

// Admission is the way of one connection into the server: it arrives (Arrive),
// may have to say first whose it is (Await), is given a place (Admit), is agreed
// upon (Open) and served (Serve). Each station counts what is limited there and
// may refuse with an *Error that the device is to be told. Whoever got an
// Admission calls Release when the connection is over, however far it came. The
// stations are called by one goroutine.
type Admission struct {
	server   *Server
	from     netip.Prefix
	identity Identity

	// Guarded by registry.mu.
	device  string // under which it is registered
	awaited bool   // it counts among the awaited
	placed  bool   // it counts among the places
	evicted bool   // a newer connection of the device took over
	leg     *Leg   // once it is served
}

// Arrive is called for each connection before anything is done for it. remote is
// the peer's network address, host:port. The error is an *Error: busy when the
// address comes too often, or shutdown.
func (s *Server) Arrive(remote string) (*Admission, error) {
	a := &Admission{server: s, from: addressOf(remote)}
	r := s.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.open(); err != nil {
		return nil, err
	}
	if err := r.arrive(a.from, time.Now()); err != nil {
		return nil, err
	}
	return a, nil
}

// Await is called for a connection that has shown no credentials yet, before its
// hello is waited for. The error is an *Error: busy when too many are waited for
// already.
func (a *Admission) Await() error {
	r := a.server.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.await(a)
}

// Admit reserves a place for the connection, which is of the given identity. When
// that names a device, an older connection of the device is evicted and its place
// taken over. The error is an *Error: busy with a hint when to try again, or
// shutdown; the older connection then stays.
func (a *Admission) Admit(id Identity) error {
	r := a.server.registry
	r.mu.Lock()
	if err := r.open(); err != nil {
		r.mu.Unlock()
		return err
	}
	if err := r.place(a, id.Device, time.Now()); err != nil {
		r.mu.Unlock()
		return err
	}
	r.met(a)
	a.identity = id
	old := r.claim(a, id.Device)
	r.mu.Unlock()
	if old != nil {
		old.end(ErrReplaced)
	}
	return nil
}

// Release gives back what the connection holds. It is idempotent.
func (a *Admission) Release() {
	r := a.server.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	r.leave(a)
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
	if err := a.named(hello.Device); err != nil {
		return nil, err
	}
	hello.Profile = a.identity.Profile
	hello.Capabilities.Lead = LeadFor(queue, offer.Down.Ptime)
	hello, resumed := a.identify(hello)
	server := a.server
	log := server.log.With().Str("session", hello.Session).Str("device", hello.Device).Logger()
	return newLeg(terms{Limits: server.limits, hello: hello, resumed: resumed, up: offer.Up, down: offer.Down, reorder: offer.Reorder}, transport, log), nil
}

// named refuses a device that comes too often and whose name comes only now.
func (a *Admission) named(device string) error {
	if a.identity.Device != "" {
		return nil // Admit has asked
	}
	r := a.server.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.returns(device, time.Now())
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
	case !a.identity.stands(ctx): // it was revoked on the way here
		leg.end(errRevoked())
	}
	leave := a.server.tally.enter(leg)
	defer leave()
	began := time.Now()
	err := leg.run(ctx, a.server.handler)
	leg.log.Debug().Err(err).Dur("duration", time.Since(began)).Msg("connection ended")
	return err
}

// sessionID returns an identifier that is unique and hard to guess: 128 random
// bits.
func sessionID() string { return strings.ToLower(rand.Text()) }
