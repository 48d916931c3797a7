package log

import (
	"context"
	"io"
	"sync/atomic"
	"time"
)

const (
	// copyBatch is how many bytes are written at once when lines have piled up.
	copyBatch = 64 << 10
	// copyRetry is the pause after a failure, in which nothing is written.
	copyRetry = time.Second
)

// Copy writes the lines that tail brings to w until the ring is closed and all
// is written, or ctx is done. It is meant to run in a goroutine of its own: a
// slow w delays nobody, it finds log.gap lines where it was overtaken.
//
// While w fails, lines are thrown away; they are counted in a log.gap line once
// it can be written again. told, which may be nil, is called with the error when
// it begins to fail, and with nil when it has recovered.
func Copy(ctx context.Context, w io.Writer, tail *Tail, told func(error)) {
	if told == nil {
		told = func(error) {}
	}
	out := &copier{w: w, told: told, unwritable: &tail.ring.unwritable}
	for {
		e, err := tail.Next(ctx)
		if err != nil {
			out.flush(true)
			return
		}
		out.add(e)
		for len(out.batch) < copyBatch {
			if e, ok := tail.Ready(); ok {
				out.add(e)
			} else {
				break
			}
		}
		out.flush(false)
	}
}

// copier is what Copy remembers.
type copier struct {
	w     io.Writer
	told  func(error)
	batch []byte
	lines int // in the batch
	// missed counts the lines that were thrown away since w began to fail.
	missed  int
	failing bool
	retryAt time.Time
	// unwritable counts them for good.
	unwritable *atomic.Uint64
}

// miss counts the batch as missed.
func (c *copier) miss() {
	c.missed += c.lines
	c.unwritable.Add(uint64(c.lines))
}

func (c *copier) add(e Entry) {
	c.batch = append(append(c.batch, e.Line...), '\n')
	c.lines++
}

// flush writes the batch, or counts it as missed. last tries even in the pause
// after a failure.
func (c *copier) flush(last bool) {
	defer func() { c.batch, c.lines = c.batch[:0], 0 }()
	if c.failing && !last && time.Now().Before(c.retryAt) {
		c.miss()
		return
	}
	if c.missed > 0 {
		mark := append(gapLine(Gap{Missed: c.missed, Reason: GapUnwritable}), '\n')
		c.batch = append(mark, c.batch...)
	}
	if len(c.batch) == 0 {
		return
	}
	if _, err := c.w.Write(c.batch); err != nil {
		c.miss()
		c.retryAt = time.Now().Add(copyRetry)
		if !c.failing {
			c.told(err)
		}
		c.failing = true
		return
	}
	if c.failing {
		c.told(nil)
	}
	c.failing, c.missed = false, 0
}
