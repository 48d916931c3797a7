package resample

import (
	"errors"
	"fmt"
	"time"

	"edged/audio"
)

// ErrRate: a sample rate outside of 8 to 192 kHz.
var ErrRate = errors.New("resample: sample rate out of range: use 8000 to 192000 Hz")

// Bounds of the rates. Speech needs 8 kHz; 192 kHz is the highest rate that
// recordings come in.
const (
	minRate audio.SampleRate = 8000
	maxRate audio.SampleRate = 192000
)

// Resampler converts one stream of mono samples from one rate to another.
//
// The band up to 0.90 of the lower of the two Nyquist frequencies passes within
// 0.1 dB; what would alias, and the images of what passes, stay 80 dB or more
// below it. Output that leaves the range of a sample saturates.
//
// The output is aligned with the input: output sample k belongs to the time of
// input sample k*in/out, without the delay of the filter. To do so the filter
// looks ahead by Latency: that much output is held back until more input comes,
// or until Flush. The output does not depend on the sizes of the blocks in which
// the input comes.
type Resampler struct {
	in, out audio.SampleRate

	lib speex // unused when in == out
	// taken and given count the samples of the current stream, for Flush.
	taken, given int64
	closed       bool
}

// New returns a resampler, which must be closed. Equal rates are legal and copy.
// The error matches ErrRate, or tells that memory ran out.
func New(in, out audio.SampleRate) (*Resampler, error) {
	if in < minRate || in > maxRate || out < minRate || out > maxRate {
		return nil, fmt.Errorf("%w: from %v to %v", ErrRate, in, out)
	}
	r := &Resampler{in: in, out: out}
	if in == out {
		return r, nil
	}
	lib, err := newSpeex(in, out)
	if err != nil {
		return nil, err
	}
	r.lib = lib
	return r, nil
}

// Process converts samples of src into dst until either is exhausted. It returns
// the samples written and the samples consumed; the caller hands in the rest of
// src again. A dst of MaxOutput(len(src)) samples always takes everything. The
// slices must not overlap and are not retained. After Close it does nothing.
func (r *Resampler) Process(dst, src []int16) (n, consumed int) {
	if r.closed || len(dst) == 0 || len(src) == 0 {
		return 0, 0
	}
	if r.in == r.out {
		n = copy(dst, src)
		consumed = n
	} else {
		n, consumed = r.lib.process(dst, src)
	}
	r.taken += int64(consumed)
	r.given += int64(n)
	return n, consumed
}

// Flush writes what the filter still holds back at the end of a stream and
// returns how many samples that were. When it fills dst there may be more: call
// it again until n < len(dst); Latency()+1 samples are always enough. Over the
// whole stream N input samples become N*out/in output samples, rounded up.
// When everything is out, the resampler is ready for another stream.
func (r *Resampler) Flush(dst []int16) (n int) {
	if r.closed {
		return 0
	}
	due := int((r.taken*int64(r.out)+int64(r.in)-1)/int64(r.in) - r.given)
	want := min(due, len(dst))
	var silence [256]int16
	for n < want {
		wrote, _ := r.lib.process(dst[n:want], silence[:])
		n += wrote
	}
	r.given += int64(n)
	if n == due {
		r.Reset()
	}
	return n
}

// Reset forgets the stream, including what Flush would have returned. The next
// sample begins a new stream.
func (r *Resampler) Reset() {
	r.taken, r.given = 0, 0
	if !r.closed && r.in != r.out {
		r.lib.reset()
	}
}

// Latency returns how far the filter looks ahead, in samples of the output: so
// much output is held back at any time. It is about 4 ms at 16 kHz, 0 for equal
// rates.
func (r *Resampler) Latency() int {
	if r.closed || r.in == r.out {
		return 0
	}
	return r.lib.latency()
}

// Delay returns Latency as a duration.
func (r *Resampler) Delay() time.Duration { return r.out.Duration(r.Latency()) }

// MaxOutput returns the most samples that one Process of n samples can write.
func (r *Resampler) MaxOutput(n int) int {
	return int((int64(n)*int64(r.out)+int64(r.in)-1)/int64(r.in)) + 1
}

// Close frees the memory of the filter, which the garbage collector does not
// know. It is idempotent.
func (r *Resampler) Close() error {
	if !r.closed && r.in != r.out {
		r.lib.free()
	}
	r.closed = true
	return nil
}
