package edge

import (
	"fmt"
	"net"
	"net/netip"
)

// ListenError reports an address that would open the server to other machines
// without anybody having asked for that.
type ListenError struct {
	// Address is what was to be listened on.
	Address string
	// Reason says what is wrong with it and what to do.
	Reason string
}

// Error formats the refusal.
func (e *ListenError) Error() string {
	return fmt.Sprintf("edge: listen on %q: %s", e.Address, e.Reason)
}

// CheckListen reports whether a server with cfg may listen on address
// ("host:port"). Loopback is always allowed. Any other address needs an
// Authenticator that asks for credentials, or cfg.AllowAnonymous. A refusal is
// a *ListenError. Names other than "localhost" are not resolved and count as
// other addresses.
func CheckListen(address string, cfg Config) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil || port == "" {
		return &ListenError{Address: address, Reason: `not an address: write host:port, for example "127.0.0.1:8080"`}
	}
	if onLoopback(host) || cfg.AllowAnonymous || !letsAnybodyIn(cfg.Authenticator) {
		return nil
	}
	return &ListenError{
		Address: address,
		Reason: "other machines could connect without credentials: configure device tokens, " +
			"listen on 127.0.0.1, or allow anonymous devices explicitly",
	}
}

func onLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}
