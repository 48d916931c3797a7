package jitter

import (
	"time"
)

// Pop returns the next item, or false when there is none yet: nothing is held,
// or packets wait behind a hole until Deadline.
func (b *Buffer) Pop(now time.Time) (Item, bool) {
	for len(b.held) > 0 {
		head := b.held[0]
		gap := b.gap(head)
		if b.waits(head, gap) && !b.due(head, now) {
			return Item{}, false
		}
		if head.void {
			b.pass(b.remove())
			continue
		}
		lost := int(head.place-b.next) + b.gone.packets + head.strays
		if gap >= b.tolerance(head) {
			return b.popGap(head, gap, lost), true
		}
		b.stats.Lost += uint64(lost)
		return b.popHead(gap), true
	}
	return Item{}, false
}

// skipVoid drops the numbers at the head that brought nothing.
func (b *Buffer) skipVoid() {
	for len(b.held) > 0 && b.held[0].void && b.held[0].place == b.next {
		b.pass(b.remove())
	}
}

// gap returns the ticks of media between the end of what was handed out and the
// first held packet; negative when they overlap.
func (b *Buffer) gap(head *slot) int64 {
	if head.void {
		return 0
	}
	if head.restart {
		return max(b.pos, b.gone.end) + head.lead - b.pos
	}
	return head.ts + b.offset - b.pos
}

// maxTolerance is the shortest packet that devices send.
const maxTolerance = 10 * time.Millisecond

// tolerance is the gap that counts as one: half a packet, and never more than
// the shortest packet that may be missing. Timestamps that are off by less
// (senders that stamp by a millisecond clock) do not tear the stream.
func (b *Buffer) tolerance(head *slot) int64 {
	half := b.source.ptime / 2
	if head.kind == Media {
		half = head.dur / 2
	}
	return max(min(half, b.ticks(maxTolerance)), 1)
}

// waits reports whether there is a hole in front of head in which a packet may
// still fit: a number is missing, and so is time, be it since the last packet or
// since the end of what was handed out.
func (b *Buffer) waits(head *slot, gap int64) bool {
	if head.place == b.next {
		return false
	}
	if !head.restart {
		gap = max(gap, head.ts-b.source.lastTS-b.source.lastDur)
	}
	return head.void || gap >= b.tolerance(head)
}

// due reports whether the hole in front of head is given up.
func (b *Buffer) due(head *slot, now time.Time) bool {
	return head.place <= b.drainTo || len(b.free) == 0 || !now.Before(b.seen().Add(b.cfg.Delay))
}

// seen is when the hole in front of held[0] became known: when the first of the
// packets behind it arrived.
func (b *Buffer) seen() time.Time {
	if b.since.IsZero() {
		b.since = b.held[0].arrived
		for _, s := range b.held[1:] {
			if s.arrived.Before(b.since) {
				b.since = s.arrived
			}
		}
	}
	return b.since
}

// popGap returns the media time in front of head: first what the lost packets
// account for, then, by another Pop, what they do not.
func (b *Buffer) popGap(head *slot, gap int64, lost int) Item {
	item := Item{Kind: Silence, Timestamp: b.duration(b.pos)}
	length := gap
	if lost > 0 {
		item.Kind, item.Packets = Lost, lost
		known := b.gone.ticks + (head.place-b.next)*b.source.ptime
		if known > 0 && gap-known >= b.tolerance(head) {
			length = known
		}
		b.stats.Lost += uint64(lost)
	}
	if head.place > b.next {
		b.passed(head.place-1, false)
	}
	b.gone = gone{}
	if head.restart {
		head.lead, head.strays = gap-length, 0
	}
	item.Duration = b.advance(length)
	if item.Kind == Lost {
		b.stats.LostTime += item.Duration
	} else {
		b.stats.SilenceTime += item.Duration
	}
	return item
}

// popHead returns the first held packet.
func (b *Buffer) popHead(gap int64) Item {
	restart := b.held[0].restart
	if restart {
		b.rebase(b.held[0])
	}
	b.gone = gone{}
	if gap < -b.ticks(b.cfg.MaxJump) {
		// The sender's stamps have fallen behind its own sound. The sound is what
		// the listener gets, so the time line follows it. Less than that may be
		// made up for: stamps that tremble must not stretch the time line.
		b.offset -= gap
		b.stats.Overlaps++
	}
	s := b.remove()
	b.passed(s.place, true)
	b.source.lastTS, b.source.lastDur = s.ts, s.dur
	item := Item{
		Kind: s.kind, Timestamp: b.duration(b.pos), Duration: b.advance(s.dur),
		Payload: s.payload, Tag: s.tag, Seq: s.seq, Restart: restart,
	}
	switch s.kind {
	case Media:
		b.stats.MediaTime += item.Duration
	case Gap:
		b.stats.GapTime += item.Duration
	case Lost:
		item.Packets = 1
		b.stats.LostTime += item.Duration
		b.stats.Lost++
		return item
	}
	b.stats.Delivered++
	return item
}

// advance moves the end of what was handed out and returns by how much.
func (b *Buffer) advance(ticks int64) time.Duration {
	from := b.pos
	b.pos += ticks
	// By the ends, so that durations add up without rounding errors.
	return b.duration(b.pos) - b.duration(from)
}

// Deadline returns when Pop will have something without a further Push: when the
// hole that packets wait behind is given up, or a time that has passed when
// something is ready now. It returns false when nothing is held.
func (b *Buffer) Deadline() (time.Time, bool) {
	b.skipVoid()
	if len(b.held) == 0 {
		return time.Time{}, false
	}
	head := b.held[0]
	if b.waits(head, b.gap(head)) && head.place > b.drainTo && len(b.free) > 0 {
		return b.seen().Add(b.cfg.Delay), true
	}
	return b.seen(), true
}

// PeekNext returns the packet that the next Pop will return, if that is Media
// directly behind what was handed out. After a Lost item its payload is where an
// Opus decoder finds the redundancy for the end of the loss. The payload is valid
// until the next Push or Reset.
func (b *Buffer) PeekNext() (Packet, bool) {
	b.skipVoid()
	if len(b.held) == 0 {
		return Packet{}, false
	}
	head := b.held[0]
	if head.kind != Media || head.place != b.next || b.gap(head) >= b.tolerance(head) {
		return Packet{}, false
	}
	return Packet{
		Seq: head.seq, Timestamp: uint32(head.ts), Duration: b.duration(head.dur),
		Tag: head.tag, Payload: head.payload,
	}, true
}
