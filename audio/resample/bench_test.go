package resample

import (
	"fmt"
	"testing"
	"time"

	"edged/audio"
)

// BenchmarkProcess is 20 ms of sound. Equal rates are the floor: one copy.
func BenchmarkProcess(b *testing.B) {
	for _, pair := range append([][2]audio.SampleRate{{16000, 16000}}, pairs...) {
		in, out := pair[0], pair[1]
		b.Run(fmt.Sprintf("%d_to_%d", int(in), int(out)), func(b *testing.B) {
			r := newResampler(b, in, out)
			src := noise(in.Samples(20 * time.Millisecond))
			dst := make([]int16, r.MaxOutput(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				r.Process(dst, src)
			}
		})
	}
}
