package impair

import (
	"math/rand/v2"
	"time"
)

// Kind is what a message is to a Line.
type Kind uint8

const (
	// Control messages and audio frames with BOS or EOS are delayed and else left
	// alone.
	Control Kind = iota
	// Audio packets can be lost, doubled and overtaken.
	Audio
)

// Counts is what a Line has done to audio packets; Delayed counts messages of any
// kind, MostDelayed is the longest wait of one.
type Counts struct {
	Audio, Lost, Reordered, Duplicated uint64
	Delayed                            uint64
	MostDelayed                        time.Duration
}

// Add returns the sum of both.
func (c Counts) Add(o Counts) Counts {
	return Counts{
		Audio: c.Audio + o.Audio, Lost: c.Lost + o.Lost, Reordered: c.Reordered + o.Reordered, Duplicated: c.Duplicated + o.Duplicated,
		Delayed: c.Delayed + o.Delayed, MostDelayed: max(c.MostDelayed, o.MostDelayed),
	}
}

// Line is one direction of a Network: what is pushed comes out when it is due.
type Line[T any] struct {
	network Network
	rnd     *rand.Rand
	loss    loss
	queue   []entry[T] // in the order of delivery
	behind  []entry[T] // at most one: the packet that the next one overtakes
	last    time.Time  // when the newest of queue is due
	counts  Counts
}

type entry[T any] struct {
	item T
	due  time.Time
}

// NewLine returns an empty line. Lines of one network with different numbers are
// independent of each other.
func NewLine[T any](n Network, number uint64) *Line[T] {
	return &Line[T]{network: n, rnd: rand.New(rand.NewPCG(n.Seed, number)), loss: newLoss(n.Loss, n.Burst)}
}

// Push sends item at the time now, which never goes back.
func (l *Line[T]) Push(now time.Time, item T, kind Kind) {
	n := l.network
	if kind == Audio {
		l.counts.Audio++
		if n.Loss > 0 && l.loss.next(l.rnd) {
			l.counts.Lost++
			return
		}
	}
	due := now.Add(n.Shape.delay(l.rnd, n.Jitter))
	if due.Before(l.last) {
		due = l.last
	}
	l.last = due
	if wait := due.Sub(now); wait > 0 {
		l.counts.Delayed++
		l.counts.MostDelayed = max(l.counts.MostDelayed, wait)
	}
	e := entry[T]{item, due}
	if kind == Control {
		// Nothing of the audio comes later than what was said after it.
		l.catchUp(due)
		l.queue = append(l.queue, e)
		return
	}
	if len(l.behind) == 0 && l.drawn(n.Reorder) {
		l.behind = append(l.behind, e)
		return
	}
	l.queue = append(l.queue, e)
	if len(l.behind) > 0 {
		l.counts.Reordered++
		l.catchUp(due)
	}
	if l.drawn(n.Duplicate) {
		l.counts.Duplicated++
		l.queue = append(l.queue, e)
	}
}

// catchUp delivers the packet that was kept back.
func (l *Line[T]) catchUp(due time.Time) {
	for _, e := range l.behind {
		l.queue = append(l.queue, entry[T]{e.item, due})
	}
	clear(l.behind)
	l.behind = l.behind[:0]
}

func (l *Line[T]) drawn(share float64) bool { return share > 0 && l.rnd.Float64() < share }

// Pop returns the next item that is due at the time now.
func (l *Line[T]) Pop(now time.Time) (item T, ok bool) {
	if len(l.queue) == 0 || l.queue[0].due.After(now) {
		return item, false
	}
	item = l.queue[0].item
	l.queue[0] = entry[T]{}
	l.queue = l.queue[1:]
	return item, true
}

// Next returns when the next item is due; ok is false when none waits.
func (l *Line[T]) Next() (due time.Time, ok bool) {
	if len(l.queue) == 0 {
		return time.Time{}, false
	}
	return l.queue[0].due, true
}

// Counts returns what was done so far.
func (l *Line[T]) Counts() Counts { return l.counts }
