package edgetest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/coder/websocket"

	"edged/firmware-protocol/wire"
	"edged/internal/edgetest/impair"
)

// Device is a simulated device with an open session.
type Device struct {
	// Immutable after Dial.
	cfg  Config
	conn *websocket.Conn

	out  chan outbound
	in   chan inbound  // what was read, on a network that is not perfect
	kick chan struct{} // wakes the speaker's goroutine
	// gone is closed when the connection ends, done when all goroutines have.
	gone, done chan struct{}
	tools      sync.WaitGroup

	mu        sync.Mutex
	changed   chan struct{} // closed and replaced at every change
	err       error         // why the connection ended
	failure   *wire.Failure // the fatal error message
	leaving   bool          // Close or Drop was called
	hello     wire.ServerHello
	speaker   speaker
	turns     []*turn // in the order of their numbers
	current   *turn   // of the last reply_begin, nil when closed
	flushed   uint32  // greatest turn of a flush
	flushes   int
	period    *period // of listening, nil when the microphone is closed
	upSeq     uint32
	downSeq   uint32
	downAny   bool
	volume    int
	events    []Event
	gaps      []time.Duration
	failures  []wire.Failure
	faults    []error
	stats     Stats
	decoder   decoder
	encoder   encoder // used by Ask alone
	asking    chan struct{}
	passed    map[wire.Direction]int // messages, for Cut
	network   [2]impair.Counts       // up and down
	unsent    uint32                 // samples of the microphone that found the socket stalled
	callsOpen int
}

// Dial connects, says hello and waits for the server's. A refusal is a
// *ServerError. ctx bounds the handshake only; the session lasts until Close,
// Drop, or the server ends it.
func Dial(ctx context.Context, cfg Config) (*Device, error) {
	cfg = cfg.withDefaults()
	if err := cfg.checkSurroundings(); err != nil {
		return nil, err
	}
	d := &Device{
		cfg: cfg, out: make(chan outbound, outbox), in: make(chan inbound, inbox), passed: map[wire.Direction]int{}, kick: make(chan struct{}, 1),
		gone: make(chan struct{}), done: make(chan struct{}), changed: make(chan struct{}), asking: make(chan struct{}, 1),
		speaker: speaker{rate: rateOf(cfg.Down), capacity: cfg.Buffer, clock: cfg.Clock, tape: cfg.tape()},
		volume:  cfg.Volume,
	}
	var err error
	if d.decoder, err = newDecoder(cfg.Down); err != nil {
		return nil, err
	}
	if d.encoder, err = newEncoder(cfg.Up); err != nil {
		return nil, err
	}
	hello, err := wire.AppendMessage(nil, d.deviceHello())
	if err != nil {
		return nil, fmt.Errorf("edgetest: hello: %w", err)
	}
	if d.conn, err = connect(ctx, cfg); err != nil {
		return nil, err
	}
	if err := d.greet(ctx, hello); err != nil {
		_ = d.conn.CloseNow() // the greeting's error says it
		return nil, err
	}
	if cfg.past != nil && d.hello.Resumed != nil {
		d.inherit(cfg.past)
	}
	var loops sync.WaitGroup
	loops.Go(d.read)
	if !cfg.Network.Perfect() {
		loops.Go(d.deliver)
	}
	loops.Go(d.write)
	loops.Go(d.play)
	go func() { // joined by done
		loops.Wait()
		d.tools.Wait()
		close(d.done)
	}()
	return d, nil
}

func (d *Device) deviceHello() wire.DeviceHello {
	tools := builtinTools()
	for _, t := range d.cfg.Tools {
		tools = append(tools, t.Tool)
	}
	return wire.DeviceHello{
		Protocol: wire.Protocol, Device: d.cfg.Device, Model: "simulated", Firmware: "1",
		Audio:    wire.Audio{Up: d.cfg.Up, Down: d.cfg.Down},
		BufferMS: uint32(d.cfg.Buffer / time.Millisecond), Capabilities: *d.cfg.Capabilities, Tools: tools,
		Resume: d.cfg.resumption(),
	}
}

// connect opens the WebSocket.
func connect(ctx context.Context, cfg Config) (*websocket.Conn, error) {
	transport := &http.Transport{DialContext: cfg.Dial, DisableKeepAlives: true}
	header := http.Header{}
	if cfg.Token != "" {
		header.Set("Authorization", "Bearer "+cfg.Token)
	}
	conn, resp, err := websocket.Dial(ctx, cfg.URL, &websocket.DialOptions{
		HTTPClient: &http.Client{Transport: transport}, HTTPHeader: header, Subprotocols: []string{wire.Protocol},
	})
	if err == nil {
		conn.SetReadLimit(2 * wire.MaxControl)
		return conn, nil
	}
	refused := &ServerError{Err: fmt.Errorf("connecting to %s: %w", cfg.URL, err)}
	if resp != nil && resp.StatusCode != http.StatusSwitchingProtocols {
		refused.Status = resp.StatusCode
		if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
			refused.RetryAfter = time.Duration(seconds) * time.Second
		}
	}
	return nil, refused
}

// greet exchanges the hellos.
func (d *Device) greet(ctx context.Context, hello []byte) error {
	ctx, cancel := context.WithTimeout(ctx, min(d.cfg.Patience, helloPatience))
	defer cancel()
	if err := d.writeMessage(ctx, outbound{typ: websocket.MessageText, data: hello}); err != nil {
		return d.ended(err)
	}
	typ, b, err := d.readMessage(ctx)
	if err != nil {
		return d.ended(err)
	}
	if typ != websocket.MessageText {
		return errors.New("edgetest: the server's first message is binary, want its hello")
	}
	m, err := wire.DecodeMessage(wire.FromServer, b)
	if err != nil {
		return fmt.Errorf("edgetest: the server's first message: %w", err)
	}
	switch m := m.(type) {
	case wire.ServerHello:
		if m.Audio != (wire.Audio{Up: d.cfg.Up, Down: d.cfg.Down}) || d.conn.Subprotocol() != wire.Protocol {
			return fmt.Errorf("edgetest: the server answers subprotocol %q and %+v, which was not offered", d.conn.Subprotocol(), m.Audio)
		}
		d.hello = m
		return nil
	case wire.Failure:
		d.failure = &m
		_, _, err := d.conn.Read(ctx) // for the close code
		return d.ended(err)
	default:
		return fmt.Errorf("edgetest: the server's first message is %q, want hello or error", m.Kind())
	}
}

// ended describes the end of the connection from the socket's error.
func (d *Device) ended(err error) *ServerError {
	e := &ServerError{Failure: d.failure, CloseCode: int(websocket.CloseStatus(err)), Err: err}
	if d.failure != nil {
		e.RetryAfter = time.Duration(d.failure.RetryAfterMS) * time.Millisecond
	}
	return e
}

// Hello returns the server's hello.
func (d *Device) Hello() wire.ServerHello { return d.hello }

// Done is closed when the session has ended and all goroutines of the device
// with it.
func (d *Device) Done() <-chan struct{} { return d.done }

// Err returns why the connection ended: nil while it lives and after Close or
// Drop, else a *ServerError.
func (d *Device) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.leaving {
		return nil
	}
	return d.err
}

// Close says bye, waits for the server to close (at most 2 s, or until ctx is
// done) and for all goroutines to end. It is idempotent.
func (d *Device) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, byeDeadline)
	defer cancel()
	d.mu.Lock()
	first := !d.leaving
	d.leaving = true
	d.mu.Unlock()
	var err error
	if first {
		if err = d.Send(ctx, wire.Bye{Reason: "done"}); errors.Is(err, ErrClosed) {
			err = nil
		}
	}
	select {
	case <-d.done:
	case <-ctx.Done():
		_ = d.conn.CloseNow() // the server did not close in time: that is not the device's fault
	}
	<-d.done
	return err
}

// Cut cuts the connection without a word, as a network does: unlike after Drop,
// Err says that it was lost. It returns when all goroutines have ended.
func (d *Device) Cut() {
	_ = d.conn.CloseNow() // the reader reports the end
	<-d.done
}

// Drop ends the connection as a power cut does, without a word, and returns
// when all goroutines have ended.
func (d *Device) Drop() {
	d.mu.Lock()
	d.leaving = true
	d.mu.Unlock()
	_ = d.conn.CloseNow() // nobody is left to care
	<-d.done
}

// remember keeps an event and tells OnEvent. It needs mu.
func (d *Device) remember(e Event) {
	if len(d.events) < maxEvents {
		d.events = append(d.events, e)
	} else {
		d.stats.ForgottenEvents++
	}
	if d.cfg.OnEvent != nil {
		d.cfg.OnEvent(e)
	}
}

// change wakes whoever waits for a change of state. It needs mu.
func (d *Device) change() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// wake lets the speaker's goroutine look at the queue again.
func (d *Device) wake() {
	select {
	case d.kick <- struct{}{}:
	default:
	}
}

// wait blocks until ok, called with mu held, reports true; or ctx is done, or
// the connection is gone (ErrClosed with the reason).
func (d *Device) wait(ctx context.Context, ok func() bool) error {
	for {
		d.mu.Lock()
		d.speaker.advance(time.Now())
		if ok() {
			d.mu.Unlock()
			return nil
		}
		err, changed := d.err, d.changed
		d.mu.Unlock()
		if err != nil {
			return fmt.Errorf("%w: %w", ErrClosed, err)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
