// Package rejection measures how well the offline recogniser takes commands and
// declines everything else: what is said, by whom, under which conditions, and
// what became of it.
//
// # What is committed
//
// The texts and the speakers, each with its split, and the program that makes
// speech of them. The speech itself is made when it is needed and kept in a
// cache. The splits share neither a speaker nor a family of texts; they were
// fixed before anything was tuned with them. See docs/recognition.md.
//
// # Concurrency
//
// Texts and speakers are plain values. A Studio and a Meter serve one goroutine
// at a time.
package rejection
