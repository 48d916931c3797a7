package realtime

import (
	"slices"
	"time"
)

const (
	// liveFor is how long a track that pushes nothing and has not ended makes
	// others wait: well above the longest audio packet (120 ms).
	liveFor = time.Second
	// maxTracks bounds the idle tracks that are remembered.
	maxTracks = 64
	// maxFree bounds the entries kept for reuse: a second of 20 ms frames.
	maxFree = 64
)

// entry is one buffered chunk of a track.
type entry struct {
	prev, next *entry
	chunk      *MessageChunk
	key        int64         // place in the merged order, ms of stream time
	media      int64         // its media time on the same clock, may run backwards
	sequence   uint64        // order of push
	arrival    time.Duration // since the start of the stream
	bytes      int
	rank       int8
	blob       bool        // data that may be dropped
	gap        bool        // a Gap that carries nothing else
	owned      *ownedChunk // set when chunk is ours to change until delivered
}

// ownedChunk is a chunk that the stream itself made, in one allocation.
type ownedChunk struct {
	MessageChunk
	ctrl StreamCtrl
	lost Gap
}

// own replaces the entry's chunk by a copy that may be changed.
func (e *entry) own() *ownedChunk {
	if e.owned == nil {
		e.owned = &ownedChunk{MessageChunk: *e.chunk}
		if e.chunk.Ctrl != nil {
			e.owned.ctrl = *e.chunk.Ctrl
		}
		e.owned.Ctrl = &e.owned.ctrl
		e.chunk = &e.owned.MessageChunk
	}
	return e.owned
}

// becomeGap replaces the data of a Blob by a Gap of the same duration; role,
// name, label, boundaries and timestamp stay.
func (e *entry) becomeGap() {
	lost := Gap{Duration: MediaDuration(e.chunk.Part)}
	lost.MIMEType, _ = mimeTypeOf(e.chunk.Part)
	e.setGap(lost)
	e.bytes = 0
	e.blob, e.gap = kindOf(e.chunk)
}

// extend lengthens the entry's Gap.
func (e *entry) extend(d time.Duration) {
	lost := *e.chunk.Part.(*Gap)
	lost.Duration = max(lost.Duration, 0) + d
	e.setGap(lost)
}

func (e *entry) setGap(lost Gap) {
	owned := e.own()
	owned.lost = lost
	owned.Part = &owned.lost
}

// kindOf tells data that may be dropped from gaps that may be joined.
func kindOf(c *MessageChunk) (blob, gap bool) {
	switch p := c.Part.(type) {
	case *Blob:
		return p != nil, false
	case *Gap:
		return false, p != nil && c.ToolCall == nil
	}
	return false, false
}

func rankOf(c *MessageChunk) int8 {
	begins, ends := c.IsBeginOfStream(), c.IsEndOfStream()
	switch {
	case begins && !ends:
		return -1
	case ends && !begins:
		return 1
	}
	return 0
}

func contentBytes(c *MessageChunk) int {
	n := 0
	switch p := c.Part.(type) {
	case Text:
		n = len(p)
	case *Blob:
		if p != nil {
			n = len(p.Data)
		}
	}
	if c.ToolCall != nil {
		n += len(c.ToolCall.Arguments)
	}
	return n
}

// before orders the heads of two tracks.
func (e *entry) before(o *entry) bool {
	if e.key != o.key {
		return e.key < o.key
	}
	if e.rank != o.rank {
		return e.rank < o.rank
	}
	return e.sequence < o.sequence
}

// track is the queue of one StreamID.
type track struct {
	id         string
	head, tail *entry
	evict      *entry // the first entry not yet considered for dropping
	clock      trackClock
	lastKey    int64
	lastPush   time.Duration
	ended      bool // its last chunk was an end
}

func (t *track) append(e *entry) {
	e.prev = t.tail
	if t.tail == nil {
		t.head = e
	} else {
		t.tail.next = e
	}
	t.tail = e
	if t.evict == nil && (e.blob || e.gap) {
		t.evict = e
	}
}

func (t *track) unlink(e *entry) {
	if t.evict == e {
		t.evict = nextDroppable(e.next)
	}
	if e.prev == nil {
		t.head = e.next
	} else {
		e.prev.next = e.next
	}
	if e.next == nil {
		t.tail = e.prev
	} else {
		e.next.prev = e.prev
	}
	e.prev, e.next = nil, nil
}

func nextDroppable(e *entry) *entry {
	for e != nil && !e.blob && !e.gap {
		e = e.next
	}
	return e
}

// The methods below need s.mu.

func (s *RealtimeStream) trackOf(id string, now time.Duration) *track {
	if s.latest != nil && s.latest.id == id {
		return s.latest
	}
	t := s.byID[id]
	if t == nil {
		s.forgetIdle(now)
		t = &track{id: id}
		s.byID[id] = t
		s.tracks = append(s.tracks, t)
	}
	s.latest = t
	return t
}

// forgetIdle makes room for a track: one that is empty and has ended goes, and
// beyond maxTracks the empty one that was silent the longest.
func (s *RealtimeStream) forgetIdle(now time.Duration) {
	var idle *track
	for _, t := range s.tracks {
		if t.head == nil && (t.ended || len(s.tracks) >= maxTracks) && (idle == nil || t.lastPush < idle.lastPush) {
			idle = t
		}
	}
	if idle == nil || (len(s.tracks) < maxTracks && now-idle.lastPush < liveFor) {
		return
	}
	delete(s.byID, idle.id)
	s.tracks = slices.DeleteFunc(s.tracks, func(t *track) bool { return t == idle })
	if s.latest == idle {
		s.latest = nil
	}
}

func (s *RealtimeStream) newEntry() *entry {
	e := s.free
	if e == nil {
		return &entry{}
	}
	s.free = e.next
	s.freeCount--
	e.next = nil
	return e
}

// remove unlinks e from t and recycles it.
func (s *RealtimeStream) remove(t *track, e *entry) {
	t.unlink(e)
	s.stats.Chunks--
	s.stats.Bytes -= e.bytes
	if s.freeCount < maxFree {
		*e = entry{next: s.free}
		s.free = e
		s.freeCount++
	}
}

// pick returns the track whose head is next, and how long it must still be
// held back. Something must be buffered.
func (s *RealtimeStream) pick() (first *track, hold time.Duration) {
	if len(s.tracks) == 1 && s.config.Delay == 0 {
		return s.tracks[0], 0
	}
	var oldest time.Duration // arrival of the chunk that waits the longest
	for _, t := range s.tracks {
		if t.head == nil {
			continue
		}
		if first == nil || t.head.arrival < oldest {
			oldest = t.head.arrival
		}
		if first == nil || t.head.before(first.head) {
			first = t
		}
	}
	if s.end != nil {
		return first, 0
	}
	hold = s.config.Delay
	if hold == 0 {
		if !s.mayComeBefore(first.head) {
			return first, 0
		}
		hold = s.config.MergeWait
	}
	return first, oldest + hold - time.Since(s.start)
}

// mayComeBefore reports whether a live track without a chunk at hand could
// still push one that belongs before head. (The clock is asked last: mostly
// there is no need to.)
func (s *RealtimeStream) mayComeBefore(head *entry) bool {
	for _, t := range s.tracks {
		if t.head == nil && !t.ended && t.lastKey < head.key && time.Since(s.start)-t.lastPush <= liveFor {
			return true
		}
	}
	return false
}

// pop removes the head of t and returns its chunk.
func (s *RealtimeStream) pop(t *track) *MessageChunk {
	e := t.head
	chunk := e.chunk
	if e.blob {
		s.emitted = max(s.emitted, e.media)
	}
	s.remove(t, e)
	s.stats.Delivered++
	return chunk
}
