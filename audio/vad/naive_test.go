package vad

import (
	"math"
	"testing"
)

// naive computes the network in the plainest way, straight from the tensors of
// the file: the yardstick for the benchmark, and a second opinion on the layouts
// that the kernels use.
type naive struct {
	tensors   map[string]tensor
	h, c, ctx []float32
}

func newNaive(t testing.TB) *naive {
	tensors, err := branchTensors(modelFile)
	if err != nil {
		t.Fatal(err)
	}
	return &naive{tensors, make([]float32, hidden), make([]float32, hidden), make([]float32, contextSamples)}
}

func (n *naive) process(window []int16) float32 {
	x := append([]float32(nil), n.ctx...)
	for _, s := range window {
		x = append(x, float32(s)/32768)
	}
	n.ctx = x[len(x)-contextSamples:]
	last := len(x) - 1
	for i := 1; i <= padSamples; i++ {
		x = append(x, x[last-i])
	}
	basis := convolveNaive([][]float32{x}, n.tensors["stft.forward_basis_buffer"], nil, hopSamples, 0)
	features := make([][]float32, bins)
	for k := range features {
		for c := range basis[k] {
			features[k] = append(features[k], float32(math.Hypot(float64(basis[k][c]), float64(basis[bins+k][c]))))
		}
	}
	for layer, stride := range []int{1, 2, 2, 1} {
		name := "encoder." + string(rune('0'+layer)) + ".reparam_conv."
		features = convolveNaive(features, n.tensors[name+"weight"], n.tensors[name+"bias"].data, stride, 1)
		for _, channel := range features {
			for i := range channel {
				channel[i] = max(0, channel[i])
			}
		}
	}
	wi, wh := n.tensors["decoder.rnn.weight_ih"].data, n.tensors["decoder.rnn.weight_hh"].data
	bi, bh := n.tensors["decoder.rnn.bias_ih"].data, n.tensors["decoder.rnn.bias_hh"].data
	sums := make([]float64, gates*hidden)
	for r := range sums {
		sum := bi[r] + bh[r]
		for k := range hidden {
			sum += wi[r*hidden+k]*features[k][0] + wh[r*hidden+k]*n.h[k]
		}
		sums[r] = float64(sum)
	}
	logistic := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	logit := n.tensors["decoder.decoder.2.bias"].data[0]
	for j := range hidden {
		in, forget, candidate, out := sums[j], sums[hidden+j], sums[2*hidden+j], sums[3*hidden+j]
		n.c[j] = float32(logistic(forget)*float64(n.c[j]) + logistic(in)*math.Tanh(candidate))
		n.h[j] = float32(logistic(out) * math.Tanh(float64(n.c[j])))
		logit += n.tensors["decoder.decoder.2.weight"].data[j] * max(0, n.h[j])
	}
	return float32(logistic(float64(logit)))
}

func convolveNaive(x [][]float32, w tensor, bias []float32, stride, padding int) [][]float32 {
	out, in, kernel := w.dims[0], w.dims[1], w.dims[2]
	y := make([][]float32, out)
	for o := range y {
		for start := -padding; start+kernel <= len(x[0])+padding; start += stride {
			var sum float32
			if bias != nil {
				sum = bias[o]
			}
			for i := range in {
				for k := range kernel {
					if p := start + k; p >= 0 && p < len(x[i]) {
						sum += w.data[(o*in+i)*kernel+k] * x[i][p]
					}
				}
			}
			y[o] = append(y[o], sum)
		}
	}
	return y
}

func TestKernelsAgainstNaive(t *testing.T) {
	pcm := samples(t, "testdata/stop.wav")
	got := probabilities(model(t).NewDetector().Process, pcm)
	want := probabilities(newNaive(t).process, pcm)
	for i := range want {
		if d := math.Abs(float64(got[i] - want[i])); d > 1e-5 {
			t.Errorf("window %d: %g, computed naively %g", i, got[i], want[i])
		}
	}
}

// TestSpectrum compares the FFT with the convolution that the model file
// states, relative to the loudest frequency.
func TestSpectrum(t *testing.T) {
	tensors, err := branchTensors(modelFile)
	if err != nil {
		t.Fatal(err)
	}
	var x [paddedSamples]float32
	for i, s := range samples(t, "testdata/weather.wav")[4000:][:len(x)] {
		x[i] = float32(s) / 32768
	}
	want := convolveNaive([][]float32{x[:]}, tensors["stft.forward_basis_buffer"], nil, hopSamples, 0)
	var got [bins][columns]float32
	var work [frameSamples]complexF
	model(t).spectrum.magnitudes(&got, &x, &work)
	var loudest, worst float64
	for k := range bins {
		for c := range columns {
			m := math.Hypot(float64(want[k][c]), float64(want[bins+k][c]))
			loudest = max(loudest, m)
			worst = max(worst, math.Abs(m-float64(got[k][c])))
		}
	}
	if loudest == 0 || worst/loudest > 1e-6 {
		t.Errorf("magnitudes are off by %g of the loudest (%g), want at most 1e-6", worst/loudest, loudest)
	}
}
