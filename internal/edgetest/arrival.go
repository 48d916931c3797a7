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
	late := d.sequence(f.Seq)
	if err != nil {
		d.fault(err)
		return
	}
	if late {
		d.stats.Late++
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
	} else if len(d.gaps) < maxGaps && !f.Flags.Has(wire.FlagBOS) {
		d.gaps = append(d.gaps, now.Sub(t.lastPacket))
	}
	t.lastPacket = now
	d.queue(now, t, f)
}

// sequence counts the holes, and reports a frame that comes twice or too late.
func (d *Device) sequence(seq uint32) (late bool) {
	if d.downAny {
		hole := int32(seq - d.downSeq)
		if hole < 0 {
			return true
		}
		d.stats.Lost += uint64(hole)
	}
	d.downSeq, d.downAny = seq+1, true
	return false
}

// maxConcealed is the longest hole that is filled with sound; what is missing
// beyond it is skipped.
const maxConcealed = time.Second

// conceal plays n samples of a reply that are missing: what the decoder makes up,
// or silence.
func (d *Device) conceal(now time.Time, t *turn, n int) {
	if n <= 0 || !t.playing || n > d.downRate().Samples(maxConcealed) {
		return
	}
	for n > 0 {
		part := min(n, d.decoder.samples)
		samples := d.decoder.conceal()
		if samples != nil {
			samples = samples[:part]
		}
		if d.speaker.push(now, t, t.received, samples, part) {
			d.stats.Concealed++
		}
		t.received += uint32(part)
		n -= part
	}
}

// queue hands the sound of a frame to the speaker.
func (d *Device) queue(now time.Time, t *turn, f wire.Frame) {
	d.conceal(now, t, int(int64(f.Timestamp)-int64(t.received)))
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
