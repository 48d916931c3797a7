package rejection

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"

	"edged/internal/recordings"
)

// sounds returns what holds no words: excerpts of music, other pieces in each
// split, and coughs, clatter, hums and noises made by chance.
func sounds(split recordings.Split) ([]clip, error) {
	pieces, seed := []string{"macroform-cold_day", "macroform-robot_dity", "macroform-the_simplicity"}, uint64(1)
	if split == recordings.HeldOut {
		pieces, seed = []string{"manolo_camp-morning_coffee", "reno_project-system"}, 2
	}
	random := rand.New(rand.NewPCG(seed, 77))
	var clips []clip
	add := func(said string, samples []int16) {
		clips = append(clips, clip{Text{Split: split, Class: Sound, Family: said, Said: fmt.Sprintf("%s %d", said, len(clips)+1)}, samples})
	}
	for i := range 30 {
		piece := pieces[i%len(pieces)]
		samples, err := readG722(filepath.Join(musicDir, piece+".g722"))
		if err != nil {
			return nil, fmt.Errorf("rejection: %w; to install the music, run: apt-get install asterisk-moh-opsound-g722", err)
		}
		length := recordings.Rate.Samples(1e9) + random.IntN(recordings.Rate.Samples(3e9))
		at := random.IntN(len(samples) - length)
		add("music "+piece, samples[at:at+length])
	}
	for range 10 {
		add("cough", coughs(random))
		add("clatter", clatter(random))
		hum := make([]float64, 8000+random.IntN(32000))
		addNoise(hum, random, random.IntN(3), -30)
		frequency := 100 + 300*random.Float64()
		for i := range hum {
			phase := 2 * math.Pi * frequency * float64(i) / float64(recordings.Rate)
			hum[i] += 1500 * (math.Sin(phase) + 0.5*math.Sin(2*phase) + 0.3*math.Sin(3*phase))
		}
		add("hum", rounded(hum))
		noise := make([]float64, 8000+random.IntN(32000))
		addNoise(noise, random, random.IntN(3), -23)
		add("noise", rounded(noise))
	}
	return clips, nil
}

// coughs are one to three bursts of noise in the resonances of a mouth.
func coughs(random *rand.Rand) []int16 {
	var out []float64
	for range 1 + random.IntN(3) {
		burst := make([]float64, 2400+random.IntN(3200))
		for _, resonance := range []float64{500 + 300*random.Float64(), 1400 + 500*random.Float64(), 2600 + 500*random.Float64()} {
			const keep = 0.97
			angle := 2 * math.Pi * resonance / float64(recordings.Rate)
			var a, b float64
			for i := range burst {
				v := random.NormFloat64() + 2*keep*math.Cos(angle)*a - keep*keep*b
				a, b = v, a
				burst[i] += v * math.Min(1, float64(i)/160) * math.Exp(-4*float64(i)/float64(len(burst))) * 300
			}
		}
		out = append(append(out, burst...), make([]float64, 1600+random.IntN(3200))...)
	}
	return rounded(out)
}

// clatter is a few sharp sounds, as of dishes.
func clatter(random *rand.Rand) []int16 {
	out := make([]float64, 8000+random.IntN(16000))
	for range 3 + random.IntN(8) {
		at := random.IntN(len(out) - 1600)
		frequency, decay := 800+4000*random.Float64(), 20+80*random.Float64()
		for i := range 1600 {
			t := float64(i) / float64(recordings.Rate)
			out[at+i] += 8000 * math.Sin(2*math.Pi*frequency*t) * math.Exp(-decay*t)
		}
	}
	return rounded(out)
}
