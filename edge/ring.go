package edge

// ring is a queue with an upper bound that takes no memory beyond what it ever
// held at once. It is not safe for concurrent use.
type ring[T any] struct {
	slots       []T
	head, count int
	limit       int
}

func newRing[T any](limit int) ring[T] { return ring[T]{limit: limit} }

func (r *ring[T]) len() int  { return r.count }
func (r *ring[T]) free() int { return r.limit - r.count }

// push appends v and reports whether there was room.
func (r *ring[T]) push(v T) bool {
	if r.free() <= 0 {
		return false
	}
	if r.count == len(r.slots) {
		r.grow()
	}
	r.slots[(r.head+r.count)%len(r.slots)] = v
	r.count++
	return true
}

func (r *ring[T]) grow() {
	slots := make([]T, min(max(8, 2*len(r.slots)), r.limit))
	for i := range r.count {
		slots[i] = *r.at(i)
	}
	r.slots, r.head = slots, 0
}

// at returns the i-th element; 0 is the oldest.
func (r *ring[T]) at(i int) *T { return &r.slots[(r.head+i)%len(r.slots)] }

// pop removes the oldest element. The ring must not be empty.
func (r *ring[T]) pop() T {
	v := r.slots[r.head]
	var none T
	r.slots[r.head] = none
	r.head = (r.head + 1) % len(r.slots)
	r.count--
	return v
}

// clear drops everything.
func (r *ring[T]) clear() {
	clear(r.slots)
	r.head, r.count = 0, 0
}
