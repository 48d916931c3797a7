package resample

import (
	"errors"
	"math"
	"testing"

	"edged/audio"
)

// A recording keeps its length and its sound, whatever the rates.
func TestWhole(t *testing.T) {
	tone := func(rate audio.SampleRate) []int16 {
		samples := make([]int16, rate) // 1 s
		for i := range samples {
			samples[i] = int16(8000 * math.Sin(2*math.Pi*440*float64(i)/float64(rate)))
		}
		return samples
	}
	for _, rates := range [][2]audio.SampleRate{{48000, 16000}, {16000, 48000}, {44100, 16000}, {22050, 24000}, {16000, 16000}} {
		got, err := Whole(tone(rates[0]), rates[0], rates[1])
		if err != nil {
			t.Fatal(err)
		}
		want := tone(rates[1])
		if len(got) != len(want) {
			t.Errorf("%v to %v: %d samples, want %d", rates[0], rates[1], len(got), len(want))
			continue
		}
		for i := len(want) / 10; i < len(want)*9/10; i++ { // the tone begins and ends with a click
			if d := math.Abs(float64(got[i]) - float64(want[i])); d > 8000*0.02 {
				t.Errorf("%v to %v: sample %d is %d, want %d", rates[0], rates[1], i, got[i], want[i])
				break
			}
		}
	}
	if _, err := Whole(nil, 16000, 4000); !errors.Is(err, ErrRate) {
		t.Errorf("a rate of 4 kHz: %v, want ErrRate", err)
	}
}
