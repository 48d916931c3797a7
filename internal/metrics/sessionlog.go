package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"edged/session/log"
)

// Ring is what SessionLog reads. A log.Ring is one.
type Ring interface{ Stats() log.RingStats }

// sessionLog reads a Ring.
type sessionLog struct {
	ring Ring

	lines, kept, tails, missed reading
}

// SessionLog returns a collector of what becomes of the session log.
func SessionLog(ring Ring) prometheus.Collector {
	const counter, gauge = prometheus.CounterValue, prometheus.GaugeValue
	return &sessionLog{
		ring:   ring,
		lines:  newReading(counter, "edged_log_lines_total", "Lines of the session log that were written."),
		kept:   newReading(gauge, "edged_log_kept_lines", "Lines that are kept in memory."),
		tails:  newReading(gauge, "edged_log_tails", "Readers of the session log: standard output, the file, the book of sessions, operators."),
		missed: newReading(counter, "edged_log_missed_lines_total", "Lines that a reader has missed: overtaken because it was slow, unwritable because its sink failed.", "reason"),
	}
}

// Describe implements prometheus.Collector.
func (l *sessionLog) Describe(to chan<- *prometheus.Desc) {
	describe(to, l.lines, l.kept, l.tails, l.missed)
}

// Collect implements prometheus.Collector.
func (l *sessionLog) Collect(to chan<- prometheus.Metric) {
	s := l.ring.Stats()
	to <- l.lines.of(float64(s.Written))
	to <- l.kept.of(float64(s.Kept))
	to <- l.tails.of(float64(s.Tails))
	to <- l.missed.of(float64(s.Overtaken), "overtaken")
	to <- l.missed.of(float64(s.Unwritable), "unwritable")
}
