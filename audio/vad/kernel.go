package vad

import "math"

// The kernels below are where the time goes. Go has no vector instructions, so
// what counts is that each weight is read once, from front to back, that four
// independent sums keep the adders busy, and that array types of fixed size
// spare the bounds checks. (More sums at once, or a Winograd form of the first
// convolution, measured slower: the compiler runs out of registers.)
//
// They are not instrumented by the race detector, which would make them some
// fifty times slower and every test that runs a voice through a session with
// them. They touch nothing but the detector's own memory and the immutable
// model; two goroutines in one detector still meet in Process itself, which is
// instrumented.

// convolve4 is the first convolution: stride 1 over four columns with a zero
// before and after, then ReLU.
//
//go:norace
func convolve4(dst *[conv0Out][columns]float32, x *[bins][columns]float32, m *Model) {
	for o := range dst {
		weights := &m.conv0[o]
		y0 := m.bias0[o]
		y1, y2, y3 := y0, y0, y0
		for i := range x {
			v, w := &x[i], &weights[i]
			y0 += w[1]*v[0] + w[2]*v[1]
			y1 += w[0]*v[0] + w[1]*v[1] + w[2]*v[2]
			y2 += w[0]*v[1] + w[1]*v[2] + w[2]*v[3]
			y3 += w[0]*v[2] + w[1]*v[3]
		}
		dst[o] = [columns]float32{relu(y0), relu(y1), relu(y2), relu(y3)}
	}
}

// convolve2 is the second convolution: stride 2, from four columns with a zero
// before to two, then ReLU.
//
//go:norace
func convolve2(dst *[conv1Out * 2]float32, x *[conv0Out][columns]float32, m *Model) {
	for o := range m.conv1 {
		weights := &m.conv1[o]
		y0 := m.bias1[o]
		y1 := y0
		for i := range x {
			v, w := &x[i], &weights[i]
			y0 += w[1]*v[0] + w[2]*v[1]
			y1 += w[0]*v[1] + w[1]*v[2] + w[2]*v[3]
		}
		dst[2*o], dst[2*o+1] = relu(y0), relu(y1)
	}
}

// matrix is a matrix with a bias, in blocks of four rows: for each block the
// bias of the rows, then for each column one weight per row.
type matrix struct {
	bias    [][4]float32
	weights [][4]float32
}

// newMatrix lays out the len(bias) x columns matrix that at describes. Its
// number of rows is a multiple of four.
func newMatrix(bias []float32, columns int, at func(row, column int) float32) matrix {
	var m matrix
	for row := 0; row < len(bias); row += 4 {
		m.bias = append(m.bias, [4]float32(bias[row:]))
		for c := range columns {
			m.weights = append(m.weights, [4]float32{at(row, c), at(row+1, c), at(row+2, c), at(row+3, c)})
		}
	}
	return m
}

// multiply computes dst = m x + bias, four rows to an element of dst. x has as
// many elements as the matrix has columns.
//
//go:norace
func (m *matrix) multiply(dst [][4]float32, x []float32) {
	weights := m.weights
	for r := range dst {
		block := weights[:len(x)]
		weights = weights[len(x):]
		sums := &m.bias[r]
		y0, y1, y2, y3 := sums[0], sums[1], sums[2], sums[3]
		for c, v := range x {
			w := &block[c]
			y0 += w[0] * v
			y1 += w[1] * v
			y2 += w[2] * v
			y3 += w[3] * v
		}
		dst[r] = [4]float32{y0, y1, y2, y3}
	}
}

// unpack writes blocks to dst one after another, with ReLU.
//
//go:norace
func unpack(dst []float32, blocks [][4]float32) {
	for i, b := range blocks {
		d := dst[4*i:][:4]
		d[0], d[1], d[2], d[3] = relu(b[0]), relu(b[1]), relu(b[2]), relu(b[3])
	}
}

func relu(x float32) float32 { return max(x, 0) }

func sigmoid(x float32) float32 { return 1 / (1 + exp(-x)) }

func tanh(x float32) float32 { return 2/(1+exp(-2*x)) - 1 }

// exp is e^x with a relative error below 2e-7 for |x| <= 87, saturating beyond:
// the largest and smallest powers of two that a float32 holds stand there for
// infinity and zero.
func exp(x float32) float32 {
	x = min(max(x, -87), 87)
	// x = n ln2 + r with |r| <= ln2/2; ln2 in two parts so that n ln2 is exact.
	const (
		ln2High = 0.693359375
		ln2Low  = -2.12194440e-4
	)
	// Adding and subtracting 1.5 * 2^23 rounds to an integer.
	const rounder = 12582912
	n := float32(float32(x*math.Log2E)+rounder) - rounder
	r := x - n*ln2High - n*ln2Low
	// The Taylor series to the sixth power is off by r^7/7! < 1.2e-7.
	p := 1 + r*(1+r*(1.0/2+r*(1.0/6+r*(1.0/24+r*(1.0/120+r*(1.0/720))))))
	return p * math.Float32frombits(uint32(int32(n)+127)<<23)
}
