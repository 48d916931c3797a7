// Package digest makes of the session log what an operator asks first: which
// sessions there are, how they fare, and what happened in one of them, turn by
// turn, with every stage and its time.
//
// A Story is fed the records of one session, a Book those of all. Neither needs
// the log from its beginning: what is not known stays empty.
//
// # Concurrency
//
// A Book may be used by several goroutines at once, a Story by one. The package
// starts none.
package digest
