package edge

import (
	"maps"
	"sync"

	"edged/dialog"
)

// EndReason says how a connection ended: the code of the error that the device
// was told, or one of the constants.
type EndReason string

const (
	// EndBye: either side said goodbye.
	EndBye EndReason = "bye"
	// EndLost: the transport broke.
	EndLost EndReason = "lost"
)

// Totals is what a server has seen so far, on all connections together, those
// that are over included. Nothing in it that counts ever goes back.
type Totals struct {
	// Begun counts the connections that were served, Live those that are being
	// served now.
	Begun uint64
	Live  int
	// Ended counts those that are over.
	Ended map[EndReason]uint64
	// Refused counts those that were turned away before they were served, by the
	// code of the error that they were told.
	Refused map[dialog.ErrorCode]uint64
	// Stats is the sum of what the connections have counted. What they hold now
	// (Jitter.Held, Uplink.Chunks, Uplink.Bytes) is that of the live ones;
	// Pacer.Shift and Echo are not summed up.
	Stats
}

// tally sums up the connections of a server. A connection is counted by its Leg
// while it lives and by its last Stats from then on. The lock is taken when a
// connection comes or goes and when somebody asks, never for a packet.
type tally struct {
	mu      sync.Mutex
	begun   uint64
	ended   map[EndReason]uint64
	refused map[dialog.ErrorCode]uint64
	live    map[*counted]struct{}
	past    Stats // of those that are over
}

// counted is a connection in the tally. last is what it counts for once it is
// over, whatever its Leg still counts: a sum that has been read never goes back.
type counted struct {
	leg  *Leg
	mu   sync.Mutex
	over bool
	last Stats
}

func newTally() *tally {
	return &tally{
		ended:   make(map[EndReason]uint64),
		refused: make(map[dialog.ErrorCode]uint64),
		live:    make(map[*counted]struct{}),
	}
}

// enter counts a connection; leave is to be called when it is over.
func (t *tally) enter(leg *Leg) (leave func()) {
	c := &counted{leg: leg}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begun++
	t.live[c] = struct{}{}
	return func() { t.leave(c) }
}

// leave keeps the last Stats of a connection in its place.
func (t *tally) leave(c *counted) {
	last := c.finish()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended[c.leg.ending()]++
	t.past.add(&last)
	delete(t.live, c)
}

// finish fixes what the connection counts for. Nothing is held any more.
func (c *counted) finish() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last, c.over = c.leg.Stats(), true
	c.last.Jitter.Held, c.last.Uplink.Chunks, c.last.Uplink.Bytes = 0, 0, 0
	return c.last
}

func (c *counted) stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return c.last
	}
	return c.leg.Stats()
}

// ending tells how a connection that is over has ended.
func (l *Leg) ending() EndReason {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.farewell.Code != "":
		return EndReason(l.farewell.Code)
	case l.cause == ErrClosed:
		return EndBye
	default:
		return EndLost
	}
}

// CountRefusal counts a connection that a transport has turned away with an error
// of that code before it was served.
func (s *Server) CountRefusal(code dialog.ErrorCode) {
	s.tally.mu.Lock()
	defer s.tally.mu.Unlock()
	s.tally.refused[code]++
}

// Totals returns the sums of all connections so far. It takes the locks of each
// live connection for as long as it takes to copy its counters.
func (s *Server) Totals() Totals {
	t := s.tally
	t.mu.Lock()
	sum := Totals{Begun: t.begun, Live: len(t.live), Ended: maps.Clone(t.ended), Refused: maps.Clone(t.refused)}
	sum.Stats.add(&t.past)
	live := make([]*counted, 0, len(t.live))
	for c := range t.live {
		live = append(live, c)
	}
	t.mu.Unlock()
	for _, c := range live {
		stats := c.stats()
		sum.Stats.add(&stats)
	}
	return sum
}

// add sums up, but for what Totals leaves out.
func (s *Stats) add(o *Stats) {
	s.Duration += o.Duration
	s.PacketsIn += o.PacketsIn
	s.BytesIn += o.BytesIn
	s.PacketsOut += o.PacketsOut
	s.BytesOut += o.BytesOut
	s.Drops = addCounts(s.Drops, o.Drops)
	s.UnevenPackets += o.UnevenPackets
	s.Faults = addCounts(s.Faults, o.Faults)
	s.Untaken += o.Untaken
	s.Unread += o.Unread
	s.addJitter(o)
	s.Arrivals.Merge(&o.Arrivals)
	s.Recovered += o.Recovered
	s.Concealed += o.Concealed
	s.Missing += o.Missing
	s.addUplink(o)
	s.Pacer.Packets += o.Pacer.Packets
	s.Pacer.Underruns += o.Pacer.Underruns
	s.Pacer.Lateness.Merge(&o.Pacer.Lateness)
	s.Flushes.Merge(&o.Flushes)
	s.Flushed += o.Flushed
}

func (s *Stats) addJitter(o *Stats) {
	a, b := &s.Jitter, &o.Jitter
	a.Received += b.Received
	a.Delivered += b.Delivered
	a.Late += b.Late
	a.Duplicate += b.Duplicate
	a.Overflow += b.Overflow
	a.Oversize += b.Oversize
	a.Implausible += b.Implausible
	a.Invalid += b.Invalid
	a.Cleared += b.Cleared
	a.Held += b.Held
	a.Reordered += b.Reordered
	a.Lost += b.Lost
	a.Restarts += b.Restarts
	a.Overlaps += b.Overlaps
	a.MediaTime += b.MediaTime
	a.LostTime += b.LostTime
	a.GapTime += b.GapTime
	a.SilenceTime += b.SilenceTime
}

func (s *Stats) addUplink(o *Stats) {
	a, b := &s.Uplink, &o.Uplink
	a.Pushed += b.Pushed
	a.Delivered += b.Delivered
	a.Late += b.Late
	a.Jumps += b.Jumps
	for reason := range b.Dropped {
		a.Dropped[reason].Chunks += b.Dropped[reason].Chunks
		a.Dropped[reason].Bytes += b.Dropped[reason].Bytes
		a.Dropped[reason].Duration += b.Dropped[reason].Duration
	}
	a.Chunks += b.Chunks
	a.Bytes += b.Bytes
}

// addCounts adds counts to sums, which may be nil.
func addCounts[K comparable](sums, counts map[K]uint64) map[K]uint64 {
	if sums == nil {
		sums = make(map[K]uint64, len(counts))
	}
	for k, n := range counts {
		sums[k] += n
	}
	return sums
}
