package edge

import (
	"container/list"
	"time"
)

// throttleKeys bounds how many keys a throttle remembers: some 600 KB.
const throttleKeys = 4096

// throttle slows down whoever comes too often, each key by itself. Its memory is
// bounded: beyond throttleKeys the key that has not come for longest is forgotten
// and counted, and when it comes again it starts afresh. So one who has more
// names than the throttle remembers is not slowed, but costs nobody else anything:
// forgetting only ever lets in.
//
// The zero value slows nobody. A throttle serves one goroutine at a time.
type throttle[K comparable] struct {
	perMinute int // 0 slows nobody; also how many may come at once
	// most is how many keys are remembered; 0 means throttleKeys.
	most      int
	seen      map[K]*list.Element
	order     list.List // of throttled[K]; the front has not come for longest
	forgotten uint64
}

// throttled is one key of a throttle.
type throttled[K comparable] struct {
	key K
	meter
}

func newThrottle[K comparable](perMinute int) throttle[K] {
	return throttle[K]{perMinute: max(0, perMinute), seen: make(map[K]*list.Element)}
}

// come notes that key comes at the time now and returns 0, or how long it has to
// wait: then it has not come.
func (t *throttle[K]) come(key K, now time.Time) (wait time.Duration) {
	if t.perMinute == 0 {
		return 0
	}
	t.tidy(now)
	e := t.seen[key]
	if e == nil {
		t.makeRoom()
		e = t.order.PushBack(&throttled[K]{key: key})
		t.seen[key] = e
	} else {
		t.order.MoveToBack(e)
	}
	return e.Value.(*throttled[K]).spend(now, time.Minute/time.Duration(t.perMinute), time.Minute)
}

// tidy drops keys about which there is nothing to remember any more, two at a
// time: as fast as new ones can come, and never much at once.
func (t *throttle[K]) tidy(now time.Time) {
	for range 2 {
		front := t.order.Front()
		if front == nil || !front.Value.(*throttled[K]).idle(now) {
			return
		}
		t.drop(front)
	}
}

// makeRoom forgets the key that has not come for longest if there is no room.
func (t *throttle[K]) makeRoom() {
	most := t.most
	if most == 0 {
		most = throttleKeys
	}
	if t.order.Len() < most {
		return
	}
	t.drop(t.order.Front())
	t.forgotten++
}

func (t *throttle[K]) drop(e *list.Element) {
	delete(t.seen, t.order.Remove(e).(*throttled[K]).key)
}
