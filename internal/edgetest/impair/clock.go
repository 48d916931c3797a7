package impair

import (
	"fmt"
	"math/bits"
	"time"
)

// Clock runs fast by so many parts per million, or slow when it is negative. It
// drives both converters of a device, as one crystal does. The zero value is
// right.
type Clock int

// MaxSkew is more than any crystal is off: 1%.
const MaxSkew = 10_000

const million = 1_000_000

// Check returns what is wrong with c, with what is allowed.
func (c Clock) Check() error {
	if c < -MaxSkew || c > MaxSkew {
		return fmt.Errorf("impair: skew %d: want -%d to %d parts per million", int(c), MaxSkew, MaxSkew)
	}
	return nil
}

// Real returns how much true time passes while the clock shows d. It rounds up to
// the next nanosecond, so that Own(Real(d)) >= d.
func (c Clock) Real(d time.Duration) time.Duration {
	if c == 0 || d <= 0 {
		return d
	}
	return scale(d, million, million+uint64(int(c)), true)
}

// Own returns how much the clock shows while d of true time passes, rounded down.
func (c Clock) Own(d time.Duration) time.Duration {
	if c == 0 || d <= 0 {
		return d
	}
	return scale(d, million+uint64(int(c)), million, false)
}

// scale returns d*by/of without overflow.
func scale(d time.Duration, by, of uint64, up bool) time.Duration {
	hi, lo := bits.Mul64(uint64(d), by)
	quotient, rest := bits.Div64(hi, lo, of)
	if up && rest > 0 {
		quotient++
	}
	return time.Duration(quotient)
}
