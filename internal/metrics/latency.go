package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// rejection says why a time is not believed.
type rejection string

const (
	// rejectedNegative: it is less than nothing.
	rejectedNegative rejection = "negative"
	// rejectedExcessive: it is longer than anything waits for anything.
	rejectedExcessive rejection = "excessive"
	// rejectedOrder: the stage was reached before one that it comes of.
	rejectedOrder rejection = "out_of_order"
)

var rejections = []rejection{rejectedNegative, rejectedExcessive, rejectedOrder}

// longestWait is the longest time within a turn that is believed. Deadlines of
// stages and tools are at most five minutes each.
const longestWait = 30 * time.Minute

// longestSession is the longest session that is believed.
const longestSession = 10 * 365 * 24 * time.Hour

// latency observes times, and counts those that cannot be instead.
type latency struct {
	times    prometheus.Observer
	most     time.Duration
	rejected map[rejection]prometheus.Counter
}

// newLatency returns one that believes what is not longer than most.
func newLatency(times prometheus.Observer, most time.Duration, rejected *prometheus.CounterVec, name string) *latency {
	l := &latency{times: times, most: most, rejected: make(map[rejection]prometheus.Counter)}
	for _, r := range rejections {
		l.rejected[r] = rejected.WithLabelValues(name, string(r))
	}
	return l
}

// observe observes d if it can be, and reports whether it can.
func (l *latency) observe(d time.Duration) bool {
	switch {
	case d < 0:
		l.reject(rejectedNegative)
	case d > l.most:
		l.reject(rejectedExcessive)
	default:
		l.times.Observe(d.Seconds())
		return true
	}
	return false
}

func (l *latency) reject(r rejection) { l.rejected[r].Inc() }
