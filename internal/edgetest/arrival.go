package edgetest

import (
	"errors"
	"time"

	"edged/audio"
	"edged/firmware-protocol/wire"
)

// frame handles one binary message.
func (d *Device) frame(now time.Time, b []byte) {
	f, err := wire.ParseFrame(b)
	d.mu.Lock()
	defer d.wake()
	defer d.mu.Unlock()
	defer d.change()
	d.speaker.advance(now)
	if err != nil && !errors.Is(err, wire.ErrUnknownType) {
		d.fault(err)
		return
	}
	if f.Track != wire.TrackVoice {
		d.stats.Skipped++
		return
	}
	d.sequence(f.Seq)
	if err != nil {
		d.fault(err)
		return
	}
	d.stats.Received++
	t := d.current
	if t == nil || !t.audible && !f.Flags.Has(wire.FlagBOS) {
		d.stats.Stale++
		return
	}
	t.audible = true
	if f.Boundary() {
		return
	}
	if t.firstPacket.IsZero() {
		t.firstPacket = now
	} else if len(d.gaps) < maxGaps {
		d.gaps = append(d.gaps, now.Sub(t.lastPacket))
	}
	t.lastPacket = now
	d.queue(now, t, f)
}

// sequence counts the holes.
func (d *Device) sequence(seq uint32) {
	if d.downAny {
		if hole := int32(seq - d.downSeq); hole > 0 {
			d.stats.Lost += uint64(hole)
		}
	}
	d.downSeq, d.downAny = seq+1, true
}

// queue hands the sound of a frame to the speaker.
func (d *Device) queue(now time.Time, t *turn, f wire.Frame) {
	n, samples := d.decoder.samples, []int16(nil)
	if f.Flags.Has(wire.FlagGap) {
		n = int(f.Gap)
	} else {
		var err error
		if samples, err = d.decoder.decode(f.Payload); err != nil {
			d.stats.Undecodable++
			d.fault(err)
		}
	}
	if skip := int(t.played) - int(f.Timestamp); skip > 0 && !t.playing && skip < n {
		// A resumed reply begins at a whole millisecond.
		if samples != nil {
			samples = samples[skip:]
		}
		f.Timestamp, n = t.played, n-skip
	}
	t.received = f.Timestamp + uint32(n)
	starved, starvedFor := t.starved, t.starvedFor
	if !d.speaker.push(now, t, f.Timestamp, samples, n) {
		t.overflowed++
		d.stats.Overflowed++
	}
	d.stats.Starved += uint64(t.starved - starved)
	d.stats.StarvedFor += t.starvedFor - starvedFor
}

func (d *Device) downRate() audio.SampleRate { return rateOf(d.cfg.Down) }
