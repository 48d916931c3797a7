package session

import (
	"context"
	"errors"
	"sync"
	"time"

	"edged/dialog"
	"edged/session/log"
)

// line is the connection to the device as the goroutines of a session see it: a
// device that lost its connection comes back as another Device.
type line struct {
	mu     sync.Mutex
	device Device
	lost   bool
}

func newLine(d Device) *line { return &line{device: d} }

// current returns the present connection, or the last one.
func (l *line) current() Device {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.device
}

// connected reports whether the device is the present connection and not known
// to be lost.
func (l *line) connected(d Device) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.device == d && !l.lost
}

func (l *line) lose() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lost = true
}

func (l *line) connect(d Device) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.device, l.lost = d, false
}

// Send sends an event to the device as it is connected now.
func (l *line) Send(e dialog.Downlink) error { return l.current().Send(e) }

// returns is where a device comes back to its session.
type returns struct {
	asked chan returning
	came  chan arrival
}

// returning asks whether a device may come back, and is told how things stand.
type returning struct {
	was    dialog.Resume
	answer chan dialog.Resumed
}

// arrival is a device that came back.
type arrival struct {
	device Device
	// parted is closed when the session does without this connection again.
	parted chan struct{}
}

func newReturns() *returns {
	return &returns{asked: make(chan returning), came: make(chan arrival)}
}

func canHold(d Device) bool {
	c := d.Hello().Capabilities
	return c.Hold && c.Ack
}

// leave is the end of the connection: that of the session, too, unless it was
// lost and the device is waited for.
func (s *session) leave(ctx context.Context) {
	err := s.device.Err()
	switch {
	case errors.Is(err, dialog.ErrShutdown):
		s.handle(ctx, Ended{Cause: dialog.CauseShutdown})
	case errors.Is(err, dialog.ErrRevoked):
		s.log(0, log.Error{Stage: "device", Code: dialog.ErrorUnauthorized, Message: dialog.ErrRevoked.Error()})
		s.handle(ctx, Ended{Cause: dialog.CauseDisconnect})
	case err == nil || s.Profile.ResumeFor <= 0:
		s.handle(ctx, Ended{Cause: dialog.CauseDisconnect})
	default:
		s.detach(ctx, err.Error())
	}
}

// detach begins to wait for the device.
func (s *session) detach(ctx context.Context, reason string) {
	s.lostAt = time.Now()
	s.line.lose()
	s.log(s.state.Turn, log.SessionDetach{Reason: reason})
	s.handle(ctx, Detached{})
	s.part()
}

// part tells whoever brought the device that the session does without it.
func (s *session) part() {
	if s.parted != nil {
		close(s.parted)
		s.parted = nil
	}
}

// expect answers a device that wants to come back. Its old connection may not be
// known to be lost yet; the wait for the device begins anew.
func (s *session) expect(ctx context.Context, ask returning) {
	if !s.state.Detached {
		s.detach(ctx, "the device comes back")
	}
	s.startTimer(StartTimer{Timer: TimerResume})
	ask.answer <- s.state.returning(s.locate(ask.was))
}

// locate is how much the device has played, in the session's terms: only the
// connection that broke knows its samples.
func (s *session) locate(was dialog.Resume) dialog.Position {
	return dialog.Position{Turn: was.Turn, Offset: s.device.Locate(was.Turn, was.Samples)}
}

// welcome goes on with the device that came back.
func (s *session) welcome(ctx context.Context, back arrival) {
	if !s.state.Detached {
		s.detach(ctx, "the device came back")
	}
	at := dialog.Position{}
	if was := back.device.Hello().Resume; was != nil {
		at = s.locate(*was)
	}
	s.device, s.parted = back.device, back.parted
	s.connections++
	s.line.connect(s.device)
	s.log(s.state.Turn, log.SessionAttach{AwayMS: log.MS(time.Since(s.lostAt))})
	s.listenTo(ctx, s.device)
	s.handle(ctx, Attached{at, canHold(s.device)})
}
