//go:build cgo

package pocketsphinx

import (
	"slices"
	"strings"
	"testing"
	"time"

	"edged/transformers/asr"
)

// pausing passes pcm in blocks of 100 ms and pauses behind each sample of at.
func pausing(t testing.TB, r *Recognizer, pcm []int16, at ...int) (said []string, result asr.Result) {
	t.Helper()
	u, err := r.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	for heard := 0; heard < len(pcm); {
		n := min(1600, len(pcm)-heard)
		if len(at) > 0 {
			n = min(n, at[0]-heard)
		}
		if _, err := u.Write(t.Context(), pcm[heard:heard+n]); err != nil {
			t.Fatal(err)
		}
		if heard += n; len(at) > 0 && heard == at[0] {
			partial, err := u.(asr.Pauser).Pause(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			said, at = append(said, partial), at[1:]
		}
	}
	if result, err = u.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	return said, result
}

// TestPauseAtTheEnd: 130 ms after the last word, the partial is the command, for
// one that lasts less than the 1.2 s after which the decoding begins by itself as
// well. The transcript is as good as without the pause.
func TestPauseAtTheEnd(t *testing.T) {
	r := commands.get(t)
	for _, s := range commandSpeech {
		speech := append(noise(4800, 30), read(t, s.path())...)
		pcm := append(speech, noise(5120, 30)...) // an endpointer waits for 320 ms
		said, result := pausing(t, r, pcm, len(speech)+2080)
		if said[0] != s.text {
			t.Errorf("%s: at the pause %q, want %q", s.file, said[0], s.text)
		}
		if result.Text != s.text || !result.Accepted {
			t.Errorf("%s: in the end %q, want %q", s.file, result.Text, s.text)
		}
	}
	// Nothing is said by a cough, which the language model hears as a word.
	u, err := r.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	if said, err := u.(asr.Pauser).Pause(t.Context()); said != "" || err != nil {
		t.Errorf("before any audio: %q, %v", said, err)
	}
}

// TestPauseEarly: after a pause in the first 1.2 s an utterance that goes on has
// the transcript that it has without one, whatever was decoded for the pause.
func TestPauseEarly(t *testing.T) {
	r := commands.get(t)
	for _, s := range slices.Concat(commandSpeech[:3], chatter[:2]) {
		pcm := endpointed(t, s.path())
		_, want := pausing(t, r, pcm)
		for _, at := range [][]int{{4000}, {8000, 12000, 15000}, {30000}} {
			if at[len(at)-1]+resumedSamples >= len(pcm) {
				continue
			}
			_, got := pausing(t, r, pcm, at...)
			if got.Text != want.Text || got.Free != want.Free || got.Grammar != want.Grammar || got.Accepted != want.Accepted {
				t.Errorf("%s, pauses at %v: %+v, without %+v", s.file, at, got, want)
			}
		}
	}
}

// TestPauseInside: what was said before the pause is a beginning of the command.
func TestPauseInside(t *testing.T) {
	r := commands.get(t)
	pcm := append(noise(4800, 30), read(t, "testdata/rms-timer.wav")...)
	pcm = append(pcm, noise(9600, 30)...)
	said, _ := pausing(t, r, pcm, 19200, 24000, 28800)
	for i, partial := range said {
		if words := strings.Fields(partial); len(words) < 2 || i > 0 && len(partial) < len(said[i-1])-8 {
			t.Errorf("partials %q: want more and more of the command", said)
		}
	}
}

// BenchmarkPause is what a pause costs: nothing but a look at the hypotheses once
// the decoding has begun, and less than the first second of decoding before.
func BenchmarkPause(b *testing.B) {
	r := commands.get(b)
	pcm := append(noise(4800, 30), read(b, "testdata/rms-timer.wav")...)
	for name, samples := range map[string]int{"begun": len(pcm), "early": 14400} {
		b.Run(name, func(b *testing.B) {
			var took time.Duration
			for b.Loop() {
				u, err := r.Open(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				for at := 0; at < samples; at += 1600 {
					if _, err := u.Write(b.Context(), pcm[at:min(at+1600, samples)]); err != nil {
						b.Fatal(err)
					}
				}
				begin := time.Now()
				if _, err := u.(asr.Pauser).Pause(b.Context()); err != nil {
					b.Fatal(err)
				}
				took += time.Since(begin)
				u.Close()
			}
			b.ReportMetric(float64(took.Microseconds())/float64(b.N), "us/pause")
		})
	}
}
