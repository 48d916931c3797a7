package jitter

import (
	"time"
)

// Drop says why Push did not accept a packet.
type Drop string

const (
	// Accepted: the packet was not dropped.
	Accepted Drop = ""
	// Late: its place in the order has been passed.
	Late Drop = "late"
	// Duplicate: a packet of this number was accepted before.
	Duplicate Drop = "duplicate"
	// Overflow: the buffer is full of newer packets.
	Overflow Drop = "overflow"
	// Oversize: the payload exceeds Config.MaxPayload; its duration is lost.
	Oversize Drop = "oversize"
	// Implausible: number or timestamp do not continue the stream.
	Implausible Drop = "implausible"
	// Invalid: the fields contradict each other, such as media without payload.
	Invalid Drop = "invalid"
)

// Stats counts since New; Reset does not clear it. Every packet received is in
// exactly one of Delivered, Late, Duplicate, Overflow, Oversize, Implausible,
// Invalid, Cleared and Held.
type Stats struct {
	// Received counts calls of Push, Delivered the packets that Pop returned.
	Received, Delivered uint64
	// Packets that were dropped, by reason. Overflow includes those that were
	// accepted and later made room for newer ones; Cleared are those that Reset
	// found.
	Late, Duplicate, Overflow, Oversize, Implausible, Invalid, Cleared uint64
	// Held is the number of packets in the buffer now.
	Held int
	// Reordered counts packets that were accepted after one that follows them.
	Reordered uint64
	// Lost counts the packets that Lost items stood for.
	Lost uint64
	// Restarts counts how often new numbers or timestamps were believed.
	Restarts uint64
	// Overlaps counts how often the timestamps had fallen behind the sound itself
	// by more than Config.MaxJump; no sound is dropped for it.
	Overlaps uint64
	// Media time that came out, by kind of item.
	MediaTime, LostTime, GapTime, SilenceTime time.Duration
}
