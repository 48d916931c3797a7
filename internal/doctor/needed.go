package doctor

import (
	"errors"
	"fmt"
	"math"
	"time"

	"edged/audio"
	"edged/audio/opus"
	"edged/audio/pcm"
	"edged/audio/resample"
	"edged/internal/loader"
)

// Versions of Debian 12 with which the offline engines were measured.
const (
	knownPocketsphinx = "0.8+5prealpha"
	knownFlite        = "2.2-"
)

// Needed returns the libraries that a server with the models uses.
func Needed(models loader.Models) []Library {
	all := []Library{
		{Name: "libopus", Does: "the sound of devices", Linked: true, Version: opus.Version(), Works: codecWorks},
		{Name: "speexdsp", Does: "sample rates and echo", Linked: true, Works: resamplerWorks},
	}
	if len(settings[loader.Pocketsphinx](models.ASR)) > 0 {
		all = append(all, Library{Name: "libpocketsphinx", Does: "recognition", File: "libpocketsphinx.so", Package: "libpocketsphinx3", Known: knownPocketsphinx})
	}
	if len(settings[loader.Flite](models.TTS)) > 0 {
		all = append(all, Library{Name: "libflite", Does: "the voice", File: "libflite.so", Package: "libflite1", Known: knownFlite})
	}
	return all
}

// tone is some sound: 440 Hz at half of full scale.
func tone(rate audio.SampleRate, d time.Duration) []int16 {
	samples := make([]int16, rate.Samples(d))
	for i := range samples {
		samples[i] = int16(math.MaxInt16 / 2 * math.Sin(2*math.Pi*440*float64(i)/float64(rate)))
	}
	return samples
}

// similar reports why sound that went through a library is not as loud as before,
// within 3 dB.
func similar(in, out []int16) error {
	if before, after := pcm.Level(in), pcm.Level(out); math.Abs(before-after) > 3 {
		return fmt.Errorf("sound of %.0f dB of full scale comes out with %.0f dB", before, after)
	}
	return nil
}

// codecWorks encodes and decodes 200 ms.
func codecWorks() error {
	const packet = 20 * time.Millisecond
	encoder, err := opus.NewEncoder(opus.EncoderConfig{Rate: audio.Rate16k})
	if err != nil {
		return err
	}
	decoder, err := opus.NewDecoder(audio.Rate16k, 1)
	if err != nil {
		return err
	}
	n := audio.Rate16k.Samples(packet)
	in := tone(audio.Rate16k, 10*packet)
	out := make([]int16, len(in))
	coded := make([]byte, 1500)
	for at := 0; at < len(in); at += n {
		size, err := encoder.Encode(coded, in[at:at+n])
		if err != nil {
			return err
		}
		if got, err := decoder.Decode(out[at:at+n], coded[:size]); err != nil || got != n {
			return errors.Join(err, fmt.Errorf("%d samples became %d", n, got))
		}
	}
	return similar(in[len(in)/2:], out[len(out)/2:]) // settled
}

// resamplerWorks makes 24 kHz of 16 kHz.
func resamplerWorks() error {
	r, err := resample.New(audio.Rate16k, audio.Rate24k)
	if err != nil {
		return err
	}
	defer r.Close() // never fails
	in := tone(audio.Rate16k, 100*time.Millisecond)
	out := make([]int16, r.MaxOutput(len(in)))
	n, consumed := r.Process(out, in)
	if consumed != len(in) {
		return fmt.Errorf("%d of %d samples were taken", consumed, len(in))
	}
	return similar(in, out[:n])
}
