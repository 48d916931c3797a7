package edgetest

import (
	"context"
	"time"

	"edged/firmware-protocol/wire"
)

// play is the goroutine behind the speaker: it does not move samples (the
// speaker is exact without it) but tells the server and the waiting Ask what has
// left, when it is due.
func (d *Device) play() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-d.kick:
		case <-d.gone:
			return
		}
		d.mu.Lock()
		now := time.Now()
		d.speaker.advance(now)
		acks := d.dueAcks(now)
		next := d.nextAck(now)
		d.change()
		d.mu.Unlock()
		for _, m := range acks {
			ctx, cancel := context.WithTimeout(context.Background(), writeDeadline)
			err := d.Send(ctx, m)
			cancel()
			if err != nil {
				return // the connection is gone
			}
		}
		d.mu.Lock()
		for _, t := range d.turns {
			if t.finalAck && !t.told {
				t.told = true
				d.change()
			}
		}
		d.mu.Unlock()
		timer.Stop()
		if next > 0 {
			timer.Reset(next)
		}
	}
}

// dueAcks returns the acknowledgements that are due. It needs mu.
func (d *Device) dueAcks(now time.Time) (acks []wire.Message) {
	for _, t := range d.turns {
		switch {
		case !t.begun || t.finalAck:
		case t.done:
			t.finalAck = true
			acks = append(acks, wire.Played{Turn: t.number, Samples: t.played})
		case t.playing && t.played != t.ackedPos && now.Sub(t.lastAck()) >= d.cfg.AckInterval:
			t.acked, t.ackedPos = now, t.played
			acks = append(acks, wire.Played{Turn: t.number, Samples: t.played})
		}
	}
	if !d.cfg.Capabilities.Ack {
		return nil
	}
	return acks
}

// lastAck is when the last acknowledgement was due, or playback began.
func (t *turn) lastAck() time.Time {
	if t.acked.IsZero() {
		return t.playedAt
	}
	return t.acked
}

// nextAck returns in how long the goroutine has to look again; 0 means only
// when it is kicked. It needs mu.
func (d *Device) nextAck(now time.Time) time.Duration {
	if len(d.speaker.queue) == 0 {
		return 0
	}
	due := d.speaker.queue[0].turn.lastAck().Add(d.cfg.AckInterval)
	if d.speaker.end.Before(due) {
		due = d.speaker.end
	}
	return max(due.Sub(now), time.Millisecond)
}
