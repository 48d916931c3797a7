package edge

import "time"

// Limits bounds one connection. A zero field means its default.
type Limits struct {
	// HelloTimeout is how long a device may take to say hello. Default 10s.
	HelloTimeout time.Duration
	// IdleTimeout is how long nothing may arrive from a device. Default 60s.
	// A device that only listens to a long story stays up by answering pings.
	IdleTimeout time.Duration
	// PingInterval is how often a device is asked for a sign of life, and given
	// one. Default 20s, at most half of IdleTimeout.
	PingInterval time.Duration
	// WriteTimeout is how long one packet may take to be written. Default 10s.
	WriteTimeout time.Duration
	// Lookahead is how much reply audio is taken in beyond the lead before Play
	// blocks. Default 400ms.
	Lookahead time.Duration
	// MaxFaults is how many malformed messages a connection survives. Audio that
	// does not decode is counted, too, but not among them. Default 100.
	MaxFaults int
	// ControlPerSecond is how many control messages a second are read from a
	// device on average; twice as many may come at once. Default 50; a negative
	// value sets no bound.
	ControlPerSecond int
	// AudioRate is how fast the audio of a device is taken, as a multiple of real
	// time on average; ten seconds of it may come at once. Default 4; a negative
	// value sets no bound.
	AudioRate float64
	// Bitrate of reply audio in Opus, in bit/s. Default: the encoder's.
	Bitrate int
}

const (
	// closeTimeout is how long a device may take to let itself be told why its
	// connection ends before the connection is cut.
	closeTimeout = 3 * time.Second
	// shutdownRetry is when a device may try again after a shutdown: about what
	// a restart takes.
	shutdownRetry = 5 * time.Second
	// busyRetry is when a device may try again after having found no place.
	busyRetry = 10 * time.Second
	// leastRetry is the soonest that anybody is told to try again.
	leastRetry = time.Second
)

func (l Limits) withDefaults() Limits {
	fill := func(d *time.Duration, def time.Duration) {
		if *d <= 0 {
			*d = def
		}
	}
	fill(&l.HelloTimeout, 10*time.Second)
	fill(&l.IdleTimeout, 60*time.Second)
	fill(&l.PingInterval, 20*time.Second)
	fill(&l.WriteTimeout, 10*time.Second)
	fill(&l.Lookahead, DefaultLookahead)
	l.PingInterval = min(l.PingInterval, l.IdleTimeout/2)
	if l.MaxFaults <= 0 {
		l.MaxFaults = 100
	}
	if l.ControlPerSecond == 0 {
		l.ControlPerSecond = 50
	}
	if l.AudioRate == 0 {
		l.AudioRate = 4
	}
	return l
}
