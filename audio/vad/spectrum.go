package vad

import (
	"fmt"
	"math"
)

const (
	frameSamples = 256 // samples under one analysis window
	hopSamples   = 128
	bins         = frameSamples/2 + 1
)

// spectrum computes the magnitude spectra of a window. The model file states
// its analysis as a convolution with a matrix of 258 x 256; that matrix is a
// windowed discrete Fourier transform, which an FFT computes with a twentieth
// of the work.
type spectrum struct {
	window   [frameSamples]float32
	twiddles [frameSamples]complexF // exp(-2 pi i n / 256)
	// order[k] is where the FFT leaves coefficient k.
	order [frameSamples]uint8
}

type complexF struct{ re, im float32 }

// newSpectrum takes the analysis window from the first row of the basis (the
// cosine of frequency 0) and checks that all rows are what the FFT computes.
func newSpectrum(basis []float32) (*spectrum, error) {
	s := new(spectrum)
	copy(s.window[:], basis)
	for n := range s.twiddles {
		sin, cos := math.Sincos(-2 * math.Pi * float64(n) / frameSamples)
		s.twiddles[n] = complexF{float32(cos), float32(sin)}
		// The radix is 4: an index of 8 bits comes out with its four pairs of
		// bits in reverse order.
		s.order[n] = uint8(n&3<<6 | n>>2&3<<4 | n>>4&3<<2 | n>>6)
	}
	// The file holds float32 roundings of the exact values, 6e-8 off at most.
	const tolerance = 1e-6
	for k := range bins {
		for n, w := range s.window {
			t := s.twiddles[k*n%frameSamples]
			re, im := basis[k*frameSamples+n], basis[(bins+k)*frameSamples+n]
			if abs(re-w*t.re) > tolerance || abs(im-w*t.im) > tolerance {
				return nil, fmt.Errorf("row %d is not a windowed Fourier transform at sample %d", k, n)
			}
		}
	}
	return s, nil
}

func abs(x float32) float32 { return max(x, -x) }

// magnitudes writes the four spectra of the padded window x to dst: for each
// frequency its magnitude in each of the columns. Two real frames make one
// complex transform, which work holds.
//
//go:norace
func (s *spectrum) magnitudes(dst *[bins][columns]float32, x *[paddedSamples]float32, work *[frameSamples]complexF) {
	for c := 0; c < columns; c += 2 {
		first := x[c*hopSamples:][:frameSamples]
		second := x[(c+1)*hopSamples:][:frameSamples]
		for n := range work {
			w := s.window[n]
			work[n] = complexF{first[n] * w, second[n] * w}
		}
		s.transform(work)
		for k := range bins {
			// With Z = A + iB the transforms A and B of two real frames follow
			// from Z and its mirror image.
			z := work[s.order[k]]
			mirror := work[s.order[(frameSamples-k)%frameSamples]]
			re, im := z.re+mirror.re, z.im-mirror.im
			dst[k][c] = 0.5 * float32(math.Sqrt(float64(re*re+im*im)))
			re, im = z.im+mirror.im, mirror.re-z.re
			dst[k][c+1] = 0.5 * float32(math.Sqrt(float64(re*re+im*im)))
		}
	}
}

// transform is a complex FFT in place, radix 4, decimation in frequency. It
// leaves the coefficients in digit-reversed order.
//
//go:norace
func (s *spectrum) transform(x *[frameSamples]complexF) {
	for size, step := frameSamples, 1; size > 1; size, step = size/4, step*4 {
		q := size / 4
		for start := 0; start < frameSamples; start += size {
			p0 := x[start:][:q]
			p1 := x[start+q:][:len(p0)]
			p2 := x[start+2*q:][:len(p0)]
			p3 := x[start+3*q:][:len(p0)]
			for j := range p0 {
				a, b, c, d := p0[j], p1[j], p2[j], p3[j]
				sumAC := complexF{a.re + c.re, a.im + c.im}
				difAC := complexF{a.re - c.re, a.im - c.im}
				sumBD := complexF{b.re + d.re, b.im + d.im}
				difBD := complexF{b.im - d.im, d.re - b.re} // times -i
				p0[j] = complexF{sumAC.re + sumBD.re, sumAC.im + sumBD.im}
				p1[j] = s.rotate(difAC.re+difBD.re, difAC.im+difBD.im, j*step)
				p2[j] = s.rotate(sumAC.re-sumBD.re, sumAC.im-sumBD.im, 2*j*step)
				p3[j] = s.rotate(difAC.re-difBD.re, difAC.im-difBD.im, 3*j*step)
			}
		}
	}
}

// rotate multiplies by the twiddle factor n.
//
//go:norace
func (s *spectrum) rotate(re, im float32, n int) complexF {
	t := &s.twiddles[uint8(n)]
	return complexF{re*t.re - im*t.im, re*t.im + im*t.re}
}
