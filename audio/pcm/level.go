package pcm

import (
	"math"
)

// FloorDB is what Level returns for silence, instead of minus infinity. One
// least significant bit is -90.3 dBFS, so that every signal with a mean above
// one tenth of a bit is louder.
const FloorDB = -110.0

// fullScale is the magnitude that counts as 1.0.
const fullScale = 32768

// RMS returns the root of the mean square of the samples, as a fraction of full
// scale: 0 for silence (and for no samples), 1/sqrt(2) for a full-scale sine.
func RMS(samples []int16) float64 {
	if len(samples) == 0 {
		return 0
	}
	// 2^30 per sample: an int64 holds 2^33 of them.
	var sum int64
	for _, sample := range samples {
		sum += int64(sample) * int64(sample)
	}
	return math.Sqrt(float64(sum)/float64(len(samples))) / fullScale
}

// Level returns the RMS level in dB relative to full scale: 0 dBFS is a
// full-scale square wave, a full-scale sine is at -3.01 dBFS, silence is at
// FloorDB.
func Level(samples []int16) float64 {
	return max(FloorDB, 20*math.Log10(RMS(samples)))
}

// Peak returns the largest magnitude, 0 to 32768.
func Peak(samples []int16) int {
	peak := 0
	for _, sample := range samples {
		peak = max(peak, int(sample), -int(sample))
	}
	return peak
}
