package session

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"edged/dialog"
)

// Host runs the sessions of many devices and keeps each alive for a while when
// its device loses the connection, so that the dialogue goes on where it was
// when the device comes back. All methods may be called concurrently. Make one
// with NewHost and Close it.
type Host struct {
	// base returns the context of all sessions, which stop ends.
	base func() context.Context
	stop func()

	mostAway int // 0: no bound

	mu       sync.Mutex
	sessions map[string]*resident // by session
	devices  map[string]*resident // by device, the newest
	away     []*resident          // those that wait for their devices, the longest first
	running  sync.WaitGroup
	closed   bool
}

// resident is a session of a host.
type resident struct {
	device  string
	returns *returns
	end     context.CancelCauseFunc
	done    chan struct{} // closed when it has ended
	err     error         // valid then
	// connections that are served, or are about to be: more than one while a
	// device comes back faster than its loss is noticed. over: it is forgotten.
	// Host.mu guards both.
	connections int
	over        bool
}

// resumeQuery bounds how long a device that wants to come back waits to hear
// whether it may.
const resumeQuery = 2 * time.Second

// errReplaced ends a session whose device has begun a new one.
var errReplaced = errors.New("session: the device has begun a new session")

// errCrowded ends the session that has waited longest for its device, where too many
// do.
var errCrowded = errors.New("session: too many sessions wait for their devices")

// errHostClosed is the cause with which sessions end when their host closes. It
// matches dialog.ErrShutdown.
var errHostClosed = &hostClosed{}

type hostClosed struct{}

func (*hostClosed) Error() string        { return "session: the host is closed" }
func (*hostClosed) Is(target error) bool { return target == dialog.ErrShutdown }

// NewHost returns a host without sessions. It lets so many of them wait for their
// devices at a time; where there are more, the one that has waited longest ends. 0
// sets no bound.
func NewHost(mostAway int) *Host {
	ctx, stop := context.WithCancelCause(context.Background())
	return &Host{
		mostAway: mostAway,
		stop:     func() { stop(errHostClosed) },
		base:     func() context.Context { return ctx },
		sessions: make(map[string]*resident),
		devices:  make(map[string]*resident),
	}
}

// Serve runs the dialogue with a connected device, a new one or the one that it
// comes back to (see Resume), and returns when the connection is over: then the
// session has ended, or waits for the device. A new session ends the one that
// waits for the same device. The error is the session's.
func (h *Host) Serve(ctx context.Context, device Device, cfg Config) error {
	hello := device.Hello()
	parted := make(chan struct{})
	back := arrival{device, parted}
	r := h.find(hello)
	if r != nil {
		h.present(r)
		select {
		case r.returns.came <- back:
		case <-r.done:
			r = nil // too late: begin anew
		case <-ctx.Done():
			h.absent(r)
			return nil
		}
	}
	if r == nil {
		if r = h.begin(hello, back, cfg); r == nil {
			return errHostClosed
		}
	}
	select {
	case <-parted:
		h.absent(r)
		return nil
	case <-r.done:
		return r.err
	}
}

// present notes a connection of the session.
func (h *Host) present(r *resident) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r.connections++
	h.away = slices.DeleteFunc(h.away, func(a *resident) bool { return a == r })
}

// absent notes that a connection of the session is over. If it was the last one, the
// session waits, and one that has waited longer may have to go for it.
func (h *Host) absent(r *resident) {
	var longest *resident
	h.mu.Lock()
	r.connections--
	if r.connections == 0 && !r.over {
		h.away = append(h.away, r)
	}
	if h.mostAway > 0 && len(h.away) > h.mostAway {
		longest = h.away[0]
		h.away = slices.Delete(h.away, 0, 1)
	}
	h.mu.Unlock()
	if longest != nil {
		longest.end(errCrowded)
	}
}

// begin starts a session; nil if the host is closed.
func (h *Host) begin(hello dialog.Hello, first arrival, cfg Config) *resident {
	ctx, cancel := context.WithCancelCause(h.base())
	r := &resident{device: hello.Device, returns: newReturns(), end: cancel, done: make(chan struct{}), connections: 1}
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		cancel(nil)
		return nil
	}
	old := h.devices[hello.Device]
	h.devices[hello.Device], h.sessions[hello.Session] = r, r
	h.running.Go(func() {
		defer close(r.done)
		defer cancel(nil)
		r.err = run(ctx, first, cfg, r.returns)
		h.forget(hello.Session, r)
	})
	h.mu.Unlock()
	if old != nil {
		old.end(errReplaced)
	}
	return r
}

func (h *Host) forget(session string, r *resident) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r.over = true
	delete(h.sessions, session)
	h.away = slices.DeleteFunc(h.away, func(a *resident) bool { return a == r })
	if h.devices[r.device] == r {
		delete(h.devices, r.device)
	}
}

// find returns the session that the device comes back to, nil for none. A
// session is only for its own device.
func (h *Host) find(hello dialog.Hello) *resident {
	if hello.Resume == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.sessions[hello.Resume.Session]
	if r == nil || r.device != hello.Device {
		return nil
	}
	return r
}

// Resume tells whether the session that the device wants to come back to is
// still there, and how things stand in it. The session waits for the device
// anew from then on. It is made for the edge, which asks before it answers the
// device's hello.
func (h *Host) Resume(ctx context.Context, hello dialog.Hello) (dialog.Resumed, bool) {
	r := h.find(hello)
	if r == nil {
		return dialog.Resumed{}, false
	}
	ctx, cancel := context.WithTimeout(ctx, resumeQuery)
	defer cancel()
	ask := returning{was: *hello.Resume, answer: make(chan dialog.Resumed, 1)}
	select {
	case r.returns.asked <- ask:
		select {
		case standing := <-ask.answer:
			return standing, true
		case <-r.done:
		}
	case <-r.done:
	case <-ctx.Done():
	}
	return dialog.Resumed{}, false
}

// Close ends all sessions and returns when they have ended.
func (h *Host) Close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.stop()
	h.running.Wait()
}
