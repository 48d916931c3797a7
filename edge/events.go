package edge

import (
	"sync"

	"edged/dialog"
)

// Bounds of the event queue of a leg.
const (
	// eventBuffer is the capacity of the channel.
	eventBuffer = 32
	// eventBacklog is how many more events wait for room in it. A handler that
	// is so far behind does not serve its device any more.
	eventBacklog = 64
)

// events is the way from the device to the handler: a bounded channel with a
// bounded backlog behind it in which reports of progress are merged, so that
// they never crowd out what happens once. Order is kept.
type events struct {
	out chan dialog.Uplink

	mu      sync.Mutex
	backlog ring[dialog.Uplink]
	closed  bool
}

func newEvents() *events {
	return &events{out: make(chan dialog.Uplink, eventBuffer), backlog: newRing[dialog.Uplink](eventBacklog)}
}

// push hands e on. It never blocks; false means that the queue overflowed.
// After close it does nothing.
func (q *events) push(e dialog.Uplink) (ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return true
	}
	q.drain()
	if q.backlog.len() == 0 {
		select {
		case q.out <- e:
			return true
		default:
		}
	}
	return q.merge(e) || q.backlog.push(e)
}

// merge puts e in the place of a waiting report of the same progress, which it
// makes void. Nothing moves across an event that happens once, and a report of
// what was played never before the report that it was sent.
func (q *events) merge(e dialog.Uplink) bool {
	for i := q.backlog.len() - 1; i >= 0; i-- {
		waiting := q.backlog.at(i)
		switch old := (*waiting).(type) {
		case dialog.Played:
			if now, same := e.(dialog.Played); same && now.Turn == old.Turn {
				*waiting = now
				return true
			}
			if _, sent := e.(dialog.Sent); sent {
				continue
			}
		case dialog.Sent:
			if now, same := e.(dialog.Sent); same && now.Turn == old.Turn {
				*waiting = now
				return true
			}
		}
		return false
	}
	return false
}

// behind reports whether half of the backlog is full.
func (q *events) behind() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.drain()
	}
	return q.backlog.len() > eventBacklog/2
}

// waiting moves what it can to the channel and reports whether something is
// left.
func (q *events) waiting() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.drain()
	}
	return q.backlog.len() > 0
}

// drain needs mu.
func (q *events) drain() {
	for q.backlog.len() > 0 {
		select {
		case q.out <- *q.backlog.at(0):
			q.backlog.pop()
		default:
			return
		}
	}
}

// close ends the channel after what fits into it.
func (q *events) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	q.drain()
	q.closed = true
	q.backlog.clear()
	close(q.out)
}
