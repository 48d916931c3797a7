package edgetest

import (
	"context"
	"fmt"
	"time"

	"github.com/coder/websocket"

	"edged/firmware-protocol/wire"
)

// period is one listening period with the utterance in it. Device.mu guards it.
type period struct {
	open bool
	over chan struct{} // closed when the server ends the period
	// base is the newest turn that was known when the period began.
	base uint32
	// turn is what the utterance became, 0 while that is not known.
	turn uint32
	// spokenOver: the server began a reply of its own accord before it had
	// understood anything of the utterance.
	spokenOver bool
	// aborted: a flush ended the period before it was known to be a turn.
	aborted bool
	failure *wire.Failure
	stopped time.Time // when the server ended the period
}

// openMicrophone begins a listening period.
func (d *Device) openMicrophone(ctx context.Context) (*period, error) {
	p := &period{open: true, over: make(chan struct{})}
	d.mu.Lock()
	if n := len(d.turns); n > 0 {
		p.base = d.turns[n-1].number
	}
	d.period = p
	d.mu.Unlock()
	d.unsent = 0
	return p, d.Send(ctx, wire.Listen{State: wire.ListenStart, Mode: d.cfg.Mode})
}

// endPeriod closes the microphone because of what the server said. It needs mu.
func (d *Device) endPeriod(now time.Time) {
	if p := d.period; p != nil && p.open {
		p.open, p.stopped = false, now
		close(p.over)
	}
}

// becomes says which turn the present utterance is, if it is news. It needs mu.
func (d *Device) becomes(number uint32) {
	if p := d.period; p != nil && p.turn == 0 && number > p.base {
		p.turn = number
	}
}

// closeMicrophone ends the period on the device's own account.
func (d *Device) closeMicrophone(p *period) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p.open = false
}

// speak sends pcm in real time, one packet at the end of each ptime. In auto
// mode it goes on with silence until the server ends the period; in manual mode
// the packet with the last sample carries EOS. It returns when the last sample
// of pcm was captured.
func (d *Device) speak(ctx context.Context, p *period, pcm []int16) (end time.Time, err error) {
	began := time.Now()
	ptime, size := ptimeOf(d.cfg.Up), d.cfg.Up.Samples()
	end = began.Add(d.cfg.Clock.Real(rateOf(d.cfg.Up).Duration(len(pcm))))
	timer := time.NewTimer(ptime)
	defer timer.Stop()
	packet := make([]int16, size)
	for k := 0; ; k++ {
		// Absolute deadlines: lateness does not add up.
		timer.Reset(time.Until(began.Add(d.cfg.Clock.Real(time.Duration(k+1) * ptime))))
		select {
		case <-timer.C:
		case <-p.over:
			return end, nil
		case <-d.gone:
			return end, fmt.Errorf("%w: while the question was spoken", ErrClosed)
		case <-ctx.Done():
			return end, context.Cause(ctx)
		}
		n := 0
		if k*size < len(pcm) {
			n = copy(packet, pcm[k*size:])
		}
		clear(packet[n:])
		f := wire.Frame{Type: wire.TypeAudio, Timestamp: uint32(k * size)}
		if k == 0 {
			f.Flags |= wire.FlagBOS
		}
		last := d.cfg.Mode == wire.ModeManual && (k+1)*size >= len(pcm)
		if last {
			f.Flags |= wire.FlagEOS
		}
		if err := d.capture(f, packet, began.Add(d.cfg.Clock.Real(time.Duration(k)*ptime))); err != nil || last {
			return end, err
		}
	}
}

// capture encodes and sends one packet of the microphone, whose first sample was
// captured at the time from; the echo of the speaker is mixed into it. A stalled socket does
// not stop the microphone: what does not fit is dropped, and a gap frame says
// so before the next packet that fits.
func (d *Device) capture(f wire.Frame, samples []int16, from time.Time) error {
	if echo := d.cfg.Echo; echo != nil {
		d.mu.Lock()
		d.speaker.advance(time.Now())
		d.speaker.tape.Hear(samples, from, rateOf(d.cfg.Up), *echo)
		d.mu.Unlock()
	}
	payload, err := d.encoder.encode(samples)
	if err != nil {
		return err
	}
	if d.unsent > 0 {
		gap := wire.Frame{Type: wire.TypeAudio, Flags: wire.FlagGap | f.Flags&wire.FlagBOS, Timestamp: f.Timestamp - d.unsent, Gap: d.unsent}
		sent, err := d.sendFrame(gap)
		if err != nil {
			return err
		}
		if sent {
			d.unsent = 0
			f.Flags &^= wire.FlagBOS
		}
	}
	f.Payload = payload
	sent := false
	if d.unsent == 0 {
		if sent, err = d.sendFrame(f); err != nil {
			return err
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if sent {
		d.stats.Sent++
	} else {
		d.unsent += uint32(len(samples))
		d.stats.Unsent++
	}
	return nil
}

// sendFrame hands a frame to the writer if there is room.
func (d *Device) sendFrame(f wire.Frame) (sent bool, err error) {
	f.Seq = d.upSeq
	b, err := wire.AppendFrame(nil, f)
	if err != nil {
		return false, fmt.Errorf("edgetest: microphone: %w", err)
	}
	select {
	case d.out <- outbound{typ: websocket.MessageBinary, data: b}:
		d.upSeq++
		return true, nil
	default:
		return false, nil
	}
}
