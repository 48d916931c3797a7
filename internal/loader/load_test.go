package loader

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func load(t *testing.T, yaml string, environ []string, flags map[string]string) (*Config, error) {
	t.Helper()
	return Load(Sources{File: file(t, yaml), Environ: environ, Flags: flags})
}

// file writes a configuration and returns where it is.
func file(t *testing.T, yaml string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "edged.yaml")
	if err := os.WriteFile(name, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
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
	if p := prod.Profiles[DefaultProfile]; p.Endpointing.MinSpeech != 96*time.Millisecond || p.ASR != "local" {
		t.Errorf("default profile = %+v", p)
	}
}

// What a profile says of interruption when nobody has said anything.
func TestInterruptionDefaults(t *testing.T) {
	cfg, err := load(t, "", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := cfg.Profiles[DefaultProfile]
	barge := BargeIn{Enabled: true, MinSpeech: 200 * time.Millisecond, JudgeSpeech: 600 * time.Millisecond, HoldFor: 2 * time.Second, WithoutHold: "cancel"}
	if !reflect.DeepEqual(p.BargeIn, barge) {
		t.Errorf("barge_in = %+v, want %+v", p.BargeIn, barge)
	}
	if want := (Deadlines{ASR: 5 * time.Second, Generate: 12 * time.Second, TTS: 5 * time.Second}); p.Deadlines != want {
		t.Errorf("deadlines = %+v, want %+v", p.Deadlines, want)
	}
	if e := p.Endpointing; !e.Adaptive || e.CompleteSilence >= e.MinSilence || e.MinSilence < 1200*time.Millisecond || e.MaxSilence < e.MinSilence {
		t.Errorf("endpointing = %+v, want adaptive: a complete sentence ends early, all else outlasts a pause of 1.2 s", e)
	}
	if p.Language != "en" || p.ResumeFor != 30*time.Second {
		t.Errorf("language %q, resume_for %v, want en and 30s", p.Language, p.ResumeFor)
	}
	if cfg.Server.JournalDir != "" || cfg.Log.File != "" {
		t.Errorf("journals go to %q, the log to %q; what is said is written nowhere unless asked for", cfg.Server.JournalDir, cfg.Log.File)
	}
	if cfg.Operators.Token != "" {
		t.Error("there is an operators' token that nobody has set")
	}
}

// The keys of interruption, as a person writes them.
func TestInterruptionKeys(t *testing.T) {
	cfg, err := load(t, `
profiles:
  default:
    language: de
    barge_in: {enabled: false, min_words: 2, backchannels: [ja, genau], protect: 1500ms, without_hold: ignore}
    deadlines: {generate: 20s}
    endpointing: {adaptive: false, complete_silence: 250ms}
    resume_for: 0s
server: {journal_dir: /var/lib/edged}
log: {file: /var/log/edged.jsonl, files: 3}
operators: {listen: "127.0.0.1:9000", token: $EDGED_OPERATOR_TOKEN}
`, []string{"EDGED_OPERATOR_TOKEN=0123456789abcdef"}, nil) // which is no key of the configuration
	if err != nil {
		t.Fatal(err)
	}
	p := cfg.Profiles[DefaultProfile]
	barge := BargeIn{
		MinSpeech: 200 * time.Millisecond, MinWords: 2, Backchannels: []string{"ja", "genau"}, Protect: 1500 * time.Millisecond,
		JudgeSpeech: 600 * time.Millisecond, HoldFor: 2 * time.Second, WithoutHold: "ignore",
	}
	if !reflect.DeepEqual(p.BargeIn, barge) {
		t.Errorf("barge_in = %+v, want %+v", p.BargeIn, barge)
	}
	if p.Deadlines.Generate != 20*time.Second || p.Deadlines.ASR != 5*time.Second {
		t.Errorf("deadlines = %+v, want generate from the file and asr from the defaults", p.Deadlines)
	}
	if p.Endpointing.Adaptive || p.Endpointing.CompleteSilence != 250*time.Millisecond || p.ResumeFor != 0 || p.Language != "de" {
		t.Errorf("profile = %+v", p)
	}
	if cfg.Server.JournalDir != "/var/lib/edged" || cfg.Log.File != "/var/log/edged.jsonl" || cfg.Log.Files != 3 {
		t.Errorf("server %+v, log %+v", cfg.Server, cfg.Log)
	}
	if cfg.Operators.Listen != "127.0.0.1:9000" || cfg.Operators.Token.Reveal() != "0123456789abcdef" {
		t.Errorf("operators = %+v", cfg.Operators)
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
	if got := cfg.Models.TTS["deep"]; got != (Model{"flite", Flite{Voice: "awb", Language: "en", Stretch: 1.1}}) {
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
		{"impossible port", "server:\n  listen: 127.0.0.1:99999\n", nil, 2, "server.listen", "not a port from 0 to 65535", "host:port"},
		{"unknown engine", "models:\n  asr:\n    local: {engine: whisper}\n", nil, 3, "models.asr.local.engine", `"whisper" is not known`, "pocketsphinx"},
		{"unknown voice", "models:\n  tts:\n    local:\n      voice: bob\n", nil, 4, "models.tts.local.voice", "not known", "rms, slt, awb, kal16"},
		{"unknown time zone", "models:\n  generator:\n    rules: {timezone: Mars/Base}\n", nil, 3, "models.generator.rules.timezone", "not a time zone", "IANA"},
		{"unknown model", "profiles:\n  toy: {asr: cloud, generator: rules, tts: local}\n", nil, 2, "profiles.toy.asr", `no "cloud"`, "local"},
		{"unknown profile", "devices:\n  a: {token: $T, profile: toy}\n", []string{"T=0123456789abcdef"}, 2, "devices.a.profile", `no "toy"`, "default"},
		{"a secret in the file", "devices:\n  a: {token: hunter2}\n", nil, 2, "devices.a.token", "must not stand", "$NAME"},
		{"a secret that is not there", "devices:\n  a: {token: $NOWHERE}\n", nil, 2, "devices.a.token", "NOWHERE is not set", ""},
		{"two devices with one token", "devices:\n  a: {token: $T}\n  b: {token: $T}\n", []string{"T=0123456789abcdef"}, 3, "devices.b.token", `token of "a", too`, "its own"},
		{"a short token", "devices:\n  a: {token: $T}\n", []string{"T=x"}, 2, "devices.a.token", "is 1 bytes long", "16 to"},
		{"a short signing key", "server:\n  signing_keys: {k1: $K}\n", []string{"K=short"}, 2, "server.signing_keys.k1", "is 5 bytes long", "32 to"},
		{"a key set twice", "server:\n  public: true\n  public: false\n", nil, 3, "server.public", "twice", ""},
		{"an alias", "server: &s {}\n", nil, 1, "server", "anchor", "plain"},
		{"broken YAML", "server: {}\nlog: [\n", nil, 2, "", "did not find", ""},
		{"a bad origin", "server:\n  origins: [panel]\n", nil, 2, "server.origins[0]", "not an origin", "https://"},
		{"an operators' address", "operators:\n  listen: nine\n", nil, 2, "operators.listen", "not an address", "host:port"},
		{"an operators' token in the file", "operators:\n  token: hunter2\n", nil, 2, "operators.token", "must not stand", "$NAME"},
		{"a short operators' token", "operators:\n  token: $T\n", []string{"T=x"}, 2, "operators.token", "is 1 bytes long", "16 to"},
		{"no tails at all", "operators:\n  tails: 0\n", nil, 2, "operators.tails", "out of range", "1 to 1000"},
		{"a log that keeps nothing", "log:\n  keep_events: 0\n", nil, 2, "log.keep_events", "out of range", "100 to"},
		{"a log of too few bytes", "log:\n  keep_bytes: 100\n", nil, 2, "log.keep_bytes", "out of range", "65536 to"},
		{"no log file at all", "log:\n  file: x.log\n  files: 0\n", nil, 3, "log.files", "out of range", "1 to 100"},
		{"a tiny log file", "log:\n  file_bytes: 10\n", nil, 2, "log.file_bytes", "out of range", "65536 to"},
		{"an unknown language", "profiles:\n  default:\n    language: xx\n", nil, 3, "profiles.default.language", `"xx" is not known`, "en, de, es, fr, zh, ja"},
		{"a word for a switch", "profiles:\n  default:\n    barge_in: {enabled: perhaps}\n", nil, 3, "profiles.default.barge_in.enabled", "does not fit", "true or false"},
		{"endless speech before a barge-in", "profiles:\n  default:\n    barge_in: {min_speech: 1m}\n", nil, 3, "profiles.default.barge_in.min_speech", "out of range", "5s"},
		{"too many words before a barge-in", "profiles:\n  default:\n    barge_in: {min_words: 99}\n", nil, 3, "profiles.default.barge_in.min_words", "out of range", "0 to 20"},
		{"a reply held for ever", "profiles:\n  default:\n    barge_in: {hold_for: 1h}\n", nil, 3, "profiles.default.barge_in.hold_for", "out of range", "30s"},
		{"an opening protected for ever", "profiles:\n  default:\n    barge_in: {protect: 1h}\n", nil, 3, "profiles.default.barge_in.protect", "out of range", "1m"},
		{"judging for ever", "profiles:\n  default:\n    barge_in: {judge_speech: 1h}\n", nil, 3, "profiles.default.barge_in.judge_speech", "out of range", "10s"},
		{"a third way without hold", "profiles:\n  default:\n    barge_in: {without_hold: wait}\n", nil, 3, "profiles.default.barge_in.without_hold", `"wait" is not known`, "cancel, ignore"},
		{"one back-channel that is no list", "profiles:\n  default:\n    barge_in: {backchannels: yeah}\n", nil, 3, "profiles.default.barge_in.backchannels", "does not fit", "a list"},
		{"a negative deadline", "profiles:\n  default:\n    deadlines: {asr: -1s}\n", nil, 3, "profiles.default.deadlines.asr", "out of range", "0s to"},
		{"an endless deadline of the model", "profiles:\n  default:\n    deadlines: {generate: 1h}\n", nil, 3, "profiles.default.deadlines.generate", "out of range", "5m"},
		{"an endless deadline of the voice", "profiles:\n  default:\n    deadlines: {tts: 1h}\n", nil, 3, "profiles.default.deadlines.tts", "out of range", "5m"},
		{"a session that waits for days", "profiles:\n  default:\n    resume_for: 48h\n", nil, 3, "profiles.default.resume_for", "out of range", "1h"},
		{"silence for ever", "profiles:\n  default:\n    endpointing: {max_silence: 1m}\n", nil, 3, "profiles.default.endpointing.max_silence", "out of range", "10s"},
		{"silence for ever after all is said", "profiles:\n  default:\n    endpointing: {complete_silence: 1m}\n", nil, 3, "profiles.default.endpointing.complete_silence", "out of range", "10s"},
		{"a journal that is no path", "server:\n  journal_dir: [a]\n", nil, 2, "server.journal_dir", "a list does not fit", "text"},
		{"a device without a token", "devices:\n  a: {profile: default}\n", nil, 2, "devices.a", "has no token", "$NAME"},
		{"a device that is nothing", "devices:\n  a:\n", nil, 2, "devices.a", "has no token", "$NAME"},
		{"a secret in the wrong place", "devices:\n  a: hunter2\n", nil, 2, "devices.a", "the value does not fit", "token"},
		{"a secret that is no mapping of keys", "server:\n  signing_keys: hunter2\n", nil, 2, "server.signing_keys", "the value does not fit", "a mapping"},
		{"a secret by a name that no variable has", "devices:\n  a: {token: $hunter-2}\n", nil, 2, "devices.a.token", "must not stand", "$NAME"},
		{"a secret in a variable", "devices: {a: {token: $T}}", []string{"T=0123456789abcdef", "EDGED_DEVICES_A_TOKEN=hunter2"}, 0, "devices.a.token", "must not stand", "$NAME"},
		{"a name with a dot", "devices:\n  a.b: {token: $NOWHERE}\n", nil, 2, `devices."a.b".token`, "NOWHERE is not set", ""},
		{"a key with nothing behind it", "server:\n  max_sessions:\n", nil, 2, "server.max_sessions", "has no value", "a whole number"},
		{"an unknown phrase", "profiles:\n  default:\n    phrases: {bye: Bye.}\n", nil, 3, "profiles.default.phrases.bye", `"bye" is not known`, "not_understood, nothing_heard, attending, failed"},
		{"not a number", "server:\n  limits: {audio_rate: .nan}\n", nil, 2, "server.limits.audio_rate", "does not fit", "a number"},
		{"audio slower than it is spoken", "server:\n  limits: {audio_rate: 1}\n", nil, 2, "server.limits.audio_rate", "1 is out of range", "1.5 to 100"},
		{"no control at all", "server:\n  limits: {control_per_second: 0}\n", nil, 2, "server.limits.control_per_second", "out of range", "10 to 10000"},
		{"endless tool calls", "profiles:\n  default: {tool_calls_per_turn: 5000}\n", nil, 2, "profiles.default.tool_calls_per_turn", "out of range", "0 to 1000"},
		{"open to the world", "server:\n  listen: '0.0.0.0:1'\n  anonymous: true\n", nil, 2, "server.listen", "other machines reach 0.0.0.0:1", "server.public"},
		{"operators open to the world", "operators:\n  listen: ':1'\n", nil, 2, "operators.listen", "takes an operators.token", "operators.token"},
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
			if strings.Contains(p.Error(), "hunter") {
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

// Problems of type, range and reference come together.
func TestProblemsOfAllSorts(t *testing.T) {
	_, err := load(t, "server: {max_sessions: many}\nlog: {files: 0}\nprofiles: {default: {tts: deep}}\ndevices: {toy: {token: $NONE, profile: none}}\n", nil, nil)
	var problems Problems
	if !errors.As(err, &problems) {
		t.Fatal(err)
	}
	var keys []string
	for _, p := range problems {
		keys = append(keys, p.Key)
	}
	want := []string{"server.max_sessions", "log.files", "profiles.default.tts", "devices.toy.token", "devices.toy.profile"}
	if !slices.Equal(keys, want) {
		t.Errorf("problems with %v, want %v", keys, want)
	}
}

// What cannot be read in a document hides nothing else of it.
func TestProblemsBesideAnAlias(t *testing.T) {
	_, err := load(t, "server: {max_sessions: many, origins: [&a x, 1]}\nlog: &b {files: 0}\noperators: {tails: 0, listen: *b}\n", nil, nil)
	var problems Problems
	if !errors.As(err, &problems) {
		t.Fatal(err)
	}
	var keys []string
	for _, p := range problems {
		keys = append(keys, p.Key)
	}
	want := []string{"server.max_sessions", "server.origins[0]", "log", "operators.tails", "operators.listen"}
	if !slices.Equal(keys, want) {
		t.Errorf("problems with %v, want %v", keys, want)
	}
}

// A key with dots in it is set from the command line in quotes.
func TestFlags(t *testing.T) {
	cfg, err := load(t, "devices: {a.b: {token: $T}}\nprofiles: {toy: {}}\n", []string{"T=0123456789abcdef"},
		map[string]string{`devices."a.b".profile`: "toy", "server.origins": "[https://a.example, http://b.example:81]"})
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Devices["a.b"].Profile != "toy" || len(cfg.Server.Origins) != 2 {
		t.Errorf("device %+v, origins %q; want what the flags say", cfg.Devices["a.b"], cfg.Server.Origins)
	}
	for _, key := range []string{"", "server.", ".server", `"server`, `"server"x`} {
		var problems Problems
		if _, err := load(t, "", nil, map[string]string{key: "1"}); !errors.As(err, &problems) || problems[0].Source != "command line" {
			t.Errorf("--set %q=1: %v, want a problem of the command line", key, err)
		}
	}
}

func TestMissingFile(t *testing.T) {
	_, err := Load(Sources{File: filepath.Join(t.TempDir(), "none.yaml")})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("err = %v, want os.ErrNotExist", err)
	}
}
