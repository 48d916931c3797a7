package flite_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"edged/transformers/tts/flite"
)

// Seven words: with any voice a second or more, and less than six.
const sentence = "What is seven plus five, please?"

func load(t testing.TB, cfg flite.Config) *flite.Voice {
	t.Helper()
	v, err := flite.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func speak(t testing.TB, v *flite.Voice, text string) ([]int16, flite.Timing) {
	t.Helper()
	var pcm []int16
	timing, err := v.SynthesizeTimed(t.Context(), text, func(block []int16) error {
		pcm = append(pcm, block...)
		return nil
	})
	if err != nil {
		t.Fatalf("synthesise %q: %v", text, err)
	}
	return pcm, timing
}

// rms returns the level of pcm in dB below full scale.
func rms(pcm []int16) float64 {
	var sum float64
	for _, s := range pcm {
		sum += float64(s) * float64(s)
	}
	if sum == 0 {
		return math.Inf(-1)
	}
	return 20 * math.Log10(math.Sqrt(sum/float64(len(pcm)))/32768)
}

func TestEveryVoiceSpeaks(t *testing.T) {
	for _, name := range flite.Voices() {
		t.Run(name, func(t *testing.T) {
			v := load(t, flite.Config{Voice: name})
			if v.Name() != name || v.SampleRate() != 16000 {
				t.Errorf("voice is %q at %d Hz, want %q at 16000", v.Name(), v.SampleRate(), name)
			}
			pcm, timing := speak(t, v, sentence)
			if seconds := float64(len(pcm)) / 16000; seconds < 1 || seconds > 6 {
				t.Errorf("seven words take %.1f s, want 1 to 6", seconds)
			}
			if timing.Samples != len(pcm) {
				t.Errorf("Timing.Samples = %d, delivered %d", timing.Samples, len(pcm))
			}
			speech, tail := rms(pcm[timing.Onset:timing.Offset]), rms(pcm[len(pcm)-400:])
			if speech < -40 || speech > -6 {
				t.Errorf("speech has %.0f dBFS, want -40 to -6: neither whispered nor clipped", speech)
			}
			if tail > speech-20 {
				t.Errorf("the last 25 ms have %.0f dBFS beside %.0f of speech, want a pause", tail, speech)
			}
		})
	}
}

func TestWordsAreInOrderAndInsideTheSpeech(t *testing.T) {
	want := strings.Fields("what is seven plus five please")
	for _, name := range flite.Voices() {
		t.Run(name, func(t *testing.T) {
			_, timing := speak(t, load(t, flite.Config{Voice: name}), "What is 7 plus 5, please?")
			var got []string
			end := timing.Onset
			for _, w := range timing.Words {
				got = append(got, w.Text)
				if w.Start < end || w.End <= w.Start || w.End > timing.Offset {
					t.Errorf("word %+v does not follow sample %d within speech %d..%d", w, end, timing.Onset, timing.Offset)
				}
				end = w.End
			}
			if !slices.Equal(got, want) {
				t.Errorf("words = %q, want %q", got, want)
			}
		})
	}
}

func TestLead(t *testing.T) {
	tests := []struct {
		name     string
		lead     time.Duration
		min, max int // samples before the speech
	}{
		{"default keeps 20 ms", 0, 320, 320},
		{"100 ms", 100 * time.Millisecond, 1600, 1600},
		{"longer than the pause keeps what there is", time.Hour, 1600, 8000},
		{"negative keeps all", -1, 1600, 8000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, timing := speak(t, load(t, flite.Config{Lead: tt.lead}), sentence)
			if timing.Onset < tt.min || timing.Onset > tt.max {
				t.Errorf("speech begins at sample %d, want %d to %d", timing.Onset, tt.min, tt.max)
			}
		})
	}
}

func TestStretch(t *testing.T) {
	for _, name := range flite.Voices() {
		t.Run(name, func(t *testing.T) {
			usual, _ := speak(t, load(t, flite.Config{Voice: name}), sentence)
			slow, _ := speak(t, load(t, flite.Config{Voice: name, Stretch: 1.5}), sentence)
			if ratio := float64(len(slow)) / float64(len(usual)); ratio < 1.35 || ratio > 1.65 {
				t.Errorf("stretch 1.5 makes speech %.2f times as long", ratio)
			}
			again, _ := speak(t, load(t, flite.Config{Voice: name}), sentence)
			if len(again) != len(usual) {
				t.Errorf("after a stretched call the usual length is %d, was %d: the setting stuck to the shared voice", len(again), len(usual))
			}
		})
	}
}

func TestBadConfig(t *testing.T) {
	_, err := flite.New(flite.Config{Voice: "alice"})
	var unknown *flite.VoiceError
	if !errors.As(err, &unknown) || !errors.Is(err, flite.ErrUnknownVoice) {
		t.Fatalf("unknown voice: %v, want a *VoiceError", err)
	}
	if unknown.Voice != "alice" || !slices.Equal(unknown.Have, flite.Voices()) || !strings.Contains(err.Error(), "slt") {
		t.Errorf("%v: the operator must see what was asked for and what exists", err)
	}
	for _, stretch := range []float64{-1, 0.1, 3, math.NaN(), math.Inf(1)} {
		if _, err := flite.New(flite.Config{Stretch: stretch}); !errors.Is(err, flite.ErrStretch) {
			t.Errorf("stretch %g: %v, want ErrStretch", stretch, err)
		}
	}
}

func TestNothingToSay(t *testing.T) {
	v := load(t, flite.Config{})
	for _, text := range []string{"", "  \n", "...", "👋", "你好。", "\x00"} {
		timing, err := v.SynthesizeTimed(t.Context(), text, func(pcm []int16) error {
			t.Errorf("%q gave %d samples, want none", text, len(pcm))
			return nil
		})
		if err != nil || timing.Samples != 0 {
			t.Errorf("%q: %+v, %v, want no audio and no error", text, timing, err)
		}
	}
}

func TestTextTooLong(t *testing.T) {
	err := load(t, flite.Config{}).Synthesize(t.Context(), strings.Repeat("word ", 1000), func([]int16) error {
		t.Fatal("audio of a text that is refused")
		return nil
	})
	if !errors.Is(err, flite.ErrTextTooLong) {
		t.Errorf("5000 bytes: %v, want ErrTextTooLong", err)
	}
}

// Whatever a model writes, flite must neither crash nor end the process. (The
// sink stops it at the first block: some of these would go on for minutes.)
func TestHostileText(t *testing.T) {
	texts := []string{
		"\x00\x01\x7f", "a\x00b", "\xff\xfe", strings.Repeat("9", 250), strings.Repeat("%", 250) + "1",
		strings.Repeat("$", 200) + "3.", "''''s 's 'll", "1/0 0/0 1//2", "-1--2---3", "XVIIIIIIIIII MMMMMMM",
		"a.b.c.d.e.f.g", strings.Repeat("x", 300), strings.Repeat("aeiou", 60), "\"\"\"\"a\"\"", "(((b)))", "1.2.3.4,5,6",
	}
	enough := errors.New("enough")
	for _, name := range []string{"slt", "kal16"} { // one of either kind
		v := load(t, flite.Config{Voice: name})
		for _, text := range texts {
			if err := v.Synthesize(t.Context(), text, func([]int16) error { return enough }); err != nil && err != enough {
				t.Errorf("%s: %q: %v", name, text, err)
			}
		}
		speak(t, v, sentence)
	}
}

func TestSinkErrorStops(t *testing.T) {
	stop := errors.New("enough")
	for _, name := range flite.Voices() {
		calls := 0
		err := load(t, flite.Config{Voice: name}).Synthesize(t.Context(), sentence, func([]int16) error {
			calls++
			return stop
		})
		if err != stop || calls != 1 {
			t.Errorf("%s: %d calls and %v, want one call and the sink's own error", name, calls, err)
		}
	}
}

func TestCancelStopsWithinOneBlock(t *testing.T) {
	for _, name := range flite.Voices() {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		err := load(t, flite.Config{Voice: name}).Synthesize(ctx, sentence, func([]int16) error {
			calls++
			cancel()
			return nil
		})
		if !errors.Is(err, context.Canceled) || calls != 1 {
			t.Errorf("%s: %d blocks and %v after a cancel in the first block, want 1 and context.Canceled", name, calls, err)
		}
		if err := load(t, flite.Config{Voice: name}).Synthesize(ctx, sentence, func([]int16) error { return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: call with a done context: %v", name, err)
		}
	}
}

func TestSinkPanicReachesTheCaller(t *testing.T) {
	v := load(t, flite.Config{})
	defer func() {
		if got := recover(); got != "sink" {
			t.Errorf("recovered %v, want the sink's panic", got)
		}
		speak(t, v, sentence) // the voice still works
	}()
	_ = v.Synthesize(t.Context(), sentence, func([]int16) error { panic("sink") })
}

// One Voice serves many callers at once: nobody gets the audio, the length or
// the settings of another. (The lengths of an utterance are reproducible, its
// samples are not.)
func TestConcurrentUse(t *testing.T) {
	texts := []string{"One.", "What time is it?", "Set a timer for 5 minutes, please.", sentence}
	for _, name := range flite.Voices() {
		t.Run(name, func(t *testing.T) {
			usual, slow := load(t, flite.Config{Voice: name}), load(t, flite.Config{Voice: name, Stretch: 1.3})
			length := map[*flite.Voice][]int{}
			for _, v := range []*flite.Voice{usual, slow} {
				for _, text := range texts {
					pcm, _ := speak(t, v, text)
					length[v] = append(length[v], len(pcm))
				}
			}
			var wg sync.WaitGroup
			for i := range 4 {
				wg.Go(func() {
					for j := range 2 * len(texts) {
						v, k := usual, (i+j)%len(texts)
						if (i+j)%2 == 1 {
							v = slow
						}
						n := 0
						err := v.Synthesize(t.Context(), texts[k], func(pcm []int16) error { n += len(pcm); return nil })
						if err != nil || n != length[v][k] {
							t.Errorf("%q: %d samples, %v; alone it gives %d", texts[k], n, err, length[v][k])
						}
					}
				})
			}
			wg.Wait()
		})
	}
}

// Seed is what makes recordings repeatable.
func TestSeed(t *testing.T) {
	for _, name := range flite.Voices() {
		v := load(t, flite.Config{Voice: name})
		flite.Seed(1)
		first, _ := speak(t, v, "Hello.")
		flite.Seed(1)
		second, _ := speak(t, v, "Hello.")
		if !slices.Equal(first, second) {
			t.Errorf("%s: the same seed gave other samples", name)
		}
	}
}
