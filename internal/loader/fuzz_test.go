package loader

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// FuzzDocument reads one file: it has a configuration or problems.
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

// fuzzSecret is what nobody may ever be shown.
const fuzzSecret = "Qx7-Qx7-Qx7-Qx7-Qx7-Qx7-Qx7-Qx7-Qx7"

// FuzzSources reads a directory of two documents, a file of variables, a variable
// and a flag, which say what they like. It has problems, or a configuration that is
// written and read back the same. No secret is shown in either.
func FuzzSources(f *testing.F) {
	f.Add("devices: {a: {token: $T}}", "devices: {b: {token: $S}}", "S=sixteen-or-more-bytes", "SERVER_MAX_SESSIONS", "9", "server.public", "true")
	f.Add("profiles: {a: {}}\n---\nserver: {}", "profiles: {a: {}}", "", "PROFILES_A_PROMPT", "x\ny", "profiles.a.language", "de")
	f.Add("models: {realtime: {m: {provider: openai, model: m, api_key: $T}}}", "models: {tts: {local: {provider: openai}}}", "T=", "MODELS_TTS_LOCAL_MODEL", "'4'", `models."tts".local.api_key`, "$T")
	f.Fuzz(func(t *testing.T, first, second, variables, name, value, key, flag string) {
		dir := t.TempDir()
		for file, content := range map[string]string{"a.yaml": first, "b.yml": second, ".env": variables} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		from := Sources{
			Providers: everyKind(), File: dir, EnvFile: filepath.Join(dir, ".env"),
			Environ: []string{"EDGED_" + name + "=" + value, "T=" + fuzzSecret}, Flags: map[string]string{key: flag},
		}
		e, err := Read(from)
		if (e == nil) == (err == nil) {
			t.Fatalf("configuration %v with error %v", e, err)
		}
		if err != nil {
			if strings.Contains(err.Error(), fuzzSecret) {
				t.Errorf("a problem shows the secret: %v", err)
			}
			return
		}
		var out strings.Builder
		if err := e.WriteYAML(&out); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), fuzzSecret) {
			t.Errorf("the secret is written:\n%s", &out)
		}
		from.File = file(t, out.String()) // what lies over it says the same again
		again, err := Load(from)
		if err != nil || !reflect.DeepEqual(again, e.Config) {
			t.Errorf("what was written has %v:\n%s\nit loads as\n%+v\nwant\n%+v", err, &out, again, e.Config)
		}
		if _, err := Reload(e.Config, from); err != nil {
			t.Errorf("the same configuration cannot be loaded again: %v", err)
		}
	})
}
