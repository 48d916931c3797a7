//go:build cgo

package pocketsphinx

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"edged/audio/wav"
	"edged/internal/edits"
	"edged/transformers/asr"
)

// libraryVariable makes the test binary load the library of that name and print
// what comes of it: the library is loaded once per process, so a missing one
// can be tried only in another.
const libraryVariable = "EDGED_TEST_LIBRARY"

// TestMain also checks that nothing is left running.
func TestMain(m *testing.M) {
	if library := os.Getenv(libraryVariable); library != "" {
		_, err := New(Config{Library: library, Decoders: 1})
		fmt.Print(err)
		return
	}
	code := m.Run()
	if r, ok := commands.loaded(); ok {
		_ = r.Close()
	}
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// sharedRecognizer is loaded when the first test wants it.
type sharedRecognizer struct {
	once sync.Once
	r    *Recognizer
	err  error
}

// commands is a Recognizer of two decoders with testdata/commands.gram.
var commands sharedRecognizer

func (s *sharedRecognizer) get(t testing.TB) *Recognizer {
	t.Helper()
	s.once.Do(func() { s.r, s.err = New(Config{Grammar: grammar(t)}) })
	if s.err != nil {
		t.Fatal(s.err)
	}
	return s.r
}

func (s *sharedRecognizer) loaded() (*Recognizer, bool) { return s.r, s.r != nil }

func grammar(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("testdata/commands.gram")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// speech is a recording and what is said in it.
type speech struct {
	file, text string
}

// commandSpeech is in the grammar, chatter is not.
var (
	commandSpeech = []speech{
		{"rms-timer.wav", "set a timer for twenty five minutes"},
		{"slt-product.wav", "what is twelve times seven"},
		{"awb-volume.wav", "turn the volume up"},
		{"kal16-time.wav", "what time is it"},
		{"slt-cancel.wav", "cancel the timer"},
		{"rms-joke.wav", "tell me a joke"},
	}
	chatter = []speech{
		{"awb-weather.wav", "the weather in paris is lovely this spring"},
		{"slt-president.wav", "who was the first president of the united states"},
		{"rms-pizza.wav", "i would like to order a large pizza with mushrooms"},
		{"kal16-email.wav", "please send an email to my boss about the meeting"},
		// These begin as commands do.
		{"kal16-meaning.wav", "what is the meaning of life"},
		{"slt-people.wav", "how many people live in china"},
		{"awb-story.wav", "tell me a story about a dragon"},
		{"rms-ticket.wav", "how much is a ticket to london"},
	}
)

func (s speech) path() string { return filepath.Join("testdata", s.file) }

// endpointed is a recording as an endpointer would pass it on: with 300 ms of
// pre-roll and 600 ms of silence, both with a little noise.
func endpointed(t testing.TB, path string) []int16 {
	t.Helper()
	pcm := append(noise(4800, 30), read(t, path)...)
	return append(pcm, noise(9600, 30)...)
}

func read(t testing.TB, path string) []int16 {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, pcm, err := wav.ReadAll(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if info.Rate != asr.SampleRate || info.Channels != 1 {
		t.Fatalf("%s: %+v, want 16 kHz mono", path, info)
	}
	return pcm
}

// noise is white noise, the same at every call.
func noise(samples, amplitude int) []int16 {
	random := rand.New(rand.NewPCG(7, 7))
	pcm := make([]int16, samples)
	for i := range pcm {
		pcm[i] = int16(random.IntN(2*amplitude+1) - amplitude)
	}
	return pcm
}

// heard is an utterance as it was recognised.
type heard struct {
	partials []string
	asr.Result
}

// recognize passes pcm to r in blocks of 100 ms.
func recognize(ctx context.Context, r *Recognizer, pcm []int16) (h heard, err error) {
	u, err := r.Open(ctx)
	if err != nil {
		return heard{}, err
	}
	defer u.Close()
	for len(pcm) > 0 {
		n := min(1600, len(pcm))
		partial, err := u.Write(ctx, pcm[:n])
		if err != nil {
			return heard{}, err
		}
		if partial != "" && (len(h.partials) == 0 || h.partials[len(h.partials)-1] != partial) {
			h.partials = append(h.partials, partial)
		}
		pcm = pcm[n:]
	}
	h.Result, err = u.Finish(ctx)
	return h, err
}

func mustRecognize(t testing.TB, r *Recognizer, pcm []int16) heard {
	t.Helper()
	h, err := recognize(context.Background(), r, pcm)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// wordErrors is the edit distance of two texts in words, and how many words were
// said.
func wordErrors(said, heard string) (wrong, words int) {
	a := strings.Fields(said)
	return edits.Count(a, strings.Fields(heard)), len(a)
}
