//go:build !race

package ws

import (
	"runtime"
	"testing"

	"edged/edge"
	"edged/firmware-protocol/wire"
)

// TestFramePathAllocations: socket read, leg, chunk, null pipeline, encoder and
// socket write of 10,000 frames cost at most two objects a frame: the chunk, and
// what reports of progress and the network stack need now and then.
func TestFramePathAllocations(t *testing.T) {
	const devices, frames = 100, 100
	for _, f := range []wire.Format{opus20, pcm20} {
		r := newRig(t, edge.Config{Handler: echo}, Config{}, false)
		ls, err := loaders(r.url, devices, f, tone(t, f))
		if err != nil {
			t.Fatal(err)
		}
		if err := load(ls, 20); err != nil { // buffers grow, codecs are made
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		if err := load(ls, frames); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		each := float64(after.Mallocs-before.Mallocs) / (devices * frames)
		t.Logf("%s %d ms: %.2f allocations a frame", f.Codec, f.FrameMS, each)
		if each > 2 {
			t.Errorf("%s: %.2f allocations a frame, want at most 2", f.Codec, each)
		}
		closeAll(ls)
		r.stop()
	}
}
