// Package conformance keeps docs/conformance.md and the tests in step: which line
// of which contract is kept, and which test shows it.
//
// A test names the lines that it shows in its name, in its comment or in the
// rows of its table: G05 for a line of the stream contract, V28 for one of the
// model contract, F16 for one of the failure catalogue. The page has a sentence
// on each line, beside its tests.
package conformance
