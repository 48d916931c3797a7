// Package admin is the operators' HTTP API: what happens on the server, as it
// happens, and what has happened in a session.
//
//	GET /v1/admin/events          the session log, live
//	GET /v1/admin/sessions        the sessions, live and recent
//	GET /v1/admin/sessions/{id}   one session, turn by turn
//
// and whatever else is for operators only and comes as an http.Handler of its own
// (Config.Extra).
//
// Every request carries the operators' token, "Authorization: Bearer TOKEN".
// What is wrong with a request is said in a sentence: {"error": "..."}.
//
// The package knows neither the session log nor the sessions: the log is a Feed
// of JSON lines, the sessions are a Directory. Whoever builds the server joins
// them.
//
// # Events
//
// The answer is a stream of server-sent events, each with the line's id, the
// name of the event, and the line itself as data; or, for who accepts
// application/x-ndjson, the lines themselves with the id as their first field.
// A tail that has nothing to say for 15 seconds sends its position: an event
// without data, or an empty line.
//
//	device, session   only theirs; * stands for anything
//	event             only these; asr and asr.* both stand for asr.partial and
//	                  asr.final. Each of the three may be repeated and may be a
//	                  list with commas
//	since             from then on: a duration back from now such as 10m, or a
//	                  time such as 2026-01-31T12:00:00Z
//	after             from behind the line of that id on, like the header
//	                  Last-Event-ID, which counts more
//	follow            false ends the stream after what is there
//
// Lines that are missing, because the reader was too slow or asked for more than
// is kept, are marked by a line with the event log.gap, whatever was asked for.
//
// # Concurrency
//
// A Handler serves many requests at once. A tail that does not read is
// overtaken, and cut off when a write has not ended in 10 seconds; the Feed
// never waits for it. Close ends all tails.
package admin
