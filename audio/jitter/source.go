package jitter

import (
	"time"
)

// maxSkip is how many numbers may be missing at once, or lie between two packets
// that agree, without further evidence.
const maxSkip = 8

// maxMisorder is how far behind a number may lie to be called late
// (RFC 3550 appendix A.1).
const maxMisorder = 100

// source is what is known of the sender: where its numbers and timestamps are.
type source struct {
	started bool
	// seq and place are the newest accepted number, as on the wire and
	// unwrapped; ts is the unwrapped timestamp that belongs to it. The lower 32
	// bits of ts are those of the wire.
	seq       uint32
	place, ts int64
	// lastTS and lastDur are those of the packet that was handed out last.
	lastTS, lastDur int64
	// ptime is the duration of the media packet accepted last.
	ptime int64
	// epoch is the arrival of the first packet; transit is the least difference
	// of arrival and timestamp seen lately: how the two clocks relate.
	epoch   time.Time
	transit time.Duration
	arrived time.Time
}

// begin anchors the source at its first packet.
func (b *Buffer) begin(p *Packet, place int64, now time.Time) {
	b.source = source{
		started: true,
		seq:     p.Seq, place: place, ts: int64(p.Timestamp),
		lastTS: int64(p.Timestamp),
		ptime:  b.source.ptime,
		epoch:  now, arrived: now,
	}
	b.source.transit = -b.duration(b.source.ts)
}

// unwrap returns the place and the timestamp of a packet on the lines of the
// source, each the one nearest to the newest.
func (b *Buffer) unwrap(p *Packet) (place, ts int64) {
	place = b.source.place + seqDiff(p.Seq, b.source.seq, b.cfg.SeqBits)
	ts = b.source.ts + int64(int32(p.Timestamp-uint32(b.source.ts)))
	return place, ts
}

// seqDiff is a-b for numbers that wrap after so many bits.
func seqDiff(a, b uint32, bits int) int64 {
	shift := 32 - bits
	return int64(int32((a-b)<<shift) >> shift)
}

// note records an accepted packet.
func (b *Buffer) note(p *Packet, place, ts, dur int64, now time.Time) {
	b.stray = stray{}
	if place < b.source.place {
		b.stats.Reordered++
	} else {
		b.source.seq, b.source.place, b.source.ts = p.Seq, place, ts
	}
	if dur > 0 && !p.Gap {
		b.source.ptime = dur
	}
	// The least transit follows clocks that drift apart by up to 1000 ppm, five
	// times what crystals do.
	allowance := now.Sub(b.source.arrived) / 1000
	b.source.transit = min(b.source.transit+max(allowance, 0), b.transit(ts, now))
	b.source.arrived = now
}

// transit is the time from ts on the sender's clock to now on ours, but for a
// constant.
func (b *Buffer) transit(ts int64, now time.Time) time.Duration {
	return now.Sub(b.source.epoch) - b.duration(ts)
}

// behind reports whether a packet whose place has been passed is an old packet
// of this source, as opposed to one of a source that began anew.
func (b *Buffer) behind(place, ts, dur int64) bool {
	distance := b.next - place
	end := b.source.lastTS + b.source.lastDur
	reach := b.ticks(b.cfg.MaxJump) + distance*max(dur, b.source.ptime)
	return distance <= maxMisorder && ts <= end && ts >= end-reach
}

// plausible reports whether a packet that would stand at held[at] continues the
// stream: its timestamp is in the order of its neighbours, a jump ahead is
// explained by the time that passed, and missing numbers are explained by missing
// media.
func (b *Buffer) plausible(at int, place, ts, dur int64, now time.Time) bool {
	tremble := b.ticks(maxTolerance)
	fromPlace, fromTS, fromDur := b.next-1, b.source.lastTS, b.source.lastDur
	for i := at - 1; i >= 0; i-- {
		if before := b.held[i]; !before.void {
			fromPlace, fromTS, fromDur = before.place, before.ts, before.dur
			break
		}
	}
	for _, after := range b.held[at:] {
		if after.restart {
			break
		}
		if !after.void {
			if ts > after.ts+tremble {
				return false
			}
			break
		}
	}
	jump := ts - fromTS - fromDur
	if ts < fromTS-tremble {
		return false
	}
	if jump > b.ticks(b.cfg.MaxJump) && b.transit(ts, now) < b.source.transit-b.cfg.MaxJump {
		return false
	}
	missing := place - fromPlace - 1
	return missing <= maxSkip || jump >= missing*max(dur, b.source.ptime)/8
}

// stray follows packets that do not continue the stream, to see whether they
// continue each other.
type stray struct {
	packets int
	seq, ts uint32
	// ticks is the media time of the strays before the last one.
	ticks, last int64
	// voids counts the strays whose numbers were kept.
	voids int
}

// confirm adds a packet to the strays and reports whether they are enough, one
// after the other, to be believed.
func (b *Buffer) confirm(p *Packet, dur int64) bool {
	step := seqDiff(p.Seq, b.stray.seq, b.cfg.SeqBits)
	advance := int64(int32(p.Timestamp - b.stray.ts))
	if b.stray.packets > 0 && step == 0 && advance == 0 {
		return false // a duplicate is no evidence
	}
	agrees := b.stray.packets > 0 && step > 0 && step <= maxSkip &&
		advance >= 0 && advance <= b.ticks(b.cfg.MaxJump)
	if !agrees {
		b.stray = stray{}
	}
	b.stray.packets++
	b.stray.ticks += b.stray.last
	b.stray.seq, b.stray.ts, b.stray.last = p.Seq, p.Timestamp, dur
	return b.stray.packets >= b.cfg.Confirm
}
