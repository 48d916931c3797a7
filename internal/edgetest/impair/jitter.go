package impair

import (
	"math/rand/v2"
	"time"
)

// Shape is a distribution of delays up to a spread.
type Shape uint8

const (
	// Uniform delays are equally likely from 0 to the spread.
	Uniform Shape = iota
	// Normal delays lie around half the spread; 19 of 20 are below the spread.
	// None is negative.
	Normal
)

// delay draws one.
func (s Shape) delay(rnd *rand.Rand, spread time.Duration) time.Duration {
	if spread <= 0 {
		return 0
	}
	if s == Normal {
		// Two standard deviations below the mean is 0, two above the spread.
		return max(0, time.Duration((0.5+rnd.NormFloat64()/4)*float64(spread)))
	}
	return time.Duration(rnd.Int64N(int64(spread) + 1))
}
