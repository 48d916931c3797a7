package vad

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// human is where Debian's pocketsphinx-testdata keeps its recordings.
const human = "/usr/share/pocketsphinx/test/data"

var shared = sync.OnceValues(Load)

// model is loaded once for all tests, as a server would.
func model(t testing.TB) *Model {
	t.Helper()
	m, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// samples reads a mono s16le file, raw or WAV, 16 kHz.
func samples(t testing.TB, path string) []int16 {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil && strings.HasPrefix(path, human) {
		t.Fatalf("%v (apt-get install pocketsphinx-testdata)", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Ext(path) == ".wav" {
		_, data, _ = bytes.Cut(data, []byte("data"))
		data = data[4:]
	}
	pcm := make([]int16, len(data)/2)
	for i := range pcm {
		pcm[i] = int16(binary.LittleEndian.Uint16(data[2*i:]))
	}
	return pcm
}

// probabilities feeds all whole windows of pcm to process.
func probabilities(process func([]int16) float32, pcm []int16) []float32 {
	var out []float32
	for ; len(pcm) >= WindowSamples; pcm = pcm[WindowSamples:] {
		out = append(out, process(pcm[:WindowSamples]))
	}
	return out
}

// power is the mean square of pcm.
func power(pcm []int16) float64 {
	var sum float64
	for _, s := range pcm {
		sum += float64(s) * float64(s)
	}
	return sum / float64(max(1, len(pcm)))
}

// noise returns n samples of the given mean power: white, or brownish (most of
// it below 200 Hz, like a car or a fan) when brown is set.
func noise(seed uint64, n int, meanPower float64, brown bool) []int16 {
	random := rand.New(rand.NewPCG(seed, 1))
	x := make([]float64, n)
	var low, sum float64
	for i := range x {
		x[i] = random.NormFloat64()
		if brown {
			low = 0.97*low + x[i]
			x[i] = low
		}
		sum += x[i] * x[i]
	}
	scale := math.Sqrt(meanPower * float64(n) / max(sum, 1))
	pcm := make([]int16, n)
	for i := range x {
		pcm[i] = clip(x[i] * scale)
	}
	return pcm
}

// mix adds b to a, sample by sample, for the length of a.
func mix(a, b []int16) []int16 {
	out := make([]int16, len(a))
	for i := range a {
		out[i] = clip(float64(a[i]) + float64(b[i%len(b)]))
	}
	return out
}

// scale returns pcm with its amplitude changed by gain dB.
func scale(pcm []int16, gain float64) []int16 {
	out := make([]int16, len(pcm))
	for i, s := range pcm {
		out[i] = clip(float64(s) * math.Pow(10, gain/20))
	}
	return out
}

func clip(x float64) int16 { return int16(min(max(math.Round(x), -32768), 32767)) }
