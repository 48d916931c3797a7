package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"edged/internal/edgetest/interview"
	"edged/internal/recordings"
)

// served runs "edged serve" on a free loopback port and returns its URL.
func served(t *testing.T, args ...string) (url string, out *logBuffer) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // where the operators' token goes
	// The ready file is a named pipe, so that reading it waits for the server.
	ready := filepath.Join(t.TempDir(), "url")
	if err := syscall.Mkfifo(ready, 0o600); err != nil {
		t.Fatal(err)
	}
	line := make(chan string, 1)
	go func() {
		text, _ := os.ReadFile(ready)
		line <- strings.TrimSpace(string(text))
	}()
	ctx, cancel := context.WithCancel(context.Background())
	out = &logBuffer{}
	code := make(chan int, 1)
	go func() {
		c := run(ctx, append([]string{"serve", "--listen", "127.0.0.1:0", "--ready-file", ready}, args...), out, out)
		code <- c
		if end, err := os.OpenFile(ready, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			end.Close() // releases a reader that would wait for ever
		}
	}()
	t.Cleanup(func() {
		cancel()
		if c := <-code; c != 0 {
			t.Errorf("serve exited with %d:\n%s", c, out)
		}
	})
	if url = <-line; url == "" {
		t.Fatalf("the server did not become ready:\n%s", out)
	}
	return url, out
}

// The commands as a person uses them, over a real socket in real time: two
// questions are asked, answered, written to a file and reported.
func TestCommands(t *testing.T) {
	url, _ := served(t)
	reply := filepath.Join(t.TempDir(), "reply.wav")
	var stdout, stderr bytes.Buffer
	code := run(context.Background(), []string{"device", "--url", url, "--json", "--out", reply,
		"--in", "../../testdata/audio/rms-what-is-seven-plus-five.wav",
		"--in", "../../testdata/audio/slt-what-is-six-times-eight.wav"}, &stdout, &stderr)
	if code != 0 {
		t.Fatalf("device exited with %d: %s", code, &stderr)
	}
	var report interview.Report
	if err := json.Unmarshal(stdout.Bytes(), &report); err != nil {
		t.Fatalf("the report is no JSON: %v\n%s", err, &stdout)
	}
	if len(report.Turns) != 2 || !strings.Contains(report.Turns[0].Reply, "12") || !strings.Contains(report.Turns[1].Reply, "48") {
		t.Errorf("report %s", &stdout)
	}
	if pcm := samples(t, reply); len(pcm) < int(recordings.Rate) {
		t.Errorf("%s holds %d samples, want both replies", reply, len(pcm))
	}
	http := "http" + strings.TrimSuffix(strings.TrimPrefix(url, "ws"), "/v1/ws")
	for _, path := range []string{"/healthz", "/readyz"} {
		if status := status(t, http+path); status != 200 {
			t.Errorf("%s: %d", path, status)
		}
	}
}

func status(t *testing.T, url string) int {
	t.Helper()
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode
}

// A server with tokens lets in who has one, and nobody else.
func TestTokens(t *testing.T) {
	config := filepath.Join(t.TempDir(), "edged.yaml")
	write(t, config, "server: {signing_keys: {k1: $EDGED_TEST_KEY}}\ndevices: {kitchen: {token: $EDGED_TEST_TOKEN}}\n")
	t.Setenv("EDGED_TEST_KEY", "0123456789abcdef0123456789abcdef")
	t.Setenv("EDGED_TEST_TOKEN", "kitchen-kitchen-kitchen")
	url, _ := served(t, "--config", config)

	var signed bytes.Buffer
	if code := run(context.Background(), []string{"token", "--config", config, "--device", "toy"}, &signed, &signed); code != 0 {
		t.Fatalf("token exited with %d: %s", code, &signed)
	}
	tests := []struct {
		name, device, token string
		code                int
	}{
		{"its own token", "kitchen", "kitchen-kitchen-kitchen", 0},
		{"a signed token", "toy", strings.TrimSpace(signed.String()), 0},
		{"no token", "toy", "", 1},
		{"a wrong token", "toy", "kitchen-kitchen-kitchem", 1},
		{"another device's token", "toy", "kitchen-kitchen-kitchen", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			code := run(context.Background(), []string{"device", "--url", url, "--device", tt.device, "--token", tt.token,
				"--in", "../../testdata/audio/rms-what-is-seven-plus-five.wav"}, &out, &out)
			if code != tt.code {
				t.Errorf("device exited with %d, want %d:\n%s", code, tt.code, &out)
			}
		})
	}
}

// What cannot work is said in words, with what to do.
func TestServeRefuses(t *testing.T) {
	dir := t.TempDir()
	bad, open := filepath.Join(dir, "bad.yaml"), filepath.Join(dir, "open.yaml")
	write(t, bad, "server:\n  lisen: x\n")
	write(t, open, "server: {anonymous: true, listen: '0.0.0.0:0'}\n")
	noModel := filepath.Join(dir, "nomodel.yaml")
	write(t, filepath.Join(dir, "README"), "")
	write(t, noModel, "models: {asr: {local: {model_dir: "+dir+"}}}\n")
	tests := []struct {
		name string
		args []string
		code int
		says []string
	}{
		{"an unknown key", []string{"--config", bad}, 1, []string{bad + ":2:3", "server.lisen", "listen"}},
		{"an impossible value", []string{"--set", "server.max_sessions=0"}, 1, []string{"command line", "server.max_sessions", "1 to"}},
		{"open to the world", []string{"--config", open}, 1, []string{"0.0.0.0:0", "tokens"}},
		{"no acoustic model", []string{"--config", noModel, "--listen", "127.0.0.1:0"}, 1, []string{"models.asr.local", "pocketsphinx-en-us", "apt"}},
		{"no such file", []string{"--config", filepath.Join(dir, "none.yaml")}, 1, []string{"none.yaml", "no such file"}},
		{"a directory with something else in it", []string{"--config", dir}, 1, []string{"README", "*.yaml"}},
		{"an unknown flag", []string{"--lisen", "x"}, 2, []string{"--lisen"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			if code := run(context.Background(), append([]string{"serve"}, tt.args...), &out, &out); code != tt.code {
				t.Errorf("exited with %d, want %d", code, tt.code)
			}
			for _, words := range tt.says {
				if !strings.Contains(out.String(), words) {
					t.Errorf("said %q, want %q in it", &out, words)
				}
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
