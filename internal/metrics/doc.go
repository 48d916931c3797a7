// Package metrics makes Prometheus metrics of what a server does.
//
// What happens in sessions is counted as it happens: Sessions.Observer returns a
// log.Observer for one session, which its Recorder calls with every event that it
// writes. So nothing is missed, however slow the readers of the session log are,
// and what /metrics tells agrees with what the log does. Everything else is read
// when somebody asks: the connections from edge.Server.Totals, the engines from
// their engine.Gate, the log from its log.Ring.
//
// # Names and labels
//
// All names begin with edged_, counters end in _total, times are in seconds.
// The labels have few values, all of which are there from the start with 0: none
// of them is a device, a session, or anything else that a device may choose. A
// value that is not known here is counted as "other".
//
// # Latencies
//
// A time that cannot be is not observed but counted in
// edged_latencies_rejected_total: a negative one, one that is absurdly long, and
// one of a stage that is reached before the stage that it comes of.
//
// # Concurrency
//
// Everything may be called concurrently. An Observer belongs to one session; what
// is shared between sessions are counters without locks. Nothing is allocated for
// an event. Whoever asks for metrics holds nobody up: an answer is collected
// before the first byte of it is written, and the locks of a connection are held
// one by one, for as long as it takes to copy its counters.
package metrics
