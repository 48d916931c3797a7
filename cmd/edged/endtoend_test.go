package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"edged/audio/wav"
	"edged/edge"
	"edged/firmware-protocol/wire"
	"edged/internal/edgetest"
	"edged/internal/loader"
	"edged/internal/recordings"
	"edged/session"
	"edged/session/log"
)

// house is a whole server with the real engines, reached through pipes, so that
// conversations take place in virtual time: the clock stands while an engine
// works and jumps while everybody waits.
type house struct {
	t       *testing.T
	pipe    *edgetest.Pipe
	engines *engines
	server  *edge.Server
	meters  *meters
	log     logBuffer

	dialogues *dialogues
	guard     *edge.Revocable
}

// visit runs story against a server inside a bubble.
func visit(t *testing.T, story func(t *testing.T, h *house)) {
	t.Helper()
	visitWith(t, func(*engines) {}, story)
}

// visitWith is visit with changed engines.
func visitWith(t *testing.T, change func(*engines), story func(t *testing.T, h *house)) {
	t.Helper()
	cfg := pipeConfig(t)
	synctest.Test(t, func(t *testing.T) {
		real, err := loadEngines(cfg.Models)
		if err != nil {
			t.Fatal(err)
		}
		change(real)
		inhabit(t, cfg, real.Engines, func(t *testing.T, h *house) {
			h.engines = real
			story(t, h)
		})
		if err := real.Close(); err != nil {
			t.Errorf("close engines: %v", err)
		}
	})
}

// converseWith is visit with other engines than the real ones.
func converseWith(t *testing.T, engines session.Engines, story func(t *testing.T, h *house)) {
	t.Helper()
	cfg := pipeConfig(t)
	synctest.Test(t, func(t *testing.T) { inhabit(t, cfg, engines, story) })
}

func pipeConfig(t *testing.T) *loader.Config {
	t.Helper()
	cfg, err := loader.Load(loader.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Server.Public = true // a pipe has no address that could be loopback
	return cfg
}

// inhabit runs story against a server with the engines, inside a bubble.
func inhabit(t *testing.T, cfg *loader.Config, engines session.Engines, story func(t *testing.T, h *house)) {
	t.Helper()
	h := &house{t: t, pipe: edgetest.NewPipe(), meters: newMeters()}
	auth, err := authenticator(cfg)
	if err != nil {
		t.Fatal(err)
	}
	guard := edge.NewRevocable(auth)
	dialogues, err := newDialogues(t.Context(), cfg, engines, zerolog.New(&h.log))
	if err != nil {
		t.Fatal(err)
	}
	server, err := newServer(cfg, guard, dialogues, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	dialogues.observe, h.server = h.meters.sessions.Observer, server
	h.dialogues, h.guard = dialogues, guard
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, h.pipe) }()
	story(t, h)
	cancel()
	if err := <-served; err != nil {
		t.Errorf("serve: %v", err)
	}
	dialogues.Close()
	h.wantSettled()
	time.Sleep(time.Minute) // whatever is armed must come to its end
}

// dial connects a device; prepare may change its configuration.
func (h *house) dial(prepare func(*edgetest.Config)) *edgetest.Device {
	h.t.Helper()
	cfg := edgetest.Config{URL: "ws://edged" + wire.Path, Dial: h.pipe.Dial}
	if prepare != nil {
		prepare(&cfg)
	}
	d, err := edgetest.Dial(context.Background(), cfg)
	if err != nil {
		h.t.Fatal(err)
	}
	return d
}

func (h *house) hangUp(d *edgetest.Device) {
	h.t.Helper()
	if err := d.Close(context.Background()); err != nil {
		h.t.Errorf("close: %v", err)
	}
	if faults := d.Faults(); len(faults) > 0 {
		h.t.Errorf("the server broke the protocol: %v", faults)
	}
	if s := d.Stats(); s.Stale != 0 || s.Lost != 0 || s.Overflowed != 0 || s.Undecodable != 0 {
		h.t.Errorf("device counters %+v, want no stale, lost, overflowed or undecodable packets", s)
	}
}

// ask speaks a recording and fails the test without an answer.
func (h *house) ask(d *edgetest.Device, pcm []int16) edgetest.Answer {
	h.t.Helper()
	a, err := d.Ask(context.Background(), edgetest.Question{PCM: pcm})
	if err != nil || !a.Answered() {
		h.t.Fatalf("no answer: %v, %v\n%s", a, err, h.log.String())
	}
	return a
}

// logBuffer collects the session log.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// events reads back what was logged.
func (b *logBuffer) events(t *testing.T) []log.Record {
	t.Helper()
	reader := log.NewReader(strings.NewReader(b.String()))
	var all []log.Record
	for {
		rec, err := reader.Next()
		if err != nil {
			return all
		}
		all = append(all, rec)
	}
}

func questions(t *testing.T) []recordings.Recording {
	t.Helper()
	all, err := recordings.Load("../../testdata/audio")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// recording returns the question of that text.
func recording(t *testing.T, text string) []int16 {
	t.Helper()
	for _, r := range questions(t) {
		if strings.EqualFold(strings.TrimRight(r.Text, "?."), text) {
			return samples(t, r.Path)
		}
	}
	t.Fatalf("no recording of %q", text)
	return nil
}

func samples(t *testing.T, path string) []int16 {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	_, pcm, err := wav.ReadAll(file)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return pcm
}
