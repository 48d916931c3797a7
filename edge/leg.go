package edge

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"edged/audio"
	"edged/dialog"
	"edged/realtime"
)

// Handler runs the dialogue of one connection, from its hello to its end. ctx is
// done when the connection is gone or the server shuts down; its cause matches
// ErrClosed. When Handler returns, the device is told and the connection closed:
// nil is an ordinary end, an *Error is told to the device, any other error is
// logged and told as an internal one. A panic ends this connection only.
type Handler func(ctx context.Context, leg *Leg) error

// Offer is what a device and its transport bring to a connection, after the
// transport has checked it.
type Offer struct {
	// Hello describes the device. Device is the identity that it claims;
	// Session, Profile, Capabilities.Lead and the authenticated identity are the
	// server's to fill in. Capabilities.QueueCap is how much reply audio the
	// device can hold, 0 for unknown.
	Hello dialog.Hello
	// Up is what the device sends and Down what it plays, both mono.
	Up, Down audio.Format
	// Reorder is how long a missing packet of the microphone is waited for. 0 is
	// for transports that deliver in order.
	Reorder time.Duration
}

// terms is what is agreed for one connection. It does not change.
type terms struct {
	Limits
	hello    dialog.Hello
	resumed  dialog.Resumed // valid if hello.Resume is set
	up, down audio.Format
	reorder  time.Duration
}

// Leg is the server's end of one connection to a device, whatever its transport.
// It decodes what the device says onto the stream of Uplink, tells what the
// device does on Events, and encodes, paces and interrupts what Play hands over.
//
// Three goroutines work on a connection: the reader, which runs Transport.Receive
// and decodes; the writer, which alone writes to the transport and encodes and
// paces; and the Handler. All methods may be called concurrently, with the
// exception that Play's comment names.
type Leg struct {
	terms     terms
	transport Transport
	log       zerolog.Logger
	began     time.Time
	events    *events
	intake    intake
	up        *uplink
	render    *render   // the writer's
	echo      echoGuard // nil: the microphone is passed on as it is

	epoch  atomic.Uint32 // turns up to this one are flushed
	heard  atomic.Int64  // when something last arrived, as nanoseconds since began
	wakeup chan struct{} // token for the writer
	ended  chan struct{} // closed when cause is set
	gone   chan struct{} // closed when nothing will be written any more
	guard  *time.Timer   // write watchdog, armed by the writer

	mu       sync.Mutex
	cause    error // why the connection ended; nil while it lives
	farewell Farewell
	cancel   context.CancelCauseFunc // of the handler's context
	killer   *time.Timer
	down     downlink
	pacer    Pacer
	current  playback // the reply that is being sent, or was sent last
	previous playback // the one before
	counters counters
}

// newLeg returns a leg that run brings to life.
func newLeg(t terms, transport Transport, log zerolog.Logger) *Leg {
	l := &Leg{
		terms:     t,
		transport: transport,
		log:       log,
		began:     time.Now(),
		events:    newEvents(),
		wakeup:    make(chan struct{}, 1),
		ended:     make(chan struct{}),
		gone:      make(chan struct{}),
		down:      newDownlink(),
		pacer:     NewPacer(t.hello.Capabilities.Lead),
	}
	l.intake.leg = l
	l.render = newRender(t.down, t.Bitrate)
	l.up = newUplink(t.up, t.reorder, l)
	if c := newEchoGuard(t, log); c != nil {
		l.echo, l.render.keep = c, true
	}
	l.guard = time.AfterFunc(time.Hour, l.stalled)
	l.guard.Stop()
	return l
}

// Hello returns who the device is and what it can do.
func (l *Leg) Hello() dialog.Hello { return l.terms.hello }

// Uplink returns what the microphone hears, as one stream of routes "mic/1",
// "mic/2"...: a control-only beginning labelled with the dialog.Mode, 16 kHz mono
// s16le blobs and gaps, a control-only end. It holds a bounded amount of audio
// and drops the oldest (which becomes a gap) when nobody reads it. It ends with
// io.EOF after a bye of the device, else with an error matching ErrClosed.
func (l *Leg) Uplink() realtime.Stream { return l.up.mic }

// Events returns what the device and its connection report. The channel is
// closed when the connection is gone. Reports of progress are merged while
// nobody reads; a reader that leaves more than that unread loses the connection.
func (l *Leg) Events() <-chan dialog.Uplink { return l.events.out }

// Resumed returns what to tell a device whose session goes on, which is so if
// Hello().Resume is not nil.
func (l *Leg) Resumed() dialog.Resumed { return l.terms.resumed }

// Err tells, once Events is closed, why the connection ended: nil if either side
// said goodbye, else an error matching ErrClosed.
func (l *Leg) Err() error {
	if err := l.closed(); err != ErrClosed {
		return err
	}
	return nil
}

// Locate converts the device's count of samples of a reply that left its speaker
// to the position in that reply; 0 if the leg does not remember the turn. It works
// also after the connection has ended.
func (l *Leg) Locate(turn dialog.Turn, samples uint32) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range []*playback{&l.current, &l.previous} {
		if p.turn == turn && turn != 0 {
			return p.media(int(min(int64(samples), int64(p.samples))))
		}
	}
	return 0
}

// run serves the connection until it is gone and the handler has returned. The
// error is nil for an end that either side announced.
func (l *Leg) run(ctx context.Context, handler Handler) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	l.mu.Lock()
	l.cancel = cancel
	if l.cause != nil {
		cancel(l.cause)
	}
	l.mu.Unlock()

	var workers sync.WaitGroup
	workers.Go(func() {
		defer close(l.gone)
		l.recovered("writer", func() error { l.write(); return nil })
	})
	workers.Go(func() { l.handle(ctx, handler) })
	l.recovered("reader", func() error {
		l.end(l.transport.Receive(&Inlet{leg: l}))
		return nil
	})
	workers.Wait()
	l.up.close()
	l.render.close()
	if c, ok := l.echo.(*echoCanceller); ok {
		c.close()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.killer.Stop()
	if l.cause == ErrClosed {
		return nil
	}
	return l.cause
}

// handle runs the handler and ends the connection when it returns.
func (l *Leg) handle(ctx context.Context, handler Handler) {
	l.recovered("handler", func() error {
		err := handler(ctx, l)
		if stop := context.Cause(ctx); stop != nil {
			err = stop
		}
		var told *Error
		if err != nil && !errors.Is(err, ErrClosed) && !errors.As(err, &told) {
			l.log.Error().Err(err).Msg("session failed")
			err = &Error{Code: dialog.ErrorInternal, Message: "the session failed", Err: err}
		}
		l.end(err)
		return nil
	})
}

// recovered runs one of the connection's goroutines; a panic ends the connection.
func (l *Leg) recovered(name string, f func() error) {
	defer func() {
		if v := recover(); v != nil {
			l.log.Error().Interface("panic", v).Str("goroutine", name).Bytes("stack", debug.Stack()).Msg("connection panicked")
			l.end(&Error{Code: dialog.ErrorInternal, Message: "the server failed", Err: fmt.Errorf("panic in the %s: %v", name, v)})
			if name == "writer" {
				l.transport.Kill() // nobody is left to close it
			}
		}
	}()
	_ = f()
}

// end ends the connection. The first cause wins: nil is an ordinary end, ErrReplaced,
// ErrShutdown and *Error are told to the device, anything else means that the
// transport broke.
func (l *Leg) end(cause error) {
	l.mu.Lock()
	if l.cause != nil {
		l.mu.Unlock()
		return
	}
	l.farewell = farewellFor(cause)
	switch {
	case cause == nil:
		l.cause = ErrClosed
	case errors.Is(cause, ErrClosed):
		l.cause = cause
	default:
		l.cause = fmt.Errorf("%w: %w", ErrClosed, cause)
	}
	closed := l.cause
	close(l.ended)
	if l.cancel != nil {
		l.cancel(closed)
	}
	l.killer = time.AfterFunc(closeTimeout, l.transport.Kill)
	l.down.makeRoom()
	l.mu.Unlock()
	l.up.end(cause, closed)
	l.events.close()
	l.wake()
}

// farewellFor translates the cause of an end into what the device is told.
func farewellFor(cause error) Farewell {
	var told *Error
	switch {
	case errors.Is(cause, ErrReplaced):
		return Farewell{Code: dialog.ErrorReplaced, Message: "a newer connection of this device took over"}
	case errors.Is(cause, ErrShutdown):
		return Farewell{Code: dialog.ErrorShutdown, Message: "the server is shutting down", RetryAfter: shutdownRetry}
	case errors.As(cause, &told):
		return Farewell{Code: told.Code, Message: told.Message, RetryAfter: told.RetryAfter}
	}
	return Farewell{}
}

// stalled is the write watchdog: the device has not taken a packet for too long.
func (l *Leg) stalled() {
	l.end(failure(dialog.ErrorTimeout, "the device took nothing for %s", l.terms.WriteTimeout))
	l.transport.Kill()
}

// closed returns why the connection ended; nil while it lives.
func (l *Leg) closed() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cause
}

// wake makes the writer look at what is to do.
func (l *Leg) wake() {
	select {
	case l.wakeup <- struct{}{}:
	default:
	}
}

// raise hands an event to the session. A session that reads none loses its
// connection: nothing that it must know is ever dropped.
func (l *Leg) raise(e dialog.Uplink) {
	if !l.events.push(e) {
		l.mu.Lock()
		l.counters.untaken++
		l.mu.Unlock()
		l.end(failure(dialog.ErrorInternal, "the session does not take its events"))
	}
}
