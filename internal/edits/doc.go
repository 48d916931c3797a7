// Package edits counts in how many places two sequences differ: the letters of two
// readings for the gate of the offline recogniser, the words of what was said and
// what was heard for an error rate.
package edits
