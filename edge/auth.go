package edge

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Reasons why an Authenticator turns a connection away.
var (
	// ErrUnauthorized: the credentials are missing or wrong. Trying again with
	// the same ones is pointless.
	ErrUnauthorized = errors.New("edge: unauthorized")
	// ErrExpired: the token was good once. It matches ErrUnauthorized.
	ErrExpired = fmt.Errorf("%w: token expired", ErrUnauthorized)
)

// Credentials is what a connection shows before it is let in.
type Credentials struct {
	// Token is the bearer token, "" when none was sent. It is never logged.
	Token string
	// Device is the identity that the device claims before its hello. Usually
	// empty: the claim comes with the hello.
	Device string
	// Remote is the peer's network address, host:port.
	Remote string
	// Header holds the headers of the HTTP request. Not to be modified.
	Header http.Header
}

// String hides the token, so that printing credentials leaks nothing.
func (c Credentials) String() string {
	return fmt.Sprintf("credentials of %q from %s", c.Device, c.Remote)
}

// GoString hides the token from %#v.
func (c Credentials) GoString() string { return c.String() }

// Identity is who a connection belongs to.
type Identity struct {
	// Device is the identity of the device. Empty means that the credentials
	// name none and the claim of the hello stands.
	Device string
	// Profile names the settings that the device runs under. Empty means the
	// server's default.
	Profile string

	grant *grant // nil unless a Revocable granted it
}

// Authenticator decides who may connect. Authenticate is called for each
// connection before it is upgraded, concurrently from many goroutines. An error
// that matches ErrUnauthorized refuses the connection; any other error is a
// failure of the authenticator itself and refuses it as well.
type Authenticator interface {
	Authenticate(context.Context, Credentials) (Identity, error)
}

// Chain asks its authenticators in order and takes the first that accepts. When
// all refuse, the error is the most telling one: a failure of an authenticator
// before ErrExpired before ErrUnauthorized. An empty Chain refuses everybody.
type Chain []Authenticator

// Authenticate implements Authenticator.
func (c Chain) Authenticate(ctx context.Context, creds Credentials) (Identity, error) {
	refusal := ErrUnauthorized
	for _, a := range c {
		id, err := a.Authenticate(ctx, creds)
		if err == nil {
			return id, nil
		}
		if weight(err) > weight(refusal) {
			refusal = err
		}
	}
	return Identity{}, refusal
}

// weight orders refusals by how much they tell the one who asks.
func weight(err error) int {
	switch {
	case errors.Is(err, ErrExpired):
		return 1
	case errors.Is(err, ErrUnauthorized):
		return 0
	default:
		return 2
	}
}

// anonymous reports whether a member of the chain lets everybody in.
func (c Chain) anonymous() bool {
	for _, a := range c {
		if letsAnybodyIn(a) {
			return true
		}
	}
	return false
}

// Open lets everybody in who connects from the same machine, under the name
// that the device claims for itself. It is the authenticator of a server on
// loopback.
type Open struct {
	// Profile is the profile of every device. Empty means the server's default.
	Profile string
	// AnyAddress lets in other machines, too.
	AnyAddress bool
}

// Authenticate implements Authenticator.
func (o Open) Authenticate(_ context.Context, creds Credentials) (Identity, error) {
	if !o.AnyAddress && !fromLoopback(creds.Remote) {
		return Identity{}, fmt.Errorf("%w: this server serves devices without a token from its own machine only", ErrUnauthorized)
	}
	return Identity{Device: creds.Device, Profile: o.Profile}, nil
}

func (o Open) anonymous() bool { return true }

// letsAnybodyIn reports whether a needs no credentials. A nil Authenticator
// does not (the server puts Open in its place).
func letsAnybodyIn(a Authenticator) bool {
	if a == nil {
		return true
	}
	open, ok := a.(interface{ anonymous() bool })
	return ok && open.anonymous()
}

// fromLoopback reports whether the peer address is on this machine. An address
// that is no IP address is not.
func fromLoopback(remote string) bool {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && addr.Unmap().IsLoopback()
}
