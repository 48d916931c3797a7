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
// # Combinators
//
// They need nothing of a Stream but its three methods.
//
//	[Merge]             one stream after another
//	[MergeInterleaved]  one chunk of each in turn, among those that have one
//	[CompositeSeq]      one after another, each ended by a boundary
//	[Split]             two streams of one, each chunk on one side
//	[Tee]               one stream, each chunk also added to a StreamBuilder
//	[Iter]              readers of the content, by role, name and MIME channel
//
// A consumer that has left is told to every producer behind a combinator, and a
// failure to every consumer before it. None of them drops a chunk that somebody
// still wants, and none buffers without bound: when a consumer is slow its
// producers wait.
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
// Only Produce, MergeInterleaved, Split and Iter start goroutines, which end
// with their stream; Close joins them.
package realtime
