package log

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// RingConfig bounds a Ring.
type RingConfig struct {
	// Events is how many lines are kept at most. Default 20,000.
	Events int
	// Bytes is how many bytes of lines are kept at most. Default 8 MiB.
	Bytes int
}

// Ring keeps the newest lines of the session log in memory. It is an io.Writer
// of whole lines; each Write is one line. Make one with NewRing.
//
// Any number of goroutines may write, and read through Tails. Writing costs the
// same however many Tails there are that do not keep up.
type Ring struct {
	epoch int64 // when it was made, in milliseconds since 1970: tells processes apart
	slots []atomic.Pointer[line]
	bytes int

	// newest is the number of the newest line, oldest that of the oldest one
	// that is kept; numbers begin with 1.
	newest, oldest atomic.Uint64
	tails          atomic.Pointer[[]*Tail]
	closed         atomic.Bool
	// overtaken and unwritable count lines that readers have missed.
	overtaken, unwritable atomic.Uint64

	mu sync.Mutex // of the writers and of those who come and go, not of readers
	// The rest is guarded by mu.
	held  int    // bytes of the lines kept
	text  []byte // lines are cut from here, and their headers from headers
	heads []line
}

// line is one line of the log. Nothing of it changes once it is in a slot, but
// for head, which the first reader who wants it fills in.
type line struct {
	number uint64
	at     time.Time
	text   []byte
	head   atomic.Pointer[Head]
}

// Lines are allocated many at a time; a line keeps its neighbours in memory.
const (
	textSlab = 32 << 10
	headSlab = 64
)

// NewRing returns an empty ring.
func NewRing(cfg RingConfig) *Ring {
	if cfg.Events <= 0 {
		cfg.Events = 20_000
	}
	if cfg.Bytes <= 0 {
		cfg.Bytes = 8 << 20
	}
	r := &Ring{epoch: time.Now().UnixMilli(), slots: make([]atomic.Pointer[line], cfg.Events), bytes: cfg.Bytes}
	r.oldest.Store(1)
	r.tails.Store(new([]*Tail))
	return r
}

// Write adds one line; what p ends with, a newline, is not kept. A line that is
// larger than the ring takes the place of all others. Write keeps no reference
// to p, never fails and never waits for a reader. After Close it does nothing.
func (r *Ring) Write(p []byte) (int, error) {
	n := len(p)
	if n > 0 && p[n-1] == '\n' {
		p = p[:n-1]
	}
	r.mu.Lock()
	if r.closed.Load() {
		r.mu.Unlock()
		return n, nil
	}
	l := r.newLine(p)
	r.makeRoom(len(p))
	r.slots[l.number%uint64(len(r.slots))].Store(l)
	r.held += len(p)
	r.newest.Store(l.number)
	r.mu.Unlock()
	r.wake()
	return n, nil
}

// newLine copies p.
func (r *Ring) newLine(p []byte) *line {
	if len(r.heads) == 0 {
		r.heads = make([]line, headSlab)
	}
	l := &r.heads[0]
	r.heads = r.heads[1:]
	if len(p) > textSlab/8 {
		l.text = slices.Clone(p) // not to waste the rest of a slab
	} else {
		if len(r.text) < len(p) {
			r.text = make([]byte, textSlab)
		}
		l.text = r.text[:len(p):len(p)]
		r.text = r.text[len(p):]
		copy(l.text, p)
	}
	l.number, l.at = r.newest.Load()+1, time.Now()
	return l
}

// makeRoom forgets the oldest lines until one more of n bytes fits.
func (r *Ring) makeRoom(n int) {
	oldest, newest := r.oldest.Load(), r.newest.Load()
	for oldest <= newest && (newest-oldest+1 >= uint64(len(r.slots)) || r.held+n > r.bytes) {
		slot := &r.slots[oldest%uint64(len(r.slots))]
		r.held -= len(slot.Load().text)
		oldest++
		// In this order, so that a reader who finds the slot empty also finds
		// that the line is forgotten.
		r.oldest.Store(oldest)
		slot.Store(nil)
	}
}

// wake tells the tails that wait that there is something new.
func (r *Ring) wake() {
	for _, t := range *r.tails.Load() {
		if t.waits.Load() {
			select {
			case t.news <- struct{}{}:
			default: // it has been told
			}
		}
	}
}

// RingStats is a snapshot of a Ring.
type RingStats struct {
	// Written counts the lines so far, Kept those that are in memory now.
	Written, Kept uint64
	// Tails are open now.
	Tails int
	// Overtaken counts the lines that were given up before a Tail came to read
	// them, Unwritable those that Copy threw away because its sink failed: once
	// for each reader that missed the line.
	Overtaken, Unwritable uint64
}

// Stats returns a snapshot. It takes no lock.
func (r *Ring) Stats() RingStats {
	// In this order, so that Kept is not negative: both only grow.
	oldest, newest := r.oldest.Load(), r.newest.Load()
	return RingStats{
		Written: newest, Kept: newest + 1 - oldest, Tails: len(*r.tails.Load()),
		Overtaken: r.overtaken.Load(), Unwritable: r.unwritable.Load(),
	}
}

// line returns the line of a number, nil if it is not kept any more.
func (r *Ring) line(number uint64) *line {
	l := r.slots[number%uint64(len(r.slots))].Load()
	if l == nil || l.number != number {
		return nil
	}
	return l
}

// Close ends the ring: every Tail brings what is left, then io.EOF.
func (r *Ring) Close() {
	r.mu.Lock()
	r.closed.Store(true)
	r.mu.Unlock()
	r.wake()
}

// ID is the name of a line for a reader who wants to go on behind it later, also
// on another connection. IDs of one ring are ordered.
type ID struct {
	epoch  int64
	number uint64
}

// ErrID is matched by the error for a text that is no ID.
var ErrID = errors.New("session log: not the id of a line")

// String returns the ID as text, such as "19ad3c8f2b1-42".
func (id ID) String() string {
	return strconv.FormatInt(id.epoch, 16) + "-" + strconv.FormatUint(id.number, 10)
}

// ParseID reads what String has written.
func ParseID(s string) (ID, error) {
	epoch, number, ok := strings.Cut(s, "-")
	e, err1 := strconv.ParseInt(epoch, 16, 64)
	n, err2 := strconv.ParseUint(number, 10, 64)
	if !ok || err1 != nil || err2 != nil || e < 0 {
		return ID{}, fmt.Errorf("%w: %.40q", ErrID, s)
	}
	return ID{epoch: e, number: n}, nil
}

// Head is what readers choose lines by.
type Head struct {
	Event   Name   `json:"event"`
	Session string `json:"session"`
	Device  string `json:"device"`
}

// parseHead reads the head of a line; the zero Head if it is no session event.
func parseHead(text []byte) *Head {
	h := new(Head)
	if json.Unmarshal(text, h) != nil {
		return new(Head)
	}
	return h
}
