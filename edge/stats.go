package edge

import (
	"maps"
	"time"

	"edged/audio/echo"
	"edged/audio/jitter"
	"edged/dialog"
	"edged/realtime"
)

// DropReason says why something that the device sent was not used.
type DropReason string

const (
	// DropOutsideListening: audio outside of a listening period. Right after the
	// end of a period that is the normal case.
	DropOutsideListening DropReason = "outside_listening"
	// DropUnknownMessage: a control message of a type that is not known here.
	DropUnknownMessage DropReason = "unknown_message"
	// DropUnknownFrame: a frame of a type or track that is not known here.
	DropUnknownFrame DropReason = "unknown_frame"
	// DropAudioRate: audio that arrived faster than Limits.AudioRate allows.
	DropAudioRate DropReason = "audio_rate"
	// DropAhead: missing audio (a declared gap, a jump of the timestamps, a loss)
	// that would have put the time line of the microphone ahead of the clock.
	DropAhead DropReason = "ahead_of_clock"
	// DropUndecodable: audio that does not decode; it was concealed.
	DropUndecodable DropReason = "undecodable"
	// DropStaleAck: an acknowledgement of a reply that is no longer remembered.
	DropStaleAck DropReason = "stale_ack"
	// DropExcessAck: an acknowledgement of more than was sent, which counts as
	// all that was sent.
	DropExcessAck DropReason = "excess_ack"
)

// faultInterval is how often faults of one code are told.
const faultInterval = time.Second

// counters are those of a Leg that lie outside the microphone's way. Leg.mu
// guards them.
type counters struct {
	packetsOut, bytesOut uint64
	drops                map[DropReason]uint64
	faults               map[dialog.ErrorCode]*faultCount
	abuses               int
	untaken, unread      uint64
	flushes              Histogram
}

type faultCount struct {
	count uint64
	told  time.Time
}

func (c *counters) drop(reason DropReason) {
	if c.drops == nil {
		c.drops = make(map[DropReason]uint64)
	}
	c.drops[reason]++
}

// fault counts and returns whether to tell about it now, and how many abuses
// there have been.
func (c *counters) fault(code dialog.ErrorCode, now time.Time, abuse bool) (tell bool, abuses int) {
	if c.faults == nil {
		c.faults = make(map[dialog.ErrorCode]*faultCount)
	}
	f := c.faults[code]
	if f == nil {
		f = &faultCount{}
		c.faults[code] = f
	}
	f.count++
	if abuse {
		c.abuses++
	}
	if f.count > 1 && now.Sub(f.told) < faultInterval {
		return false, c.abuses
	}
	f.told = now
	return true, c.abuses
}

// Stats is a snapshot of what a connection has seen.
type Stats struct {
	// Duration since the connection was admitted.
	Duration time.Duration
	// PacketsIn and BytesIn count audio packets that arrived and their payload;
	// PacketsOut and BytesOut those of replies that were sent.
	PacketsIn, BytesIn, PacketsOut, BytesOut uint64
	// Drops counts what was not used.
	Drops map[DropReason]uint64
	// UnevenPackets counts packets of another duration than the hello announced.
	// They are decoded all the same.
	UnevenPackets uint64
	// Faults counts bad input, told or not.
	Faults map[dialog.ErrorCode]uint64
	// Untaken counts the events that the session did not take, Unread the control
	// messages that the device did not. Either ends the connection.
	Untaken, Unread uint64
	// Jitter counts what the jitter buffer saw: late, lost, duplicate packets.
	Jitter jitter.Stats
	// Arrivals tells how unevenly packets arrived: by how much the time between
	// two of them differed from the time between their first samples.
	Arrivals Histogram
	// Recovered and Concealed are how much lost audio came from the redundancy
	// in the next packet and how much was extrapolated; Missing became gaps.
	Recovered, Concealed, Missing time.Duration
	// Uplink counts what waited for the session and what it was too slow for.
	Uplink realtime.RealtimeStats
	// Pacer counts underruns and lateness of reply packets.
	Pacer PacerStats
	// Flushes tells how long it took to write each flush, from the call of Flush
	// on; Flushed is the reply audio that was given up unsent.
	Flushes Histogram
	Flushed time.Duration
	// Echo counts what the echo guard did; zero without one, before the first
	// reply and after the end of the connection.
	Echo echo.Stats
}

// Stats returns a snapshot of the counters.
func (l *Leg) Stats() Stats {
	s := l.up.stats()
	if c, ok := l.echo.(*echoCanceller); ok {
		s.Echo = c.stats()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s.Duration = time.Since(l.began)
	s.PacketsOut, s.BytesOut = l.counters.packetsOut, l.counters.bytesOut
	maps.Copy(s.Drops, l.counters.drops)
	s.Faults = make(map[dialog.ErrorCode]uint64, len(l.counters.faults))
	for code, f := range l.counters.faults {
		s.Faults[code] = f.count
	}
	s.Pacer = l.pacer.Stats()
	s.Untaken, s.Unread = l.counters.untaken, l.counters.unread
	s.Flushes, s.Flushed = l.counters.flushes, l.down.flushed
	return s
}
