package vad

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestLoad(t *testing.T) {
	if _, err := Load(); err != nil {
		t.Fatalf("the built-in model: %v", err)
	}
}

// TestParseModelRejects: a file that is not this network is refused with the
// name of the part that is wrong, rather than computing nonsense.
func TestParseModelRejects(t *testing.T) {
	// offset of the n-th value of the 16 kHz branch's tensor, found by its
	// unprefixed name inside the tensor itself.
	value := func(name string, n int) int {
		branch := bytes.Index(modelFile, []byte("If_0_then_branch__Inline_0__stft.forward_basis_buffer"))
		tensors, err := branchTensors(modelFile)
		if err != nil {
			t.Fatal(err)
		}
		raw := make([]byte, 64)
		for i := range 16 {
			binary.LittleEndian.PutUint32(raw[4*i:], math.Float32bits(tensors[name].data[i]))
		}
		at := bytes.Index(modelFile[branch:], raw)
		if at < 0 {
			t.Fatalf("no data of %s in the file", name)
		}
		return branch + at + 4*n
	}
	put := func(at int, x float32) func([]byte) []byte {
		return func(b []byte) []byte {
			binary.LittleEndian.PutUint32(b[at:], math.Float32bits(x))
			return b
		}
	}
	tests := []struct {
		name, part string
		change     func([]byte) []byte
	}{
		{"empty", "file", func([]byte) []byte { return nil }},
		{"not a model", "file", func([]byte) []byte { return []byte("<!DOCTYPE html>") }},
		{"cut off", "file", func(b []byte) []byte { return b[:len(b)/2] }},
		{"another graph", "file", func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("If"), []byte("Of")) }},
		{"a renamed tensor", "encoder.2.reparam_conv.bias", func(b []byte) []byte {
			return bytes.ReplaceAll(b, []byte("encoder.2.reparam_conv.bias"), []byte("encoder.9.reparam_conv.bias"))
		}},
		{"a value that is no number", "decoder.rnn.weight_hh", put(value("decoder.rnn.weight_hh", 3), float32(math.NaN()))},
		{"a filter bank instead of a Fourier transform", "stft.forward_basis_buffer", put(value("stft.forward_basis_buffer", 12), 0.5)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := parseModel(test.change(bytes.Clone(modelFile)))
			var fault *ModelError
			if !errors.As(err, &fault) || !errors.Is(err, ErrModel) {
				t.Fatalf("error %v, want a *ModelError that matches ErrModel", err)
			}
			if fault.Part != test.part {
				t.Errorf("blames %q (%v), want %q", fault.Part, err, test.part)
			}
		})
	}
}

// TestTensorShapes: the shapes are checked one by one, since a tensor of the
// wrong shape would be read past its end.
func TestTensorShapes(t *testing.T) {
	tests := []struct {
		name string
		t    tensor
		text string
	}{
		{"transposed", tensor{[]int{3, 2}, make([]float32, 6)}, "shape is [3 2], want [2 3]"},
		{"fewer dimensions", tensor{[]int{6}, make([]float32, 6)}, "shape is [6], want [2 3]"},
		{"less data than its shape", tensor{[]int{2, 3}, make([]float32, 5)}, "holds 5 float32 values, want 6"},
		{"another element type", tensor{[]int{2, 3}, nil}, "holds 0 float32 values, want 6"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := weights{tensors: map[string]tensor{"x": test.t}}
			if w.take("x", 2, 3); w.err == nil || !strings.Contains(w.err.Error(), test.text) {
				t.Errorf("error %v, want one that says %q", w.err, test.text)
			}
		})
	}
}

// TestDamagedFiles: no damage makes the reader panic or hang.
func TestDamagedFiles(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	small := modelFile[:4096]
	for range 2000 {
		b := bytes.Clone(small[:random.IntN(len(small))])
		for range 1 + random.IntN(8) {
			if len(b) > 0 {
				b[random.IntN(len(b))] = byte(random.Uint32())
			}
		}
		if _, err := parseModel(b); !errors.Is(err, ErrModel) {
			t.Fatalf("damaged file: error %v, want one that matches ErrModel", err)
		}
	}
}

func FuzzFields(f *testing.F) {
	f.Add([]byte{0x0a, 0x03, 'a', 'b', 'c', 0x10, 0x96, 0x01})
	f.Add([]byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Add([]byte{0x0d, 1, 2, 3, 4, 0x11, 1, 2, 3, 4, 5, 6, 7, 8})
	f.Fuzz(func(t *testing.T, b []byte) {
		total := 0
		_ = fields(b, func(_ int, value []byte, _ uint64) error {
			total += len(value)
			return nil
		})
		if total > len(b) {
			t.Fatalf("fields of %d bytes in a message of %d", total, len(b))
		}
		_, _ = parseTensor(b)
		_, _ = branchTensors(b)
	})
}
