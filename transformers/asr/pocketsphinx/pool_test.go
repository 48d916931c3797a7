//go:build cgo

package pocketsphinx

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"edged/internal/engine"
	"edged/transformers/asr"
)

// Eight speakers on two decoders behind a gate of one: everybody is heard as if
// alone. Run with -race.
func TestConcurrentUtterances(t *testing.T) {
	gate := engine.NewGate(1)
	r, err := New(Config{Grammar: grammar(t), Wait: time.Minute, Gate: gate})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var audio [][]int16
	for _, s := range append(append([]speech(nil), commandSpeech...), chatter[:2]...) {
		audio = append(audio, endpointed(t, s.path()))
	}
	var alone []heard
	for _, pcm := range audio {
		alone = append(alone, mustRecognize(t, r, pcm))
	}
	together := make([]heard, len(audio))
	errs := make([]error, len(audio))
	var all sync.WaitGroup
	for i, pcm := range audio {
		all.Go(func() { together[i], errs[i] = recognize(t.Context(), r, pcm) })
	}
	all.Wait()
	for i := range audio {
		if errs[i] != nil || !same(together[i], alone[i]) {
			t.Errorf("speaker %d: heard %+v (%v), alone %+v", i, together[i], errs[i], alone[i])
		}
	}
	if u := gate.Usage()[gateName]; u.Calls == 0 || u.Busy == 0 {
		t.Errorf("the gate counted %+v, want all calls", u)
	}
}

// With a short deadline some of eight are turned away, each with asr.ErrBusy and
// none with a wrong text.
func TestBusy(t *testing.T) {
	shared := commands.get(t)
	r := withConfig(shared, func(c *Config) { c.Wait = 10 * time.Millisecond })
	pcm := endpointed(t, "testdata/slt-cancel.wav")
	const speakers = 8
	busy, ok := 0, 0
	var mu sync.Mutex
	var all sync.WaitGroup
	for range speakers {
		all.Go(func() {
			h, err := recognize(t.Context(), r, pcm)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil && h.Text == "cancel the timer":
				ok++
			case errors.Is(err, asr.ErrBusy):
				busy++
			default:
				t.Errorf("heard %+v, %v", h, err)
			}
		})
	}
	all.Wait()
	t.Logf("%d understood, %d busy", ok, busy)
	if ok < 2 || ok+busy != speakers {
		t.Errorf("%d understood and %d busy of %d, want two at least and nobody forgotten", ok, busy, speakers)
	}
}

// withConfig is r with other settings and the same decoders.
func withConfig(r *Recognizer, change func(*Config)) *Recognizer {
	cfg := r.cfg
	change(&cfg)
	return &Recognizer{cfg: cfg, free: r.free, closed: make(chan struct{})}
}

func TestOpenWaitsForADecoder(t *testing.T) {
	r := withConfig(commands.get(t), func(c *Config) { c.Wait = time.Minute })
	var held []asr.Utterance
	for range r.cfg.Decoders {
		u, err := r.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, u)
	}
	gone := errors.New("the device left")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	if _, err := r.Open(ctx); !errors.Is(err, gone) {
		t.Errorf("err = %v, want the cause of the cancellation", err)
	}
	opened := make(chan error)
	go func() {
		u, err := r.Open(t.Context())
		if err == nil {
			err = u.Close()
		}
		opened <- err
	}()
	held[0].Close()
	if err := <-opened; err != nil {
		t.Errorf("whoever waited got %v, want the decoder that became free", err)
	}
	held[1].Close()
}

func TestClose(t *testing.T) {
	r, err := New(Config{Decoders: 1, Wait: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	u, err := r.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	waiting := make(chan error)
	go func() {
		_, err := r.Open(context.Background())
		waiting <- err
	}()
	writing := make(chan error)
	go func() { // keeps the library busy while it is closed
		var err error
		for err == nil {
			_, err = u.Write(context.Background(), noise(16000, 1000))
		}
		writing <- err
	}()
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if err := <-waiting; !errors.Is(err, asr.ErrClosed) {
		t.Errorf("Open returned %v, want it let go with asr.ErrClosed", err)
	}
	if err := <-writing; !errors.Is(err, asr.ErrClosed) {
		t.Errorf("Write returned %v, want asr.ErrClosed", err)
	}
	if _, err := u.Finish(context.Background()); !errors.Is(err, asr.ErrClosed) {
		t.Errorf("Finish returned %v, want asr.ErrClosed", err)
	}
	if err := u.Close(); err != nil {
		t.Errorf("Close of the utterance: %v", err)
	}
	if _, err := r.Open(context.Background()); !errors.Is(err, asr.ErrClosed) {
		t.Errorf("Open after Close returned %v, want asr.ErrClosed", err)
	}
}

func TestUtteranceEnds(t *testing.T) {
	r := commands.get(t)
	u, err := r.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := u.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := u.Write(t.Context(), make([]int16, 160)); !errors.Is(err, asr.ErrClosed) {
		t.Errorf("Write after Finish: %v, want asr.ErrClosed", err)
	}
	for range 2 {
		if err := u.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	if free := len(r.free); free != r.cfg.Decoders {
		t.Errorf("%d decoders are free, want %d: Close gives back one, once", free, r.cfg.Decoders)
	}
}

func TestCancelledUtterance(t *testing.T) {
	r := commands.get(t)
	u, err := r.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := u.Write(ctx, noise(32000, 300)); !errors.Is(err, context.Canceled) {
		t.Errorf("Write: %v, want context.Canceled", err)
	}
	if _, err := u.Finish(t.Context()); !errors.Is(err, asr.ErrClosed) {
		t.Errorf("Finish after a cancelled Write: %v, want asr.ErrClosed: audio is missing", err)
	}
}

func TestTooLongUtterance(t *testing.T) {
	r := withConfig(commands.get(t), func(c *Config) { c.MaxUtterance = 2 * time.Second })
	h := mustRecognize(t, r, noise(16000*5, 100))
	if !h.Truncated || h.Audio != 2*time.Second {
		t.Errorf("%v of 5 s were listened to (truncated %v), want 2 s", h.Audio, h.Truncated)
	}
}

// A decoder that the library has given up is replaced; the next speaker notices
// nothing but the time that takes.
func TestBrokenDecoderIsReplaced(t *testing.T) {
	r, err := New(Config{Grammar: grammar(t), Decoders: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p := <-r.free
	given := p.language
	given.broken = true
	defer func() { // it is not really broken
		given.broken = false
		given.free()
	}()
	r.free <- p
	h := mustRecognize(t, r, endpointed(t, "testdata/slt-cancel.wav"))
	if h.Text != "cancel the timer" || r.all[0].broken() || r.all[0].language == given {
		t.Errorf("heard %+v with the broken decoder", h)
	}
}

// The C side gives back what it takes: utterances cost nothing, and decoders
// can be made again and again.
func TestMemoryIsGivenBack(t *testing.T) {
	pcm := endpointed(t, "testdata/slt-cancel.wav")
	round := func() int {
		r, err := New(Config{Grammar: grammar(t), Decoders: 1})
		if err != nil {
			t.Fatal(err)
		}
		mustRecognize(t, r, pcm)
		before := resident(t)
		for range 3 {
			mustRecognize(t, r, pcm)
		}
		if grown := resident(t) - before; grown > 8<<20 {
			t.Errorf("three more utterances took %d MB", grown>>20)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		return resident(t)
	}
	first := round()
	for range 2 {
		round()
	}
	// A decoder takes 97 MB: a third of one lost in each of three rounds would
	// show.
	if grown := round() - first; grown > 64<<20 {
		t.Errorf("after three more decoders %d MB are gone", grown>>20)
	}
}

// resident is the memory of this process in bytes.
func resident(t testing.TB) int {
	t.Helper()
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(statm))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}
