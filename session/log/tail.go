package log

import (
	"bytes"
	"context"
	"io"
	"slices"
	"sort"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
)

// Start says where a Tail begins. The zero value begins with what is written
// next.
type Start struct {
	// After begins behind the line of that ID.
	After ID
	// Since begins with the first line that was written then or later. It does
	// not count where After is set.
	Since time.Time
	// Oldest begins with the oldest line that is kept, without a gap. It does
	// not count where one of the others is set.
	Oldest bool
}

// Tail reads a Ring. It serves one goroutine at a time.
type Tail struct {
	ring  *Ring
	next  uint64 // the number of the line that comes next
	gap   *Gap   // to be told before it
	news  chan struct{}
	waits atomic.Bool
}

// Entry is one line, as a Tail brings it.
type Entry struct {
	ID ID
	// Line is the JSON object, without a newline. It belongs to the ring and
	// must not be changed; it stays valid.
	Line []byte
	line *line
}

// Head returns the head of the line. It is parsed once for all readers.
func (e Entry) Head() Head { return *e.line.parsedHead() }

// Tail begins to read. Whoever calls it calls Close.
func (r *Ring) Tail(from Start) *Tail {
	t := &Tail{ring: r, news: make(chan struct{}, 1)}
	r.mu.Lock()
	defer r.mu.Unlock()
	oldest, newest := r.oldest.Load(), r.newest.Load()
	switch {
	case from.After != ID{}:
		t.next = from.After.number + 1
		if from.After.epoch != r.epoch || from.After.number > newest {
			t.next, t.gap = oldest, &Gap{Reason: GapRestart}
		}
	case !from.Since.IsZero():
		t.next = r.firstSince(from.Since, oldest, newest)
		if t.next == oldest && oldest > 1 && from.Since.Before(r.line(oldest).at) {
			t.gap = &Gap{Reason: GapForgotten}
		}
	case from.Oldest:
		t.next = oldest
	default:
		t.next = newest + 1
	}
	if t.next < oldest {
		t.gap = &Gap{Missed: int(oldest - t.next), Reason: GapForgotten}
		t.next = oldest
	}
	tails := append(slices.Clone(*r.tails.Load()), t)
	r.tails.Store(&tails)
	return t
}

// firstSince returns the number of the first line that is not older than since.
func (r *Ring) firstSince(since time.Time, oldest, newest uint64) uint64 {
	n := sort.Search(int(newest+1-oldest), func(i int) bool {
		return !r.line(oldest + uint64(i)).at.Before(since)
	})
	return oldest + uint64(n)
}

// Close ends the tail. It may be called again.
func (t *Tail) Close() {
	r := t.ring
	r.mu.Lock()
	defer r.mu.Unlock()
	tails := slices.DeleteFunc(slices.Clone(*r.tails.Load()), func(other *Tail) bool { return other == t })
	r.tails.Store(&tails)
}

// Next waits for the next line. The error is io.EOF when the ring is closed and
// all was read, or that of ctx.
func (t *Tail) Next(ctx context.Context) (Entry, error) {
	for {
		if e, ok := t.Ready(); ok {
			return e, nil
		}
		t.waits.Store(true)
		// What was written before waits was set is found here.
		if e, ok := t.Ready(); ok {
			t.waits.Store(false)
			return e, nil
		}
		if t.ring.closed.Load() && t.next > t.ring.newest.Load() {
			return Entry{}, io.EOF
		}
		select {
		case <-t.news:
			t.waits.Store(false)
		case <-ctx.Done():
			t.waits.Store(false)
			return Entry{}, context.Cause(ctx)
		}
	}
}

// Ready returns the next line if there is one.
func (t *Tail) Ready() (Entry, bool) {
	for {
		if t.gap != nil {
			return t.takeGap(), true
		}
		if t.next > t.ring.newest.Load() {
			return Entry{}, false
		}
		if l := t.ring.line(t.next); l != nil {
			t.next++
			return Entry{ID: ID{t.ring.epoch, l.number}, Line: l.text, line: l}, true
		}
		oldest := t.ring.oldest.Load()
		t.ring.overtaken.Add(oldest - t.next)
		t.gap = &Gap{Missed: int(oldest - t.next), Reason: GapSlow}
		t.next = oldest
	}
}

// Position is the ID behind which a later Tail has to begin to miss nothing that
// this one has not brought.
func (t *Tail) Position() ID { return ID{t.ring.epoch, t.next - 1} }

func (t *Tail) takeGap() Entry {
	l := &line{text: gapLine(*t.gap)}
	t.gap = nil
	return Entry{ID: t.Position(), Line: l.text, line: l}
}

// gapLine returns the line that says so, without a newline.
func gapLine(g Gap) []byte {
	var out bytes.Buffer
	NewRecorder(zerolog.New(&out), "", "", false).Emit(0, -1, g)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

func (l *line) parsedHead() *Head {
	if h := l.head.Load(); h != nil {
		return h
	}
	h := parseHead(l.text)
	l.head.Store(h)
	return h
}
