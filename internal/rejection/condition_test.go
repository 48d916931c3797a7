package rejection

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"edged/audio/pcm"
	"edged/internal/recordings"
)

// hiss is half a second with something in every band, as in speech.
func hiss() []int16 {
	random := rand.New(rand.NewPCG(3, 3))
	samples := make([]int16, 8000)
	for i := range samples {
		samples[i] = int16(4000 * random.NormFloat64() * math.Sin(float64(i)*0.01))
	}
	return samples
}

// TestMixIsWhatItIsCalled: speech and noise have the levels that they are said to
// have, and the same seed makes the same.
func TestMixIsWhatItIsCalled(t *testing.T) {
	behind := recordings.Rate.Samples(tail) - 1600
	for _, c := range Conditions() {
		for seed := range uint64(6) {
			mixed, err := Mix(hiss(), c, seed)
			if err != nil {
				t.Fatal(err)
			}
			again, err := Mix(hiss(), c, seed)
			if err != nil || !slices.Equal(mixed, again) {
				t.Errorf("%s, seed %d: another time it is another (%v)", c, seed, err)
			}
			// The noise is heard alone behind the speech, long enough for walls to
			// have fallen silent too.
			noise := pcm.Level(mixed[len(mixed)-behind/3:])
			want := map[Condition]float64{Clean: quiet, Noise20: speechLevel - 20, Noise10: speechLevel - 10}
			if level, ok := want[c]; ok && math.Abs(noise-level) > 2 {
				t.Errorf("%s, seed %d: noise of %.1f dBFS, want %.1f", c, seed, noise, level)
			}
			whole := pcm.Level(mixed) + 10*math.Log10(float64(len(mixed))/8000)
			allowed := 1.0
			switch c {
			case Noise10: // the noise adds to it
				allowed = 2
			case Opus: // packets are lost, and a hiss is dear to a codec for speech
				allowed = 4
			}
			if math.Abs(whole-speechLevel) > allowed {
				t.Errorf("%s, seed %d: speech of %.1f dBFS, want %.1f", c, seed, whole, speechLevel)
			}
		}
	}
	if _, err := Mix(hiss(), "under water", 1); err == nil {
		t.Error("a condition that is not known is no error")
	}
}

// TestRoomDecays: the reverberation falls by 60 dB in the time of the room.
func TestRoomDecays(t *testing.T) {
	for seed := range uint64(3) {
		click := make([]int16, 1600)
		for i := range 16 {
			click[i] = 20000
		}
		mixed, err := Mix(click, Room, seed)
		if err != nil {
			t.Fatal(err)
		}
		first := slices.IndexFunc(mixed, func(v int16) bool { return v > 3000 })
		window := func(at float64) float64 {
			from := first + int(at*float64(recordings.Rate))
			return pcm.Level(mixed[from : from+800])
		}
		time := rooms[seed%3].time
		slope := (window(0.02+time*0.4) - window(0.02)) / (time * 0.4)
		if want := -60 / time; math.Abs(slope-want) > 0.35*math.Abs(want) {
			t.Errorf("room %d: %.0f dB a second, want %.0f", seed, slope, want)
		}
	}
}
