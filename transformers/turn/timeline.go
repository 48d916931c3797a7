package turn

import (
	"math"
	"time"
)

// timeline relates media positions, which count samples and never jump, to the
// Timestamps of chunks, which come from the clock of the device.
type timeline struct {
	// at is the position of the next sample of the microphone.
	at int64
	// base is the media time of position 0; it is known once a Timestamp was
	// seen.
	base  time.Duration
	known bool
}

const (
	// drift is how far Timestamps may be off the count of samples before they
	// correct it: more than any rounding, and no more than a packet.
	drift = 20 * time.Millisecond
	// farthest is the largest Timestamp that is believed, in ms: 2.9 years.
	// Beyond it, sums of durations would not be safe.
	farthest = math.MaxInt64 / int64(time.Millisecond) / 100
)

// begin takes the Timestamp of the current position, 0 for none.
func (t *timeline) begin(stamp int64) {
	if 0 < stamp && stamp <= farthest {
		t.base += time.Duration(stamp)*time.Millisecond - t.time(t.at)
		t.known = true
	}
}

// meet does so if the Timestamp, 0 for none, contradicts the count of samples.
func (t *timeline) meet(stamp int64) {
	off := time.Duration(min(stamp, farthest))*time.Millisecond - t.time(t.at)
	if !t.known || off > drift || off < -drift {
		t.begin(stamp)
	}
}

// time returns the media time of a position.
func (t *timeline) time(at int64) time.Duration {
	return t.base + time.Duration(at)*(time.Second/time.Duration(rate))
}

// stamp returns it as a Timestamp.
func (t *timeline) stamp(at int64) int64 { return max(t.time(at).Milliseconds(), 1) }
