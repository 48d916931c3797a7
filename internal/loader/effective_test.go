package loader

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const everything = `
server: {listen: '0.0.0.0:1', signing_keys: {k1: $KEY}, origins: ['https://a.example', 'http://b:81']}
profiles:
  toy: {prompt: "You are a bear.\nYou growl: \"grr\" # loudly\u2028 ", barge_in: {backchannels: [mhm, "yes", "a: b"]}, resume_for: 90s}
devices:
  "a.b": {token: $TOKEN, profile: toy}
  "on": {token: $OTHER}
models:
  realtime: {cloud: {provider: openai, model: "4", api_key: $KEY}}
`

func readEverything(t *testing.T) (*Effective, Sources) {
	t.Helper()
	from := Sources{
		Providers: everyKind(), File: file(t, everything), Flags: map[string]string{"server.max_sessions": "7"},
		Environ: []string{"KEY=key-key-key-key-key-key-key-key-key", "TOKEN=token-token-token", "OTHER=other-other-other", "EDGED_LOG_FILES=3"},
	}
	e, err := Read(from)
	if err != nil {
		t.Fatal(err)
	}
	return e, from
}

// Each value stands with where it comes from.
func TestSettings(t *testing.T) {
	e, from := readEverything(t)
	settings := make(map[string]Setting)
	for _, s := range e.Settings() {
		settings[s.Key] = s
	}
	tests := []struct {
		key   string
		value any
		from  string
	}{
		{"server.listen", "0.0.0.0:1", from.File + ":2"},
		{"server.max_sessions", 7.0, "command line"},
		{"server.public", false, "built-in defaults"},
		{"server.origins", []any{"https://a.example", "http://b:81"}, from.File + ":2"},
		{"server.signing_keys.k1", "$KEY", from.File + ":2"},
		{"server.limits.audio_rate", 4.0, "built-in defaults"},
		{"log.files", 3.0, "EDGED_LOG_FILES"},
		{"profiles.toy.resume_for", "90s", from.File + ":4"},
		{"profiles.toy.history_turns", 20.0, "built-in defaults"},
		{"profiles.toy.phrases", map[string]any{}, "built-in defaults"},
		{"profiles.default.barge_in.backchannels", nil, "not set"},
		{`devices."a.b".profile`, "toy", from.File + ":6"},
		{"devices.on.profile", "default", "built-in defaults"},
		{"models.asr.local.engine", "pocketsphinx", "built-in defaults"},
		{"models.asr.local.decoders", 2.0, "built-in defaults"},
		{"models.realtime.cloud.provider", "openai", from.File + ":9"},
		{"models.realtime.cloud.voice", "alloy", "built-in defaults"},
		{"models.realtime.cloud.api_key", "$KEY", from.File + ":9"},
		{"models.labeler", map[string]any{}, "built-in defaults"},
		{"operators.token", nil, "not set"},
	}
	for _, tt := range tests {
		if s, ok := settings[tt.key]; !ok || !reflect.DeepEqual(s.Value, tt.value) || s.From() != tt.from {
			t.Errorf("%s = %#v from %q, want %#v from %q", tt.key, s.Value, s.From(), tt.value, tt.from)
		}
	}
	text, err := json.Marshal(e.Settings())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"key-key", "token-token", "other-other"} {
		if strings.Contains(string(text), s) {
			t.Errorf("the settings hold the secret %s", s)
		}
	}
}

// What is written is the same configuration again, and holds no secret.
func TestWriteYAML(t *testing.T) {
	e, from := readEverything(t)
	var out strings.Builder
	if err := e.WriteYAML(&out); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"key-key", "token-token", "other-other"} {
		if strings.Contains(out.String(), s) {
			t.Errorf("it holds the secret %s", s)
		}
	}
	for _, line := range []string{
		"  max_sessions: 7  # command line\n", "  listen: 0.0.0.0:1  # " + from.File + ":2\n", "    k1: $KEY  # " + from.File + ":2\n",
		"  files: 3  # EDGED_LOG_FILES\n", "  # token: not set\n", "      # backchannels: not set: those of the language\n", "  public: false  # built-in defaults\n",
	} {
		if !strings.Contains(out.String(), "\n"+line) {
			t.Errorf("it lacks %q:\n%s", line, &out)
		}
	}
	again, err := Load(Sources{Providers: from.Providers, File: file(t, out.String()), Environ: from.Environ[:3]})
	if err != nil {
		t.Fatalf("what was written does not load: %v\n%s", err, &out)
	}
	if !reflect.DeepEqual(again, e.Config) {
		t.Errorf("it loads as\n%+v\nwant\n%+v", again, e.Config)
	}
}

// A path may hold anything, also a line break, and stays within its comment.
func TestCommentOfOddFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a\nserver: {public: true}")
	from := Sources{File: directory(t, map[string]string{"x.yaml": "log: {files: 2}"})}
	e, err := Read(from)
	if err != nil {
		t.Fatal(err)
	}
	for n, source := range e.tree.sources {
		if source == filepath.Join(from.File, "x.yaml") {
			e.tree.sources[n] = name
		}
	}
	var out strings.Builder
	if err := e.WriteYAML(&out); err != nil {
		t.Fatal(err)
	}
	again, err := load(t, out.String(), nil, nil)
	if err != nil || !reflect.DeepEqual(again, e.Config) {
		t.Errorf("err = %v, public %v; want the same configuration\n%s", err, again != nil && again.Server.Public, &out)
	}
}
