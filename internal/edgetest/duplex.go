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
	over  chan struct{}
}

// errNoDuplex is a fault of the test or the command line.
var errNoDuplex = errors.New("edgetest: an open microphone needs the capability full_duplex")

// OpenMicrophone begins a listening period in wire.ModeRealtime.
func (d *Device) OpenMicrophone(ctx context.Context) (*Duplex, error) {
	if !d.cfg.Capabilities.FullDuplex {
		return nil, errNoDuplex
	}
	d.mu.Lock()
	d.period = nil // nothing ends this one but Close
	d.mu.Unlock()
	d.unsent = 0
	if err := d.Send(ctx, wire.Listen{State: wire.ListenStart, Mode: wire.ModeRealtime}); err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(context.Background())
	m := &Duplex{d: d, done: make(chan struct{}), stop: stop}
	go m.run(running)
	return m, nil
}

// Say speaks pcm, behind what is being said, and returns when its last sample was
// captured: when its first one was, and when the last.
func (m *Duplex) Say(ctx context.Context, pcm []int16) (begin, end time.Time, err error) {
	s := &saying{pcm: pcm, over: make(chan struct{})}
	m.mu.Lock()
	m.queue = append(m.queue, s)
	m.mu.Unlock()
	select {
	case <-s.over:
		return s.begin, s.begin.Add(rateOf(m.d.cfg.Up).Duration(len(pcm))), nil
	case <-m.done:
		return begin, end, fmt.Errorf("%w: while the question was spoken", ErrClosed)
	case <-ctx.Done():
		return begin, end, context.Cause(ctx)
	}
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
		timer.Reset(time.Until(began.Add(time.Duration(k+1) * ptime)))
		select {
		case <-timer.C:
		case <-m.d.gone:
			return
		case <-ctx.Done():
			return
		}
		over := m.fill(packet, began.Add(time.Duration(k)*ptime))
		f := wire.Frame{Type: wire.TypeAudio, Timestamp: uint32(k * size)}
		if k == 0 {
			f.Flags |= wire.FlagBOS
		}
		if err := m.d.capture(f, packet); err != nil {
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

// fill takes the next packet, whose capture began at, of what is to be said. It
// returns what is said to its end with this packet.
func (m *Duplex) fill(packet []int16, at time.Time) (over *saying) {
	clear(packet)
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.queue) == 0 {
		return nil
	}
	s := m.queue[0]
	if s.begin.IsZero() {
		s.begin = at
	}
	n := copy(packet, s.pcm)
	s.pcm = s.pcm[n:]
	if len(s.pcm) > 0 {
		return nil
	}
	m.queue = m.queue[1:]
	return s
}

// Talk asks questions on one open microphone, each when the reply before is over
// or, with BargeInAfter, in the middle of it. It returns when the last reply is
// over. The errors are those of Ask; the answers are those so far.
func (d *Device) Talk(ctx context.Context, questions []Question) (answers []Answer, err error) {
	m, err := d.OpenMicrophone(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Close(context.WithoutCancel(ctx))) }()
	type asked struct {
		turn *turn
		end  time.Time
	}
	var all []asked
	defer func() {
		for _, a := range all {
			answers = append(answers, d.answered(a.turn, a.end))
		}
	}()
	var last *turn
	for _, q := range questions {
		if err := d.awaitMoment(ctx, last, q.BargeInAfter); err != nil {
			return nil, err
		}
		t, end, err := d.askOpenly(ctx, m, q, last)
		if err != nil {
			return nil, err
		}
		all = append(all, asked{t, end})
		last = t
	}
	return nil, d.awaitMoment(ctx, last, 0)
}

// awaitMoment waits until so much of the reply was played, or with 0 until it is
// over.
func (d *Device) awaitMoment(ctx context.Context, t *turn, after time.Duration) error {
	if t == nil {
		return nil
	}
	if after > 0 {
		_, err := d.played(ctx, t, after)
		return err
	}
	return d.listenTo(ctx, t, 0)
}

// askOpenly speaks one question and waits until its reply begins or its turn ends
// without one. over is the reply that may be going on.
func (d *Device) askOpenly(ctx context.Context, m *Duplex, q Question, over *turn) (t *turn, end time.Time, err error) {
	d.mu.Lock()
	base := uint32(0)
	if n := len(d.turns); n > 0 {
		base = d.turns[n-1].number
	}
	d.mu.Unlock()
	patience, cancel := context.WithTimeoutCause(ctx, rateOf(d.cfg.Up).Duration(len(q.PCM))+d.cfg.Patience, ErrNoAnswer)
	defer cancel()
	begin, end, err := m.Say(patience, q.PCM)
	if err != nil {
		return nil, end, err
	}
	d.mu.Lock()
	if over != nil && q.BargeInAfter > 0 {
		over.talkedOver = begin.Add(rateOf(d.cfg.Up).Duration(q.Onset))
	}
	d.mu.Unlock()
	err = d.wait(patience, func() bool {
		for _, t = range d.turns {
			if t.number > base && (t.begun || t.done) {
				return true
			}
		}
		return false
	})
	return t, end, err
}

// answered describes a turn of an open microphone.
func (d *Device) answered(t *turn, end time.Time) Answer {
	a := d.answerOf(t, nil, time.Time{})
	d.mu.Lock()
	defer d.mu.Unlock()
	a.Seen.Final, a.Seen.FirstText = since(end, t.finalAt), since(end, t.firstText)
	a.Seen.FirstPacket, a.Seen.Done = since(end, t.firstPacket), since(end, t.doneAt)
	return a
}
