// Package arch holds the rules of the tree as tests: who may import whom, what
// builds without C, and what every package owes its reader. It has no code of
// its own.
package arch
