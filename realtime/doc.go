// Package realtime is the stream contract that all capabilities of edged share:
// what travels between a device's microphone, a recogniser, a model, a
// synthesiser and a loudspeaker, and how its pieces begin and end.
//
// # Place in the flow
//
// The edge pushes the decoded audio of a device into a [RealtimeStream]; the
// session reads it. Generators and transformers produce a [Stream] through a
// [StreamBuilder] or [Produce], and consume one through its three methods.
//
// # Routes and channels
//
// A [MessageChunk] is one increment. Its [StreamCtrl] names a route (StreamID);
// a route carries MIME channels, one for each type of content ([ChannelKey]),
// each with a life of its own:
//
//	chunk                      begin of stream             end of stream
//	with a Part (or tool call) begins, or announces,       ends that channel, after
//	                           that channel of the route   the data it carries
//	control-only               begins the route            ends the route with all
//	                                                       its channels
//
// A route is complete when each channel seen or announced on it has ended, or
// at its control-only end ([Tracker] follows this). Who will add a channel
// later announces it before, or keeps the route open. Neither kind of end ends
// the enclosing Stream, and neither does an Error on a chunk: that is the
// failure of one channel or route. Labels tell what a chunk is used for and
// never route it. A chunk without Ctrl carries no routing and no boundary.
//
// # Ends
//
// A Stream ends with io.EOF, or with a [State] that tells how a generation
// ended and what it cost; [IsEnd] recognises both. Everything else is a
// failure. Closing a stream from either side frees the other.
//
// # Concurrency
//
// Chunks and messages are immutable once handed on, so they may be shared. A
// Stream is read by one goroutine at a time and closed from any. Every queue is
// bounded: a StreamBuilder blocks its producer; a RealtimeStream, whose
// producer is a device that cannot wait, replaces the oldest audio by a gap.
// Only Produce starts a goroutine, and Close of its stream joins it.
package realtime
