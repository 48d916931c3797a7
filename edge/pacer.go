package edge

import "time"

// Limits of the lead, the amount of reply audio that a device is given ahead of
// its playback.
const (
	// MaxLead is the lead of a device with a queue that is large enough. More
	// makes an interruption dearer and a small queue overflow; less does not
	// ride out an ordinary Wi-Fi stall (public firmware asks for 180-240 ms).
	MaxLead = 240 * time.Millisecond
	// unknownQueueLead is for a device that does not say how much it can hold:
	// the smallest queue in the field has five packets of 60 ms, three of which
	// this fills.
	unknownQueueLead = 180 * time.Millisecond
)

// LeadFor returns how far ahead of real time audio in packets of ptime may be
// sent to a device that can hold queue of it; queue 0 means unknown.
//
// It keeps a fifth of the queue, and at least one packet of it, free: the queue
// counts whole packets, the network delays the first packet of a reply no less
// than a later one, and the device's clock is not ours. For five packets of
// 60 ms that is 240 ms, four packets, of which one is being played.
func LeadFor(queue, ptime time.Duration) time.Duration {
	if queue <= 0 {
		return max(unknownQueueLead, ptime)
	}
	return max(min(MaxLead, queue-ptime, queue*4/5), ptime)
}

const (
	// steerWindow is how long acknowledgements are collected before one
	// correction: long enough that its least delayed one met an idle network,
	// short enough that a clock that is 200 ppm off moves by 0.4 ms only.
	steerWindow = 2 * time.Second
	// steerPPM bounds how much faster than our clock a device is followed.
	// Crystals are within 50 ppm, the cheapest resonators within 500.
	steerPPM = 500
)

// Pacer decides when each packet of reply audio may leave. It knows the device
// as a queue that plays in real time from the moment the first packet was
// written, and holds two promises:
//
//   - What was written is never more than the lead ahead of that playback, not
//     after an underrun either.
//   - Two packets are never closer than half their duration. A fresh queue, and
//     one that fell behind, is filled at up to twice real time, never at once.
//
// Deadlines are absolute: they are reckoned from the start of playback, not
// from the packet before, so lateness does not add up. When the queue has run
// dry the next packet leaves at once and playback is reckoned from there.
//
// Acknowledgements, where the device sends them, steer the reckoning: a device
// that falls behind (a slower clock, a stall of the network that it slept
// through) is sent to later, one with a faster clock sooner.
//
// A held reply plays up to where it is held and stands there; the queue is filled
// up to the lead behind that, at the pace of playback, and no further until the
// release. From there on playback is reckoned anew, so what comes after the
// release is no burst. The time in between counts neither as an underrun nor as
// news of the device's clock.
//
// A Pacer starts nothing, reads no clock and does not allocate. It serves one
// goroutine at a time.
type Pacer struct {
	lead time.Duration

	running bool
	anchor  time.Time     // when playback of the media position `origin` began
	origin  time.Duration // in media time of the pacer
	total   time.Duration // media written since the pacer was made
	last    time.Time     // when the last packet was written
	spacing time.Duration // least distance to the next one
	fresh   bool          // the next packet begins a reply: no underrun before it
	// held: playback stops at the media position pause, where it cannot have been
	// before since.
	held  bool
	pause time.Duration
	since time.Time

	steer steering
	stats PacerStats
}

// steering follows the device's clock by the least delayed acknowledgement of
// each window.
type steering struct {
	based       bool
	base        time.Duration // lag in the first window of this run
	window      time.Time     // start of the current window
	least       time.Duration // least lag in the current window
	seen        bool          // an acknowledgement came in the current window
	acked       time.Duration // media position of the newest acknowledgement
	shift       time.Duration // how much later than reckoned the device plays
	corrections int
}

// PacerStats counts what the pacer saw. Lateness is how long after a packet was
// both due and at hand it was written.
type PacerStats struct {
	// Packets written.
	Packets uint64
	// Underruns: the queue of the device ran dry in the middle of a reply.
	Underruns uint64
	// Lateness of the packets.
	Lateness Histogram
	// Shift is the present correction for the device's clock: positive when it
	// plays later than reckoned.
	Shift time.Duration
}

// NewPacer returns a pacer that stays within lead. A lead shorter than a packet
// works as if it were one packet long.
func NewPacer(lead time.Duration) Pacer { return Pacer{lead: lead, fresh: true} }

// Begin says that the next packet begins a reply: a queue that has run dry
// before it is no underrun.
func (p *Pacer) Begin() { p.fresh = true }

// Due returns when a packet of ptime may be written, which may be in the past.
// now is the present time.
func (p *Pacer) Due(now time.Time, ptime time.Duration) time.Time {
	earliest := p.last.Add(p.spacing)
	if p.held && p.total+ptime-p.pause > max(p.lead, ptime) {
		return now.Add(never)
	}
	if p.dry(now) {
		if earliest.After(now) {
			return earliest
		}
		return now
	}
	due := p.playoutEnd().Add(ptime - max(p.lead, ptime))
	if earliest.After(due) {
		return earliest
	}
	return due
}

// Written records that a packet of ptime was written at the time at. due is
// what Due returned for it and ready is when its audio was at hand.
func (p *Pacer) Written(at, due, ready time.Time, ptime time.Duration) {
	if p.dry(at) {
		if p.running && !p.fresh && !p.standing() {
			p.stats.Underruns++
		}
		p.running, p.anchor, p.origin = true, at, p.total
		p.steer = steering{corrections: p.steer.corrections}
	}
	if ready.After(due) {
		due = ready
	}
	p.stats.Lateness.Add(max(0, at.Sub(due)))
	p.stats.Packets++
	p.fresh = false
	p.total += ptime
	p.last, p.spacing = at, ptime/2
}

// Flush says that the device has thrown its queue away: the next packet may leave
// at once.
func (p *Pacer) Flush() { p.running, p.fresh, p.spacing, p.held = false, true, 0, false }

// never is when a packet is due that has to wait for a release.
const never = time.Hour

// Hold says at the time now that the device stops playing at the media position
// at, or at once if it has passed that. It takes the place of an earlier hold.
func (p *Pacer) Hold(now time.Time, at time.Duration) {
	p.Release(now)
	p.pause = max(at, p.Playing(now))
	p.held, p.since = true, now
}

// Release says at the time now that the device goes on.
func (p *Pacer) Release(now time.Time) {
	if !p.held {
		return
	}
	p.held = false
	if !p.running || p.pause > p.total {
		return // it never got there
	}
	stopped := p.start().Add(p.pause - p.origin)
	if stopped.Before(p.since) {
		stopped = p.since
	}
	if stood := now.Sub(stopped); stood > 0 {
		p.anchor = p.anchor.Add(stood)
		p.steer.window, p.steer.seen = time.Time{}, false
	}
}

// Held reports whether a reply is being held.
func (p *Pacer) Held() bool { return p.held }

// standing reports whether the device stands at a hold with an empty queue.
func (p *Pacer) standing() bool { return p.held && p.total >= p.pause }

// Total is the media written since the pacer was made; the coordinate of Acknowledge and
// Playing.
func (p *Pacer) Total() time.Duration { return p.total }

// Playing estimates the media position that the device plays at the time now,
// from the pace of sending and the acknowledgements so far.
func (p *Pacer) Playing(now time.Time) time.Duration {
	if !p.running {
		return p.total
	}
	playing := p.unheld(now)
	if p.held {
		playing = min(playing, p.pause)
	}
	return playing
}

// unheld is where the device would be at the time now without a hold.
func (p *Pacer) unheld(now time.Time) time.Duration {
	return min(p.total, p.origin+max(0, now.Sub(p.start())))
}

// Drained returns when the device will have played all that was written.
func (p *Pacer) Drained() time.Time { return p.playoutEnd() }

// Acknowledge says that at the time at the news came that the device had played
// up to the media position played.
func (p *Pacer) Acknowledge(at time.Time, played time.Duration) {
	s := &p.steer
	if !p.running || played <= p.origin || played <= s.acked || played > p.total {
		return
	}
	s.acked = played
	if p.held {
		// It knows best where it stopped, if it was told to do so at once. How
		// late it is says nothing about its clock.
		p.pause = max(p.pause, min(played, p.unheld(at)))
		return
	}
	lag := at.Sub(p.anchor) - (played - p.origin)
	if s.window.IsZero() {
		s.window = at
	}
	if !s.seen || lag < s.least {
		s.seen, s.least = true, lag
	}
	if at.Sub(s.window) < steerWindow {
		return
	}
	if !s.based {
		s.based, s.base = true, s.least
	}
	faster := at.Sub(p.anchor) / 1_000_000 * steerPPM
	s.shift = max(s.least-s.base, -faster)
	s.corrections++
	s.window, s.seen = at, false
}

// Stats returns a copy of the counters.
func (p *Pacer) Stats() PacerStats {
	stats := p.stats
	stats.Shift = p.steer.shift
	return stats
}

// start is when playback of origin began, as far as known by now.
func (p *Pacer) start() time.Time { return p.anchor.Add(p.steer.shift) }

// playoutEnd is when the device will have played all that was written.
func (p *Pacer) playoutEnd() time.Time { return p.start().Add(p.total - p.origin) }

// dry reports whether the device has nothing left to play.
func (p *Pacer) dry(now time.Time) bool {
	if p.held && p.total > p.pause {
		return false
	}
	return !p.running || now.After(p.playoutEnd())
}
