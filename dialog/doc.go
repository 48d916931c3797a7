// Package dialog holds the words that the edge, the session and the session
// log share: turns, positions in a reply, causes of an interruption, what a
// device can do, and the events that travel between a device and its dialogue.
//
// It is a leaf: it imports nothing of this module and holds no behaviour beyond
// naming. The edge (sockets, codecs, pacing) and the session (turn taking,
// engines, history) never import each other; both speak in these words and
// cmd/edged joins them.
//
// # Directions
//
// Uplink events go from the device to the session, downlink events from the
// session to the device. Audio and the boundaries that belong to a place in the
// audio (listen start and stop, reply begin, sentence text, reply end) do not
// travel as events: they are chunks on a realtime.Stream, so that they can
// never overtake the sound they describe.
//
// # Concurrency
//
// All types are plain values; an event is not modified after it was handed on.
package dialog
