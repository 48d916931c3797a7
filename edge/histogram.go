package edge

import (
	"iter"
	"math/bits"
	"time"
)

// Histogram counts durations in buckets that grow by a quarter of a power of
// two from 16 microseconds to 17 seconds, so that a quantile is right within a
// quarter. The zero value is empty; adding does not allocate.
type Histogram struct {
	buckets [80]uint64
	count   uint64
	sum     time.Duration
	max     time.Duration
}

const histogramShift = 14 // 2^14 ns: below 16.4 us everything is one bucket

// Add counts d; a negative one as 0.
func (h *Histogram) Add(d time.Duration) {
	d = max(d, 0)
	h.buckets[bucketOf(d)]++
	h.count++
	h.sum += d
	h.max = max(h.max, d)
}

// Merge adds all that other holds.
func (h *Histogram) Merge(other *Histogram) {
	for i, n := range other.buckets {
		h.buckets[i] += n
	}
	h.count += other.count
	h.sum += other.sum
	h.max = max(h.max, other.max)
}

// Count is how many durations were added.
func (h Histogram) Count() uint64 { return h.count }

// Sum is the sum of the durations that were added.
func (h Histogram) Sum() time.Duration { return h.sum }

// Octaves yields the powers of two from 16 microseconds to 8.6 seconds, each with
// how many of the durations were below it.
func (h *Histogram) Octaves() iter.Seq2[time.Duration, uint64] {
	return func(yield func(time.Duration, uint64) bool) {
		var below uint64
		for i, n := range h.buckets {
			below += n
			if i%4 == 0 && !yield(upperEdge(i), below) {
				return
			}
		}
	}
}

// Max is the greatest duration that was added.
func (h Histogram) Max() time.Duration { return h.max }

// Quantile returns the upper edge of the bucket that holds the q-quantile
// (0 < q <= 1), never more than Max. 0 when the histogram is empty.
func (h Histogram) Quantile(q float64) time.Duration {
	rank := uint64(q * float64(h.count))
	if float64(rank) < q*float64(h.count) {
		rank++
	}
	var seen uint64
	for i, n := range h.buckets {
		seen += n
		if seen >= rank && n > 0 {
			return min(upperEdge(i), h.max)
		}
	}
	return h.max
}

// bucketOf maps a duration to four buckets per power of two.
func bucketOf(d time.Duration) int {
	n := uint64(d) >> histogramShift
	if n == 0 {
		return 0
	}
	exp := bits.Len64(n) - 1
	quarter := int(uint64(d)>>(histogramShift+exp-2)) & 3
	return min(1+4*exp+quarter, len(Histogram{}.buckets)-1)
}

// upperEdge is the least duration above bucket i.
func upperEdge(i int) time.Duration {
	if i == 0 {
		return 1 << histogramShift
	}
	exp, quarter := (i-1)/4, (i-1)%4
	return time.Duration(uint64(4+quarter+1) << (histogramShift + exp - 2))
}
