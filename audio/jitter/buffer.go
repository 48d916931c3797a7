package jitter

import (
	"time"
)

// Buffer orders the packets of one track. Make one with New.
type Buffer struct {
	cfg   Config
	stats Stats

	// held is sorted by place; free holds the rest of the slots, last used on
	// top, so that a stream in order touches the same memory again and again.
	held, free []*slot

	source source
	stray  stray

	// The end of what Pop has returned: the place that comes next, the media
	// time in ticks since the first packet, and which of the last 64 places
	// were filled (bit 0 is the last).
	next   int64
	pos    int64
	filled uint64
	// offset turns ticks of the source into ticks of pos.
	offset int64
	// What was dropped after pos and is not yet reported.
	gone gone
	// since is when the hole in front of held[0] was first seen; zero: to be
	// found.
	since time.Time
	// drainTo is the place up to which holes are given up at once.
	drainTo int64
}

// slot is one packet in the buffer.
type slot struct {
	place   int64 // unwrapped sequence number
	ts, dur int64 // ticks, timestamp unwrapped
	arrived time.Time
	kind    Kind // Media, Mark, Gap; Lost for a payload that was refused
	// void: only the number arrived, what came with it was not believed.
	void bool
	// restart: ts begins a new time line, lead ticks after the old one ended.
	restart bool
	lead    int64
	// strays is how many packets were dropped before the restart was believed,
	// apart from those that left a void.
	strays  int
	seq     uint32
	tag     uint32
	payload []byte
}

// gone sums up packets that were dropped after they had been numbered.
type gone struct {
	packets int
	ticks   int64
	// end is where they ended on the time line of pos.
	end int64
}

// New returns an empty buffer.
func New(cfg Config) *Buffer {
	b := &Buffer{cfg: cfg.withDefaults()}
	slots := make([]slot, b.cfg.Packets)
	b.held = make([]*slot, 0, len(slots))
	b.free = make([]*slot, 0, len(slots))
	for i := range slots {
		b.free = append(b.free, &slots[i])
	}
	b.restore()
	return b
}

// Reset forgets the stream and what is held of it: the next packet begins a new
// one at media time 0. Counters and settings stay. Call it where a sender may
// begin anew by right, such as at the beginning of a route; elsewhere a restart
// costs packets until it is believed.
func (b *Buffer) Reset() {
	for _, s := range b.held {
		if s.counts() {
			b.stats.Cleared++
		}
	}
	b.free = append(b.free, b.held...)
	b.restore()
}

func (b *Buffer) restore() {
	b.held = b.held[:0]
	b.source, b.stray, b.gone = source{}, stray{}, gone{}
	b.next, b.pos, b.filled, b.offset = 0, 0, 0, 0
	b.since, b.drainTo = time.Time{}, -1
}

// Drain gives up every hole in front of what is held now: it comes out without
// waiting. Call it when the route has ended.
func (b *Buffer) Drain() {
	if last := len(b.held) - 1; last >= 0 {
		b.drainTo = b.held[last].place
	}
}

// Stats returns the counters.
func (b *Buffer) Stats() Stats {
	stats := b.stats
	for _, s := range b.held {
		if s.counts() {
			stats.Held++
		}
	}
	return stats
}

// counts reports whether the slot is a packet that has not been counted yet.
func (s *slot) counts() bool { return !s.void && s.kind != Lost }

// remove takes the first slot out. Its payload stays readable until it is used
// again, which only Push does.
func (b *Buffer) remove() *slot {
	s := b.held[0]
	copy(b.held, b.held[1:])
	b.held = b.held[:len(b.held)-1]
	b.free = append(b.free, s)
	b.since = time.Time{}
	return s
}

// passed notes that the places up to and including place are done with; ok tells
// whether a packet of that place was accepted.
func (b *Buffer) passed(place int64, ok bool) {
	if shift := place + 1 - b.next; shift < 64 {
		b.filled <<= uint(shift)
	} else {
		b.filled = 0
	}
	if ok {
		b.filled |= 1
	}
	b.next = place + 1
}

// ticks converts a duration to timestamp ticks.
func (b *Buffer) ticks(d time.Duration) int64 { return int64(b.cfg.Rate.Samples(d)) }

// duration converts timestamp ticks to a duration.
func (b *Buffer) duration(ticks int64) time.Duration {
	rate := int64(b.cfg.Rate)
	return time.Duration(ticks/rate)*time.Second + b.cfg.Rate.Duration(int(ticks%rate))
}
