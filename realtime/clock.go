package realtime

import "time"

// streamClock is what the tracks of a stream have in common: a time in ms that
// starts at 1 with the stream, and how the media time of the device relates to
// it. Keys are times on this clock.
type streamClock struct {
	shift    int64 // key = timestamp + shift
	lead     int64 // how far the keys run ahead of the clock
	mapped   bool  // shift and lead come from a timestamp
	assigned int64 // last key made up for a chunk without a timestamp
	latest   int64 // greatest key so far
}

// trackClock maps the timestamps of one track to keys.
type trackClock struct {
	shift      int64
	lead       int64 // the most that its keys ran ahead of the clock
	mapped     bool
	last       int64         // key of the last timestamp that was believed
	lastAt     time.Duration // and its arrival
	gapEnd     int64         // key of where its last gap ends
	suspect    int64         // the last timestamp that was not; 0 is none
	suspectKey int64         // where on the clock it was pushed
}

// place gives e its media time and its key, and supplies or corrects the
// timestamp of its chunk. It needs s.mu.
func (s *RealtimeStream) place(t *track, e *entry, now time.Duration) {
	var stamp int64
	if e.chunk.Ctrl != nil {
		stamp = e.chunk.Ctrl.Timestamp
	}
	clock := 1 + now.Milliseconds()
	switch {
	case stamp > 0:
		key, believed := s.mapStamp(t, stamp, clock, now)
		e.media = key
		if !believed {
			e.own().ctrl.Timestamp = max(key-t.clock.shift, 1)
		}
		if e.gap {
			t.clock.gapEnd = key + MediaDuration(e.chunk.Part).Milliseconds()
		}
	case e.chunk.IsEndOfStream():
		e.media = max(s.clock.latest, 1)
		e.own().ctrl.Timestamp = s.stampFor(t, e.media)
	default:
		e.media = max(clock+s.clock.lead, s.clock.assigned+1, t.lastKey+1)
		s.clock.assigned = e.media
		e.own().ctrl.Timestamp = s.stampFor(t, e.media)
	}
	e.key = max(e.media, t.lastKey) // never reorder within a track
	t.lastKey = e.key
	s.clock.latest = max(s.clock.latest, e.key)
}

// stampFor is the timestamp of key on the clock that the track is known, or
// else most likely, to run on.
func (s *RealtimeStream) stampFor(t *track, key int64) int64 {
	if t.clock.mapped {
		return max(key-t.clock.shift, 1)
	}
	return max(key-s.clock.shift, 1)
}

// mapStamp turns a timestamp into a key. believed is false for one that jumped
// away from the clock of its track; its key is then the expected one.
func (s *RealtimeStream) mapStamp(t *track, stamp, clock int64, now time.Duration) (key int64, believed bool) {
	c, jump := &t.clock, s.config.MaxJump.Milliseconds()
	if !c.mapped {
		return s.mapFirst(c, stamp, clock, now), true
	}
	// Media time may fall behind (the device stalled or paused) and catch up
	// again, but it neither runs ahead of real time, except over a gap, however
	// long that says it is, nor backwards.
	key = stamp + c.shift
	if within(key, c.last-jump, max(clock+c.lead, c.gapEnd)+jump) {
		c.believe(key, clock, now)
		return key, true
	}
	expected := max(c.last+(now-c.lastAt).Milliseconds(), c.gapEnd)
	s.stats.Jumps++
	if c.confirms(stamp, clock, jump) { // not a jump but a new clock
		c.shift = expected - stamp
		c.believe(expected, clock, now)
		s.clock.shift, s.clock.lead = c.shift, expected-clock
		return expected, true
	}
	c.suspect, c.suspectKey = stamp, clock
	return expected, false
}

// mapFirst maps the first timestamps of a track. They fit the clock that the
// stream knows, or else two in a row must agree on another one.
func (s *RealtimeStream) mapFirst(c *trackClock, stamp, clock int64, now time.Duration) int64 {
	jump := s.config.MaxJump.Milliseconds()
	here := clock + s.clock.lead // where the stream is
	key := stamp + s.clock.shift
	switch {
	// The track before may have run ahead of real time over a gap, and real time may
	// have caught up since.
	case within(key, min(here, clock)-jump, max(here, s.clock.latest)+jump):
		c.shift = s.clock.shift
	case !s.clock.mapped || c.confirms(stamp, clock, jump):
		key = here
		c.shift = here - stamp
	default:
		s.stats.Jumps++
		c.suspect, c.suspectKey = stamp, clock
		return here
	}
	c.mapped, c.lead = true, key-clock
	c.believe(key, clock, now)
	if !s.clock.mapped {
		s.clock.mapped, s.clock.shift = true, c.shift
		s.clock.lead = key - clock
	}
	s.clock.lead = max(s.clock.lead, key-clock)
	return key
}

func (c *trackClock) believe(key, clock int64, now time.Duration) {
	c.lead = max(c.lead, key-clock)
	c.last, c.lastAt = key, now
	c.suspect = 0
}

// confirms reports whether stamp continues the suspect one.
func (c *trackClock) confirms(stamp, clock, jump int64) bool {
	expected := c.suspect + clock - c.suspectKey
	return c.suspect != 0 && within(stamp, expected-jump, expected+jump)
}

// within is overflow-safe for any x, since low and high are derived from the
// clock of the stream or from a timestamp that may be anything: low > high
// after an overflow contains nothing.
func within(x, low, high int64) bool { return low <= x && x <= high }
