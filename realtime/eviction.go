package realtime

import "time"

// DropReason says why a RealtimeStream dropped data.
type DropReason uint8

const (
	// DropLate: with a Delay set, data older than what was delivered.
	DropLate DropReason = iota
	// DropWindow: a track held more media time than RealtimeConfig.Window.
	DropWindow
	// DropChunks: more chunks than RealtimeConfig.MaxChunks.
	DropChunks
	// DropBytes: more bytes than RealtimeConfig.MaxBytes.
	DropBytes
	// DropAborted: buffered when CloseWithError ended the stream.
	DropAborted

	dropReasons = iota
)

// String returns the stable word for logs: "late", "window", "chunks",
// "bytes" or "aborted".
func (r DropReason) String() string {
	words := [dropReasons]string{"late", "window", "chunks", "bytes", "aborted"}
	if int(r) < len(words) {
		return words[r]
	}
	return "unknown"
}

// DropCount sums up what was dropped for one reason.
type DropCount struct {
	Chunks uint64
	Bytes  uint64
	// Duration is the media time of the dropped data.
	Duration time.Duration
}

// RealtimeStats are the counters of a RealtimeStream.
type RealtimeStats struct {
	// Pushed and Delivered count chunks taken and handed out. Delivered may be
	// smaller by the gaps that were joined.
	Pushed, Delivered uint64
	// Late counts data that was delivered although newer data went before.
	Late uint64
	// Jumps counts timestamps that were not believed or began a new clock.
	Jumps uint64
	// Dropped is indexed by DropReason.
	Dropped [dropReasons]DropCount
	// Chunks and Bytes are buffered at the moment.
	Chunks, Bytes int
}

// Stats returns the counters so far.
func (s *RealtimeStream) Stats() RealtimeStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats
}

func (r *RealtimeStats) drop(reason DropReason, c *MessageChunk) {
	d := &r.Dropped[reason]
	d.Chunks++
	d.Bytes += uint64(contentBytes(c))
	d.Duration += MediaDuration(c.Part)
}

// enforceLimits drops the oldest data until the limits are kept or nothing is
// left that may be dropped. t is the track just pushed to. It needs s.mu, like
// all below.
func (s *RealtimeStream) enforceLimits(t *track) {
	window := s.config.Window.Milliseconds()
	for t.evict != nil && t.lastKey-t.evict.key > window {
		s.evictFrom(t, DropWindow)
	}
	for s.stats.Bytes > s.config.MaxBytes && s.evictOldest(DropBytes) {
	}
	for s.stats.Chunks > s.config.MaxChunks && s.evictOldest(DropChunks) {
	}
}

func (s *RealtimeStream) evictOldest(reason DropReason) bool {
	var oldest *track
	for _, t := range s.tracks {
		if t.evict != nil && (oldest == nil || t.evict.before(oldest.evict)) {
			oldest = t
		}
	}
	if oldest == nil {
		return false
	}
	s.evictFrom(oldest, reason)
	return true
}

// evictFrom deals with the oldest entry of t that may be dropped: data becomes
// a gap, and a gap is joined to the one before it.
func (s *RealtimeStream) evictFrom(t *track, reason DropReason) {
	e := t.evict
	t.evict = nextDroppable(e.next)
	duration := MediaDuration(e.chunk.Part)
	if e.blob {
		s.stats.drop(reason, e.chunk)
	}
	if earlier := s.joinable(e); earlier != nil {
		earlier.extend(duration)
		s.remove(t, e)
		return
	}
	if e.blob {
		s.stats.Bytes -= e.bytes
		e.becomeGap()
		s.stats.Bytes += e.bytes
	}
}

// joinable finds the gap of e's channel that e may be joined to: no boundary
// may lie between the two, or on e itself. Several channels may alternate on
// one track, so it looks back a little further than the neighbour.
func (s *RealtimeStream) joinable(e *entry) *entry {
	if boundary(e.chunk) || e.chunk.ToolCall != nil {
		return nil
	}
	channel := s.keys.Channel(e.chunk)
	const lookBack = 4
	earlier := e.prev
	for range lookBack {
		if earlier == nil || !earlier.gap || earlier.chunk.IsEndOfStream() {
			return nil
		}
		if s.keys.Channel(earlier.chunk) == channel && label(earlier.chunk) == label(e.chunk) {
			return earlier
		}
		if boundary(earlier.chunk) {
			return nil
		}
		earlier = earlier.prev
	}
	return nil
}

func boundary(c *MessageChunk) bool {
	return c.IsBeginOfStream() || c.IsEndOfStream() || (c.Ctrl != nil && c.Ctrl.Error != "")
}

func label(c *MessageChunk) string {
	if c.Ctrl == nil {
		return ""
	}
	return c.Ctrl.Label
}

// discard drops everything that is buffered.
func (s *RealtimeStream) discard() {
	for _, t := range s.tracks {
		for t.head != nil {
			if t.head.blob {
				s.stats.drop(DropAborted, t.head.chunk)
			}
			s.remove(t, t.head)
		}
	}
}
