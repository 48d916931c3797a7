package impair

import "math/rand/v2"

// loss decides which packets are lost.
type loss struct {
	// enter and leave are the probabilities, at each packet, of going from the
	// good state to the bad one and back.
	enter, leave float64
	bad          bool
}

// newLoss makes share of the packets be lost in the long run, burst in a row.
func newLoss(share, burst float64) loss {
	if burst <= 1 {
		// Independent: the state is drawn anew for each packet.
		return loss{enter: share, leave: 1 - share}
	}
	leave := 1 / burst
	return loss{enter: share * leave / (1 - share), leave: leave}
}

// next reports whether the next packet is lost.
func (l *loss) next(rnd *rand.Rand) bool {
	if l.bad {
		l.bad = rnd.Float64() >= l.leave
	} else {
		l.bad = rnd.Float64() < l.enter
	}
	return l.bad
}
