package edge

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"edged/dialog"
)

// ErrRevoked: the credentials of the connection are no longer accepted. It matches
// ErrClosed and dialog.ErrRevoked.
var ErrRevoked = fmt.Errorf("%w: %w", ErrClosed, dialog.ErrRevoked)

// Revocable is an Authenticator that can be replaced while devices are connected.
// Server.Recheck then ends the connections of those that the new one refuses. All
// methods may be called concurrently. Make one with NewRevocable.
type Revocable struct {
	current atomic.Pointer[ruling]
}

// ruling is an authenticator together with its time in force: two rulings are
// never the same, even of one authenticator.
type ruling struct{ Authenticator }

// grant is what an identity goes back to.
type grant struct {
	by    *Revocable
	under *ruling
	shown Credentials
}

// NewRevocable returns a Revocable that asks a.
func NewRevocable(a Authenticator) *Revocable {
	r := &Revocable{}
	r.Replace(a)
	return r
}

// Replace makes a the authenticator from now on.
func (r *Revocable) Replace(a Authenticator) { r.current.Store(&ruling{a}) }

// Authenticate implements Authenticator. The credentials are kept for as long as
// the connection lives.
func (r *Revocable) Authenticate(ctx context.Context, creds Credentials) (Identity, error) {
	under := r.current.Load()
	id, err := under.Authenticate(ctx, creds)
	if err != nil {
		return Identity{}, err
	}
	id.grant = &grant{by: r, under: under, shown: creds}
	return id, nil
}

func (r *Revocable) anonymous() bool { return letsAnybodyIn(r.current.Load().Authenticator) }

// stands reports whether the identity is still granted to who showed the
// credentials. A token that has only expired since was good when it was shown.
func (id Identity) stands(ctx context.Context) bool {
	g := id.grant
	if g == nil {
		return true
	}
	now := g.by.current.Load()
	if now == g.under {
		return true
	}
	again, err := now.Authenticate(ctx, g.shown)
	if err != nil {
		return errors.Is(err, ErrExpired)
	}
	return again.Device == id.Device
}

// Recheck asks again for every connection whose identity a Revocable granted that
// was replaced since. Where it is granted no longer, or to another device, the
// device is told so (unauthorized) and its connection ends with ErrRevoked, its
// session with it. It returns how many connections that were. A connection that is
// being made meanwhile is asked for when it is served.
func (s *Server) Recheck(ctx context.Context) int {
	ended := 0
	for _, a := range s.registry.served() {
		if !a.identity.stands(ctx) {
			a.leg.end(errRevoked())
			ended++
		}
	}
	return ended
}

// errRevoked is the end of a connection whose credentials are no longer accepted.
func errRevoked() error {
	return &Error{Code: dialog.ErrorUnauthorized, Message: "the credentials of this device are no longer accepted", Err: ErrRevoked}
}

// served returns who is being served.
func (r *registry) served() []*Admission {
	r.mu.Lock()
	defer r.mu.Unlock()
	var served []*Admission
	for a := range r.alive {
		if a.leg != nil {
			served = append(served, a)
		}
	}
	return served
}
