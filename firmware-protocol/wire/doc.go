// Package wire encodes and decodes the edged.v1 device protocol: binary audio
// frames and JSON control messages. SPEC.md in the parent directory describes
// the protocol for the author of a firmware; ../vectors holds bytes that every
// implementation must produce and accept.
//
// It is a leaf: it imports only the standard library, does no I/O and keeps no
// state. The edge parses what a device sent with it and writes what the device
// will get; the simulated device does the same the other way round.
//
// # Frames
//
// One WebSocket binary message is one [Frame]. [ParseFrame] and [AppendFrame]
// do not allocate on valid input; the payload of a parsed frame aliases the
// input.
//
// # Control messages
//
// One WebSocket text message is one [Message]: a JSON object whose member
// "type" names its [Kind]. [DecodeMessage] checks types, ranges and lengths,
// ignores members that it does not know, and reports a kind that it does not
// know as [ErrUnknownMessage], which the receiver skips and counts.
//
// # Concurrency
//
// All functions are pure and may be called from any goroutine. All types are
// plain values.
package wire
