package edge

import (
	"net"
	"net/netip"
	"strings"
)

// addressOf is what counts as one address when limits are counted by it: an IPv4
// address, or the 64 bits of an IPv6 address that name a network, since a single
// machine has all the rest to itself. Peers without an IP address (a socket of
// the file system) count as one address together, which is the zero Prefix.
func addressOf(remote string) netip.Prefix {
	addr, ok := ipOf(remote)
	if !ok {
		return netip.Prefix{}
	}
	bits := 32
	if addr.Is6() {
		bits = 64
	}
	prefix, err := addr.WithZone("").Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return prefix
}

// ipOf parses a peer's address, with a port or without. IPv4 in the clothes of
// IPv6 is IPv4.
func ipOf(remote string) (netip.Addr, bool) {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return addr.Unmap(), err == nil
}
