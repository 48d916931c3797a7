package doctor_test

import (
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"edged/internal/doctor"
	"edged/internal/loader"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// want finds the one finding of a level that says all the words, and fails the test
// without it. It returns it.
func want(t *testing.T, findings []doctor.Finding, level doctor.Level, says ...string) doctor.Finding {
	t.Helper()
	for _, f := range findings {
		all := f.Level == level
		for _, words := range says {
			all = all && strings.Contains(f.Found+"\n"+f.Why, words)
		}
		if all {
			return f
		}
	}
	t.Fatalf("no %s that says %q in\n%s", level, says, text(t, findings))
	return doctor.Finding{}
}

// wantFix fails the test unless the finding says what to do, in words that hold fix.
func wantFix(t *testing.T, f doctor.Finding, fix string) {
	t.Helper()
	if all := strings.Join([]string{f.Fix.Text, f.Fix.Key, f.Fix.Command}, "\n"); !strings.Contains(all, fix) {
		t.Errorf("the fix of %q is %+v, want %q in it", f.Found, f.Fix, fix)
	}
}

// healthy fails the test if there is a warning or a problem.
func healthy(t *testing.T, findings []doctor.Finding) {
	t.Helper()
	for _, f := range findings {
		if f.Level != doctor.OK {
			t.Errorf("%s: %s", f.Level, f.Found)
		}
	}
}

// text prints findings as a person sees them, and checks that each can be acted on.
func text(t *testing.T, findings []doctor.Finding) string {
	t.Helper()
	var b strings.Builder
	p := doctor.NewPrinter(&b, doctor.Style{})
	for _, f := range findings {
		p.Finding(f)
	}
	return b.String()
}

// actionable fails the test for a finding that leaves the operator alone: without a
// reason, without a fix, with a command that does not exist or a key that the
// configuration does not have.
func actionable(t *testing.T, findings []doctor.Finding) {
	t.Helper()
	for _, f := range findings {
		if f.Found == "" {
			t.Errorf("%+v says nothing", f)
		}
		if f.Level != doctor.Warning && f.Level != doctor.Problem {
			continue
		}
		if f.Why == "" || f.Fix == (doctor.Fix{}) {
			t.Errorf("%q has why %q and fix %+v", f.Found, f.Why, f.Fix)
		}
		commandExists(t, f.Fix.Command)
		for _, key := range keysIn(f.Fix.Key) {
			if !keyExists(reflect.TypeFor[loader.Config](), strings.Split(key, ".")) {
				t.Errorf("%q is to be fixed by %q, which is no key of the configuration", f.Found, key)
			}
		}
	}
}

// keysIn are the keys in "server.listen: 127.0.0.1:8080, or server.public: true".
func keysIn(text string) []string {
	var keys []string
	for _, part := range regexp.MustCompile(`, or |, | or `).Split(text, -1) {
		key, _, _ := strings.Cut(part, ": ")
		keys = append(keys, strings.TrimSuffix(key, ":"))
	}
	if text == "" {
		return nil
	}
	return keys
}

// keyExists walks the schema; under a map, any name will do, and under a model any
// setting of an offline engine.
func keyExists(at reflect.Type, path []string) bool {
	if len(path) == 0 {
		return true
	}
	if at == reflect.TypeFor[loader.Model]() {
		for _, p := range loader.Offline() {
			if keyExists(reflect.TypeOf(p.Settings), path) {
				return true
			}
		}
	}
	switch at.Kind() {
	case reflect.Map:
		return keyExists(at.Elem(), path[1:])
	case reflect.Struct:
		for i := range at.NumField() {
			if key, _, _ := strings.Cut(at.Field(i).Tag.Get("yaml"), ","); key == path[0] {
				return keyExists(at.Field(i).Type, path[1:])
			}
		}
	}
	return false
}

// shell are commands of the shell itself, ours those of edged, which cmd/edged
// tests; setcap comes with the package that the finding names.
var (
	shell = map[string]bool{"export": true, "unset": true, "ulimit": true}
	ours  = map[string]bool{"edged": true, "make": true, "setcap": true}
)

func commandExists(t *testing.T, command string) {
	t.Helper()
	if command == "" {
		return
	}
	// As the shell reads it, without running it.
	if out, err := exec.Command("sh", "-n", "-c", command).CombinedOutput(); err != nil {
		t.Errorf("%q is no command line: %s", command, out)
	}
	name := strings.Fields(command)[0]
	if _, err := exec.LookPath(name); err != nil && !shell[name] && !ours[name] {
		t.Errorf("%q is to be run, and there is no %s here", command, name)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// builtIn is the built-in development configuration, with its flags.
func builtIn(t *testing.T, flags map[string]string) *loader.Config {
	t.Helper()
	cfg, err := loader.Load(loader.Sources{Flags: flags})
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}
