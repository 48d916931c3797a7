package pcm

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestBytes(t *testing.T) {
	tests := []struct {
		name    string
		samples []int16
		bytes   []byte
	}{
		{"nothing", nil, nil},
		{"zero", []int16{0}, []byte{0, 0}},
		{"low byte first", []int16{0x1234}, []byte{0x34, 0x12}},
		{"minus one", []int16{-1}, []byte{0xff, 0xff}},
		{"the ends of the range", []int16{math.MaxInt16, math.MinInt16}, []byte{0xff, 0x7f, 0x00, 0x80}},
		{"around a byte", []int16{127, 128, 255, 256, -128, -129}, []byte{127, 0, 128, 0, 255, 0, 0, 1, 0x80, 0xff, 0x7f, 0xff}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Append(nil, tt.samples); !bytes.Equal(got, tt.bytes) {
				t.Errorf("Append(%v) = % x, want % x", tt.samples, got, tt.bytes)
			}
			dst := make([]int16, len(tt.samples))
			if n := Decode(dst, tt.bytes); n != len(dst) || !slices.Equal(dst, tt.samples) {
				t.Errorf("Decode(% x) = %d %v, want %v", tt.bytes, n, dst, tt.samples)
			}
		})
	}
}

func TestDecodeShort(t *testing.T) {
	dst := []int16{7, 7, 7}
	if n := Decode(dst, []byte{1, 0, 2}); n != 1 || !slices.Equal(dst, []int16{1, 7, 7}) {
		t.Errorf("Decode of 3 bytes = %d %v, want 1 sample and the rest untouched", n, dst)
	}
	if n := Decode(dst[:1], []byte{5, 0, 6, 0}); n != 1 || dst[1] != 7 {
		t.Errorf("Decode into 1 sample = %d %v, want no more than fits", n, dst)
	}
}

func TestAppendKeepsPrefix(t *testing.T) {
	if got := Append([]byte("head"), []int16{0x4241}); string(got) != "headAB" {
		t.Errorf("Append = %q, want it behind what was there", got)
	}
}

// F07: reads of odd byte counts never shift samples.
func TestDecoderOddPieces(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	want := make([]int16, 5000)
	for i := range want {
		want[i] = int16(rng.Uint32())
	}
	stream := Append(nil, want)
	for _, most := range []int{1, 2, 3, 7, 1001} {
		var d Decoder
		var got []int16
		for rest := stream; len(rest) > 0; {
			n := min(len(rest), 1+rng.IntN(most))
			got = d.Append(got, rest[:n])
			rest = rest[n:]
			if odd := (len(stream)-len(rest))%2 == 1; d.Pending() != odd {
				t.Fatalf("Pending = %v after %d bytes, want %v", d.Pending(), len(stream)-len(rest), odd)
			}
			got = d.Append(got, nil) // an empty read changes nothing
		}
		if !slices.Equal(got, want) {
			t.Errorf("pieces of up to %d bytes: the samples differ from the stream", most)
		}
	}
}

func TestDecoderReset(t *testing.T) {
	var d Decoder
	d.Append(nil, []byte{1})
	d.Reset()
	if got := d.Append(nil, []byte{2, 0}); d.Pending() || !slices.Equal(got, []int16{2}) {
		t.Errorf("after Reset: %v, want [2]: the kept byte belongs to another stream", got)
	}
}

func TestLevel(t *testing.T) {
	sine := make([]int16, 16000)
	for i := range sine {
		sine[i] = int16(math.Round(32767 * math.Sin(2*math.Pi*440*float64(i)/16000)))
	}
	quiet := make([]int16, 1000)
	for i := range quiet {
		quiet[i] = int16(i%2*2 - 1)
	}
	tests := []struct {
		name    string
		samples []int16
		rms, db float64
	}{
		{"nothing", nil, 0, FloorDB},
		{"silence", make([]int16, 100), 0, FloorDB},
		{"full-scale square", []int16{-32768, -32768, -32768}, 1, 0},
		{"full-scale sine", sine, math.Sqrt2 / 2, -3.0103},
		{"half scale", []int16{16384, -16384}, 0.5, -6.0206},
		{"one bit", quiet, 1.0 / 32768, -90.309},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := RMS(tt.samples); math.Abs(got-tt.rms) > 1e-4 {
				t.Errorf("RMS %v, want %v", got, tt.rms)
			}
			if got := Level(tt.samples); math.Abs(got-tt.db) > 1e-3 {
				t.Errorf("level %v dBFS, want %v", got, tt.db)
			}
		})
	}
}

func TestPeak(t *testing.T) {
	for _, tt := range []struct {
		samples []int16
		want    int
	}{{nil, 0}, {[]int16{1, -5, 3}, 5}, {[]int16{math.MinInt16}, 32768}, {[]int16{math.MaxInt16, 0}, 32767}} {
		if got := Peak(tt.samples); got != tt.want {
			t.Errorf("Peak(%v) = %d, want %d", tt.samples, got, tt.want)
		}
	}
}

func TestGain(t *testing.T) {
	tests := []struct {
		name      string
		in        []int16
		factor    float64
		want      []int16
		saturated int
	}{
		{"unity", []int16{1, -1, 32767, -32768}, 1, []int16{1, -1, 32767, -32768}, 0},
		{"6 dB up saturates instead of wrapping", []int16{100, 20000, -20000}, 2, []int16{200, 32767, -32768}, 2},
		{"down rounds to the nearest", []int16{3, -3, 5, -5}, 0.5, []int16{2, -2, 3, -3}, 0},
		{"mute", []int16{9, -9}, 0, []int16{0, 0}, 0},
		{"inverted", []int16{-32768, 5}, -1, []int16{32767, -5}, 1},
		{"infinite", []int16{1, -1, 0}, math.Inf(1), []int16{32767, -32768, 0}, 2},
		{"not a number", []int16{1, -1}, math.NaN(), []int16{0, 0}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := slices.Clone(tt.in)
			if n := Gain(got, tt.factor); n != tt.saturated || !slices.Equal(got, tt.want) {
				t.Errorf("Gain(%v, %v) = %v with %d saturated, want %v with %d", tt.in, tt.factor, got, n, tt.want, tt.saturated)
			}
		})
	}
	if got := Factor(-20); math.Abs(got-0.1) > 1e-12 {
		t.Errorf("Factor(-20 dB) = %v, want 0.1", got)
	}
}

func TestMono(t *testing.T) {
	tests := []struct {
		name     string
		in       []int16
		channels int
		want     []int16
	}{
		{"mean", []int16{10, 20, -10, -20}, 2, []int16{15, -15}},
		{"halves round away from zero, on both sides", []int16{1, 2, -1, -2}, 2, []int16{2, -2}},
		{"no overflow", []int16{32767, 32767, -32768, -32768}, 2, []int16{32767, -32768}},
		{"opposite phases cancel", []int16{1000, -1000}, 2, []int16{0}},
		{"a rest is left out", []int16{4, 6, 8}, 2, []int16{5}},
		{"one channel copies", []int16{1, 2, 3}, 1, []int16{1, 2, 3}},
		{"three channels", []int16{3, 6, 9}, 3, []int16{6}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dst := make([]int16, len(tt.in))
			if n := Mono(dst, tt.in, tt.channels); !slices.Equal(dst[:n], tt.want) {
				t.Errorf("Mono(%v) = %v, want %v", tt.in, dst[:n], tt.want)
			}
			in := slices.Clone(tt.in)
			if n := Mono(in, in, tt.channels); !slices.Equal(in[:n], tt.want) {
				t.Errorf("Mono in place (%v) = %v, want %v", tt.in, in[:n], tt.want)
			}
		})
	}
}

// FuzzDecoder: the pieces never matter.
func FuzzDecoder(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5}, uint8(3))
	f.Fuzz(func(t *testing.T, stream []byte, piece uint8) {
		var d Decoder
		var got []int16
		for rest := stream; len(rest) > 0; {
			n := min(len(rest), 1+int(piece))
			got = d.Append(got, rest[:n])
			rest = rest[n:]
		}
		if len(got) != len(stream)/2 || d.Pending() != (len(stream)%2 == 1) {
			t.Fatalf("%d samples from %d bytes, pending %v", len(got), len(stream), d.Pending())
		}
		for i, sample := range got {
			if want := int16(binary.LittleEndian.Uint16(stream[2*i:])); sample != want {
				t.Fatalf("sample %d is %d, want %d", i, sample, want)
			}
		}
	})
}
