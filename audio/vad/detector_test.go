package vad

import (
	"bufio"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// TestReference holds the network to the probabilities that onnxruntime
// computes from the same file (testdata/reference.py), window by window.
func TestReference(t *testing.T) {
	tests := []struct{ name, audio string }{
		{"noisy", "testdata/noisy.wav"},
		{"goforward", human + "/goforward.raw"},
		{"librivox", human + "/librivox/sense_and_sensibility_01_austen_64kb-0880.wav"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			want := reference(t, "testdata/"+test.name+".prob")
			got := probabilities(model(t).NewDetector().Process, samples(t, test.audio))
			if len(got) != len(want) || len(want) == 0 {
				t.Fatalf("%d windows, the reference has %d", len(got), len(want))
			}
			var worst float64
			for i := range want {
				worst = max(worst, math.Abs(float64(got[i]-want[i])))
			}
			t.Logf("%d windows, largest difference from onnxruntime %.2g", len(want), worst)
			if !(worst <= 1e-5) {
				t.Errorf("differs from onnxruntime by %g, want at most 1e-5: this is not the same network", worst)
			}
		})
	}
}

func reference(t *testing.T, path string) []float32 {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var out []float32
	for lines := bufio.NewScanner(file); lines.Scan(); {
		p, err := strconv.ParseFloat(lines.Text(), 32)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out = append(out, float32(p))
	}
	return out
}

func TestResetForgetsTheStream(t *testing.T) {
	pcm := samples(t, "testdata/weather.wav")
	d := model(t).NewDetector()
	first := probabilities(d.Process, pcm)
	carried := probabilities(d.Process, pcm)
	d.Reset()
	again := probabilities(d.Process, pcm)
	if carried[0] == first[0] {
		t.Error("the second pass starts like the first although nothing was reset: the network keeps no state")
	}
	for i := range first {
		if again[i] != first[i] {
			t.Fatalf("window %d after Reset: %g, a new detector says %g", i, again[i], first[i])
		}
	}
}

func TestDetectorsOfOneModelAreIndependent(t *testing.T) {
	pcm, other := samples(t, "testdata/timer.wav"), samples(t, "testdata/joke.wav")
	m := model(t)
	want := probabilities(m.NewDetector().Process, pcm)
	a, b := m.NewDetector(), m.NewDetector()
	for i := range want {
		window := pcm[i*WindowSamples:][:WindowSamples]
		if got := a.Process(window); got != want[i] {
			t.Fatalf("window %d beside another stream: %g, alone %g", i, got, want[i])
		}
		b.Process(other[i%10*WindowSamples:][:WindowSamples])
	}
}

// TestExtremeInput: whatever a microphone or a broken codec delivers, the
// probability stays one.
func TestExtremeInput(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	tests := []struct {
		name   string
		sample func(i int) int16
	}{
		{"digital silence", func(int) int16 { return 0 }},
		{"full negative DC", func(int) int16 { return math.MinInt16 }},
		{"full scale square", func(i int) int16 { return int16(32767 - i/8%2*65535) }},
		{"full scale white noise", func(int) int16 { return int16(random.Uint32()) }},
		{"one click", func(i int) int16 { return int16(max(0, 1-i) * 32767) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := model(t).NewDetector()
			window := make([]int16, WindowSamples)
			for n := range 50 {
				for i := range window {
					window[i] = test.sample(n*WindowSamples + i)
				}
				if p := d.Process(window); !(p >= 0 && p <= 1) {
					t.Fatalf("window %d: probability %g", n, p)
				}
			}
		})
	}
}

func TestWindowLength(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a window of 511 samples was accepted: audio time would drift from window count")
		}
	}()
	model(t).NewDetector().Process(make([]int16, WindowSamples-1))
}

func TestExp(t *testing.T) {
	for x := -86.0; x <= 86; x += 0.0137 {
		got, want := float64(exp(float32(x))), math.Exp(float64(float32(x)))
		if d := math.Abs(got/want - 1); d > 3e-7 {
			t.Fatalf("exp(%g) is off by %g", x, d)
		}
	}
	for _, x := range []float32{-1000, 1000, float32(math.Inf(1)), float32(math.Inf(-1))} {
		if y := sigmoid(x); !(y >= 0 && y <= 1) {
			t.Errorf("sigmoid(%g) = %g", x, y)
		}
		if y := tanh(x); !(y >= -1 && y <= 1) {
			t.Errorf("tanh(%g) = %g", x, y)
		}
	}
}
