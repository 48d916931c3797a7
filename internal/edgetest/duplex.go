package edgetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"edged/firmware-protocol/wire"
)

// Duplex is a microphone that stays open, in wire.ModeRealtime. Its goroutine
// captures a packet every ptime: what Say was given, else silence. Close it
// before the Device.
type Duplex struct {
	d    *Device
	done chan struct{}
	stop context.CancelFunc

	mu    sync.Mutex
	queue []*saying
	err   error
}

// saying is speech on its way into the microphone.
type saying struct {
	pcm   []int16
	begin time.Time // when its first sample was captured
	at    uint32    // media time of that sample in the period
	over  chan struct{}
}

// errNoDuplex is a fault of the test or the command line.
var errNoDuplex = errors.New("edgetest: an open microphone needs the capability full_duplex")

// OpenMicrophone begins a listening period in wire.ModeRealtime.
func (d *Device) OpenMicrophone(ctx context.Context) (*Duplex, error) {
	if err := d.beginRealtime(ctx); err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(context.Background())
	m := &Duplex{d: d, done: make(chan struct{}), stop: stop}
	go m.run(running)
	return m, nil
}

// beginRealtime begins a listening period that nothing ends but listen stop.
func (d *Device) beginRealtime(ctx context.Context) error {
	if !d.cfg.Capabilities.FullDuplex {
		return errNoDuplex
	}
	d.mu.Lock()
	d.period = nil
	d.mu.Unlock()
	d.unsent = 0
	return d.Send(ctx, wire.Listen{State: wire.ListenStart, Mode: wire.ModeRealtime})
}

// Say speaks pcm, behind what is being said, and returns when its last sample was
// captured: when its first one was, and when the last.
func (m *Duplex) Say(ctx context.Context, pcm []int16) (begin, end time.Time, err error) {
	s, err := m.say(ctx, pcm)
	if err != nil {
		return begin, end, err
	}
	return s.begin, s.begin.Add(m.span(len(pcm))), nil
}

func (m *Duplex) say(ctx context.Context, pcm []int16) (*saying, error) {
	s := &saying{pcm: pcm, over: make(chan struct{})}
	m.mu.Lock()
	m.queue = append(m.queue, s)
	m.mu.Unlock()
	select {
	case <-s.over:
		return s, nil
	case <-m.done:
		return nil, fmt.Errorf("%w: while the question was spoken", ErrClosed)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// span is how long the capture of n samples takes.
func (m *Duplex) span(n int) time.Duration {
	return m.d.cfg.Clock.Real(rateOf(m.d.cfg.Up).Duration(n))
}

// Close ends the listening period.
func (m *Duplex) Close(ctx context.Context) error {
	m.stop()
	<-m.done
	m.mu.Lock()
	err := m.err
	m.mu.Unlock()
	if err != nil {
		return err
	}
	return m.d.Send(ctx, wire.Listen{State: wire.ListenStop})
}

// run captures until it is stopped or the connection is gone.
func (m *Duplex) run(ctx context.Context) {
	defer close(m.done)
	began := time.Now()
	ptime, size := ptimeOf(m.d.cfg.Up), m.d.cfg.Up.Samples()
	timer := time.NewTimer(ptime)
	defer timer.Stop()
	packet := make([]int16, size)
	for k := 0; ; k++ {
		// Absolute deadlines: lateness does not add up.
		timer.Reset(time.Until(began.Add(m.d.cfg.Clock.Real(time.Duration(k+1) * ptime))))
		select {
		case <-timer.C:
		case <-m.d.gone:
			return
		case <-ctx.Done():
			return
		}
		from := began.Add(m.d.cfg.Clock.Real(time.Duration(k) * ptime))
		over := m.fill(packet, from, uint32(k*size))
		f := wire.Frame{Type: wire.TypeAudio, Timestamp: uint32(k * size)}
		if k == 0 {
			f.Flags |= wire.FlagBOS
		}
		if err := m.d.capture(f, packet, from); err != nil {
			m.mu.Lock()
			m.err = err
			m.mu.Unlock()
			return
		}
		if over != nil {
			close(over.over)
		}
	}
}

// fill takes the next packet, whose capture began at the time from and the media
// time at, of what is to be said. It
// returns what is said to its end with this packet.
func (m *Duplex) fill(packet []int16, from time.Time, at uint32) (over *saying) {
	clear(packet)
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.queue) == 0 {
		return nil
	}
	s := m.queue[0]
	if s.begin.IsZero() {
		s.begin, s.at = from, at
	}
	n := copy(packet, s.pcm)
	s.pcm = s.pcm[n:]
	if len(s.pcm) > 0 {
		return nil
	}
	m.queue = m.queue[1:]
	return s
}
