package edge

import (
	"fmt"
	"sync"
	"time"

	"edged/dialog"
)

const (
	// controlCredit is how many seconds' worth of control messages may come at
	// once: a device that lay in a dead spot of its network for ten seconds tells
	// a hundred times what it played meanwhile.
	controlCredit = 2 * time.Second
	// audioCredit is how much audio may come at once: the longest wake word
	// (maxWake), what was recorded before a button was pressed, and the backlog of
	// a network that stalled for two seconds, with a third to spare.
	audioCredit = 10 * time.Second
	// leastAudio is what a packet counts for at least, however short it is: the
	// work that it makes does not shrink with it.
	leastAudio = 10 * time.Millisecond
	// excessRest is how long the reader rests after audio that was dropped.
	excessRest = 10 * time.Millisecond
	// maxExcessControl and maxExcessAudio end a connection: so many messages or
	// packets beyond their limit without a pause that makes up for them. Either
	// takes the device ten seconds at least.
	maxExcessControl = 500
	maxExcessAudio   = 1000
)

// intake bounds what the reader of a connection takes from its device. Within
// the limits it only counts. Beyond them the reader rests, so that the device
// waits in its own connection: control is read no faster than its limit and
// never dropped, audio is dropped before it is decoded. Either way the work that
// a flood makes is bounded, and nobody else's time is spent on it. Its methods may
// be called by any goroutine; which of them rest says their comment.
type intake struct {
	leg *Leg

	mu             sync.Mutex
	control, audio inflow
}

// inflow is one kind of what arrives.
type inflow struct {
	meter
	excess int // beyond the limit since the meter was last idle
}

// take meters something of the given cost. excess is how often there has been no
// room for it.
func (f *inflow) take(now time.Time, cost, credit time.Duration) (wait time.Duration, excess int) {
	if f.idle(now) {
		f.excess = 0
	}
	if wait = f.spend(now, cost, credit); wait > 0 {
		f.excess++
	}
	return wait, f.excess
}

// message takes one control message and returns when that may be worked on: it
// rests as long as there is no room for it. The error ends the connection.
func (i *intake) message() error {
	perSecond := i.leg.terms.ControlPerSecond
	if perSecond < 0 {
		return nil
	}
	cost := time.Second / time.Duration(perSecond)
	i.mu.Lock()
	wait, excess := i.control.take(time.Now(), cost, controlCredit)
	i.mu.Unlock()
	if wait == 0 {
		return nil
	}
	err := i.tooFast(excess, maxExcessControl,
		"more than %d control messages a second, and more than %d at once: they are read more slowly; send fewer", perSecond, 2*perSecond)
	for wait > 0 && err == nil {
		if !i.leg.rest(wait) {
			return i.leg.closed()
		}
		i.mu.Lock()
		wait = i.control.spend(time.Now(), cost, controlCredit)
		i.mu.Unlock()
	}
	return err
}

// packet takes a packet with so much media and reports whether there is room for
// it. When there is none it is to be dropped, and dropped to be called.
func (i *intake) packet(now time.Time, media time.Duration) (ok bool) {
	rate := i.leg.terms.AudioRate
	if rate < 0 {
		return true
	}
	slowed := func(d time.Duration) time.Duration { return time.Duration(float64(d) / rate) }
	i.mu.Lock()
	defer i.mu.Unlock()
	wait, _ := i.audio.take(now, slowed(max(media, leastAudio)), slowed(audioCredit))
	return wait == 0
}

// dropped rests after a packet that was dropped. The error ends the connection.
func (i *intake) dropped() error {
	i.mu.Lock()
	excess := i.audio.excess
	i.mu.Unlock()
	err := i.tooFast(excess, maxExcessAudio,
		"audio arrives faster than %g times real time: what is too much is dropped; send it in real time", i.leg.terms.AudioRate)
	if err == nil {
		i.leg.rest(excessRest)
	}
	return err
}

// tooFast tells the device and the session, and ends the connection when there
// has been too much of it.
func (i *intake) tooFast(excess, most int, format string, args ...any) error {
	message := fmt.Sprintf(format, args...)
	if excess > most {
		return &Error{Code: dialog.ErrorTooFast, Message: fmt.Sprintf("%s (%d times in a row)", message, most), RetryAfter: busyRetry}
	}
	return i.leg.fault(dialog.ErrorTooFast, message, false)
}

const (
	// keepUpRest is how long the reader rests at a time when its answers or the
	// session are behind, and keepUpRests how often: a second in all.
	keepUpRest  = 5 * time.Millisecond
	keepUpRests = 200
)

// keepUp makes the reader wait while half of the room for answers to the device, or
// for events that the session is to take, is full: a hundred pings in one segment
// of TCP are no reason to end a connection. Who does not catch up within a second
// does not serve the connection any more; the queues say so when they overflow.
func (l *Leg) keepUp() error {
	for range keepUpRests {
		l.mu.Lock()
		behind := l.down.urgent.len() > maxUrgent/2
		l.mu.Unlock()
		if !behind && !l.events.behind() {
			return nil
		}
		if !l.rest(keepUpRest) {
			return l.closed()
		}
	}
	return nil
}

// rest makes the reader wait; false when the connection ended meanwhile.
func (l *Leg) rest(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-l.ended:
		return false
	}
}
