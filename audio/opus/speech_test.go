package opus

import (
	"math"
	"math/rand/v2"

	"edged/audio"
)

// speech synthesises sound that is like speech in what matters to a codec:
// voiced syllables (a pulse train of gliding pitch through formants that move
// from vowel to vowel), unvoiced ones (noise), and pauses. It is the same in
// every run.
func speech(rate audio.SampleRate, samples int) []int16 {
	// First and second formants of five vowels in Hz (after Peterson and Barney,
	// 1952, men).
	vowels := [...][2]float64{{730, 1090}, {270, 2290}, {530, 1840}, {570, 840}, {300, 870}}
	const syllable = 0.2 // seconds
	rng := rand.New(rand.NewPCG(7, 7))
	out := make([]int16, samples)
	var phase float64
	var formants [2]resonator
	for i := range out {
		t := float64(i) / float64(rate)
		index, within := int(t/syllable), math.Mod(t, syllable)/syllable
		envelope := math.Sin(math.Pi * within)
		pitch := 120 + 40*math.Sin(2*math.Pi*0.7*t)
		var source float64
		if phase += pitch / float64(rate); phase >= 1 {
			phase--
			source = 1
		}
		switch index % 7 {
		case 3:
			source = rng.NormFloat64() * 0.05
		case 6:
			envelope = 0
		}
		from, to := vowels[index%len(vowels)], vowels[(index+1)%len(vowels)]
		sound := 0.0
		for k := range formants {
			sound += formants[k].step(source, from[k]+(to[k]-from[k])*within, float64(rate))
		}
		out[i] = int16(math.Round(9000*math.Tanh(2*sound*envelope) + 3*rng.NormFloat64()))
	}
	return out
}

// resonator is a two-pole filter of 90 Hz bandwidth with a gain of about one at
// its centre.
type resonator struct{ y1, y2 float64 }

func (r *resonator) step(x, centre, rate float64) float64 {
	radius := math.Exp(-math.Pi * 90 / rate)
	y := x + 2*radius*math.Cos(2*math.Pi*centre/rate)*r.y1 - radius*radius*r.y2
	r.y1, r.y2 = y, r.y1
	return y * (1 - radius) * 4
}

// snr is the ratio of the reference to its difference from got, in dB.
func snr(reference, got []int16) float64 {
	var signal, noise float64
	for i, want := range reference {
		diff := float64(want) - float64(got[i])
		signal += float64(want) * float64(want)
		noise += diff * diff
	}
	return 10 * math.Log10(signal/noise)
}

// alignedSNR is the snr at the delay of the codec, which is looked for from 0 to
// 15 ms on the first half second.
func alignedSNR(reference, got []int16, rate audio.SampleRate) float64 {
	best, delay, part := math.Inf(-1), 0, int(rate)/2
	for d := range int(rate) * 15 / 1000 {
		if db := snr(reference[:part], got[d:d+part]); db > best {
			best, delay = db, d
		}
	}
	return snr(reference[:len(reference)-delay], got[delay:])
}

// lossy says which packets are lost: the same ones in every run, never the first.
func lossy(packets int, share float64) []bool {
	rng := rand.New(rand.NewPCG(5, 5))
	lost := make([]bool, packets)
	for i := range lost {
		lost[i] = rng.Float64() < share && i > 0
	}
	return lost
}
