// Package jitter puts the packets of one track back into their order and says
// what is missing between them.
//
// It stands right behind the transport and in front of the decoder, and is the
// only place in the system that delays or reorders. A packet that comes in order
// passes with no delay at all. Behind a hole in the numbering packets wait, at
// most Config.Delay after the first packet that showed the hole; then the hole
// comes out as a Lost item of the right duration. So the durations of the items
// always add up to the media time of the source: audio time advances whatever
// the network does.
//
// Two different sources of truth are kept apart: the sequence number says
// whether a packet is missing, the timestamp says how much time passed. Time
// without a missing number is silence that the sender did not transmit (DTX).
//
// # Use
//
// After every Push, and whenever Deadline has passed, call Pop until it returns
// false:
//
//	buffer.Push(packet, time.Now())
//	for {
//		item, ok := buffer.Pop(time.Now())
//		if !ok {
//			break
//		}
//		switch item.Kind { ... }
//	}
//	timer at buffer.Deadline()
//
// # Concurrency
//
// A Buffer serves one goroutine at a time. It starts none, reads no clock and
// needs no Close: time comes in with the calls.
package jitter
