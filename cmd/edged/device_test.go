package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"edged/audio"
	"edged/audio/wav"
	"edged/firmware-protocol/wire"
	"edged/internal/edgetest"
)

// recorded writes 300 ms of a loud square wave, which the fake server takes for
// speech.
func recorded(t *testing.T) string {
	t.Helper()
	samples := make([]int16, 4800)
	for i := range samples {
		samples[i] = 8000
		if i%40 < 20 {
			samples[i] = -8000
		}
	}
	path := filepath.Join(t.TempDir(), "question.wav")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := wav.NewWriter(f, audio.Rate16k, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(samples), w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// fakeServer serves one scripted answer and returns its address without a path.
func fakeServer(t *testing.T, lines ...edgetest.Line) string {
	t.Helper()
	fake := &edgetest.Server{Script: edgetest.Converse(lines...), Token: "secret"}
	server := httptest.NewServer(fake)
	t.Cleanup(func() {
		server.Close()
		for _, fault := range fake.Faults() {
			t.Errorf("the device breaks the protocol: %v", fault)
		}
	})
	return "ws" + strings.TrimPrefix(server.URL, "http")
}

// The command from its flags to its object and exit code, on a real socket.
func TestDeviceCommand(t *testing.T) {
	answer := edgetest.Line{Transcript: "hello", Pieces: []edgetest.Sound{{Text: "Hi.", PCM: make([]int16, 1600)}}}
	question := recorded(t)
	for _, format := range [][]string{{"--format", "opus", "--frame", "60ms"}, {"--format", "pcm", "--frame", "20ms", "--mode", "manual"}} {
		t.Run(strings.Join(format, " "), func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "reply.wav")
			args := append([]string{"device", "--url", fakeServer(t, answer), "--token", "secret", "--in", question, "--out", out, "--json"}, format...)
			var stdout, stderr bytes.Buffer
			if code := run(t.Context(), args, &stdout, &stderr); code != 0 {
				t.Fatalf("exit code %d, %s", code, &stderr)
			}
			var report struct {
				Session string
				Turns   []struct {
					Transcript, Reply, Heard string
				}
				Errors []string
			}
			if err := json.Unmarshal(stdout.Bytes(), &report); err != nil {
				t.Fatalf("not one JSON object: %v\n%s", err, &stdout)
			}
			if report.Session != "fake" || len(report.Turns) != 1 || report.Turns[0].Transcript != "hello" || report.Turns[0].Heard != "Hi." || len(report.Errors) != 0 {
				t.Errorf("report %s", &stdout)
			}
			if _, err := os.Stat(out); err != nil {
				t.Errorf("no recording: %v", err)
			}
		})
	}
}

// The exit code is 1 when a question went unanswered, and the object is printed
// all the same.
func TestDeviceCommandFails(t *testing.T) {
	question := recorded(t)
	var stdout, stderr bytes.Buffer
	args := []string{"device", "--url", fakeServer(t, edgetest.Line{Fail: wire.CodeTTS}), "--token", "secret", "--in", question, "--json"}
	if code := run(t.Context(), args, &stdout, &stderr); code != 1 || !strings.Contains(stdout.String(), `"errors":["question 1 (question.wav): tts_failed`) {
		t.Errorf("exit code %d, object %s; want 1 and the failure", code, &stdout)
	}
	if !strings.Contains(stderr.String(), "1 of 1") {
		t.Errorf("standard error says %q, want that 1 of 1 is missing", &stderr)
	}
}

func TestDeviceCommandLine(t *testing.T) {
	question := recorded(t)
	tests := []struct {
		name string
		args []string
		code int
		says string
	}{
		{"nothing to ask", nil, 2, "--in"},
		{"a frame that the protocol does not know", []string{"--in", question, "--frame", "30ms"}, 2, "--frame"},
		{"a format that the protocol does not know", []string{"--in", question, "--format", "mp3"}, 2, "--format"},
		{"a mode that the protocol does not know", []string{"--in", question, "--mode", "telepathy"}, 2, "--mode"},
		{"not a WebSocket", []string{"--in", question, "--url", "ftp://host"}, 1, "ws://"},
		{"abort in the past", []string{"--in", question, "--abort-after=-1s"}, 1, "negative"},
		{"no such file", []string{"--in", "/nowhere/q.wav"}, 1, "q.wav"},
		{"nobody there", []string{"--in", question, "--url", "ws://127.0.0.1:1"}, 1, "127.0.0.1:1"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if code := run(t.Context(), append([]string{"device"}, tc.args...), &stdout, &stderr); code != tc.code || !strings.Contains(stderr.String(), tc.says) {
				t.Errorf("exit code %d, %q; want %d and a word about %q", code, &stderr, tc.code, tc.says)
			}
		})
	}
}
