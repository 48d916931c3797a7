package turn

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"edged/audio/vad"
	"edged/audio/wav"
	"edged/realtime"
)

// clip reads a recording of audio/vad: one utterance from its first to its last
// sample, without silence around it.
func clip(t testing.TB, name string) []int16 {
	t.Helper()
	file, err := os.Open("../../audio/vad/testdata/" + name + ".wav")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, pcm, err := wav.ReadAll(file)
	if err != nil || info.Rate != rate || info.Channels != 1 {
		t.Fatalf("%s: %+v, %v", name, info, err)
	}
	return pcm
}

// scene is a recording that is put together from clips and pauses, so that where
// speech begins and ends in it is known from the mixing.
type scene struct {
	pcm    []int16
	speech [][2]time.Duration // onset and offset of each clip
}

func (s *scene) pause(length time.Duration) *scene {
	s.pcm = append(s.pcm, make([]int16, rate.Samples(length))...)
	return s
}

func (s *scene) say(pcm []int16) *scene {
	onset := rate.Duration(len(s.pcm))
	s.pcm = append(s.pcm, pcm...)
	s.speech = append(s.speech, [2]time.Duration{onset, rate.Duration(len(s.pcm))})
	return s
}

// room puts a background of white noise under everything; amplitude 30 is
// -65 dBFS, a quiet room.
func (s *scene) room(amplitude int) *scene {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range s.pcm {
		s.pcm[i] += int16(random.IntN(2*amplitude+1) - amplitude)
	}
	return s
}

// microphone gives the scene in packets of 20 ms. Media time begins at 1 ms, so
// Timestamps are 1 ms more than the times of the scene.
func (s *scene) microphone(label string) *feed {
	in := &feed{chunks: []*realtime.MessageChunk{listenStart("mic/1", label, 1)}}
	for at := 0; at < len(s.pcm); at += 320 {
		in.chunks = append(in.chunks, sound("mic/1", int64(1+at/16), s.pcm[at:min(at+320, len(s.pcm))]))
	}
	in.chunks = append(in.chunks, listenStop("mic/1", 0))
	return in
}

// speechDetectors are the network alone and behind its gate.
func speechDetectors(t testing.TB) map[string]func() SpeechDetector {
	t.Helper()
	model, err := vad.Load()
	if err != nil {
		t.Fatal(err)
	}
	return map[string]func() SpeechDetector{
		"network": func() SpeechDetector { return model.NewDetector() },
		"gate":    func() SpeechDetector { return model.NewGate() },
	}
}

var clips = []string{"timer", "weather", "joke", "no", "stop"}

// TestSpeech: synthetic speech of three voices in a quiet and in a noisy room.
// Where it begins and ends is known from the mixing. Its first syllable is in the
// utterance (F21), and the end comes as soon as the silence allows.
func TestSpeech(t *testing.T) {
	detectors := speechDetectors(t)
	for _, noise := range []int{30, 600} {
		for kind, detector := range detectors {
			t.Run(fmt.Sprintf("%s, noise %d", kind, noise), func(t *testing.T) {
				var delays []string
				for _, name := range clips {
					s := new(scene).pause(1500 * time.Millisecond).say(clip(t, name)).pause(1500 * time.Millisecond).room(noise)
					d := New(s.microphone(labelAuto), detector(), Config{})
					var onset, first, stop, decided time.Duration
					found := 0
					for {
						chunk, err := d.Next()
						if err != nil {
							break
						}
						if !strings.HasPrefix(chunk.Route(), RoutePrefix) {
							continue
						}
						at := time.Duration(chunk.Ctrl.Timestamp-1) * time.Millisecond
						switch {
						case chunk.IsBeginOfStream():
							found++
							onset = at
						case chunk.IsEndOfStream():
							stop, decided = at, d.Position()-time.Millisecond
						case first == 0:
							first = at
						}
					}
					begin, end := s.speech[0][0], s.speech[0][1]
					if found != 1 {
						t.Errorf("%q: %d utterances, want 1", name, found)
						continue
					}
					if first > begin {
						t.Errorf("%q: the utterance has audio from %v on, speech began at %v: its beginning is lost", name, first, begin)
					}
					if onset < begin-64*time.Millisecond || onset > begin+160*time.Millisecond {
						t.Errorf("%q: onset at %v, speech began at %v", name, onset, begin)
					}
					if stop < end-200*time.Millisecond || stop > end+250*time.Millisecond {
						t.Errorf("%q: last speech at %v, speech ended at %v", name, stop, end)
					}
					if decided-end > 850*time.Millisecond || decided-end < 350*time.Millisecond {
						t.Errorf("%q: the end is found %v after speech ended, with 600ms of silence wanted", name, decided-end)
					}
					delays = append(delays, fmt.Sprintf("%s onset %+d end %+d found %+d", name,
						(onset-begin).Milliseconds(), (stop-end).Milliseconds(), (decided-end).Milliseconds()))
				}
				t.Logf("ms from the truth: %s", strings.Join(delays, "; "))
			})
		}
	}
}

// TestPauses: a pause shorter than the silence that is waited for does not cut a
// speaker off, a longer one does (F20).
func TestPauses(t *testing.T) {
	const ms = time.Millisecond
	hold := Config{MinSilence: 1300 * ms}
	tests := []struct {
		name   string
		config Config
		label  string
		pause  time.Duration
		want   int
	}{
		{"300 ms", Config{}, labelAuto, 300 * ms, 1},
		{"500 ms", Config{}, labelAuto, 500 * ms, 1},
		{"1200 ms", Config{}, labelAuto, 1200 * ms, 2},
		{"300 ms, set to hold", hold, labelAuto, 300 * ms, 1},
		{"600 ms, set to hold", hold, labelAuto, 600 * ms, 1},
		{"900 ms, set to hold", hold, labelAuto, 900 * ms, 1},
		{"1200 ms, set to hold", hold, labelAuto, 1200 * ms, 1},
		{"1200 ms, push to talk", Config{}, LabelManual, 1200 * ms, 1},
	}
	detectors := speechDetectors(t)
	for _, test := range tests {
		for kind, detector := range detectors {
			t.Run(test.name+", "+kind, func(t *testing.T) {
				s := new(scene).pause(500 * ms).say(clip(t, "timer")).pause(test.pause).say(clip(t, "joke")).
					pause(1800 * ms).room(30)
				got, _, _ := utterances(t, New(s.microphone(test.label), detector(), test.config))
				if len(got) != test.want {
					t.Fatalf("%d utterances, want %d", len(got), test.want)
				}
				stop := time.Duration(got[len(got)-1].stop-1) * ms
				if end := s.speech[1][1]; stop < end-200*ms || stop > end+250*ms {
					t.Errorf("speech ends at %v, want about %v", stop, end)
				}
			})
		}
	}
}

// TestLostSpeech: a third of the packets of a question are lost. What is left is
// one utterance that begins and ends where it was spoken.
func TestLostSpeech(t *testing.T) {
	for kind, detector := range speechDetectors(t) {
		t.Run(kind, func(t *testing.T) {
			s := new(scene).pause(time.Second).say(clip(t, "weather")).pause(2 * time.Second).room(30)
			in := s.microphone(labelAuto)
			random := rand.New(rand.NewPCG(4, 4))
			lost := 0
			for i, chunk := range in.chunks {
				if blob, ok := chunk.Part.(*realtime.Blob); ok && random.IntN(3) == 0 {
					in.chunks[i] = hole("mic/1", realtime.MediaDuration(blob))
					lost++
				}
			}
			got, _, _ := utterances(t, New(in, detector(), Config{}))
			if len(got) != 1 || lost < 50 {
				t.Fatalf("%d utterances with %d packets lost, want 1", len(got), lost)
			}
			const ms = time.Millisecond
			begin, end := s.speech[0][0], s.speech[0][1]
			onset, stop := time.Duration(got[0].onset)*ms, time.Duration(got[0].stop)*ms
			if onset < begin-150*ms || onset > begin+250*ms || stop < end-250*ms || stop > end+400*ms {
				t.Errorf("speech from %v to %v, it was spoken from %v to %v", onset, stop, begin, end)
			}
		})
	}
}
