package pcm

import (
	"math"
)

// Gain multiplies the samples in place by a linear factor (2 is +6.02 dB; see
// Factor). What leaves the range of a sample saturates instead of wrapping
// round, which would be a click. It returns how many samples saturated. A factor
// that is not a number silences.
func Gain(samples []int16, factor float64) (saturated int) {
	for i, sample := range samples {
		scaled := math.Round(float64(sample) * factor)
		switch {
		case scaled > math.MaxInt16:
			samples[i] = math.MaxInt16
			saturated++
		case scaled < math.MinInt16:
			samples[i] = math.MinInt16
			saturated++
		case math.IsNaN(scaled):
			samples[i] = 0
		default:
			samples[i] = int16(scaled)
		}
	}
	return saturated
}

// Factor returns the linear factor of a gain in dB.
func Factor(db float64) float64 { return math.Pow(10, db/20) }

// Mono mixes interleaved channels down to one by their mean, which cannot
// overflow, and returns the samples per channel written: the smaller of len(dst)
// and len(src)/channels. dst may be src[:0] extended to its length: the result
// never overtakes the source. One channel copies. It panics when channels is
// less than 1.
func Mono(dst, src []int16, channels int) (n int) {
	if channels == 1 {
		return copy(dst, src)
	}
	n = min(len(dst), len(src)/channels)
	for i := range n {
		sum := 0
		for _, sample := range src[i*channels : (i+1)*channels] {
			sum += int(sample)
		}
		dst[i] = int16(roundDiv(sum, channels))
	}
	return n
}

// roundDiv divides to the nearest integer, halves away from zero: rounding
// towards zero would add a dead zone around silence.
func roundDiv(sum, by int) int {
	if sum < 0 {
		return -((-sum + by/2) / by)
	}
	return (sum + by/2) / by
}
