package pcm

import (
	"encoding/binary"
)

// SampleBytes is the size of one sample of one channel.
const SampleBytes = 2

// Decode converts s16le bytes into samples and returns how many it wrote: the
// smaller of len(dst) and len(src)/2. A trailing odd byte is left out; where
// packets may split a sample, use a Decoder. dst and src must not overlap.
func Decode(dst []int16, src []byte) (n int) {
	n = min(len(dst), len(src)/SampleBytes)
	src = src[:n*SampleBytes]
	dst = dst[:n]
	for i := range dst {
		dst[i] = int16(binary.LittleEndian.Uint16(src[i*SampleBytes:]))
	}
	return n
}

// Append appends the samples to dst as s16le bytes and returns the extended
// slice. It allocates only when dst lacks room for 2 bytes per sample.
func Append(dst []byte, src []int16) []byte {
	for _, sample := range src {
		dst = append(dst, byte(sample), byte(uint16(sample)>>8))
	}
	return dst
}

// Decoder converts a stream of s16le bytes that arrives in pieces of any size. A
// piece may end in the middle of a sample: the odd byte is kept and completed by
// the next piece, so that no sample is ever shifted. The zero value is ready.
type Decoder struct {
	low     byte
	pending bool
}

// Append appends the samples that src completes to dst and returns the extended
// slice. It needs room for (len(src)+1)/2 samples and allocates only when dst
// lacks it. src is not retained.
func (d *Decoder) Append(dst []int16, src []byte) []int16 {
	if d.pending && len(src) > 0 {
		dst = append(dst, int16(uint16(d.low)|uint16(src[0])<<8))
		d.pending = false
		src = src[1:]
	}
	for ; len(src) >= SampleBytes; src = src[SampleBytes:] {
		dst = append(dst, int16(binary.LittleEndian.Uint16(src)))
	}
	if len(src) == 1 {
		d.low, d.pending = src[0], true
	}
	return dst
}

// Pending reports whether half a sample is kept. At the end of a stream that
// means that the stream was cut inside a sample.
func (d *Decoder) Pending() bool { return d.pending }

// Reset forgets a kept byte: the next piece begins a new stream.
func (d *Decoder) Reset() { *d = Decoder{} }
