package turn

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPreRoll compares the ring with a plain list of everything that went in.
func TestPreRoll(t *testing.T) {
	const capacity = 100
	random := rand.New(rand.NewPCG(1, 1))
	for trial := range 300 {
		r := newPreRoll(capacity)
		start := random.Int64N(1000)
		r.reset(start)
		var all []int // the sample at each position since start; -1 in a gap
		value := 0
		for range random.IntN(30) {
			n := random.IntN(40)
			if random.IntN(20) == 0 {
				n = 150 + random.IntN(300) // more than fits
			}
			if random.IntN(4) == 0 {
				r.addGap(int64(n))
				all = append(all, slices.Repeat([]int{-1}, n)...)
				continue
			}
			var pcm []byte
			for range n {
				pcm = binary.LittleEndian.AppendUint16(pcm, uint16(value))
				all = append(all, value)
				value++
			}
			r.addAudio(pcm)
		}

		// What must be there: the last samples that fit, from the first of them on.
		first, audio := len(all), 0
		for i := len(all) - 1; i >= 0 && audio < capacity; i-- {
			if all[i] >= 0 {
				first, audio = i, audio+1
			}
		}
		from := random.IntN(len(all) + 10)
		begin := min(max(first, from), len(all))
		for begin < len(all) && all[begin] < 0 {
			begin++ // it begins with audio
		}
		want := all[begin:]

		var got []int
		at := start + int64(begin)
		r.replay(start+int64(from), func(position, samples int64, pcm []byte) {
			if position != at || samples == 0 {
				t.Fatalf("trial %d: a span of %d samples at %d, want one at %d", trial, samples, position, at)
			}
			at += samples
			for i := range int(samples) {
				if pcm == nil {
					got = append(got, -1)
				} else {
					got = append(got, int(binary.LittleEndian.Uint16(pcm[2*i:])))
				}
			}
		})
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("trial %d, from %d on:\n got %v\nwant %v", trial, from, got, want)
		}
		if len(r.spans) > capacity {
			t.Fatalf("trial %d: %d spans for %d samples", trial, len(r.spans), capacity)
		}
	}
}
