package loader

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// directory writes files by name and returns where they are.
func directory(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if strings.HasSuffix(name, "/") {
			if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A directory is one configuration: its documents set different keys and declare
// different names, in whatever file, and several in one.
func TestDirectory(t *testing.T) {
	dir := directory(t, map[string]string{
		"10-server.yaml": "server: {listen: '127.0.0.1:1'}\n",
		"20-toys.yml":    "profiles: {toy: {prompt: You are a bear., language: de}}\ndevices:\n  bear: {token: $BEAR, profile: toy}\n---\ndevices:\n  owl: {token: $OWL}\nserver: {max_sessions: 9}\n",
		"30-empty.yaml":  "# nothing yet\n---\n---\n",
		".hidden.yaml":   "server: {lisen: x}\n",
		"..data/":        "",
	})
	if err := os.Symlink("..data/voices.yaml", filepath.Join(dir, "40-voices.yaml")); err != nil {
		t.Fatal(err)
	}
	voices := "models: {tts: {slow: {engine: flite, stretch: 1.5}}}\n"
	if err := os.WriteFile(filepath.Join(dir, "..data", "voices.yaml"), []byte(voices), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := Load(Sources{File: dir, Environ: []string{"BEAR=bear-bear-bear-bear", "OWL=owl-owl-owl-owl-owl"}})
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Server.Listen != "127.0.0.1:1" || cfg.Server.MaxSessions != 9 {
		t.Errorf("server = %+v, want the keys of both documents", cfg.Server)
	}
	if d := cfg.Devices; len(d) != 2 || d["bear"].Profile != "toy" || d["owl"].Profile != DefaultProfile {
		t.Errorf("devices = %v, want the bear with its profile and the owl with the default one", d)
	}
	if cfg.Models.TTS["slow"] != (Model{"flite", Flite{Voice: "rms", Language: "en", Stretch: 1.5}}) {
		t.Errorf("models.tts.slow = %+v, want what it says and the defaults of its engine", cfg.Models.TTS["slow"])
	}
	if cfg.Server.Anonymous {
		t.Error("a directory brings the development settings with it")
	}
}

// A profile begins with the built-in values, whatever the profile default sets.
func TestProfileBegins(t *testing.T) {
	cfg, err := load(t, "profiles:\n  default: {history_turns: 3, barge_in: {min_words: 9}}\n  toy: {barge_in: {min_words: 2}}\n", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	toy := cfg.Profiles["toy"]
	if !toy.BargeIn.Enabled || toy.BargeIn.MinWords != 2 || toy.HistoryTurns != 20 || toy.TTS != "local" || !toy.Endpointing.Adaptive {
		t.Errorf("profile toy = %+v, want the built-in values but for min_words", toy)
	}
}

// What two documents say, or what is in the way, and what its author is told.
func TestDirectoryProblems(t *testing.T) {
	tests := []struct {
		name   string
		files  map[string]string
		source string // of the one problem, "" for the directory
		line   int
		key    string
		says   string
	}{
		{"one device in two files", map[string]string{
			"a.yaml": "devices:\n  toy: {token: $T}\n", "b.yaml": "\ndevices:\n  toy: {token: $T}\n"},
			"b.yaml", 3, "devices.toy", "is set at DIR/a.yaml:2:3, too"},
		{"one profile in two files, with different keys", map[string]string{
			"a.yaml": "profiles:\n  toy: {language: de}\n", "b.yaml": "profiles:\n  toy: {prompt: Be nice.}\n"},
			"b.yaml", 2, "profiles.toy", "is set at DIR/a.yaml:2:3, too"},
		{"one model in two documents of a file", map[string]string{
			"a.yaml": "models: {tts: {x: {engine: flite}}}\n---\nmodels:\n  tts:\n    x: {stretch: 2}\n"},
			"a.yaml", 5, "models.tts.x", "is set at DIR/a.yaml:1:16, too"},
		{"one signing key in two files", map[string]string{
			"a.yaml": "server: {signing_keys: {k: $K}}\n", "b.yaml": "server: {signing_keys: {k: $K}}\n"},
			"b.yaml", 1, "server.signing_keys.k", "is set at DIR/a.yaml:1:25, too"},
		{"one key in two files", map[string]string{"a.yaml": "server: {public: true}\n", "b.yml": "server: {public: true}\n"},
			"b.yml", 1, "server.public", "is set at DIR/a.yaml:1:10, too"},
		{"one list in two files", map[string]string{"a.yaml": "server: {origins: []}\n", "b.yml": "server: {origins: []}\n"},
			"b.yml", 1, "server.origins", "is set at DIR/a.yaml:1:10, too"},
		{"one name twice in a document", map[string]string{"a.yaml": "devices:\n  toy: {token: $T}\n  toy: {token: $T}\n"},
			"a.yaml", 3, "devices.toy", "set twice; the first time at DIR/a.yaml:2:3"},
		{"a file that is no document", map[string]string{"a.yaml": "", "README.txt": ""}, "README.txt", 0, "", "no document of the configuration"},
		{"the copy of an editor", map[string]string{"a.yaml": "", "a.yaml~": ""}, "a.yaml~", 0, "", "no document of the configuration"},
		{"a directory inside", map[string]string{"a.yaml": "", "more.yaml/": ""}, "more.yaml", 0, "", "no document of the configuration"},
		{"nothing", map[string]string{".hidden.yaml": ""}, "", 0, "", "holds no configuration"},
		{"a document that is a list", map[string]string{"a.yaml": "- 1\n"}, "a.yaml", 1, "", "not a mapping"},
		{"a broken document", map[string]string{"a.yaml": "devices: {toy: {token: $T, profile: bear}}\n", "b.yaml": "profiles:\n  bear: {\n"},
			"b.yaml", 2, "", "did not find"}, // and not that there is no bear
		{"a key that is no text", map[string]string{"a.yaml": "devices:\n  ? [toy]\n  : {token: $T}\n"}, "a.yaml", 2, "devices", "a key that is no text"},
		{"a merge", map[string]string{"a.yaml": "server:\n  <<: {public: true}\n"}, "a.yaml", 2, "server", "a key that is no text"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := directory(t, tt.files)
			_, err := Load(Sources{File: dir, Environ: []string{"T=0123456789abcdef", "K=0123456789abcdef0123456789abcdef"}})
			var problems Problems
			if !errors.As(err, &problems) || len(problems) != 1 {
				t.Fatalf("err = %v, want one problem", err)
			}
			p := problems[0]
			if p.Source != filepath.Join(dir, tt.source) || p.Line != tt.line || p.Key != tt.key {
				t.Errorf("reported at %s:%d, key %q; want %s:%d, key %q", p.Source, p.Line, p.Key, tt.source, tt.line, tt.key)
			}
			if want := strings.ReplaceAll(tt.says, "DIR", dir); !strings.Contains(p.Message, want) {
				t.Errorf("says %q, want %q", p.Message, want)
			}
		})
	}
}

// What cannot be read is a problem beside the others, with its cause.
func TestUnreadable(t *testing.T) {
	dir := directory(t, map[string]string{"a.yaml": "server: {lisen: x}\n"})
	if err := os.Symlink(filepath.Join(dir, "gone"), filepath.Join(dir, "b.yaml")); err != nil {
		t.Fatal(err)
	}
	large := filepath.Join(dir, "c.yaml")
	if err := os.WriteFile(large, []byte("# "+strings.Repeat("x", maxDocument)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Load(Sources{File: dir})
	var problems Problems
	if !errors.As(err, &problems) || len(problems) != 3 {
		t.Fatalf("err = %v, want three problems", err)
	}
	if !errors.Is(problems[1], os.ErrNotExist) || problems[1].Source != filepath.Join(dir, "b.yaml") {
		t.Errorf("the second is %v, want that b.yaml leads nowhere", problems[1])
	}
	if problems[2].Source != large || !strings.Contains(problems[2].Message, "more than") {
		t.Errorf("the third is %v, want that c.yaml is too large", problems[2])
	}
}

// Variables may stand in a file, which can be written anew while a server runs. The
// environment counts before it.
func TestEnvFile(t *testing.T) {
	dir := directory(t, map[string]string{
		"edged.yaml": "devices: {bear: {token: $BEAR}, owl: {token: $OWL}}\n",
		"secrets":    "# tokens\n\nBEAR=\"bear bear bear bear\"\nOWL=not-this-one-not-this-one\nEDGED_SERVER_MAX_SESSIONS=7\n",
		"broken":     "BEAR=x\nexport OWL=y\nOWL\n",
	})
	from := Sources{File: filepath.Join(dir, "edged.yaml"), EnvFile: filepath.Join(dir, "secrets"), Environ: []string{"OWL=owl-owl-owl-owl-owl"}}
	cfg, err := Load(from)
	if err != nil {
		t.Fatal(err)
	}
	if bear, owl := cfg.Devices["bear"].Token.Reveal(), cfg.Devices["owl"].Token.Reveal(); bear != "bear bear bear bear" || owl != "owl-owl-owl-owl-owl" {
		t.Errorf("tokens %q and %q, want that of the file and that of the environment", bear, owl)
	}
	if cfg.Server.MaxSessions != 7 {
		t.Errorf("max_sessions = %d, want 7 of the file", cfg.Server.MaxSessions)
	}
	from.EnvFile = filepath.Join(dir, "broken")
	var problems Problems
	if _, err := Load(from); !errors.As(err, &problems) || len(problems) != 3 { // two lines, and a short token
		t.Fatalf("err = %v, want three problems", err)
	}
	if p := problems[0]; p.Source != from.EnvFile || p.Line != 2 || p.Allowed != "NAME=value" || strings.Contains(p.Error(), "=y") {
		t.Errorf("the first is %v, want that of line 2, without the value", p)
	}
	from.EnvFile = filepath.Join(dir, "none")
	if _, err := Load(from); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("err = %v, want os.ErrNotExist", err)
	}
}
