//go:build !race

package wire

import (
	"runtime"
	"testing"
)

// The frame codec runs for every packet of every device: it must not allocate.
// The bar is 0.001 per frame over 10,000 warm frames.
func TestFrameCodecDoesNotAllocate(t *testing.T) {
	const frames = 10_000
	ext, err := AppendExtension(nil, 3, []byte{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	media := Frame{Type: TypeAudio, Extensions: ext, Payload: make([]byte, 320)}
	gap := Frame{Type: TypeAudio, Flags: FlagGap, Gap: 960}
	buf := make([]byte, 0, MaxFrame)
	var sum uint32
	pass := func() {
		for i := range uint32(frames) {
			f := media
			if i%16 == 0 {
				f = gap
			}
			f.Seq, f.Timestamp = i, i*960
			b, err := AppendFrame(buf[:0], f)
			if err != nil {
				t.Fatal(err)
			}
			got, err := ParseFrame(b)
			if err != nil {
				t.Fatal(err)
			}
			sum += got.Seq
		}
	}
	pass() // warm
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	pass()
	runtime.ReadMemStats(&after)
	if per := float64(after.Mallocs-before.Mallocs) / frames; per > 0.001 {
		t.Errorf("%.4f allocations per frame, at most 0.001 allowed", per)
	}
	if want := uint32(2 * frames * (frames - 1) / 2); sum != want {
		t.Errorf("parsed sequence numbers sum to %d, want %d", sum, want)
	}
}
