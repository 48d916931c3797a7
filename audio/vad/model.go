package vad

import (
	"crypto/sha256"
	_ "embed" // the model file
	"encoding/hex"
	"errors"
	"fmt"
	"math"
)

//go:embed silero_vad.onnx
var modelFile []byte

// modelHash is the SHA-256 of the file that the implementation was checked
// against; the packages that it came from are named in README.md.
const modelHash = "1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3"

// Sizes of the network's 16 kHz branch, as the shapes in the model file say.
const (
	columns   = 4   // spectra per window
	conv0Out  = 128 // channels after each convolution
	conv1Out  = 64
	conv2Out  = 64
	conv3Out  = 128
	hidden    = 128 // units of the LSTM cell
	lstmInput = conv3Out + hidden
	taps      = 3 // of each convolution, over time
	gates     = 4 // input, forget, cell, output: in this order in the file
)

// ErrModel is matched by every error of Load.
var ErrModel = errors.New("vad: unusable model")

// ModelError says which part of the model file is not what this package
// implements.
type ModelError struct {
	// Part is the name of a tensor, or "file" for the model as a whole.
	Part string
	// Err is what was wrong with it.
	Err error
}

// Error implements error.
func (e *ModelError) Error() string {
	return fmt.Sprintf("%v: %s: %v (restore audio/vad/silero_vad.onnx and rebuild)", ErrModel, e.Part, e.Err)
}

// Unwrap makes a ModelError match ErrModel and its cause.
func (e *ModelError) Unwrap() []error { return []error{ErrModel, e.Err} }

// Model holds the weights of the network in the layout that the kernels read,
// about 1 MB. It is immutable: one serves all detectors of a process.
type Model struct {
	spectrum *spectrum

	conv0 [conv0Out][bins][taps]float32
	bias0 [conv0Out]float32
	conv1 [conv1Out][conv0Out][taps]float32
	bias1 [conv1Out]float32
	conv2 matrix // from the two columns of each channel, side by side
	conv3 matrix
	lstm  matrix // block j holds the gates of unit j
	out   [hidden]float32
	// biasOut is added to the product of out and the cell's output.
	biasOut float32
}

// Load checks and unpacks the model that is built into the program. It takes a
// few milliseconds and returns a new Model each time, so call it once and share
// the result. Its errors match ErrModel and are a *ModelError.
func Load() (*Model, error) {
	sum := sha256.Sum256(modelFile)
	if got := hex.EncodeToString(sum[:]); got != modelHash {
		return nil, &ModelError{Part: "file", Err: fmt.Errorf("SHA-256 is %s, want %s", got, modelHash)}
	}
	return parseModel(modelFile)
}

// parseModel unpacks the weights from an ONNX file.
func parseModel(onnx []byte) (*Model, error) {
	tensors, err := branchTensors(onnx)
	if err != nil {
		return nil, &ModelError{Part: "file", Err: err}
	}
	w := weights{tensors: tensors}
	basis := w.take("stft.forward_basis_buffer", 2*bins, 1, frameSamples)
	conv0 := w.take("encoder.0.reparam_conv.weight", conv0Out, bins, taps)
	bias0 := w.take("encoder.0.reparam_conv.bias", conv0Out)
	conv1 := w.take("encoder.1.reparam_conv.weight", conv1Out, conv0Out, taps)
	bias1 := w.take("encoder.1.reparam_conv.bias", conv1Out)
	conv2 := w.take("encoder.2.reparam_conv.weight", conv2Out, conv1Out, taps)
	bias2 := w.take("encoder.2.reparam_conv.bias", conv2Out)
	conv3 := w.take("encoder.3.reparam_conv.weight", conv3Out, conv2Out, taps)
	bias3 := w.take("encoder.3.reparam_conv.bias", conv3Out)
	ofInput := w.take("decoder.rnn.weight_ih", gates*hidden, conv3Out)
	ofState := w.take("decoder.rnn.weight_hh", gates*hidden, hidden)
	biasInput := w.take("decoder.rnn.bias_ih", gates*hidden)
	biasState := w.take("decoder.rnn.bias_hh", gates*hidden)
	out := w.take("decoder.decoder.2.weight", 1, hidden, 1)
	biasOut := w.take("decoder.decoder.2.bias", 1)
	if w.err != nil {
		return nil, w.err
	}

	m := &Model{biasOut: biasOut[0]}
	if m.spectrum, err = newSpectrum(basis); err != nil {
		return nil, &ModelError{Part: "stft.forward_basis_buffer", Err: err}
	}
	for o := range m.conv0 {
		for i := range m.conv0[o] {
			copy(m.conv0[o][i][:], conv0[(o*bins+i)*taps:])
		}
	}
	for o := range m.conv1 {
		for i := range m.conv1[o] {
			copy(m.conv1[o][i][:], conv1[(o*conv0Out+i)*taps:])
		}
	}
	copy(m.bias0[:], bias0)
	copy(m.bias1[:], bias1)
	copy(m.out[:], out)
	// The third convolution gets two columns with a zero on either side and
	// stands, with stride 2, on the first of them only: its first tap always
	// meets the zero. The fourth gets one column between two zeros. What is
	// left of both is a matrix.
	m.conv2 = newMatrix(bias2, 2*conv1Out, func(row, k int) float32 {
		return conv2[(row*conv1Out+k/2)*taps+1+k%2]
	})
	m.conv3 = newMatrix(bias3, conv2Out, func(row, k int) float32 {
		return conv3[(row*conv2Out+k)*taps+1]
	})
	// The file has all input gates, then all forget gates and so on; the kernel
	// wants the four gates of a unit together.
	gate := func(row int) int { return row%gates*hidden + row/gates }
	bias := make([]float32, gates*hidden)
	for row := range bias {
		bias[row] = biasInput[gate(row)] + biasState[gate(row)]
	}
	m.lstm = newMatrix(bias, lstmInput, func(row, k int) float32 {
		if k < conv3Out {
			return ofInput[gate(row)*conv3Out+k]
		}
		return ofState[gate(row)*hidden+k-conv3Out]
	})
	return m, nil
}

// weights hands out tensors by name and shape and keeps the first mismatch.
type weights struct {
	tensors map[string]tensor
	err     error
}

func (w *weights) take(name string, dims ...int) []float32 {
	t, ok := w.tensors[name]
	size := 1
	for _, d := range dims {
		size *= d
	}
	fault := func(format string, args ...any) []float32 {
		if w.err == nil {
			w.err = &ModelError{Part: name, Err: fmt.Errorf(format, args...)}
		}
		return nil
	}
	if !ok {
		return fault("missing")
	}
	if fmt.Sprint(t.dims) != fmt.Sprint(dims) {
		return fault("shape is %v, want %v", t.dims, dims)
	}
	if len(t.data) != size {
		return fault("holds %d float32 values, want %d", len(t.data), size)
	}
	for i, v := range t.data {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return fault("value %d is %v", i, v)
		}
	}
	return t.data
}
