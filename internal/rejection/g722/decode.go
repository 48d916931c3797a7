package g722

import "math"

// The tables of the recommendation, by its names for them.
var (
	wl   = [...]int{-60, -30, 58, 172, 334, 538, 1198, 3042}
	rl42 = [...]int{0, 7, 6, 5, 4, 3, 2, 1, 7, 6, 5, 4, 3, 2, 1, 0}
	ilb  = [...]int{2048, 2093, 2139, 2186, 2233, 2282, 2332, 2383, 2435, 2489, 2543, 2599, 2656, 2714, 2774, 2834,
		2896, 2960, 3025, 3091, 3158, 3228, 3298, 3371, 3444, 3520, 3597, 3676, 3756, 3838, 3922, 4008}
	wh  = [...]int{0, -214, 798}
	rh2 = [...]int{2, 1, 2, 1}
	qm2 = [...]int{-7408, -1616, 7408, 1616}
	qm4 = [...]int{0, -20456, -12896, -8968, -6288, -4240, -2584, -1200, 20456, 12896, 8968, 6288, 4240, 2584, 1200, 0}
	qm6 = [...]int{-136, -136, -136, -136, -24808, -21904, -19008, -16704, -14984, -13512, -12280, -11192, -10232, -9360, -8576, -7856,
		-7192, -6576, -6000, -5456, -4944, -4464, -4008, -3576, -3168, -2776, -2400, -2032, -1688, -1360, -1040, -728,
		24808, 21904, 19008, 16704, 14984, 13512, 12280, 11192, 10232, 9360, 8576, 7856, 7192, 6576, 6000, 5456,
		4944, 4464, 4008, 3576, 3168, 2776, 2400, 2032, 1688, 1360, 1040, 728, 432, 136, -432, -136}
	mirror = [...]int{3, -11, 12, 32, -210, 951, 3876, -805, 362, -156, 53, -11}
)

// Decode returns the samples of a stream from its beginning, two a byte. Any bytes
// are a stream.
func Decode(stream []byte) []int16 {
	low, high := band{step: 32}, band{step: 8}
	var past [24]int // of the mirror filter
	samples := make([]int16, 0, 2*len(stream))
	for _, code := range stream {
		six, two := int(code&0x3f), int(code>>6)
		below := clamp(low.predicted+low.step*qm6[six]>>15, -16384, 16383)
		low.adapt(low.step*qm4[six>>2]>>15, wl[rl42[six>>2]], 18432, 8)
		difference := high.step * qm2[two] >> 15
		above := clamp(high.predicted+difference, -16384, 16383)
		high.adapt(difference, wh[rh2[two]], 22528, 10)

		copy(past[:], past[2:])
		past[22], past[23] = below+above, below-above
		even, odd := 0, 0
		for i, c := range mirror {
			even += past[2*i] * c
			odd += past[2*i+1] * mirror[len(mirror)-1-i]
		}
		samples = append(samples, int16(saturated(odd>>11)), int16(saturated(even>>11)))
	}
	return samples
}

// band is the state of one band's decoder.
type band struct {
	// predicted is the next sample as the filters see it, zeros the part of it that
	// comes from the filter of zeros.
	predicted, zeros int
	// step is the scale of the quantiser, log its logarithm.
	step, log int
	// The last reconstructed samples and their parts, the last differences, and
	// the coefficients of the filters of poles and zeros; index 0 is now.
	r, p, a [3]int
	d, b    [7]int
}

// adapt goes on to the next sample: scale and predictor, after the difference of
// this one.
func (s *band) adapt(difference, growth, most, shift int) {
	s.log = clamp(s.log*127>>7+growth, 0, most)
	if by := shift - s.log>>11; by < 0 {
		s.step = ilb[s.log>>6&31] << -by << 2
	} else {
		s.step = ilb[s.log>>6&31] >> by << 2
	}

	s.d[0] = difference
	s.r[0] = saturated(s.predicted + difference)
	s.p[0] = saturated(s.zeros + difference)
	s.poles()
	for i := 6; i > 0; i-- {
		towards := 0
		if difference != 0 {
			towards = like(s.d[i], difference, 128)
		}
		s.b[i] = saturated(towards + s.b[i]*32640>>15)
	}
	for i := 6; i > 0; i-- {
		s.d[i] = s.d[i-1]
	}
	for i := 2; i > 0; i-- {
		s.r[i], s.p[i] = s.r[i-1], s.p[i-1]
	}

	poles := saturated(s.a[1]*saturated(2*s.r[1])>>15 + s.a[2]*saturated(2*s.r[2])>>15)
	s.zeros = 0
	for i := 6; i > 0; i-- {
		s.zeros += s.b[i] * saturated(2*s.d[i]) >> 15
	}
	s.zeros = saturated(s.zeros)
	s.predicted = saturated(poles + s.zeros)
}

// poles adapts the two coefficients of the filter of poles.
func (s *band) poles() {
	second := min(like(s.p[0], s.p[1], -saturated(4*s.a[1])), math.MaxInt16) >> 7
	second += like(s.p[0], s.p[2], 128) + s.a[2]*32512>>15
	s.a[2] = clamp(second, -12288, 12288)
	first := saturated(like(s.p[0], s.p[1], 192) + s.a[1]*32640>>15)
	bound := saturated(15360 - s.a[2])
	s.a[1] = clamp(first, -bound, bound)
}

// like returns v if x and y have the same sign, else -v.
func like(x, y, v int) int {
	if x < 0 == (y < 0) {
		return v
	}
	return -v
}

func saturated(v int) int { return clamp(v, math.MinInt16, math.MaxInt16) }

func clamp(v, least, most int) int { return min(max(v, least), most) }
