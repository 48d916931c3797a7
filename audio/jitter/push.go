package jitter

import (
	"slices"
	"time"
)

// Push takes in a packet that arrived at now; arrivals must not go back in time.
// It returns Accepted, or why the packet was dropped; the drop is counted. The
// payload is copied.
func (b *Buffer) Push(p Packet, now time.Time) Drop {
	b.stats.Received++
	if !p.sound() {
		b.stats.Invalid++
		return Invalid
	}
	dur := b.ticks(p.Duration)
	if dur == 0 && p.Duration > 0 {
		b.stats.Invalid++
		return Invalid // less than a sample
	}
	if !b.source.started {
		b.begin(&p, b.next, now)
		b.offset = -b.source.ts
		return b.insert(0, &p, b.next, b.source.ts, dur, now)
	}
	place, ts := b.unwrap(&p)
	if place < b.next {
		return b.pushBehind(&p, place, ts, dur, now)
	}
	at := len(b.held)
	for at > 0 && b.held[at-1].place > place {
		at--
	}
	if at > 0 && b.held[at-1].place == place {
		if !b.held[at-1].void {
			b.stats.Duplicate++
			return Duplicate
		}
		// The number came before with an unbelievable packet; this may be the
		// true one.
		if !b.plausible(at, place, ts, dur, now) {
			return b.pushStray(&p, dur, now)
		}
		b.discard(at - 1)
		at--
	} else if !b.plausible(at, place, ts, dur, now) {
		drop := b.pushStray(&p, dur, now)
		if drop == Implausible && place-b.source.place <= maxSkip {
			b.void(at, place, dur, now)
		}
		return drop
	}
	return b.insert(at, &p, place, ts, dur, now)
}

// pushBehind handles a packet whose place has been passed.
func (b *Buffer) pushBehind(p *Packet, place, ts, dur int64, now time.Time) Drop {
	if !b.behind(place, ts, dur) {
		return b.pushStray(p, dur, now)
	}
	if back := b.next - 1 - place; back < 64 && b.filled>>uint(back)&1 == 1 {
		b.stats.Duplicate++
		return Duplicate
	}
	b.stats.Late++
	return Late
}

// pushStray handles a packet that does not continue the stream: it is dropped,
// unless it completes the evidence that the source has restarted.
func (b *Buffer) pushStray(p *Packet, dur int64, now time.Time) Drop {
	if !b.confirm(p, dur) {
		b.stats.Implausible++
		return Implausible
	}
	lead, strays := b.stray.ticks, b.stray.packets-1-b.stray.voids
	place := b.next
	if last := len(b.held) - 1; last >= 0 {
		place = b.held[last].place + 1
	}
	lastTS, lastDur := b.source.lastTS, b.source.lastDur
	b.begin(p, place, now)
	if len(b.held) > 0 {
		// Packets of the old time line are still to come out.
		b.source.lastTS, b.source.lastDur = lastTS, lastDur
	}
	b.stats.Restarts++
	drop := b.insert(len(b.held), p, place, b.source.ts, dur, now)
	if drop == Accepted || drop == Oversize {
		restarted := b.held[len(b.held)-1]
		restarted.restart, restarted.lead, restarted.strays = true, lead, strays
	}
	return drop
}

// insert stores a packet at held[at], making room if need be.
func (b *Buffer) insert(at int, p *Packet, place, ts, dur int64, now time.Time) Drop {
	if len(b.free) == 0 {
		if at == 0 {
			b.stats.Overflow++
			return Overflow
		}
		b.evict()
		at--
	}
	b.note(p, place, ts, dur, now)
	s := b.take(at)
	*s = slot{
		place: place, ts: ts, dur: dur, arrived: now, kind: Media,
		seq: p.Seq, tag: p.Tag, payload: s.payload[:0],
	}
	switch {
	case p.Gap:
		s.kind = Gap
	case dur == 0:
		s.kind = Mark
	case len(p.Payload) > b.cfg.MaxPayload:
		s.kind = Lost
		b.stats.Oversize++
		return Oversize
	}
	if cap(s.payload) < len(p.Payload) {
		// In steps, so that packets of varying size settle soon.
		const step = 512
		s.payload = make([]byte, 0, (len(p.Payload)+step-1)/step*step)
	}
	s.payload = append(s.payload, p.Payload...)
	return Accepted
}

// void notes that the number of a place has arrived, without anything to hand
// out: nothing behind it needs to wait.
func (b *Buffer) void(at int, place, dur int64, now time.Time) {
	if len(b.free) <= len(b.held) {
		return // slots are for packets
	}
	s := b.take(at)
	*s = slot{place: place, dur: dur, arrived: now, void: true, payload: s.payload[:0]}
	b.stray.voids++
}

// take moves a free slot to held[at].
func (b *Buffer) take(at int) *slot {
	s := b.free[len(b.free)-1]
	b.free = b.free[:len(b.free)-1]
	b.held = slices.Insert(b.held, at, s)
	return s
}

// discard moves held[at] back to the free slots.
func (b *Buffer) discard(at int) {
	s := b.held[at]
	b.held = slices.Delete(b.held, at, at+1)
	b.free = append(b.free, s)
}

// evict drops the oldest packet, whose time becomes part of the next loss.
func (b *Buffer) evict() {
	s := b.remove()
	if s.counts() {
		b.stats.Overflow++
	}
	b.pass(s)
}

// pass gives up a slot that was taken out, and the places that are missing
// before it: they become part of the next loss.
func (b *Buffer) pass(s *slot) {
	missing := s.place - b.next
	b.gone.packets += int(missing)
	b.gone.ticks += missing * b.source.ptime
	b.passed(s.place, !s.void)
	if s.void {
		b.gone.packets++
		b.gone.ticks += s.dur
		return
	}
	if s.kind != Mark {
		b.gone.packets++
		b.gone.ticks += s.dur
	}
	if s.restart {
		if s.strays > 0 { // voids have been counted
			b.gone.packets += s.strays
			b.gone.ticks += s.lead
		}
		b.rebase(s)
	}
	b.gone.end = max(b.gone.end, s.ts+s.dur+b.offset)
	b.source.lastTS, b.source.lastDur = s.ts, s.dur
}

// rebase puts the time line of a source that restarted behind what came before.
func (b *Buffer) rebase(s *slot) {
	b.offset = max(b.pos, b.gone.end) + s.lead - s.ts
	s.restart = false
}
