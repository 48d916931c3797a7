package main

import (
	"math"
	"slices"
	"testing"

	"edged/audio/pcm"
	"edged/internal/recordings"
)

// tone is half a second of 440 Hz between two pauses of 0.1 s.
func tone() utterance {
	u := utterance{samples: make([]int16, 11200), onset: 1600, offset: 9600}
	for i := u.onset; i < u.offset; i++ {
		u.samples[i] = int16(3000 * math.Sin(2*math.Pi*440*float64(i)/float64(recordings.Rate)))
	}
	return u
}

func TestMix(t *testing.T) {
	for seed := range uint64(20) {
		samples, onset, offset, err := mix(seed, tone())
		if err != nil {
			t.Fatal(err)
		}
		lead, spoken, room := recordings.Rate.Duration(onset), offset-onset, recordings.Rate.Duration(len(samples)-offset)
		if lead < minLead || lead > maxLead || spoken != 8000 || room != tail {
			t.Errorf("seed %d: lead %v, %d samples of speech, tail %v; want 300 to 700 ms, 8000, 1.2 s", seed, lead, spoken, room)
		}
		if level := pcm.Level(samples[onset:offset]); math.Abs(level-speechLevel) > 0.2 {
			t.Errorf("seed %d: speech at %.1f dBFS, want %.0f", seed, level, speechLevel)
		}
		for _, pause := range [][]int16{samples[:onset], samples[offset:]} {
			if level := pcm.Level(pause); math.Abs(level-noiseLevel) > 0.5 {
				t.Errorf("seed %d: pause at %.1f dBFS, want %.0f", seed, level, noiseLevel)
			}
		}
		again, _, _, _ := mix(seed, tone())
		if !slices.Equal(samples, again) {
			t.Errorf("seed %d: the same utterance gave other samples", seed)
		}
	}
}

// Segment times that do not fit the samples would become wrong labels.
func TestMixRefusesWrongTimes(t *testing.T) {
	early, late := tone(), tone()
	early.offset -= 2000
	late.onset += 2000
	for name, u := range map[string]utterance{"sound behind the offset": early, "sound before the onset": late} {
		if _, _, _, err := mix(1, u); err == nil {
			t.Errorf("%s: mixed without complaint", name)
		}
	}
}

func TestSpeechOf(t *testing.T) {
	onset, offset, err := speechOf([]byte("pau 0.25\nhh 0.5\npau 0.75\naw 1.0\npau 1.5\n"))
	if err != nil || onset != 4000 || offset != 16000 {
		t.Errorf("speech %d..%d, %v, want 4000..16000", onset, offset, err)
	}
	for _, bad := range []string{"", "pau 1.0\n", "hh x\n"} {
		if _, _, err := speechOf([]byte(bad)); err == nil {
			t.Errorf("segments %q were accepted", bad)
		}
	}
}

// The list of questions keeps its own promises before anything is recorded.
func TestQuestions(t *testing.T) {
	files := map[string]bool{}
	for _, q := range questions {
		file := q.voice + "-" + slug(q.text)
		if voices[q.voice].speak == nil || files[file] {
			t.Errorf("%s: unknown voice or recorded twice", file)
		}
		files[file] = true
	}
}
