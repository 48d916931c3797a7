// Package pausing makes speech with a pause inside: sentences of synthetic voices
// that stop for 300 to 1200 ms between two words, in a room that is not quite
// silent, with exact truth about where the speech begins, stops, goes on and ends.
// Endpointing is measured with them. They are made when they are needed: what is
// committed is the texts and the voices, apart for tuning and for measuring, which
// share neither.
//
// # Concurrency
//
// Speaker may be used by any number of goroutines, one sentence at a time is
// spoken. All else are plain values.
package pausing
