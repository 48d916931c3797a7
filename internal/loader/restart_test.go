package loader

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// What may change in a running server, and what takes a restart: key by key.
func TestReload(t *testing.T) {
	const before = "server: {max_sessions: 7, signing_keys: {k: $K}}\nprofiles: {toy: {language: de}}\ndevices: {bear: {token: $T}}\n" +
		"models: {tts: {slow: {engine: flite, stretch: 1.5}}}\noperators: {token: $T}\n"
	environ := []string{"T=0123456789abcdef", "T2=fedcba9876543210", "K=0123456789abcdef0123456789abcdef"}
	tests := []struct {
		name, after string
		keys        []string // that take a restart
		says        string
	}{
		{"nothing", before, nil, ""},
		{"profiles", strings.Replace(before, "{toy: {language: de}}", "{toy: {language: en, resume_for: 5s}, bear: {}}", 1), nil, ""},
		{"devices and keys", strings.NewReplacer("{bear: {token: $T}}", "{owl: {token: $T2, profile: toy}}", "{k: $K}", "{}").Replace(before), nil, ""},
		{"an address", "server: {max_sessions: 7, listen: '127.0.0.1:9'}\noperators: {token: $T}\nmodels: {tts: {slow: {engine: flite, stretch: 1.5}}}\n",
			[]string{"server.listen"}, `is "127.0.0.1:8080" in the running server and "127.0.0.1:9" here`},
		{"limits and log", before + "---\nserver: {limits: {audio_rate: 8}}\nlog: {files: 9}\n", []string{"server.limits.audio_rate", "log.files"}, "is 4 in the running server and 8 here"},
		{"a new model", before + "---\nmodels: {tts: {fast: {engine: flite}}}\n", []string{"models.tts.fast"}, "is new"},
		{"a model is gone", strings.Replace(before, "slow: {engine: flite, stretch: 1.5}", "", 1), []string{"models.tts.slow"}, "is gone"},
		{"a setting of a model", strings.Replace(before, "1.5", "1.25", 1), []string{"models.tts.slow.stretch"}, "is 1.5 in the running server and 1.25 here"},
		{"the operators' token", strings.Replace(before, "operators: {token: $T}", "operators: {token: $T2}", 1), []string{"operators.token"}, "differs"},
		{"both sorts", strings.NewReplacer("max_sessions: 7", "max_sessions: 8", "language: de", "language: fr").Replace(before), []string{"server.max_sessions"}, "takes a restart"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			running, err := load(t, before, environ, nil)
			if err != nil {
				t.Fatal(err)
			}
			cfg, err := Reload(running, Sources{File: file(t, tt.after), Environ: environ})
			if tt.keys == nil {
				if err != nil || cfg == nil {
					t.Fatalf("err = %v, want a configuration", err)
				}
				return
			}
			var problems Problems
			if !errors.As(err, &problems) || cfg != nil {
				t.Fatalf("err = %v, want Problems", err)
			}
			var keys []string
			for _, p := range problems {
				keys = append(keys, p.Key)
				if !errors.Is(p, ErrRestart) || strings.Contains(p.Error(), environ[0][2:]) {
					t.Errorf("%v: want ErrRestart, and no secret", p)
				}
			}
			if !slices.Equal(keys, tt.keys) || !strings.Contains(problems[0].Message, tt.says) {
				t.Errorf("%v; want %q, the first %q", problems, tt.keys, tt.says)
			}
		})
	}
	// What is wrong is told before what takes a restart.
	running, err := load(t, before, environ, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Reload(running, Sources{File: file(t, "server: {lisen: x}")}); err == nil || errors.Is(err, ErrRestart) {
		t.Errorf("err = %v, want that the configuration is wrong", err)
	}
}

// What is legal and unwise is told with its place.
func TestWarnings(t *testing.T) {
	environ := []string{"T=0123456789abcdef"}
	for _, tt := range []struct {
		name, file string
		keys       []string
	}{
		{"nothing to say", "devices: {a: {token: $T}}", nil},
		{"open to anybody", "server: {anonymous: true, public: true}", []string{"server.public"}},
		{"nobody can connect", "server: {}", []string{"devices"}},
		{"transcripts of others", "server: {listen: ':1', transcripts: true}\ndevices: {a: {token: $T}}", []string{"server.transcripts"}},
		{"operators over plain HTTP", "operators: {listen: ':2', token: $T}\ndevices: {a: {token: $T}}", []string{"operators.listen"}},
		{"a model for nobody", "devices: {a: {token: $T}}\nmodels: {tts: {slow: {engine: flite}}}", []string{"models.tts.slow"}},
		{"a sentence that is waited for", "devices: {a: {token: $T}}\nprofiles: {default: {endpointing: {complete_silence: 2s}}}", []string{"profiles.default.endpointing.complete_silence"}},
		{"never interrupted", "devices: {a: {token: $T}}\nprofiles: {default: {barge_in: {min_words: 1, without_hold: ignore}}}", []string{"profiles.default.barge_in.without_hold"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, err := Read(Sources{File: file(t, tt.file), Environ: environ})
			if err != nil {
				t.Fatal(err)
			}
			var keys []string
			for _, w := range e.Warnings() {
				keys = append(keys, w.Key)
			}
			if !slices.Equal(keys, tt.keys) {
				t.Errorf("warns of %q, want %q: %v", keys, tt.keys, e.Warnings())
			}
		})
	}
}
