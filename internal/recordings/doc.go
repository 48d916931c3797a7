// Package recordings gives tests the spoken questions in testdata/audio: what
// is said in each, what is a right answer, and where in the file the speech
// begins and ends. See the README.md beside the recordings for how they were
// made; the command in internal/recordings/record makes them.
//
// # Concurrency
//
// All types are plain values.
package recordings
