package rejection

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"edged/audio/opus"
	"edged/audio/pcm"
	"edged/internal/recordings"
)

// Condition is what lies between the speaker and the recogniser.
type Condition string

const (
	// Clean is a near microphone in a quiet room: noise of -66 dBFS.
	Clean Condition = "clean"
	// Noise20 and Noise10 are noise, 20 and 10 dB weaker than the speech: pink
	// noise and the rumble of a fan in turn.
	Noise20 Condition = "noise 20 dB"
	Noise10 Condition = "noise 10 dB"
	// Room is a microphone some way off: three rooms in turn, with reverberation
	// times of 0.25, 0.4 and 0.6 s, and as much sound from the walls as straight
	// from the speaker, or half of it in the smallest one.
	Room Condition = "room"
	// Opus is 16 kbit/s in packets of 20 ms of which 5% are lost, decoded as the
	// server does: with the redundancy of the next packet, else concealed.
	Opus Condition = "opus 16 kbit/s, 5% loss"
)

// Conditions are all of them.
func Conditions() []Condition { return []Condition{Clean, Noise20, Noise10, Room, Opus} }

const (
	// What an endpointer leaves around the speech.
	minLead, maxLead = 250 * time.Millisecond, 450 * time.Millisecond
	tail             = 600 * time.Millisecond
	// speechLevel is that of the speech from end to end, in dBFS, quiet the noise
	// of a quiet room.
	speechLevel, quiet = -23.0, -66.0
)

// Mix returns speech under a condition. What is left to chance comes from seed.
func Mix(speech []int16, c Condition, seed uint64) ([]int16, error) {
	random := rand.New(rand.NewPCG(seed, 16))
	rate := recordings.Rate
	lead := rate.Samples(minLead + time.Duration(random.Int64N(int64(maxLead-minLead))))
	out := make([]float64, lead+len(speech)+rate.Samples(tail))
	gain := pcm.Factor(speechLevel - pcm.Level(speech))
	for i, v := range speech {
		out[lead+i] = gain * float64(v)
	}
	which := int(seed % 6)
	addNoise(out, random, white, quiet)
	switch c {
	case Clean:
	case Noise20:
		addNoise(out, random, which%2, speechLevel-20)
	case Noise10:
		addNoise(out, random, which%2, speechLevel-10)
	case Room:
		out = reverberate(out, random, which%3)
	case Opus:
		return transmit(rounded(out), random)
	default:
		return nil, fmt.Errorf("rejection: condition %q is not known", c)
	}
	return rounded(out), nil
}

func rounded(in []float64) []int16 {
	out := make([]int16, len(in))
	for i, v := range in {
		out[i] = int16(math.Round(min(max(v, math.MinInt16), math.MaxInt16)))
	}
	return out
}

// The kinds of noise.
const (
	pink = iota
	fan
	white
)

// addNoise adds noise of a level in dBFS.
func addNoise(out []float64, random *rand.Rand, kind int, level float64) {
	noise := make([]float64, len(out))
	var slow, middle, fast, power float64
	for i := range noise {
		w := random.NormFloat64()
		switch kind {
		case pink: // three first-order low passes, which fall by 3 dB an octave together
			slow = 0.99765*slow + 0.0990460*w
			middle = 0.96300*middle + 0.2965164*w
			fast = 0.57000*fast + 1.0526913*w
			w = slow + middle + fast + 0.1848*w
		case fan: // a low pass at 300 Hz, twice
			slow += 0.11 * (w - slow)
			middle += 0.11 * (slow - middle)
			w = middle
		}
		noise[i] = w
		power += w * w
	}
	scale := math.MaxInt16 * pcm.Factor(level) / math.Sqrt(power/float64(len(noise)))
	for i, v := range noise {
		out[i] += scale * v
	}
}

// rooms are reverberation times in seconds, to 60 dB below, and the energy of the
// reverberation beside that of the direct sound.
var rooms = []struct{ time, energy float64 }{{0.25, 0.5}, {0.4, 1}, {0.6, 1}}

// reverberate puts a speaker into a room: the direct sound and, from 4 ms on,
// reflections that come by chance, 2,000 a second, and fade exponentially.
func reverberate(in []float64, random *rand.Rand, which int) []float64 {
	room := rooms[which]
	rate := float64(recordings.Rate)
	type reflection struct {
		delay int
		gain  float64
	}
	var reflections []reflection
	energy := 0.0
	for at := 0.004; at < room.time*0.7; at += random.ExpFloat64() / 2000 {
		gain := math.Pow(10, -3*at/room.time)
		if random.IntN(2) == 0 {
			gain = -gain
		}
		reflections = append(reflections, reflection{int(at * rate), gain})
		energy += gain * gain
	}
	scale := math.Sqrt(room.energy / energy)
	out := make([]float64, len(in))
	copy(out, in)
	for _, r := range reflections {
		gain := scale * r.gain
		for i, v := range in[:len(in)-r.delay] {
			out[i+r.delay] += gain * v
		}
	}
	// The level stays, or the room would be a louder speaker.
	for i := range out {
		out[i] /= math.Sqrt(1 + room.energy)
	}
	return out
}

// transmit sends samples through a codec and a line that loses packets.
func transmit(in []int16, random *rand.Rand) ([]int16, error) {
	const lost, frame = 0.05, 320
	encoder, err := opus.NewEncoder(opus.EncoderConfig{Rate: recordings.Rate, Bitrate: 16000, FEC: true, ExpectedLoss: 5})
	if err != nil {
		return nil, err
	}
	decoder, err := opus.NewDecoder(recordings.Rate, 1)
	if err != nil {
		return nil, err
	}
	in = append(in, make([]int16, (frame-len(in)%frame)%frame)...)
	out := make([]int16, len(in))
	missing := false
	packet := make([]byte, 1500)
	for at := 0; at < len(in); at += frame {
		n, err := encoder.Encode(packet, in[at:at+frame])
		if err != nil {
			return nil, err
		}
		gone := random.Float64() < lost
		if missing {
			if gone {
				err = decoder.Conceal(out[at-frame : at])
			} else {
				err = decoder.DecodeFEC(out[at-frame:at], packet[:n])
			}
			if err != nil {
				return nil, err
			}
		}
		if !gone {
			if _, err := decoder.Decode(out[at:], packet[:n]); err != nil {
				return nil, err
			}
		}
		missing = gone
	}
	return out, nil
}
