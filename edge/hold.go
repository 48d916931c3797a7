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
// waits. A second one takes the place of the first, and a newer reply undoes it.
// The error is ErrNoHold, ErrFlushed if turn is not the newest reply, or matches
// ErrClosed.
func (l *Leg) Hold(turn dialog.Turn, at time.Duration) error {
	l.mu.Lock()
	if err := l.holdable(turn); err != nil {
		l.mu.Unlock()
		return err
	}
	told, where := true, dialog.Position{Turn: turn, Offset: max(at, 0)}
	if l.current.turn == turn {
		told = l.holdNow(where)
	} else {
		l.down.hold = where // it has not begun
	}
	l.mu.Unlock()
	if !told {
		return l.unread()
	}
	return nil
}

// Release lets the held reply of turn go on where the device paused it. It does
// not block. A reply that is not held goes on anyway. The errors are those of
// Hold.
func (l *Leg) Release(turn dialog.Turn) error {
	l.mu.Lock()
	if err := l.holdable(turn); err != nil {
		l.mu.Unlock()
		return err
	}
	told := l.letGo()
	l.mu.Unlock()
	if !told {
		return l.unread()
	}
	return nil
}

// holdable reports why the reply of turn cannot be held. It needs mu.
func (l *Leg) holdable(turn dialog.Turn) error {
	switch {
	case l.cause != nil:
		return l.cause
	case !l.terms.hello.Capabilities.Hold:
		return ErrNoHold
	case turn <= l.down.epoch || turn != l.down.newest:
		return ErrFlushed
	}
	return nil
}

// holdNow pauses the current reply. It needs mu; false means that the device does
// not read.
func (l *Leg) holdNow(at dialog.Position) (told bool) {
	now := time.Now()
	samples := l.current.count(at.Offset)
	l.pacer.Hold(now, l.current.pacing(samples))
	l.wake()
	return l.down.urgent.push(urgent{control: Hold{Turn: at.Turn, Samples: uint32(min(samples, math.MaxUint32))}})
}

// letGo undoes a hold, if there is one. It needs mu; false means that the device
// does not read.
func (l *Leg) letGo() (told bool) {
	l.down.hold = dialog.Position{}
	turn := l.current.turn
	if !l.pacer.Held() || turn <= l.down.epoch { // a flush undoes it
		return true
	}
	l.pacer.Release(time.Now())
	l.wake()
	return l.down.urgent.push(urgent{control: Release{Turn: turn}})
}
