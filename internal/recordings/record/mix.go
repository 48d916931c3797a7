package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"edged/audio/pcm"
	"edged/internal/recordings"
)

// utterance is what an engine said, at recordings.Rate, with the place of the
// speech in it by the engine's own segment times.
type utterance struct {
	samples       []int16
	onset, offset int
}

const (
	// The pause before the speech: long enough for a voice detector to see the
	// room first, different from file to file.
	minLead = 300 * time.Millisecond
	maxLead = 700 * time.Millisecond
	// tail is the pause behind it, longer than an endpointer waits.
	tail = 1200 * time.Millisecond
	// speechLevel is the level of every speaker between onset and offset, that
	// of somebody near the microphone with room above for the loud sounds.
	speechLevel = -23.0
	// noiseLevel is that of the white noise all over a file: hardly a hiss, but
	// no digital silence, which no microphone delivers.
	noiseLevel = -66.0
	// margin is how much of the engine's own pauses is kept around the speech,
	// since its segment times are those of a model, not of a measurement. It is
	// faded; the rest is dropped, because some voices click in it.
	margin = 40 * time.Millisecond
	// quiet is how much weaker than the speech what is dropped has to be, or
	// else it is speech and the times are wrong.
	quiet = 20.0
)

// mix puts an utterance into a noise of its own, at the level of all, and
// returns where its speech is. The seed stands for the file.
func mix(seed uint64, u utterance) (samples []int16, onset, offset int, err error) {
	rng := rand.New(rand.NewPCG(seed, 0x65646765))
	lead := minLead + time.Duration(rng.Int64N(int64(maxLead-minLead)))
	onset = recordings.Rate.Samples(lead)
	offset = onset + u.offset - u.onset
	samples = make([]int16, offset+recordings.Rate.Samples(tail))
	around := recordings.Rate.Samples(margin)
	from, to := max(0, u.onset-around), min(len(u.samples), u.offset+around)
	level := pcm.Level(u.samples[u.onset:u.offset])
	for _, dropped := range [][]int16{u.samples[:from], u.samples[to:]} {
		if pause := pcm.Level(dropped); pause > level-quiet {
			return nil, 0, 0, fmt.Errorf("a pause has %.1f dBFS beside %.1f of speech: the segment times are wrong", pause, level)
		}
	}
	gain := pcm.Factor(speechLevel - level)
	noise := math.MaxInt16 * pcm.Factor(noiseLevel)
	for i := range samples {
		v := noise * rng.NormFloat64()
		if at := i - onset + u.onset; from <= at && at < to {
			fade := min(1, float64(at-from+1)/float64(around), float64(to-at)/float64(around))
			v += gain * fade * float64(u.samples[at])
		}
		if v > math.MaxInt16 || v < math.MinInt16 {
			return nil, 0, 0, fmt.Errorf("sample %d is clipped: %.0f", i, v)
		}
		samples[i] = int16(math.Round(v))
	}
	return samples, onset, offset, nil
}
