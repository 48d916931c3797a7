package g722

import (
	"math"
	"testing"
)

// encode is G.722 the other way round, in the plainest way: the same filter splits
// the samples into bands, and of all codes it takes the one whose reconstruction is
// nearest.
func encode(samples []int16) []byte {
	low, high := band{step: 32}, band{step: 8}
	var past [24]int
	stream := make([]byte, 0, len(samples)/2)
	for i := 0; i+1 < len(samples); i += 2 {
		copy(past[:], past[2:])
		past[22], past[23] = int(samples[i]), int(samples[i+1])
		even, odd := 0, 0
		for j, c := range mirror {
			odd += past[2*j] * c
			even += past[2*j+1] * mirror[len(mirror)-1-j]
		}
		below, above := (even+odd)>>14, (even-odd)>>14
		six := nearest(64, func(code int) int { return low.predicted + low.step*qm6[code]>>15 - below })
		two := nearest(4, func(code int) int { return high.predicted + high.step*qm2[code]>>15 - above })
		low.adapt(low.step*qm4[six>>2]>>15, wl[rl42[six>>2]], 18432, 8)
		high.adapt(high.step*qm2[two]>>15, wh[rh2[two]], 22528, 10)
		stream = append(stream, byte(two<<6|six))
	}
	return stream
}

// nearest returns the code from 0 to n-1 whose error is smallest; not the first four
// of the low band, which are for other uses.
func nearest(n int, difference func(int) int) int {
	best, least := 0, math.MaxInt
	for code := range n {
		if n == 64 && code < 4 {
			continue
		}
		if d := difference(code); max(d, -d) < least {
			best, least = code, max(d, -d)
		}
	}
	return best
}

// TestDecode: what was encoded comes back, later by the delay of the filters: tones
// in either band and both.
func TestDecode(t *testing.T) {
	for name, frequencies := range map[string][]float64{"low": {700}, "high": {5200}, "both": {1200, 6100}} {
		in := make([]int16, 8000)
		for i := range in {
			for _, f := range frequencies {
				in[i] += int16(4000 * math.Sin(2*math.Pi*f*float64(i)/16000))
			}
		}
		out := Decode(encode(in))
		if len(out) != len(in) {
			t.Fatalf("%s: %d samples of %d", name, len(out), len(in))
		}
		best := math.Inf(-1)
		for delay := range 48 {
			signal, noise := 0.0, 0.0
			for i := 2000; i < len(in); i++ {
				v, d := float64(in[i-delay]), float64(out[i])-float64(in[i-delay])
				signal, noise = signal+v*v, noise+d*d
			}
			best = max(best, 10*math.Log10(signal/noise))
		}
		if best < 15 {
			t.Errorf("%s: %.1f dB of signal to noise, want 15", name, best)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte{0, 255, 17})
	f.Fuzz(func(t *testing.T, stream []byte) {
		if got := Decode(stream); len(got) != 2*len(stream) {
			t.Errorf("%d samples of %d bytes", len(got), len(stream))
		}
	})
}
