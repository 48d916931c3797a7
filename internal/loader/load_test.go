package loader

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func load(t *testing.T, yaml string, environ []string, flags map[string]string) (*Config, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "edged.yaml")
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(Sources{File: file, Environ: environ, Flags: flags})
}

func TestBuiltInConfiguration(t *testing.T) {
	dev, err := Load(Sources{})
	if err != nil {
		t.Fatalf("the built-in configuration does not load: %v", err)
	}
	if !dev.Server.Anonymous || !dev.Server.Transcripts {
		t.Errorf("development settings: anonymous %v, transcripts %v, want both", dev.Server.Anonymous, dev.Server.Transcripts)
	}
	if !strings.HasPrefix(dev.Server.Listen, "127.0.0.1:") {
		t.Errorf("the development server listens on %q, want loopback", dev.Server.Listen)
	}
	// A file, even an empty one, leaves the development settings behind.
	prod, err := load(t, "", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if prod.Server.Anonymous || prod.Server.Transcripts || prod.Server.Public {
		t.Errorf("defaults under a file are open: %+v", prod.Server)
	}
	if p := prod.Profiles[DefaultProfile]; p.Endpointing.MinSilence != 600*time.Millisecond || p.ASR != "local" {
		t.Errorf("default profile = %+v", p)
	}
}

func TestLayers(t *testing.T) {
	const file = "server: {listen: '127.0.0.1:1', max_sessions: 7, idle_timeout: 9s}\nprofiles: {default: {tts: deep}}\nmodels: {tts: {deep: {engine: flite, voice: rms, stretch: 1.1}}}\n"
	cfg, err := load(t, file,
		[]string{"EDGED_SERVER_LISTEN=127.0.0.1:2", "EDGED_SERVER_MAX_SESSIONS=8", "EDGED_MODELS_TTS_DEEP_VOICE=awb", "EDGED_HOME=/somewhere", "HOME=/root"},
		map[string]string{"server.listen": "127.0.0.1:3"})
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Server.Listen != "127.0.0.1:3" {
		t.Errorf("listen = %s, want the flag's", cfg.Server.Listen)
	}
	if cfg.Server.MaxSessions != 8 {
		t.Errorf("max_sessions = %d, want the environment's 8", cfg.Server.MaxSessions)
	}
	if cfg.Server.IdleTimeout != 9*time.Second {
		t.Errorf("idle_timeout = %v, want the file's 9s", cfg.Server.IdleTimeout)
	}
	if got := cfg.Models.TTS["deep"]; got.Voice != "awb" || got.Stretch != 1.1 {
		t.Errorf("models.tts.deep = %+v, want voice awb from the environment and stretch 1.1 from the file", got)
	}
	if p := cfg.Profiles[DefaultProfile]; p.TTS != "deep" || p.ASR != "local" {
		t.Errorf("profile = %+v, want tts from the file and asr from the defaults", p)
	}
}

func TestSecrets(t *testing.T) {
	cfg, err := load(t, "devices: {toy: {token: $TOY}}", []string{"TOY=s3cret-s3cret-s3cret"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	token := cfg.Devices["toy"].Token
	if token.Reveal() != "s3cret-s3cret-s3cret" {
		t.Errorf("token = %q, want the variable's", token.Reveal())
	}
	if shown := token.String(); strings.Contains(shown, "s3") {
		t.Errorf("the token shows itself as %q", shown)
	}
}

// Each row is one mistake, and what its author is told.
func TestProblems(t *testing.T) {
	tests := []struct {
		name, file string
		environ    []string
		line       int
		key        string
		says       string
		allowed    string
	}{
		{"unknown key", "server:\n  lisen: x\n", nil, 2, "server.lisen", "not a known key", "listen, public"},
		{"unknown top-level key", "serwer: {}\n", nil, 1, "serwer", "not a known key", "server, models, profiles, devices"},
		{"wrong type", "server:\n  max_sessions: many\n", nil, 2, "server.max_sessions", `"many" does not fit`, "a whole number"},
		{"text where a mapping belongs", "server: yes please\n", nil, 1, "server", "does not fit", "a mapping with the keys"},
		{"a list where text belongs", "server:\n  listen: [a]\n", nil, 2, "server.listen", "a list does not fit", "text"},
		{"a number as text", "profiles:\n  default:\n    prompt: 5\n", nil, 3, "profiles.default.prompt", "does not fit", "quotes"},
		{"a duration without unit", "server:\n  idle_timeout: 10\n", nil, 2, "server.idle_timeout", "does not fit", "600ms"},
		{"impossible value", "server:\n  max_sessions: 0\n", nil, 2, "server.max_sessions", "out of range", "1 to 100000"},
		{"impossible port", "server:\n  listen: 127.0.0.1:99999\n", nil, 2, "server.listen", "not a port", "65535"},
		{"unknown engine", "models:\n  asr:\n    local: {engine: whisper}\n", nil, 3, "models.asr.local.engine", `"whisper" is not known`, "pocketsphinx"},
		{"unknown voice", "models:\n  tts:\n    local:\n      voice: bob\n", nil, 4, "models.tts.local.voice", "not known", "rms, slt, awb, kal16"},
		{"unknown time zone", "models:\n  generator:\n    rules: {timezone: Mars/Base}\n", nil, 3, "models.generator.rules.timezone", "not a time zone", "IANA"},
		{"unknown model", "profiles:\n  toy: {asr: cloud, generator: rules, tts: local}\n", nil, 2, "profiles.toy.asr", `no "cloud"`, "local"},
		{"unknown profile", "devices:\n  a: {token: $T, profile: toy}\n", []string{"T=0123456789abcdef"}, 2, "devices.a.profile", `no "toy"`, "default"},
		{"a secret in the file", "devices:\n  a: {token: hunter2}\n", nil, 2, "devices.a.token", "must not stand", "$NAME"},
		{"a secret that is not there", "devices:\n  a: {token: $NOWHERE}\n", nil, 2, "devices.a.token", "NOWHERE is not set", ""},
		{"two devices with one token", "devices:\n  a: {token: $T}\n  b: {token: $T}\n", []string{"T=0123456789abcdef"}, 3, "devices.b.token", `"a" too`, ""},
		{"a short token", "devices:\n  a: {token: $T}\n", []string{"T=x"}, 2, "devices.a.token", "only 1 bytes", "16"},
		{"a short signing key", "server:\n  signing_keys: {k1: $K}\n", []string{"K=short"}, 2, "server.signing_keys.k1", "only 5 bytes", "32"},
		{"a key set twice", "server:\n  public: true\n  public: false\n", nil, 3, "server.public", "twice", ""},
		{"an alias", "server: &s {}\n", nil, 1, "", "anchor", ""},
		{"broken YAML", "server: [\n", nil, 0, "", "did not find", ""},
		{"two documents", "server: {}\n---\nserver: {}\n", nil, 0, "", "more than one document", ""},
		{"a bad origin", "server:\n  origins: [panel]\n", nil, 2, "server.origins", "not an origin", "https://"},
		{"an unknown variable", "", []string{"EDGED_SERVER_LISEN=x"}, 0, "server", `"LISEN"`, "listen"},
		{"a wrong value in a variable", "", []string{"EDGED_SERVER_PUBLIC=perhaps"}, 0, "server.public", "does not fit", "true or false"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := load(t, tt.file, tt.environ, nil)
			var problems Problems
			if !errors.As(err, &problems) {
				t.Fatalf("err = %v, want Problems", err)
			}
			if len(problems) != 1 {
				t.Fatalf("%d problems, want 1:\n%v", len(problems), err)
			}
			p := problems[0]
			if p.Line != tt.line || p.Key != tt.key {
				t.Errorf("reported at line %d, key %q; want line %d, key %q\n%v", p.Line, p.Key, tt.line, tt.key, p)
			}
			if !strings.Contains(p.Message, tt.says) || !strings.Contains(p.Allowed, tt.allowed) {
				t.Errorf("says %q, allowed %q; want %q and %q", p.Message, p.Allowed, tt.says, tt.allowed)
			}
			if strings.Contains(p.Error(), "hunter2") && tt.name == "a secret in the file" {
				t.Errorf("the problem shows the secret: %v", p)
			}
		})
	}
}

func TestAllProblemsAtOnce(t *testing.T) {
	_, err := load(t, "server:\n  lisen: x\n  public: 3\nmodel: {}\n", nil, nil)
	var problems Problems
	if !errors.As(err, &problems) || len(problems) != 3 {
		t.Fatalf("want three problems, got: %v", err)
	}
	var one Problem
	if !errors.As(err, &one) || one.Line != 2 {
		t.Errorf("the first is %v, want that of line 2", one)
	}
}

func TestMissingFile(t *testing.T) {
	_, err := Load(Sources{File: filepath.Join(t.TempDir(), "none.yaml")})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("err = %v, want os.ErrNotExist", err)
	}
}

func FuzzDocument(f *testing.F) {
	for _, seed := range []string{"", "server: {}", "a: [b, {c: d}]", "- 1", "? {a: b}\n: c", "server: {signing_keys: {? [a] : $X}}", string(defaultsYAML)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, yaml string) {
		cfg, err := load(t, yaml, []string{"X=y"}, nil)
		if (cfg == nil) == (err == nil) {
			t.Errorf("config %v with error %v", cfg, err)
		}
	})
}
