// Package engine limits how many calls into speech engines run at once.
//
// A call into C keeps its thread until it returns; the scheduler cannot take
// it away for a pacer that is due. With as many busy calls as cores, 200 pacers
// at 20 ms were late by 9 ms at the 99th percentile, with one call less by
// 1 ms. So a Gate admits max(1, GOMAXPROCS-1) calls, in the order in which they
// came, and whoever waits can give up.
//
// # Concurrency
//
// A Gate may be used by any number of goroutines.
package engine
