package resample

import (
	"fmt"

	"edged/audio"
)

// Whole converts a recording that is there in one piece. The result begins where
// the recording begins and is as long, and is the recording itself where the rates
// are the same. The error is that of New.
func Whole(samples []int16, in, out audio.SampleRate) ([]int16, error) {
	if in == out {
		return samples, nil
	}
	r, err := New(in, out)
	if err != nil {
		return nil, err
	}
	defer r.Close() // never fails
	converted := make([]int16, r.MaxOutput(len(samples))+r.Latency()+1)
	n, consumed := r.Process(converted, samples)
	if consumed != len(samples) {
		return nil, fmt.Errorf("resample: took %d of %d samples", consumed, len(samples))
	}
	return converted[:n+r.Flush(converted[n:])], nil
}
