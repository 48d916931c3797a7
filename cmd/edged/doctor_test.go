package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alecthomas/kong"

	"edged/firmware-protocol/wire"
	"edged/internal/doctor"
	"edged/internal/edgetest"
	"edged/internal/loader"
	"edged/session"
)

// Secrets that are hard to guess.
const (
	doctorToken = "q7Xw2mLr9Zk4Vt1Hs8Nc"
	doctorKey   = "x9Qm2Vb7Lr4Kt8Zc1Hs5Nw3Jd6Pg0YfAeRu"
)

// examined runs "edged doctor --json".
func examined(t *testing.T, args ...string) (report doctor.Report, code int, output string) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	var stdout, stderr bytes.Buffer
	code = run(t.Context(), append([]string{"doctor", "--json"}, args...), &stdout, &stderr)
	if err := json.Unmarshal(stdout.Bytes(), &report); err != nil {
		t.Fatalf("no JSON object (exit code %d): %v\n%s%s", code, err, &stdout, &stderr)
	}
	return report, code, stdout.String() + stderr.String()
}

// says fails the test unless the check has found something of that level that holds
// the words.
func says(t *testing.T, findings []doctor.Finding, check string, level doctor.Level, words ...string) {
	t.Helper()
	for _, f := range findings {
		all := (f.Check == check || f.Check == "") && f.Level == level
		for _, w := range words {
			all = all && strings.Contains(f.Found, w)
		}
		if all {
			return
		}
	}
	text, _ := json.MarshalIndent(findings, "", " ")
	t.Errorf("%s: no %s that says %q in\n%s", check, level, words, text)
}

// A healthy configuration: everything is looked at, with the real engines on a real
// socket in real time, and nothing is wrong. No secret is shown, nothing is left.
func TestDoctorFindsHealth(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	config, journals := filepath.Join(dir, "edged.yaml"), filepath.Join(dir, "journals")
	if err := os.Mkdir(journals, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, config, "server: {listen: '127.0.0.1:0', journal_dir: "+journals+", signing_keys: {k1: $EDGED_TEST_KEY}}\n"+
		"devices: {kitchen: {token: $EDGED_TEST_TOKEN}}\nmodels: {asr: {local: {decoders: 1}}, generator: {rules: {timezone: Europe/Berlin}}}\n")
	secrets := filepath.Join(dir, "secrets.env")
	write(t, secrets, "EDGED_TEST_KEY="+doctorKey+"\nEDGED_TEST_TOKEN="+doctorToken+"\n")
	report, code, output := examined(t, "--config", config, "--env-file", secrets)
	if code != 0 || !report.Healthy || report.Problems != 0 {
		t.Errorf("exit code %d, %d problems:\n%s", code, report.Problems, output)
	}
	for check, words := range map[string]string{
		"configuration": config, "resources": "1 decoder", "directories": journals, "ports": "free port", "tokens": "1 device token",
		"engines": "models.asr.local: pocketsphinx loads in", "libraries": "libpocketsphinx", "clock": "Europe/Berlin", "speech": "word for word",
	} {
		says(t, report.Findings, check, doctor.OK, words)
	}
	says(t, report.Findings, "tokens", doctor.OK, "server.signing_keys.k1")
	says(t, report.Findings, "speech", doctor.OK, "Seven plus five is 12.")
	says(t, report.Findings, "speech", doctor.OK, "recogniser understands the reply")
	var measured []string
	for _, f := range report.Findings {
		if f.Measure != nil {
			measured = append(measured, f.Measure.Name)
		}
	}
	if want := []string{"endpoint", "recognition", "model", "voice", "sending", "answer"}; !slices.Equal(measured, want) {
		t.Errorf("measured %q, want %q", measured, want)
	}
	for _, secret := range []string{doctorKey, doctorToken} {
		if strings.Contains(output, secret) {
			t.Errorf("the output holds the secret %q", secret)
		}
	}
	if left, err := os.ReadDir(journals); err != nil || len(left) > 0 {
		t.Errorf("left behind in %s: %v, %v", journals, left, err)
	}
}

// A configuration that cannot be loaded: each problem is told, what does not depend
// on it is looked at, and the exit code says so.
func TestDoctorFindsBadConfiguration(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	write(t, bad, "server: {lisen: x, max_sessions: 0}\n")
	report, code, output := examined(t, "--config", bad, "--no-speech")
	if code != 1 || report.Healthy || report.Problems < 2 {
		t.Errorf("exit code %d:\n%s", code, output)
	}
	says(t, report.Findings, "configuration", doctor.Problem, bad+":1:", "server.lisen")
	says(t, report.Findings, "configuration", doctor.Problem, "server.max_sessions")
	says(t, report.Findings, "ports", doctor.Skipped, "depends on the configuration")
	says(t, report.Findings, "tokens", doctor.Skipped, "depends on the configuration")
	says(t, report.Findings, "engines", doctor.OK, "models.tts.local")
	says(t, report.Findings, "libraries", doctor.OK, "libopus")
	says(t, report.Findings, "speech", doctor.Skipped, "--no-speech")
}

// As a person sees it: in sections, without colours where there is no terminal, with
// the sum at the end. Engines that do not load and a port that is taken keep nothing
// else from being looked at.
func TestDoctorForPeople(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	models := t.TempDir()
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"doctor", "--set", "server.listen=" + taken.Addr().String(), "--set", "models.asr.local.model_dir=" + models}, &stdout, &stderr)
	if code != 1 || stderr.Len() > 0 || strings.Contains(stdout.String(), "\x1b") {
		t.Errorf("exit code %d, standard error %q, %q", code, &stderr, &stdout)
	}
	wantIn(t, "the report", stdout.String(), "\nports\n  problem  server.listen: "+taken.Addr().String()+" is taken by process ",
		"\n           why  edged serve cannot listen there\n", "\n           run  ps -p ",
		"\nengines\n  problem  models.asr.local: pocketsphinx does not load: ", models, "it is missing",
		"\n           key  models.asr.local.model_dir\n           run  apt-get install pocketsphinx-en-us\n",
		"\n  ok       models.tts.local: flite loads in ", "\nspeech\n  skipped  ", "see engines", "\n2 problems, ")
}

func TestDoctorCommandLine(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"not a WebSocket", []string{"--url", "ftp://host"}, 1, "ws://"},
		{"a password in the address", []string{"--url", "ws://user:secret@host"}, 1, "--token"},
		{"an unknown flag", []string{"--speek"}, 2, "--speek"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if code := run(t.Context(), append([]string{"doctor"}, tt.args...), &stdout, &stderr); code != tt.code || !strings.Contains(stderr.String(), tt.says) || strings.Contains(stderr.String(), "secret") {
				t.Errorf("exit code %d, %q; want %d and a word about %q", code, &stderr, tt.code, tt.says)
			}
		})
	}
}

// An interruption is no clean bill of health.
func TestDoctorInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	if code := run(ctx, []string{"doctor"}, &stdout, &stderr); code != 1 || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("exit code %d, %q", code, &stderr)
	}
}

// A server that is up is found where the configuration says, and told from a program
// that is none.
func TestDoctorFindsRunningServer(t *testing.T) {
	server, _ := served(t)
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	e, err := (&doctorCmd{configured: configured{Set: map[string]string{"server.listen": u.Host}}}).examine()
	if err != nil || e.loading != nil {
		t.Fatal(err, e.loading)
	}
	found := e.lookAtPorts(t.Context())
	says(t, found, "ports", doctor.OK, "an edged is up at "+u.Host)
	if e.ports.Running != u.Host {
		t.Errorf("Running = %q, want %q", e.ports.Running, u.Host)
	}
	fake := fakeServer(t) // speaks the protocol, and knows nothing of health
	if u, _ = url.Parse(fake); isEdged(t.Context(), u.Host) {
		t.Errorf("%s is taken for an edged", fake)
	}
}

// A server that is up is not asked as one of its devices: that would end the
// connection which the device has.
func TestDoctorReplacesNobody(t *testing.T) {
	t.Setenv("KITCHEN", doctorToken)
	server, _ := served(t)
	e, err := (&doctorCmd{URL: server, Speech: true, configured: configured{Set: map[string]string{
		"devices.kitchen.token": "$KITCHEN", "server.anonymous": "false",
	}}}).examine()
	if err != nil || e.loading != nil {
		t.Fatal(err, e.loading)
	}
	e.engines = func(loader.Models) (*engines, error) {
		t.Error("the engines are loaded for a question that is not asked")
		return nil, errTold
	}
	says(t, e.speak(t.Context()), "speech", doctor.Skipped, "--token")
}

// doctorTrip asks the question of a server with the engines, in virtual time. The
// voice that answers is the one that asks.
func doctorTrip(t *testing.T, engines session.Engines, token string, flags map[string]string, check func(e *examination, found []doctor.Finding)) {
	t.Helper()
	t.Setenv("KITCHEN", doctorToken)
	t.Setenv("HALL", "Jd3Pg6Yb0Fq5Ru9Ta2Ew")
	t.Setenv("KEY", doctorKey)
	synctest.Test(t, func(t *testing.T) {
		e, err := (&doctorCmd{Device: "doctor", Token: token, configured: configured{Set: flags}}).examine()
		if err != nil || e.loading != nil {
			t.Fatal(err, e.loading)
		}
		pipe := edgetest.NewPipe()
		found := e.serveOnce(t.Context(), engines, pipe, edgetest.Config{URL: "ws://edged" + wire.Path, Dial: pipe.Dial})
		check(e, found)
		time.Sleep(time.Minute) // whatever is armed must come to its end
	})
}

// speech is scripted, for tests that cannot go on without.
func speech(t *testing.T, heard, answer string, sound func(sentence string) []int16) session.Engines {
	t.Helper()
	engines, err := scripted(heard, answer, sound)
	if err != nil {
		t.Fatal(err)
	}
	return engines
}

// voice speaks every sentence as a recorded question, which is speech to a detector.
func voice(t *testing.T) func(string) []int16 {
	pcm := recording(t, "what is seven plus five")
	return func(string) []int16 { return pcm }
}

// The server of the configuration lets the doctor in, by whatever it asks for.
func TestDoctorIsLetIn(t *testing.T) {
	engines := speech(t, "what is seven plus five", "Twelve.", voice(t))
	for _, tt := range []struct {
		name   string
		flags  map[string]string
		token  string
		device string
	}{
		{"anonymous", nil, "", "doctor"},
		{"nobody is let in", map[string]string{"server.anonymous": "false"}, "", "doctor"},
		{"a device's token", map[string]string{"server.anonymous": "false", "devices": "{hall: {token: $HALL}, kitchen: {token: $KITCHEN}}"}, "", "hall"},
		{"the token that is given", map[string]string{"server.anonymous": "false", "devices": "{hall: {token: $HALL}, kitchen: {token: $KITCHEN}}"}, doctorToken, "kitchen"},
		{"a token of its own", map[string]string{"server.anonymous": "false", "devices": "{kitchen: {token: $KITCHEN}}", "server.signing_keys": "{k1: $KEY}"}, "", "doctor"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doctorTrip(t, engines, tt.token, tt.flags, func(e *examination, found []doctor.Finding) {
				says(t, found, "speech", doctor.OK, "a device connected")
				says(t, found, "speech", doctor.OK, "word for word")
				says(t, found, "speech", doctor.OK, `"Twelve."`)
				if device, _, err := e.credentials(); err != nil || device != tt.device {
					t.Errorf("asks as %q, %v; want %q", device, err, tt.device)
				}
			})
		})
	}
}

// What is wrong with a server is heard.
func TestDoctorHearsWhatIsWrong(t *testing.T) {
	speaks := voice(t)
	for _, tt := range []struct {
		name          string
		heard, answer string
		sound         func(string) []int16
		level         doctor.Level
		says          []string
	}{
		{"misheard", "what is eleven plus nine", "Twenty.", speaks, doctor.Warning, []string{`"what is eleven plus nine" was understood`}},
		{"a wrong answer", "what is seven plus five", "Thirteen.", speaks, doctor.Warning, []string{"not the answer"}},
		{"a mute voice", "what is seven plus five", "Twelve.", func(string) []int16 { return nil }, doctor.Problem, []string{"the voice cannot speak", "said nothing"}},
		{"a silent reply", "what is seven plus five", "Twelve.", func(sentence string) []int16 {
			if strings.Contains(sentence, "welve") {
				return make([]int16, 16000)
			}
			return speaks(sentence)
		}, doctor.Problem, []string{"came as silence"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doctorTrip(t, speech(t, tt.heard, tt.answer, tt.sound), "", nil, func(_ *examination, found []doctor.Finding) {
				says(t, found, "speech", tt.level, tt.says...)
			})
		})
	}
}

// Commands that the doctor tells to run are there: those of edged parse.
func TestDoctorNamesCommandsThatExist(t *testing.T) {
	config := filepath.Join(t.TempDir(), "edged.yaml")
	write(t, config, "")
	nobody := doctor.Trip{Device: edgetest.Config{URL: "ws://127.0.0.1:1" + wire.Path}}.Look(t.Context())
	t.Setenv("KEY", doctorKey)
	signed, err := (&doctorCmd{Device: "doctor", configured: configured{Set: map[string]string{"server.signing_keys": "{k1: $KEY}"}}}).examine()
	if err != nil || signed.loading != nil {
		t.Fatal(err, signed.loading)
	}
	_, token, err := signed.credentials()
	if err != nil {
		t.Fatal(err)
	}
	later := doctor.Tokens{Now: func() time.Time { return time.Now().Add(time.Hour) }}
	found := append(nobody, later.Shown(token)...)
	parsed := 0
	for _, f := range found {
		command, ok := strings.CutPrefix(f.Fix.Command, "edged ")
		if !ok {
			t.Errorf("%q has no command of edged: %+v", f.Found, f.Fix)
			continue
		}
		parser, err := kong.New(&cli{}, kong.Name("edged"), kong.Exit(func(int) {}), kong.BindTo(t.Context(), (*context.Context)(nil)), kong.Bind(streams{}))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(strings.Fields(strings.ReplaceAll(command, "edged.yaml", config))); err != nil {
			t.Errorf("edged %s: %v", command, err)
		}
		parsed++
	}
	if parsed != 2 {
		t.Errorf("%d commands were named, want 2", parsed)
	}
}

// A server of another machine is asked although this one cannot recognise.
func TestDoctorNeedsAVoiceOnlyToAskAnother(t *testing.T) {
	e, err := (&doctorCmd{Speech: true, URL: "ws://127.0.0.1:1"}).examine()
	if err != nil {
		t.Fatal(err)
	}
	e.engines = func(models loader.Models) (*engines, error) {
		if len(models.ASR) > 0 {
			return nil, errors.New("no recogniser here")
		}
		return loadEngines(models)
	}
	says(t, e.speak(t.Context()), "speech", doctor.Problem, "nobody listens at ws://127.0.0.1:1")
	e.url = ""
	says(t, e.speak(t.Context()), "speech", doctor.Skipped, "see engines")
}
