//go:build !race

package realtime

import (
	"context"
	"runtime"
	"testing"
)

// mallocs counts the heap allocations of one warm pass, exactly.
func mallocs(warm, pass func()) float64 {
	warm()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	pass()
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs - before.Mallocs)
}

const warmFrames = 10_000

func TestPushAndPopDoNotAllocate(t *testing.T) {
	ctx := context.Background()
	chunk := frame("mic/1", 1)
	builder := NewStreamBuilder(32)
	built := builder.Stream()
	live := NewRealtimeStream(RealtimeConfig{})
	two := NewRealtimeStream(RealtimeConfig{})
	other := frame("mic/2", 1)
	spelled := blob("r", "Audio/PCM; Rate=16000")
	var cache KeyCache
	for _, test := range []struct {
		name string
		step func()
	}{
		{"StreamBuilder", func() { _ = builder.Add(ctx, chunk); _, _ = built.Next() }},
		{"RealtimeStream, one track", func() { _ = live.Push(chunk); _, _ = live.Next() }},
		{"RealtimeStream, two tracks", func() {
			_, _ = two.Push(chunk), two.Push(other)
			_, _ = two.Next()
			_, _ = two.Next()
		}},
		{"Channel of a canonical type", func() { _ = chunk.Channel() }},
		{"KeyCache for any spelling", func() { _ = cache.Channel(spelled) }},
		{"MediaDuration", func() { _ = MediaDuration(chunk.Part) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			run := func() {
				for range warmFrames {
					test.step()
				}
			}
			if per := mallocs(run, run) / warmFrames; per > 0.001 {
				t.Errorf("%.4f allocations per frame, want at most 0.001", per)
			}
		})
	}
}

// A timestamp that is supplied costs the one allocation of the copied chunk.
func TestSuppliedTimestampAllocatesOnce(t *testing.T) {
	s := NewRealtimeStream(RealtimeConfig{})
	chunk := frame("mic/1", 0)
	run := func() {
		for range warmFrames {
			_ = s.Push(chunk)
			_, _ = s.Next()
		}
	}
	if per := mallocs(run, run) / warmFrames; per > 1.001 {
		t.Errorf("%.4f allocations per chunk without a timestamp, want 1", per)
	}
}

// F53: what 200,000 frames without a reader leave on the heap is the limit of
// the stream, not the sum of the frames (128 MB).
func TestHeapWithoutAReader(t *testing.T) {
	s := NewRealtimeStream(RealtimeConfig{})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range 200_000 {
		if err := s.Push(frame("mic/1", int64(1+20*i))); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 3<<20 {
		t.Errorf("heap grew by %d KiB, want at most the 1 MiB of audio and its bookkeeping", grown>>10)
	}
	runtime.KeepAlive(s)
}
