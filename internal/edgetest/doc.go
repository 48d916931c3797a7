// Package edgetest holds a simulated hardware device for tests and for the
// command "edged device", a strict fake server to test the device against, and
// in-memory connections for both.
//
// A [Device] speaks edged.v1 over a WebSocket and behaves as hardware does: its
// microphone delivers one packet every ptime on absolute deadlines, its playback
// queue is bounded, its speaker plays in real time by a sample counter of its
// own, and what it tells the server of playback comes from that counter. It
// lives in front of everything else in the flow, on the other side of the
// socket, and knows nothing of the server but the protocol.
//
//	d, err := edgetest.Dial(ctx, edgetest.Config{URL: "ws://127.0.0.1:8080/v1/ws"})
//	answer, err := d.Ask(ctx, edgetest.Question{PCM: samples})
//	fmt.Println(answer.Transcript, answer.Reply, answer.Heard)
//	err = d.Close(ctx)
//
// Device.Talk asks on one open microphone (wire.ModeRealtime), also in the middle of
// a reply; a [Caller] comes back when its connection is lost. Package impair holds
// what Config.Network, Config.Clock and Config.Echo put between the device, its
// server and its user.
//
// It uses the wall clock through package time alone, so that it also runs in a
// testing/synctest bubble, over a [Pipe] instead of a socket.
//
// # What was heard
//
// Answer.Heard is the part of the reply text whose sound has left the speaker.
// A piece of text spans the media from its own position to that of the next
// piece; the last one spans to the end of the reply, or, when the reply was cut
// before its end was known, as long as it takes to say it at 15 characters a
// second (150 words a minute). Within a piece its words share the span in
// proportion to their characters, and a word counts as heard when the speaker
// has passed its end.
//
// # Concurrency
//
// All methods of a Device may be called from any goroutine, but only one Ask at
// a time makes sense. A Device owns three goroutines (reader, writer, speaker), a
// fourth on a bad network, one for an open microphone and one for each running tool; Close and Drop return after the last of them
// has ended. Config.OnEvent is called by the reader and must not block.
package edgetest
