// Package ws serves devices that speak edged.v1 over WebSocket.
//
// It stands between the socket and an edge.Leg. Handler checks the HTTP request
// (origin, how often its address comes, token, place), upgrades it, exchanges hellos and then translates in both
// directions between the messages of package wire and the words of the leg. The
// protocol itself is described in firmware-protocol/SPEC.md.
//
// # Bad input
//
// What a device does wrong is told to it in an error message and to the session as
// a dialog.Fault, at most once a second for each code, and always counted
// (edge.Stats). Malformed messages and frames are dropped and the session goes on;
// unknown types are skipped silently. A connection ends over Ogg pages, over a
// message above twice the largest legal size, over more than
// edge.Limits.MaxFaults malformed ones, and over messages or audio that come too
// fast for too long. The pings and pongs of WebSocket count as control messages,
// and the bytes of the socket are metered below everything: a flood of fragments
// is one, too.
//
// # Concurrency
//
// A connection has no goroutines beyond those of its leg: its reads run on the
// goroutine of its HTTP request, its writes on the leg's writer. The answers to
// WebSocket pings and closes are written by the library on the reader; it
// serialises them with the writer's.
package ws
