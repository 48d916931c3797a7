package vad

import (
	"math"
	"path/filepath"
	"slices"
	"testing"
)

type recording struct {
	name string
	pcm  []int16
}

// recordings returns every speech recording at hand: our own synthetic ones and
// the human ones of pocketsphinx-testdata.
func recordings(t *testing.T) []recording {
	t.Helper()
	var all []recording
	for _, pattern := range []string{
		"testdata/[^n]*.wav", "testdata/no.wav", // all but noisy.wav
		human + "/cards/*.wav", human + "/librivox/*.wav", human + "/*.raw", human + "/tidigits/*.raw",
	} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("no files match %s: %v (apt-get install pocketsphinx-testdata)", pattern, err)
		}
		for _, path := range paths {
			all = append(all, recording{filepath.Base(path), samples(t, path)})
		}
	}
	return all
}

// pause is how many windows of background stand before and after a recording.
const pause = 40

// scene is a recording, gain dB louder, between two pauses and with noise under
// all of it. snr is in dB against the mean power of the recording.
type scene struct {
	name  string
	gain  float64
	brown bool
	snr   float64
}

func (s scene) mix(pcm []int16, seed uint64) []int16 {
	pcm = scale(pcm, s.gain)
	level := power(pcm) * math.Pow(10, -s.snr/10)
	silence := make([]int16, pause*WindowSamples)
	pcm = append(append(append([]int16{}, silence...), pcm...), silence...)
	if level < 1e-3 {
		return pcm
	}
	return mix(pcm, noise(seed, len(pcm), level, s.brown))
}

// TestRecall asks three things of the network alone and behind the gate: that
// windows which are speech by their energy alone (within 15 dB of the loudest
// of a clean recording) are recognised; that the gate finds every stretch of at
// least 96 ms which the network alone takes for speech, no more than one window
// later; and that background is not taken for speech.
func TestRecall(t *testing.T) {
	tests := []struct {
		scene
		recall float64 // at least, of the windows labelled speech
	}{
		{scene{name: "clean", snr: 200}, 0.98},
		{scene{name: "clean, 20 dB quieter", gain: -20, snr: 200}, 0.95},
		{scene{name: "white noise 10 dB", snr: 10}, 0.95},
		{scene{name: "white noise 5 dB", snr: 5}, 0.93},
		{scene{name: "rumble 5 dB", snr: 5, brown: true}, 0.93},
	}
	all := recordings(t)
	energies := make([][]float64, len(all)) // of the windows, without noise
	for n, r := range all {
		clean := scene{snr: 200}.mix(r.pcm, 0)
		for ; len(clean) >= WindowSamples; clean = clean[WindowSamples:] {
			energies[n] = append(energies[n], power(clean[:WindowSamples]))
		}
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var labelled, plain, gated, background, falseAlarms, stretches, late int
			for n, r := range all {
				pcm := test.mix(r.pcm, uint64(n))
				p := probabilities(model(t).NewDetector().Process, pcm)
				q := probabilities(model(t).NewGate().Process, pcm)
				energy, loudest := energies[n], slices.Max(energies[n])
				for i := range p {
					switch {
					case energy[i] > loudest/32:
						labelled++
						plain += count(p[i])
						gated += count(q[i])
					case i < pause-1:
						background++
						falseAlarms += count(q[i])
					}
				}
				for i := 0; i < len(p); i++ {
					length := 0
					for i+length < len(p) && p[i+length] >= 0.5 {
						length++
					}
					if length >= 3 {
						delay := 0
						for delay < length && q[i+delay] < 0.5 {
							delay++
						}
						stretches++
						late += min(delay, 1)
						if delay > 1 && q[i] == 0 || delay == length {
							t.Errorf("%s: speech from window %d on is found %d of %d windows late: %v behind the gate, %v without",
								r.name, i, delay, length, q[i:i+length], p[i:i+length])
						}
					}
					i += length
				}
			}
			t.Logf("%d recordings, %d speech windows: recall %.3f, behind the gate %.3f; %d of %d onsets late; %d false alarms in %d windows of background",
				len(all), labelled, ratio(plain, labelled), ratio(gated, labelled), late, stretches, falseAlarms, background)
			if r := ratio(plain, labelled); r < test.recall {
				t.Errorf("the network recognises %.3f of the speech, want at least %.2f", r, test.recall)
			}
			// The memory of the network differs a little after a replay, which
			// moves single windows across the threshold in either direction.
			if ratio(gated, labelled) < ratio(plain, labelled)-0.01 {
				t.Errorf("the gate costs recall: %.4f, without it %.4f", ratio(gated, labelled), ratio(plain, labelled))
			}
			if r := ratio(falseAlarms, background); r > 0.01 {
				t.Errorf("%.3f of the background passes for speech, want at most 0.01", r)
			}
			if stretches < len(all) {
				t.Errorf("only %d stretches of speech in %d recordings", stretches, len(all))
			}
		})
	}
}

func count(p float32) int {
	if p >= 0.5 {
		return 1
	}
	return 0
}

func ratio(a, b int) float64 { return float64(a) / float64(max(1, b)) }

// TestGateSparesInference: what the gate is for. (The figures are the share of
// the windows that ran the network over one minute without speech.)
func TestGateSparesInference(t *testing.T) {
	const minute = 60 * SampleRate / WindowSamples * WindowSamples
	tests := []struct {
		name string
		pcm  []int16
		most float64
	}{
		{"digital silence", make([]int16, minute), 0.01},
		{"DC offset of a cheap microphone", constant(minute, 900), 0.01},
		{"quiet room, -60 dBFS", noise(1, minute, 1073, false), 0.01},
		{"hiss, -35 dBFS", noise(2, minute, 339000, false), 0.01},
		{"rumble of a fan, -35 dBFS", noise(3, minute, 339000, true), 0.6},
		{"noise that grows by 20 dB after 20 s",
			append(noise(4, minute/3, 1073, false), noise(5, minute*2/3, 107300, false)...), 0.15},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g := model(t).NewGate()
			for i, p := range probabilities(g.Process, test.pcm) {
				if p >= 0.5 {
					t.Fatalf("window %d: probability %g, there is no speech", i, p)
				}
			}
			s := g.Stats()
			t.Logf("%.1f%% of %d windows ran the network, %d of these runs were replays", 100*ratio(s.Inferred, s.Windows), s.Windows, s.Replayed)
			if r := ratio(s.Inferred, s.Windows); r > test.most {
				t.Errorf("%.3f of the windows ran the network, want at most %.2f", r, test.most)
			}
		})
	}
}

func constant(n int, value int16) []int16 {
	pcm := make([]int16, n)
	for i := range pcm {
		pcm[i] = value
	}
	return pcm
}

// TestGateReplayIsExact: after a pause in which no more windows were skipped
// than the gate remembers, every probability is that of the network alone.
func TestGateReplayIsExact(t *testing.T) {
	speech := samples(t, "testdata/weather.wav")
	speech = speech[:len(speech)/WindowSamples*WindowSamples]
	sawReplay := false
	for gap := range 40 {
		pcm := append(append([]int16{}, speech...), make([]int16, gap*WindowSamples)...)
		pcm = append(pcm, speech...)
		g := model(t).NewGate()
		got, want := probabilities(g.Process, pcm), probabilities(model(t).NewDetector().Process, pcm)
		skipped := 0
		for _, p := range got {
			if p == 0 {
				skipped++
			}
		}
		if skipped > replayWindows {
			break
		}
		sawReplay = sawReplay || skipped > 0
		for i := range got {
			if got[i] != 0 && got[i] != want[i] {
				t.Fatalf("pause of %d windows, %d skipped: window %d has %g behind the gate, %g without",
					gap, skipped, i, got[i], want[i])
			}
		}
	}
	if !sawReplay {
		t.Fatal("no pause was long enough to close the gate and short enough to be replayed whole")
	}
}

// TestGateStaysOpenInSpeech: speech from the first window on, and for a minute,
// never teaches the gate that speech is the background.
func TestGateStaysOpenInSpeech(t *testing.T) {
	speech := samples(t, "testdata/timer.wav")
	var pcm []int16
	for len(pcm) < 60*SampleRate {
		pcm = append(pcm, speech...)
	}
	p := probabilities(model(t).NewDetector().Process, pcm)
	g := model(t).NewGate()
	for i, q := range probabilities(g.Process, pcm) {
		if q != p[i] {
			t.Fatalf("window %d: %g behind the gate, %g without: it closed in the middle of speech", i, q, p[i])
		}
	}
}

func TestGateReset(t *testing.T) {
	pcm := scene{snr: 20}.mix(samples(t, "testdata/joke.wav"), 1)
	g := model(t).NewGate()
	first := probabilities(g.Process, pcm)
	windows := g.Stats().Windows
	g.Reset()
	for i, p := range probabilities(g.Process, pcm) {
		if p != first[i] {
			t.Fatalf("window %d after Reset: %g, a new gate says %g", i, p, first[i])
		}
	}
	if got := g.Stats().Windows; got != 2*windows {
		t.Errorf("%d windows counted after Reset, want %d: counters never go back", got, 2*windows)
	}
}
