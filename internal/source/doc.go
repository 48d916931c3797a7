// Package source reads the Go files of a tree, for the tests that hold the tree and
// its pages to their word: what imports what, which tests there are, which names a
// page may use.
package source
