package main

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"edged/internal/loader"
)

// edged runs a command and returns what it printed and its exit code.
func edged(args ...string) (stdout, stderr string, code int) {
	var out, err bytes.Buffer
	code = run(context.Background(), args, &out, &err)
	return out.String(), err.String(), code
}

// What is printed is the configuration in force, with where it comes from and
// without its secrets; it can be read again and is the same.
func TestConfigPrint(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.yaml"), "devices: {kitchen: {token: $EDGED_TEST_TOKEN}}\n")
	write(t, filepath.Join(dir, "b.yaml"), "server:\n  max_sessions: 7\n")
	t.Setenv("EDGED_TEST_TOKEN", "kitchen-kitchen-kitchen")
	t.Setenv("EDGED_LOG_FILES", "3")
	printed, stderr, code := edged("config", "print", "--config", dir, "--set", "server.idle_timeout=90s")
	if code != 0 {
		t.Fatalf("exited with %d: %s", code, stderr)
	}
	for _, line := range []string{
		"max_sessions: 7  # " + filepath.Join(dir, "b.yaml") + ":2", "idle_timeout: 90s  # command line", "files: 3  # EDGED_LOG_FILES",
		"token: $EDGED_TEST_TOKEN  # " + filepath.Join(dir, "a.yaml") + ":1", "decoders: 2  # built-in defaults",
	} {
		if !strings.Contains(printed, line) {
			t.Errorf("lacks %q", line)
		}
	}
	if strings.Contains(printed, "kitchen-kitchen") {
		t.Error("the token is shown")
	}
	again := filepath.Join(t.TempDir(), "again.yaml")
	write(t, again, printed)
	for _, args := range [][]string{{"--config", again}, {"--config", dir, "--set", "server.idle_timeout=90s"}} {
		text, stderr, code := edged(append([]string{"config", "print", "--json"}, args...)...)
		if code != 0 {
			t.Fatalf("%v exited with %d: %s", args, code, stderr)
		}
		var settings []loader.Setting
		if err := json.Unmarshal([]byte(text), &settings); err != nil {
			t.Fatal(err)
		}
		values := make(map[string]any)
		for _, s := range settings {
			values[s.Key] = s.Value
		}
		if values["server.max_sessions"] != 7.0 || values["server.idle_timeout"] != "90s" || values["devices.kitchen.token"] != "$EDGED_TEST_TOKEN" {
			t.Errorf("%v: the values are %v", args, values)
		}
	}
}

// The schema takes what is printed and refuses a mistake.
func TestConfigSchema(t *testing.T) {
	text, stderr, code := edged("config", "schema")
	if code != 0 {
		t.Fatalf("exited with %d: %s", code, stderr)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("edged.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("edged.json")
	if err != nil {
		t.Fatal(err)
	}
	printed, _, _ := edged("config", "print")
	for document, good := range map[string]bool{printed: true, "server: {lisen: x}": false, "models: {tts: {local: {voice: bob}}}": false} {
		var v any
		if err := yaml.Unmarshal([]byte(document), &v); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); (err == nil) != good {
			t.Errorf("%.60s: %v", document, err)
		}
	}
}

// A check says everything at once and exits by it.
func TestConfigCheck(t *testing.T) {
	dir := t.TempDir()
	bad, open, good := filepath.Join(dir, "bad.yaml"), filepath.Join(dir, "open.yaml"), filepath.Join(dir, "good.yaml")
	write(t, bad, "server:\n  lisen: x\n  max_sessions: 0\ndevices:\n  a: {token: hunter2}\n")
	write(t, open, "server: {listen: '0.0.0.0:1', public: true, anonymous: true}\n")
	write(t, good, "devices: {kitchen: {token: $EDGED_TEST_TOKEN}}\n")
	t.Setenv("EDGED_TEST_TOKEN", "kitchen-kitchen-kitchen")
	tests := []struct {
		name  string
		args  []string
		code  int
		lines []string // each line begins with one
	}{
		{"problems", []string{"--config", bad}, 1, []string{bad + ":2:3: server.lisen: is not a known key; allowed: listen", bad + ":3:17: server.max_sessions: 0 is out of range; allowed: 1 to 100000",
			bad + ":5:14: devices.a.token: a secret must not stand in the configuration; allowed: $NAME", "not ok: 3 problems"}},
		{"unwise", []string{"--config", open}, 0, []string{"warning: " + open + ":1:39: server.public: anyone who reaches the server may talk to it", "ok: listens on 0.0.0.0:1, 3 models, 1 profile, 0 devices, 0 signing keys, anonymous devices"}},
		{"good", []string{"--config", good}, 0, []string{"ok: listens on 127.0.0.1:8080, 3 models, 1 profile, 1 device, 0 signing keys, no anonymous devices"}},
		{"nothing", nil, 0, []string{"ok: "}},
		{"no file", []string{"--config", filepath.Join(dir, "none")}, 1, []string{filepath.Join(dir, "none") + ": no such file", "not ok: 1 problem"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stdout, stderr, code := edged(append([]string{"config", "check"}, tt.args...)...)
			if code != tt.code || stderr != "" {
				t.Errorf("exited with %d, want %d; standard error: %q", code, tt.code, stderr)
			}
			lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
			if len(lines) != len(tt.lines) {
				t.Fatalf("printed\n%s\nwant %d lines", stdout, len(tt.lines))
			}
			for i, want := range tt.lines {
				if !strings.HasPrefix(lines[i], want) {
					t.Errorf("line %d is %q, want %q", i+1, lines[i], want)
				}
			}
			if strings.Contains(stdout, "hunter2") {
				t.Error("a secret is shown")
			}
		})
	}
}

// Every engine that a configuration may declare is one that is loaded.
func TestProvidersAreLoaded(t *testing.T) {
	for _, p := range providers() {
		m := loader.Model{Engine: p.Engine, Settings: p.Settings}
		var models loader.Models
		switch p.Kind {
		case loader.KindASR:
			models.ASR = map[string]loader.Model{"x": m}
		case loader.KindGenerator:
			models.Generator = map[string]loader.Model{"x": m}
		case loader.KindTTS:
			models.TTS = map[string]loader.Model{"x": m}
		default:
			t.Errorf("nothing loads models of the kind %s", p.Kind)
			continue
		}
		engines, err := loadEngines(models)
		if err != nil {
			t.Errorf("%s %s: %v", p.Kind, p.Engine, err)
			continue
		}
		if err := engines.Close(); err != nil {
			t.Error(err)
		}
	}
	// What is declared and not loaded is an error, not a panic.
	if _, err := loadEngines(loader.Models{ASR: map[string]loader.Model{"x": {Engine: "other"}}}); err == nil || !strings.Contains(err.Error(), `models.asr.x: the engine "other"`) {
		t.Errorf("err = %v, want that the engine cannot be loaded", err)
	}
}
