package edge

import "time"

// meter bounds how fast something may happen. Whatever happens costs time, and
// time comes back at the pace of the clock; so much of it may be owed at once. A
// hundred messages in a row and fifty a second from there on are a cost of 20 ms
// and a credit of 2 s.
//
// The zero value owes nothing. A meter starts nothing, reads no clock and does
// not allocate; it serves one goroutine at a time.
type meter struct {
	settled time.Time // when everything will have been paid back
}

// spend takes cost at the time now and returns 0, or takes nothing and returns
// how long to wait for it. A cost above the credit counts as all of it.
func (m *meter) spend(now time.Time, cost, credit time.Duration) (wait time.Duration) {
	settled := m.settled
	if settled.Before(now) {
		settled = now
	}
	settled = settled.Add(min(cost, credit))
	if wait = settled.Sub(now) - credit; wait > 0 {
		return wait
	}
	m.settled = settled
	return 0
}

// idle reports whether nothing is owed at the time now.
func (m *meter) idle(now time.Time) bool { return !m.settled.After(now) }
