// Package opus decodes and encodes Opus packets (RFC 6716) with libopus.
//
// On the way in it stands behind the jitter buffer: packets are decoded straight
// to the rate of the recogniser (an Opus stream decodes to any of its rates, so
// there is no resampler), a lost packet is recovered from the redundancy in the
// next one (DecodeFEC) or concealed (Conceal). On the way out it stands behind
// the resampler and in front of the pacer.
//
// A packet is one raw Opus packet, without Ogg or any other container. Inspect
// and Duration read the packet's structure in Go, before any C code sees it:
// that is where garbage is refused.
//
// The caller owns all buffers, nothing is retained between calls, and no call
// allocates once a codec was made.
//
// # Building
//
// The package needs cgo, pkg-config and libopus 1.2 or newer with its static
// archive; without them the build fails. On Debian: apt-get install gcc
// pkg-config libopus-dev. Build with -tags nolibopusfile, so that libopusfile is
// not needed as well.
//
// The archive becomes part of the program, which then runs on a machine without
// libopus. The price is that a security update of libopus reaches the program
// only when it is built again.
//
// # Concurrency
//
// A Decoder or Encoder serves one goroutine at a time. Their memory belongs to
// the garbage collector; there is nothing to close.
package opus
