package doctor_test

import (
	"path/filepath"
	"strings"
	"testing"

	"edged/internal/doctor"
	"edged/internal/loader"
)

// configured loads a file as the server does.
func configured(t *testing.T, yaml string, environ ...string) doctor.Configuration {
	t.Helper()
	path := filepath.Join(t.TempDir(), "edged.yaml")
	write(t, path, yaml)
	cfg, err := loader.Read(loader.Sources{File: path, Environ: environ})
	return doctor.Configuration{File: path, Effective: cfg, Err: err}
}

func TestConfigurationIsGood(t *testing.T) {
	cfg, err := loader.Read(loader.Sources{})
	found := look(t, doctor.Configuration{Effective: cfg, Err: err}.Look)
	healthy(t, found)
	want(t, found, doctor.OK, "built-in development settings")

	c := configured(t, "devices: {kitchen: {token: $KITCHEN}}\n", "KITCHEN="+kitchenToken)
	found = look(t, c.Look)
	healthy(t, found)
	want(t, found, doctor.OK, c.File, "1 profile, 1 device, 3 models")
	secrets(t, found, kitchenToken)
}

// All problems at once, each with its place and what to do.
func TestConfigurationIsBad(t *testing.T) {
	c := configured(t, "server:\n  lisen: x\n  max_sessions: many\ndevices:\n  kitchen: {token: $EDGED_TEST_KITCHEN}\n  hall: {token: "+hallToken+"}\n")
	found := look(t, c.Look)
	wantFix(t, want(t, found, doctor.Problem, c.File+":2:3", "server.lisen", "does not start"), "allowed: listen")
	wantFix(t, want(t, found, doctor.Problem, c.File+":3:17", "server.max_sessions"), "a whole number")
	wantFix(t, want(t, found, doctor.Problem, "EDGED_TEST_KITCHEN is not set"), "export EDGED_TEST_KITCHEN=$(head -c 24 /dev/urandom | base64)")
	wantFix(t, want(t, found, doctor.Problem, "devices.hall.token", "must not stand in the configuration"), "$NAME")
	want(t, found, doctor.Skipped, "built-in settings")
	secrets(t, found, hallToken)

	gone := filepath.Join(t.TempDir(), "none.yaml")
	_, err := loader.Read(loader.Sources{File: gone})
	found = look(t, doctor.Configuration{File: gone, Err: err}.Look)
	wantFix(t, want(t, found, doctor.Problem, gone, "no such file"), "--config")
}

func TestConfigurationIsUnwise(t *testing.T) {
	const operators = "operators: {listen: '0.0.0.0:9090', token: $OPERATORS}\n"
	for _, tt := range []struct {
		name  string
		yaml  string
		level doctor.Level
		says  []string
		fix   string
	}{
		{"nobody can connect", "{}", doctor.Problem, []string{"nobody can connect", "401"}, "server.anonymous: true"},
		{"anybody can", "server: {anonymous: true, public: true, listen: '0.0.0.0:8080'}", doctor.Warning, []string{"server.public", "anyone"}, "server.anonymous: false"},
		{"transcripts of others", "server: {anonymous: true, public: true, transcripts: true, listen: '0.0.0.0:8080'}", doctor.Warning, []string{"server.transcripts", "what people say"}, "server.transcripts: false"},
		{"operators over the network", operators, doctor.Warning, []string{"operators.listen", "plain HTTP"}, "operators.listen: 127.0.0.1:9090"},
		{"waits after a complete sentence", "profiles: {default: {endpointing: {complete_silence: 2s}}}", doctor.Warning, []string{"complete_silence", "waited for longest", "probably not"}, "profiles.default.endpointing.complete_silence"},
		{"cuts off who thinks", "profiles: {default: {endpointing: {max_silence: 500ms}}}", doctor.Warning, []string{"500ms", "cut off"}, "profiles.default.endpointing.max_silence"},
		{"cuts off everybody", "profiles: {default: {endpointing: {adaptive: false, min_silence: 200ms}}}", doctor.Warning, []string{"200ms", "cut off"}, "profiles.default.endpointing.min_silence"},
		{"a model for nobody", "models: {tts: {spare: {engine: flite}}}", doctor.Warning, []string{"models.tts.spare", "takes memory"}, "models.tts.spare"},
		{"another language", "profiles: {default: {language: de}}", doctor.Warning, []string{`profiles.default speaks "de"`, "English only"}, "profiles.default.language: en"},
		{"a voice for another language", "models: {tts: {local: {language: fr}}}", doctor.Warning, []string{"models.tts.local", "English only"}, "models.tts.local.language: en"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := configured(t, tt.yaml, "OPERATORS="+operatorToken)
			if c.Err != nil {
				t.Fatal(c.Err)
			}
			found := look(t, c.Look)
			wantFix(t, want(t, found, tt.level, tt.says...), tt.fix)
			secrets(t, found, operatorToken)
			if !strings.Contains(text(t, found), "can be used") {
				t.Error("it does not say that the configuration loads")
			}
		})
	}
}
