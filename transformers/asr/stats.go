package asr

import (
	"maps"
	"sync"
	"time"
)

// DropReason says why audio was not recognised.
type DropReason string

const (
	// DropFailed: it came on a route after its utterance had failed.
	DropFailed DropReason = "failed"
	// DropLate: it came after the end of its route, without a new beginning.
	DropLate DropReason = "late"
	// DropGap: it is the part of a gap beyond Config.MaxGap.
	DropGap DropReason = "gap"
)

// Stats counts what a Transformer has done since it was made.
type Stats struct {
	// Utterances ended with a transcript; of these, Empty had no text and
	// Accepted that of the grammar.
	Utterances, Empty, Accepted uint64
	// Failed counts the utterances that failed.
	Failed map[Code]uint64
	// Dropped is the audio that was not recognised.
	Dropped map[DropReason]time.Duration
}

// counters are Stats under way.
type counters struct {
	mu    sync.Mutex
	stats Stats
}

func (c *counters) recognized(r Result) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Utterances++
	if r.Text == "" {
		c.stats.Empty++
	}
	if r.Accepted {
		c.stats.Accepted++
	}
}

func (c *counters) failed(code Code) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stats.Failed == nil {
		c.stats.Failed = make(map[Code]uint64)
	}
	c.stats.Failed[code]++
}

func (c *counters) dropped(reason DropReason, d time.Duration) {
	if d <= 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stats.Dropped == nil {
		c.stats.Dropped = make(map[DropReason]time.Duration)
	}
	c.stats.Dropped[reason] += d
}

func (c *counters) snapshot() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Failed, s.Dropped = maps.Clone(s.Failed), maps.Clone(s.Dropped)
	return s
}
