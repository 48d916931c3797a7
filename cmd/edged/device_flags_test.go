package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"edged/audio/pcm"
	"edged/internal/edgetest"
)

// Each flag that cannot be served is refused in one sentence, which names it and
// says what is allowed.
func TestDeviceFlags(t *testing.T) {
	question := recorded(t)
	for _, tc := range []struct {
		args []string
		says string
	}{
		{[]string{"--loss", "120"}, "--loss 120: want a percentage from 0 to 99"},
		{[]string{"--loss", "90", "--burst", "2"}, "--loss 90: want at most 67"},
		{[]string{"--burst", "3"}, "--burst 3: want 1 to 1000 packets in a row, together with --loss"},
		{[]string{"--jitter", "1m"}, "--jitter 1m0s: want 0s to 5s"},
		{[]string{"--reorder", "101"}, "--reorder 101: want a percentage from 0 to 100"},
		{[]string{"--duplicate=-1"}, "--duplicate -1: want a percentage from 0 to 100"},
		{[]string{"--skew", "20000"}, "--skew 20000: want -10000 to 10000"},
		{[]string{"--echo", "200"}, "--echo 200: want 0 to 90 dB"},
		{[]string{"--echo", "20", "--echo-delay", "2s"}, "--echo-delay 2s: want 0s to 1s"},
		{[]string{"--echo-room"}, "--echo-room: want --echo"},
		{[]string{"--queue=-1"}, "--queue -1: want 1 to 10000"},
		{[]string{"--resume=-1"}, "--resume -1: want 0 to 100"},
		{[]string{"--barge-in-after", "1s"}, "--mode realtime"},
		{[]string{"--mode", "realtime", "--abort-after", "1s"}, "--barge-in-after"},
	} {
		t.Run(strings.Join(tc.args, " "), func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), append([]string{"device", "--in", question}, tc.args...), &stdout, &stderr)
			if code != 1 || !strings.Contains(stderr.String(), tc.says) {
				t.Errorf("exit code %d, %q; want 1 and %q", code, &stderr, tc.says)
			}
		})
	}
}

// All of it at once, on a real socket: the report tells what happened, to the
// reply that was talked over and to the packets.
func TestDeviceCommandTalksOver(t *testing.T) {
	loud := make([]int16, 32000)
	for i := range loud {
		loud[i] = int16(4000 * (i/20%2*2 - 1))
	}
	fake := []edgetest.Line{
		{Transcript: "a story", Pieces: []edgetest.Sound{{Text: "Once upon a time there was.", PCM: loud}}},
		{Transcript: "thanks", Pieces: []edgetest.Sound{{Text: "Welcome.", PCM: loud[:3200]}}},
	}
	question := recorded(t)
	args := []string{"device", "--url", fakeServer(t, fake...), "--token", "secret", "--in", question, "--in", question, "--json",
		"--mode", "realtime", "--barge-in-after", "500ms", "--frame", "20ms", "--skew", "100", "--jitter", "10ms", "--queue", "20", "--resume", "2", "--seed", "4"}
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), args, &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d, %s", code, &stderr)
	}
	var report struct {
		Turns []struct {
			Interrupted           bool
			Cause, Heard, Unheard string
			BargeIn               *struct {
				HeldMS        *float64 `json:"held_ms"`
				FlushedMS     *float64 `json:"flushed_ms"`
				SilentMS      *float64 `json:"silent_ms"`
				OnsetPlayedMS float64  `json:"onset_played_ms"`
				PlayedMS      float64  `json:"played_ms"`
			} `json:"barge_in"`
		}
		Network *struct{ Up, Down struct{ Delayed int } }
	}
	if err := json.Unmarshal(stdout.Bytes(), &report); err != nil || len(report.Turns) != 2 {
		t.Fatalf("%v\n%s", err, &stdout)
	}
	over := report.Turns[0]
	if !over.Interrupted || over.Cause != "speech" || over.BargeIn == nil || over.BargeIn.SilentMS == nil || over.BargeIn.FlushedMS == nil || over.BargeIn.HeldMS == nil {
		t.Fatalf("turn 1 of %s was not talked over", &stdout)
	}
	if b := over.BargeIn; *b.FlushedMS < 150 || *b.FlushedMS > 1000 || *b.SilentMS > *b.FlushedMS || b.PlayedMS < 500 || over.Unheard == "" {
		t.Errorf("flushed after %v ms, silent after %v ms, played %v ms, unheard %q", *b.FlushedMS, *b.SilentMS, b.PlayedMS, over.Unheard)
	}
	if report.Network == nil || report.Network.Up.Delayed == 0 || report.Network.Down.Delayed == 0 {
		t.Errorf("the report does not tell of the network: %s", &stdout)
	}
}

// --interactive moves sound between the programs arecord and aplay and the server;
// here they are scripts that speak the same raw PCM.
func TestDeviceInteractive(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"device", "--interactive"}, &stdout, &stderr); code != 1 || !strings.Contains(stderr.String(), "apt-get install alsa-utils") {
		t.Fatalf("without arecord: exit code %d, %q", code, &stderr)
	}
	bin := t.TempDir()
	speech := make([]int16, 0, 9600)
	for i := range 9600 { // 600 ms
		speech = append(speech, int16(8000*(i/20%2*2-1)))
	}
	raw, played := filepath.Join(bin, "speech.raw"), filepath.Join(bin, "played.raw")
	if err := os.WriteFile(raw, pcm.Append(nil, speech), 0o600); err != nil {
		t.Fatal(err)
	}
	// 1920 bytes are 60 ms. The microphone goes on with silence.
	scripts := map[string]string{
		"arecord": fmt.Sprintf("#!/bin/sh\nn=0\nwhile :; do if [ $n -lt 10 ]; then /bin/dd if=%s bs=1920 skip=$n count=1 2>/dev/null; else /bin/dd if=/dev/zero bs=1920 count=1 2>/dev/null; fi; n=$((n+1)); /bin/sleep 0.055; done\n", raw),
		"aplay":   fmt.Sprintf("#!/bin/sh\nexec /bin/cat >%s\n", played),
	}
	for name, script := range scripts {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	reply := make([]int16, 4800)
	for i := range reply {
		reply[i] = 1234
	}
	url := fakeServer(t, edgetest.Line{Transcript: "hello", Pieces: []edgetest.Sound{{Text: "Hi.", PCM: reply}}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { // Ctrl-C once the reply has been played
		defer cancel()
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
			if b, err := os.ReadFile(played); err == nil && loudSamples(b) >= len(reply) {
				return
			}
		}
	}()
	stdout.Reset()
	stderr.Reset()
	code := run(ctx, []string{"device", "--interactive", "--url", url, "--token", "secret", "--format", "pcm", "--json"}, &stdout, &stderr)
	if code != 0 || !strings.Contains(stdout.String(), `"transcript":"hello"`) {
		t.Errorf("exit code %d, %s %s", code, &stdout, &stderr)
	}
	if b, err := os.ReadFile(played); err != nil || loudSamples(b) != len(reply) {
		t.Errorf("aplay got %d samples of the reply (%v), want %d", loudSamples(b), err, len(reply))
	}
}

func loudSamples(b []byte) (n int) {
	samples := make([]int16, len(b)/pcm.SampleBytes)
	pcm.Decode(samples, b)
	for _, s := range samples {
		if s != 0 {
			n++
		}
	}
	return n
}
