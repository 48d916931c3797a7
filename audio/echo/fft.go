package echo

import (
	"math"
	"math/bits"
)

// fft is a discrete Fourier transform of a fixed power of two.
type fft struct{ roots []complex64 }

func newFFT(n int) fft {
	f := fft{make([]complex64, n/2)}
	for i := range f.roots {
		sin, cos := math.Sincos(-2 * math.Pi * float64(i) / float64(n))
		f.roots[i] = complex(float32(cos), float32(sin))
	}
	return f
}

// transform replaces x, whose length must be that of the fft.
func (f fft) transform(x []complex64) {
	n := len(x)
	shift := 64 - bits.Len(uint(n-1))
	for i := range x {
		if j := int(bits.Reverse64(uint64(i)) >> shift); i < j {
			x[i], x[j] = x[j], x[i]
		}
	}
	for size := 2; size <= n; size *= 2 {
		half, step := size/2, n/size
		for start := 0; start < n; start += size {
			low, high := x[start:start+half], x[start+half:start+size]
			for k := range low {
				r, h := f.roots[k*step], high[k]
				t := complex(real(r)*real(h)-imag(r)*imag(h), real(r)*imag(h)+imag(r)*real(h))
				low[k], high[k] = low[k]+t, low[k]-t
			}
		}
	}
}
