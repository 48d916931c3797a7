package edgetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"edged/firmware-protocol/wire"
)

// Caller is a device that comes back: when its connection is lost it connects
// again and asks to go on with the session, at most Config.Comebacks times in a
// row. The reply goes on in the same turn; a question that the server did not get
// is asked again. Its methods are for one goroutine at a time.
type Caller struct {
	cfg   Config
	lives []*Device // one for each connection; the last one may be alive
	backs []Comeback
	wait  *rand.Rand
	// spree counts the comebacks since a question was answered.
	spree int
}

// Comeback is one return of a Caller.
type Comeback struct {
	// Away is how long there was no connection, Attempts how many it took.
	Away     time.Duration
	Attempts int
	// Resumed is what the server said of the session; nil when it is a new one.
	Resumed *wire.Resumed
}

// Call connects. The errors are those of Dial.
func Call(ctx context.Context, cfg Config) (*Caller, error) {
	d, err := Dial(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return &Caller{cfg: d.cfg, lives: []*Device{d}, wait: rand.New(rand.NewPCG(cfg.Network.Seed, 3))}, nil
}

// Device is the device on its newest connection.
func (c *Caller) Device() *Device { return c.lives[len(c.lives)-1] }

// Comebacks tells how often the caller came back, and how.
func (c *Caller) Comebacks() []Comeback { return c.backs }

// Close hangs up as Device.Close does.
func (c *Caller) Close(ctx context.Context) error { return c.Device().Close(ctx) }

// Ask is Device.Ask over as many connections as it takes.
func (c *Caller) Ask(ctx context.Context, q Question) (Answer, error) {
	d := c.Device()
	d.mu.Lock()
	base := d.newest()
	d.mu.Unlock()
	a, err := d.Ask(ctx, q)
	for c.lost(err) {
		if err = c.comeBack(ctx); err != nil {
			return a, err
		}
		d = c.Device()
		number, going := d.standing(base)
		switch {
		case d.hello.Resumed == nil:
			base = 0
			a, err = d.Ask(ctx, q)
		case going:
			a, err = d.Await(ctx, number)
		case number > 0:
			d.mu.Lock()
			t := d.turn(number)
			d.mu.Unlock()
			c.spree = 0
			return d.answerOf(t, nil, time.Time{}), nil
		default:
			a, err = d.Ask(ctx, q)
		}
	}
	c.spree = 0
	return a, err
}

// Talk is Device.Talk over as many connections as it takes. A reply that is going
// on is not stopped by the way back.
func (c *Caller) Talk(ctx context.Context, questions []Question) ([]Answer, error) {
	t := &talk{questions: questions}
	err := c.Device().converse(ctx, t)
	for c.lost(err) {
		former := c.Device()
		if err = c.comeBack(ctx); err != nil {
			break
		}
		d := c.Device()
		if d.hello.Resumed == nil {
			for i, a := range former.answersOf(t) {
				t.asked[i].answer = &a
			}
			t.spoken, t.base = false, 0
		}
		if number, _ := d.standing(t.base); t.spoken && number == 0 {
			t.spoken = false // the words are lost
		}
		if last := t.last(); last > 0 {
			d.resumeWaiting(last)
		}
		err = d.converse(ctx, t)
	}
	c.spree = 0
	return c.Device().answersOf(t), err
}

// standing tells what became of the question that was asked after base: going, the
// server is answering it as turn number; else it has been answered as that turn;
// with 0 it was not understood in time.
func (d *Device) standing(base uint32) (number uint32, going bool) {
	r := d.hello.Resumed
	if r == nil {
		return 0, false
	}
	if r.Answering && r.Turn > base {
		return r.Turn, true
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range d.turns {
		if t.number > base && (t.done || t.received > 0 && t.played >= t.received) {
			return t.number, false
		}
	}
	return 0, false
}

// resumeWaiting lets patience with a reply begin anew, or ends it if the server
// has nothing more to say of it.
func (d *Device) resumeWaiting(number uint32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, now := d.turn(number), time.Now()
	t.lastPacket = now
	if r := d.hello.Resumed; r != nil && !r.Answering && !t.done {
		t.done, t.doneAt = true, now
	}
}

// lost reports whether a comeback is the answer to err.
func (c *Caller) lost(err error) bool {
	if !errors.Is(err, ErrClosed) || c.spree >= c.cfg.Comebacks {
		return false
	}
	var why *ServerError
	return errors.As(c.Device().Err(), &why) && recoverable(why)
}

// recoverable reports whether the protocol has a device come back after it.
func recoverable(why *ServerError) bool {
	if why.Failure == nil {
		return why.Status == 0 || why.Status == 503
	}
	switch why.Failure.Code {
	case wire.CodeShutdown, wire.CodeTimeout, wire.CodeInternal, wire.CodeBusy:
		return true
	}
	return false
}

// Waiting times of section 2 of the protocol.
const (
	firstWait = time.Second
	mostWait  = time.Minute
)

// comeBack connects again.
func (c *Caller) comeBack(ctx context.Context) error {
	former := c.Device()
	<-former.Done()
	began, wait := time.Now(), firstWait
	var why *ServerError
	if errors.As(former.Err(), &why) {
		wait = max(wait, why.RetryAfter)
	}
	for attempt := 1; ; attempt++ {
		pause := time.NewTimer(wait + time.Duration(c.wait.Int64N(int64(wait/2)+1)))
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return context.Cause(ctx)
		}
		d, err := former.Return(ctx)
		if err == nil {
			c.spree++
			c.lives = append(c.lives, d)
			c.backs = append(c.backs, Comeback{Away: time.Since(began), Attempts: attempt, Resumed: d.hello.Resumed})
			return nil
		}
		if !errors.As(err, &why) || !recoverable(why) || attempt >= c.cfg.Comebacks {
			return fmt.Errorf("edgetest: coming back, attempt %d: %w", attempt, err)
		}
		wait = min(max(2*wait, why.RetryAfter), mostWait)
	}
}

// sessions are the devices whose turns no later one took over.
func (c *Caller) sessions() (last []*Device) {
	for i, d := range c.lives {
		if i+1 == len(c.lives) || c.lives[i+1].hello.Resumed == nil {
			last = append(last, d)
		}
	}
	return last
}

// Turns returns all turns of all sessions, as Device.Turns does.
func (c *Caller) Turns() (turns []Answer) {
	for _, d := range c.sessions() {
		turns = append(turns, d.Turns()...)
	}
	return turns
}

// Gaps returns those of all connections, as Device.Gaps does.
func (c *Caller) Gaps() (gaps []time.Duration) {
	for _, d := range c.sessions() {
		gaps = append(gaps, d.Gaps()...)
	}
	return gaps
}

// Stats returns the counters of all connections together.
func (c *Caller) Stats() (sum Stats) {
	for _, d := range c.lives {
		sum = sum.Add(d.Stats())
	}
	return sum
}

// Failures returns those of all connections.
func (c *Caller) Failures() (all []wire.Failure) {
	for _, d := range c.lives {
		all = append(all, d.Failures()...)
	}
	return all
}

// Faults returns those of all connections.
func (c *Caller) Faults() (all []error) {
	for _, d := range c.lives {
		all = append(all, d.Faults()...)
	}
	return all
}
