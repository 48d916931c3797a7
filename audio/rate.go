package audio

import (
	"strconv"
	"time"
)

// SampleRate is a number of samples per second and channel, in Hz.
type SampleRate int

// Rates with a use of their own. Any other positive rate is a SampleRate too.
const (
	Rate8k  SampleRate = 8000
	Rate12k SampleRate = 12000
	// Rate16k is the rate at which speech is recognised.
	Rate16k SampleRate = 16000
	Rate24k SampleRate = 24000
	Rate48k SampleRate = 48000
)

// Samples returns how many whole samples per channel fit into d: it rounds
// towards zero. It does not overflow for any duration. A rate of 0 or less has
// no samples.
func (r SampleRate) Samples(d time.Duration) int {
	if r <= 0 {
		return 0
	}
	// Seconds and the rest apart: d*r in one product would overflow after 53
	// hours at 48 kHz.
	seconds, rest := d/time.Second, d%time.Second
	return int(int64(seconds)*int64(r) + int64(rest)*int64(r)/int64(time.Second))
}

// Duration returns how long n samples per channel last. It rounds away from zero
// to the next nanosecond, so that Samples(Duration(n)) is n at every rate up to
// 1 GHz. A rate of 0 or less lasts no time.
func (r SampleRate) Duration(n int) time.Duration {
	if r <= 0 {
		return 0
	}
	seconds, rest := int64(n)/int64(r), int64(n)%int64(r)
	nanos := rest * int64(time.Second)
	switch {
	case rest > 0:
		nanos += int64(r) - 1
	case rest < 0:
		nanos -= int64(r) - 1
	}
	return time.Duration(seconds)*time.Second + time.Duration(nanos/int64(r))
}

// String formats the rate as "16000 Hz".
func (r SampleRate) String() string { return strconv.Itoa(int(r)) + " Hz" }
