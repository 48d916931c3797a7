// Package edge is the server's side of connections to devices: who may connect,
// how many, and what happens to sound on its way in and out, whatever the
// transport.
//
// A transport such as edge/ws turns a socket into packets and control messages. A
// Leg stands between it and the dialogue:
//
//	up    packets -> jitter buffer -> Opus (FEC, concealment) or PCM -> 16 kHz
//	      mono -> chunks on a realtime.Stream, one route for each listening period
//	down  Play: chunks of a reply -> resampler -> Opus or PCM -> Pacer -> packets
//
// The dialogue itself is a Handler; the edge knows nothing of speech, models or
// turns beyond their numbers. Both sides speak in the words of package dialog.
//
// # Order and urgency
//
// What belongs to a place in the audio travels with the audio: the beginning and
// end of a listening period are chunks among its sound, and the text of a reply is
// sent to the device right before the sound that it begins at. Everything else
// (Send, a flush, pings) overtakes reply audio that waits.
//
// A Flush makes a promise: from its call on nothing of that turn or an older one
// is taken in, and once it has returned its message was written and nothing of
// them is written after it. The number of the turn is the epoch; the writer
// compares it right before each write.
//
// # Pace
//
// Reply audio is sent at most Capabilities.Lead ahead of the device's playback,
// never in a burst, by absolute deadlines; see Pacer. A reply whose synthesiser
// stalls is filled up with silence to the end of the packet, so that no word waits
// for the next sentence; positions that the session hears of leave that silence
// out.
//
// # Holding
//
// A device that can is made to pause a reply at a given place with Leg.Hold while
// somebody judges whether its user means to interrupt, and to go on with
// Leg.Release. The leg fills the device's queue up to the lead behind that place
// and stands still with it; the pause shifts all deadlines behind it. Positions of
// the session are translated to the device's samples, which count inserted
// silence.
//
// # Coming back
//
// A device that lost its connection names its session in the hello. Config.Resume
// decides whether that goes on, after the older connection of the device has
// ended, and the new Leg carries the same session. The rest of a reply begins in
// the middle (Play), and all that is told of it counts from its true beginning;
// the old leg still converts the device's last count to a position (Leg.Locate).
//
// # Bounds
//
// Every queue has one. Audio of the microphone that the session is too slow for
// becomes a gap; reply audio blocks Play; control never drops, its overflow ends
// the connection. A device that takes nothing for Limits.WriteTimeout, or sends
// nothing for Limits.IdleTimeout, loses its connection.
//
// # Limits
//
// A connection comes in by stations, and each counts what is limited there, all
// under one lock: how often its address and its device connect, how many wait for
// their hello, how many sessions there are in all and of its address. A limit that
// is exceeded is answered with busy and a time to come back; Server.Admissions
// counts them. See Admission.
//
// Once it is served, a connection is read no faster than Limits allows. Too much
// control makes the reader rest, so that a flood waits in its own connection; too
// much audio is dropped before it is decoded, and the reader rests as well. The
// bytes below are metered, too (Limits.Meter). So one device costs the others a
// bounded amount of time, whatever it sends. It is told too_fast once a second, and
// loses its connection when it does not stop.
//
// # Concurrency
//
// A connection has two goroutines of its own: the reader, which is the caller of
// Admission.Serve, and the writer, which alone writes to the transport and encodes
// and paces. Its Handler runs on a third. Serve returns after all have ended. The
// methods of Server, Leg and Inlet may be called from any goroutine; a Pacer serves
// one at a time.
package edge
