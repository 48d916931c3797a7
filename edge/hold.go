package edge

import (
	"errors"
	"math"
	"time"

	"edged/dialog"
)

// ErrNoHold: the device cannot hold a reply.
var ErrNoHold = errors.New("edge: the device cannot hold a reply")

// Hold makes the device pause the reply of turn at the media offset at, or at once
// if it has played that already. It keeps what it has queued; what is sent beyond
// stays within the lead. Hold does not block: its message overtakes the audio that
// waits. The error is ErrNoHold, ErrFlushed if turn is not the newest reply, or
// matches ErrClosed.
func (l *Leg) Hold(turn dialog.Turn, at time.Duration) error {
	if !l.terms.hello.Capabilities.Hold {
		return ErrNoHold
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.cause != nil:
		return l.cause
	case turn <= l.down.epoch || turn != l.down.newest:
		return ErrFlushed
	case l.current.turn != turn: // it has not begun
		l.down.hold = dialog.Position{Turn: turn, Offset: at}
		return nil
	}
	l.holdNow(dialog.Position{Turn: turn, Offset: at})
	return nil
}

// holdNow pauses the current reply. It needs mu.
func (l *Leg) holdNow(at dialog.Position) {
	samples := l.current.count(at.Offset)
	l.pacer.Hold(time.Now(), l.current.pacing(samples))
	l.down.urgent.push(urgent{control: Hold{Turn: at.Turn, Samples: uint32(min(samples, math.MaxUint32))}})
	l.wake()
}

// Release lets the held reply of turn go on where the device paused it. It does
// not block. A reply that is not held goes on anyway. The error is ErrNoHold,
// ErrFlushed if turn is not the newest reply, or matches ErrClosed.
func (l *Leg) Release(turn dialog.Turn) error {
	if !l.terms.hello.Capabilities.Hold {
		return ErrNoHold
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.cause != nil:
		return l.cause
	case turn <= l.down.epoch || turn != l.down.newest:
		return ErrFlushed
	}
	l.down.hold = dialog.Position{}
	if l.current.turn == turn && l.pacer.Held() {
		l.pacer.Release(time.Now())
		l.down.urgent.push(urgent{control: Release{Turn: turn}})
		l.wake()
	}
	return nil
}
