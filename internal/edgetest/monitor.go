package edgetest

import (
	"context"
	"errors"
	"io"
	"time"

	"edged/audio/pcm"
	"edged/firmware-protocol/wire"
)

const (
	// monitorStep is how much sound Monitor writes at a time.
	monitorStep = 20 * time.Millisecond
	// monitorLag is how far a slow listener may fall behind before sound is left
	// out for him.
	monitorLag = 500 * time.Millisecond
)

var errNoMonitor = errors.New("edgetest: Monitor needs Config.Monitor")

// Monitor writes to w what leaves the speaker, as it leaves it: s16le mono at the
// rate of the down format, with silence where there is no sound. It returns when
// ctx is done or the connection is gone (nil), or with w's error. A w that is slow
// loses sound, it does not delay it for good.
func (d *Device) Monitor(ctx context.Context, w io.Writer) error {
	if !d.cfg.Monitor {
		return errNoMonitor
	}
	rate := d.downRate()
	samples := make([]int16, rate.Samples(monitorStep))
	var b []byte
	at := time.Now()
	timer := time.NewTimer(monitorStep)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-d.gone:
			return nil
		case <-ctx.Done():
			return nil
		}
		d.mu.Lock()
		d.speaker.advance(time.Now())
		d.speaker.tape.Play(samples, at, rate)
		d.mu.Unlock()
		b = pcm.Append(b[:0], samples)
		if _, err := w.Write(b); err != nil {
			return err
		}
		at = at.Add(monitorStep)
		if late := time.Since(at); late > monitorLag {
			at = at.Add(late)
		}
		timer.Reset(time.Until(at.Add(monitorStep)))
	}
}

// Stream opens the microphone in wire.ModeRealtime and sends what r gives, s16le
// mono at the rate of the up format, as fast as it comes: r keeps the time, as a
// sound card does. It returns nil when r ends, having closed the microphone, else
// ErrClosed or the error of r. Whoever wants it to end makes r end.
func (d *Device) Stream(ctx context.Context, r io.Reader) error {
	if err := d.beginRealtime(ctx); err != nil {
		return err
	}
	size := d.cfg.Up.Samples()
	b, samples := make([]byte, pcm.SampleBytes*size), make([]int16, size)
	for k := 0; ; k++ {
		_, err := io.ReadFull(r, b)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return d.Send(ctx, wire.Listen{State: wire.ListenStop})
		}
		if err != nil {
			return err
		}
		select {
		case <-d.gone:
			return ErrClosed
		default:
		}
		pcm.Decode(samples, b)
		f := wire.Frame{Type: wire.TypeAudio, Timestamp: uint32(k * size)}
		if k == 0 {
			f.Flags |= wire.FlagBOS
		}
		if err := d.capture(f, samples, time.Now().Add(-ptimeOf(d.cfg.Up))); err != nil {
			return err
		}
	}
}
