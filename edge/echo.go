package edge

import (
	"sync"
	"time"

	"github.com/rs/zerolog"

	"edged/audio"
	"edged/audio/echo"
	"edged/dialog"
)

// newEchoGuard returns the guard of a device that listens while it speaks and does
// not remove its own sound; nil for any other.
func newEchoGuard(t terms, log zerolog.Logger) *echoCanceller {
	c := t.hello.Capabilities
	if !c.FullDuplex || c.AEC {
		return nil
	}
	return &echoCanceller{rate: t.down.Rate, log: log}
}

// echoCanceller is the echoGuard that puts the microphone through an echo.Guard.
// That is made with the first packet of a reply, so a device that only listens
// costs nothing.
//
// It keeps two lines. On that of the reference lies what was sent, with the pauses
// between the replies, so that the delay once found stays that of the next reply.
// On that of the microphone samples are counted; origin ties it to the time at
// which they arrive.
type echoCanceller struct {
	rate audio.SampleRate
	log  zerolog.Logger

	mu     sync.Mutex
	guard  *echo.Guard // nil: no reply yet, closed, or there is no memory
	failed bool
	closed bool

	resampler
	scratch []int16
	turns   [2]echoTurn // the newest reply and the one before

	flushed bool // nothing was sent since the last flush

	heard  int64 // microphone samples
	origin time.Time
	tied   time.Time // when origin was last moved
}

// echoTurn is where a reply lies on the line of the reference.
type echoTurn struct {
	turn dialog.Turn
	// base is the position of the first sample that was sent, which the device
	// counts as first; next is the position of its next packet.
	base, next  int64
	first, sent int
}

const (
	// originLeak is by how much the origin may move to a later time each second,
	// ten times the error of the clocks of devices.
	originLeak = 2 * time.Millisecond
	// echoHole is how much later than expected the microphone may come before
	// something is missing: a listening period has ended in between.
	echoHole = 400 * time.Millisecond
)

func (e *echoCanceller) sent(turn dialog.Turn, from int, pcm []int16, at time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.ready() {
		return
	}
	if t := &e.turns[0]; t.turn != turn || from != t.first+t.sent {
		if err := e.resampler.open(e.rate, micRate); err != nil {
			e.fail(err)
			return
		}
		base := max(0, e.guard.Expected(e.position(at)))
		if e.flushed {
			e.guard.Cut(base)
		}
		base = max(base, e.guard.End())
		e.turns = [2]echoTurn{{turn: turn, base: base, next: base, first: from}, *t}
		e.flushed = false
	}
	t := &e.turns[0]
	// A device with an empty queue plays the packet at once.
	begins := t.base + int64(micRate.Samples(e.rate.Duration(t.sent)))
	if now := e.position(at); t.sent == 0 && e.turns[1].turn == 0 || e.guard.Expected(now) > begins {
		e.guard.Place(begins, now)
	}
	e.scratch = e.resampler.append(e.scratch[:0], pcm)
	e.guard.Sent(t.next, e.scratch)
	t.next += int64(len(e.scratch))
	t.sent += len(pcm)
}

func (e *echoCanceller) played(turn dialog.Turn, samples int, at time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, t := range e.turns {
		if e.guard != nil && t.turn == turn && samples > t.first && samples < t.first+t.sent {
			e.guard.Place(t.base+int64(micRate.Samples(e.rate.Duration(samples-t.first))), e.position(at))
		}
	}
}

func (e *echoCanceller) stopped(turn dialog.Turn, at time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.guard == nil || e.turns[0].turn == 0 || e.turns[0].turn > turn {
		return
	}
	// The flush is on its way for a moment, in which the device plays on.
	e.guard.Cut(e.guard.Expected(e.position(at.Add(flushTravel))))
	e.flushed = true
}

// flushTravel is how long a device may play on after a flush was written.
const flushTravel = 300 * time.Millisecond

func (e *echoCanceller) hear(samples []int16, missing int, captured time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.tie(captured)
	e.heard += int64(len(samples) + missing)
	if e.guard == nil {
		return
	}
	if missing > 0 {
		e.guard.Skip(missing)
	}
	e.guard.Process(samples)
}

// tie keeps the origin of the microphone's line at the earliest time that the
// arrival of its samples allows.
func (e *echoCanceller) tie(captured time.Time) {
	origin := captured.Add(-micRate.Duration(int(e.heard)))
	late := origin.Sub(e.origin)
	switch {
	case e.origin.IsZero():
		e.origin = origin
	case late > echoHole:
		n := micRate.Samples(late)
		e.heard += int64(n)
		if e.guard != nil {
			e.guard.Skip(n)
		}
	case late < 0:
		e.origin = origin
	default:
		leak := time.Duration(float64(originLeak) * captured.Sub(e.tied).Seconds())
		e.origin = e.origin.Add(min(late, max(0, leak)))
	}
	e.tied = captured
}

// position is where on the microphone's line something that is heard at the
// speaker at the time at will arrive.
func (e *echoCanceller) position(at time.Time) int64 {
	if e.origin.IsZero() {
		e.origin, e.tied = at, at
	}
	// The guard has its own count, which begins with it.
	return int64(micRate.Samples(at.Sub(e.origin))) - e.heard + e.guard.Position()
}

// ready makes the guard; false means that there is none.
func (e *echoCanceller) ready() bool {
	if e.guard == nil && !e.failed && !e.closed {
		guard, err := echo.New()
		if err != nil {
			e.fail(err)
			return false
		}
		e.guard = guard
	}
	return e.guard != nil
}

// fail leaves the microphone as it is.
func (e *echoCanceller) fail(err error) {
	e.failed = true
	e.free()
	e.log.Error().Err(err).Msg("no echo guard: the device may interrupt itself")
}

// free gives back what the garbage collector does not know.
func (e *echoCanceller) free() {
	if e.guard != nil {
		_ = e.guard.Close() // only frees memory
		e.guard = nil
	}
	e.resampler.close()
}

// close ends it; what is heard afterwards passes.
func (e *echoCanceller) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return
	}
	e.closed = true
	e.free()
}

// stats returns the counters, also after close.
func (e *echoCanceller) stats() echo.Stats {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.guard == nil {
		return echo.Stats{}
	}
	return e.guard.Stats()
}
