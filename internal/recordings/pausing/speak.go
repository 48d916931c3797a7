package pausing

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"edged/audio/pcm"
	"edged/internal/recordings"
	"edged/transformers/tts/flite"
)

const (
	// What is around the speech: silence before it, in which a detector sees
	// the room, and behind it, longer than anybody waits.
	minLead, maxLead = 400 * time.Millisecond, 800 * time.Millisecond
	tail             = 2500 * time.Millisecond
	// speechLevel is that between onset and offset, the pause left out, in dBFS.
	speechLevel = -23.0
	// The noise of the room, in dBFS: from a quiet one to one with a fan.
	quietRoom, loudRoom = -64.0, -54.0
	// fade is how long speech fades out and in around the pause: no clicks.
	fade = 8 * time.Millisecond
	// How fast somebody speaks, as a factor on durations.
	fastest, slowest = 0.9, 1.15
)

// Utterance is a Script spoken. Places are samples of PCM.
type Utterance struct {
	Script
	// PCM is 16 kHz mono.
	PCM []int16
	// Onset is the first sample of speech, Offset the one behind the last. The
	// speech stops at Stop and goes on at Resume.
	Onset, Stop, Resume, Offset int
}

// Speaker speaks Scripts. The zero value is ready for use.
type Speaker struct {
	mu     sync.Mutex
	voices map[string]*flite.Voice // by voice and speed
}

// Speak speaks s. The same script sounds the same on the same machine.
func (s *Speaker) Speak(ctx context.Context, script Script) (Utterance, error) {
	random := rand.New(rand.NewPCG(script.Seed, 1200))
	// Ten speeds rather than any, so that each voice is loaded ten times at most.
	speed := fastest + (slowest-fastest)*float64(random.IntN(10))/9
	speech, timing, err := s.synthesize(ctx, script, speed)
	if err != nil {
		return Utterance{}, err
	}
	if len(timing.Words) != len(script.Words) {
		return Utterance{}, fmt.Errorf("pausing: %q is spoken as %d words: write it as it is spoken", strings.Join(script.Words, " "), len(timing.Words))
	}
	rate := recordings.Rate
	lead := rate.Samples(minLead + time.Duration(random.Int64N(int64(maxLead-minLead))))
	stop, resume := timing.Words[script.Pause.After-1].End, timing.Words[script.Pause.After].Start
	pause := rate.Samples(script.Pause.Length)
	u := Utterance{Script: script, Onset: lead, Stop: lead + stop - timing.Onset}
	u.Resume = lead + resume - timing.Onset + pause
	u.Offset = lead + timing.Offset - timing.Onset + pause
	u.PCM = room(random, u.Offset+rate.Samples(tail))
	gain := pcm.Factor(speechLevel - pcm.Level(speech[timing.Onset:timing.Offset]))
	add(u.PCM[lead:], speech[timing.Onset:stop], gain)
	add(u.PCM[u.Stop+pause:], speech[stop:timing.Offset], gain)
	return u, nil
}

func (s *Speaker) synthesize(ctx context.Context, script Script, speed float64) (speech []int16, timing flite.Timing, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := fmt.Sprintf("%s %.3f", script.Voice, speed)
	voice := s.voices[key]
	if voice == nil {
		if voice, err = flite.New(flite.Config{Voice: script.Voice, Stretch: speed, Lead: -1}); err != nil {
			return nil, timing, fmt.Errorf("pausing: %w", err)
		}
		if s.voices == nil {
			s.voices = map[string]*flite.Voice{}
		}
		s.voices[key] = voice
	}
	flite.Seed(uint32(script.Seed))
	timing, err = voice.SynthesizeTimed(ctx, strings.Join(script.Words, " "), func(block []int16) error {
		speech = append(speech, block...)
		return nil
	})
	return speech, timing, err
}

// add mixes speech into out, faded at both ends.
func add(out, speech []int16, gain float64) {
	around := float64(recordings.Rate.Samples(fade))
	for i, v := range speech {
		edge := min(1, float64(i+1)/around, float64(len(speech)-i)/around)
		out[i] = int16(min(max(float64(out[i])+gain*edge*float64(v), math.MinInt16), math.MaxInt16))
	}
}

// room returns the noise of a room: dull, as of a fan far away.
func room(random *rand.Rand, samples int) []int16 {
	level := quietRoom + (loudRoom-quietRoom)*random.Float64()
	// A first-order low pass at 1 kHz, which leaves a fifth of the power.
	const keep = 0.675
	scale := math.MaxInt16 * pcm.Factor(level) * math.Sqrt((1+keep)/(1-keep))
	out := make([]int16, samples)
	last := 0.0
	for i := range out {
		last = keep*last + (1-keep)*scale*random.NormFloat64()
		out[i] = int16(math.Round(last))
	}
	return out
}
