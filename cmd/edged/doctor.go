package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"edged/edge"
	"edged/firmware-protocol/wire"
	"edged/internal/doctor"
	"edged/internal/loader"
)

// doctorCmd is "edged doctor".
type doctorCmd struct {
	configured
	URL    string `placeholder:"URL" help:"Ask the spoken question of this server (ws://HOST:PORT), instead of one that is started for it."`
	Token  string `env:"EDGED_TOKEN" placeholder:"TOKEN" help:"Access token to show to the server (environment: ${env}). Without one, the configuration's are used."`
	Device string `default:"doctor" placeholder:"NAME" help:"Name of the device that asks, where its token does not tell (${default})."`
	Speech bool   `default:"true" negatable:"" help:"Ask a spoken question (--no-speech leaves that out)."`
	JSON   bool   `name:"json" help:"Print one JSON object at the end and nothing else."`
}

// Run looks at everything and prints what it finds. It fails if there is a problem.
func (c *doctorCmd) Run(ctx context.Context, out streams) error {
	e, err := c.examine()
	if err != nil {
		return err
	}
	printer := doctor.NewPrinter(out.stdout, styleForDoctor(out.stdout))
	tell := printer.Finding
	if c.JSON {
		tell = nil
	}
	report := doctor.Run(ctx, e.checks(), tell)
	if c.JSON {
		err = printJSON(out.stdout, report)
	} else {
		err = printer.End(report)
	}
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return errors.New("doctor: interrupted: not everything was looked at")
	case !report.Healthy:
		return errTold
	}
	return nil
}

func styleForDoctor(out io.Writer) doctor.Style {
	style := styleOf(out, os.Getenv)
	return doctor.Style{Color: style.Color, Columns: style.Columns}
}

// examination is one run of the doctor.
type examination struct {
	cmd     *doctorCmd
	started time.Time
	program string // the path of this one
	// cfg is the configuration, the built-in one where that cannot be loaded; then
	// loading is why, and loaded nil.
	cfg     *loader.Config
	loaded  *loader.Effective
	loading error
	ports   *doctor.Ports
	url     string // of the server to ask, "" to start one
	// engines loads the models of the server that is started; for tests.
	engines func(loader.Models) (*engines, error)
}

// examine loads the configuration.
func (c *doctorCmd) examine() (*examination, error) {
	e := &examination{cmd: c, started: time.Now(), engines: loadEngines}
	var err error
	if e.program, err = os.Executable(); err != nil {
		return nil, fmt.Errorf("doctor: %w", err)
	}
	if c.URL != "" {
		server, err := url.Parse(c.URL)
		if err != nil || server.User != nil {
			return nil, errors.New("doctor: --url: want ws://HOST:PORT or wss://HOST:PORT; a token goes into --token")
		}
		if e.url, err = (&DeviceCmd{URL: c.URL}).address(); err != nil {
			return nil, err
		}
	}
	e.loaded, e.loading = loader.Read(c.sources(nil))
	if e.loading == nil {
		e.cfg = e.loaded.Config
	} else if e.cfg, err = loader.Load(loader.Sources{Providers: providers()}); err != nil {
		return nil, err
	}
	return e, nil
}

// checks are in the order in which they are reported: what is needed first comes
// first.
func (e *examination) checks() []doctor.Check {
	checks := []doctor.Check{{Name: "configuration", Look: doctor.Configuration{File: e.cmd.Config, Effective: e.loaded, Err: e.loading}.Look}}
	for _, c := range []struct {
		name string
		look func(context.Context) []doctor.Finding
		// general: it makes sense with the built-in configuration as well.
		general bool
	}{
		{"resources", doctor.Resources{Models: e.cfg.Models, Threads: runtime.GOMAXPROCS(0), Proc: "/proc", Cgroup: "/sys/fs/cgroup"}.Look, true},
		{"directories", doctor.Directories{Config: e.cfg}.Look, false},
		{"ports", e.lookAtPorts, false},
		{"tokens", e.lookAtTokens, false},
		{"engines", doctor.Engines{Models: e.models(), Proc: "/proc"}.Look, true},
		{"libraries", doctor.Libraries{All: doctor.Needed(e.cfg.Models), Proc: "/proc", Dpkg: "/var/lib/dpkg/status"}.Look, true},
		{"clock", e.lookAtClock, true},
		{"speech", e.speak, true},
	} {
		if e.loading != nil && !c.general {
			c.look = without("not looked at: it depends on the configuration")
		}
		checks = append(checks, doctor.Check{Name: c.name, Look: c.look})
	}
	return checks
}

// without returns a check that is skipped.
func without(why string) func(context.Context) []doctor.Finding {
	return func(context.Context) []doctor.Finding {
		return []doctor.Finding{{Level: doctor.Skipped, Found: why}}
	}
}

func (e *examination) lookAtPorts(ctx context.Context) []doctor.Finding {
	files := 1
	if e.cfg.Server.JournalDir != "" {
		files++
	}
	e.ports = &doctor.Ports{
		Listen:         e.cfg.Server.Listen,
		Operators:      e.cfg.Operators.Listen,
		OperatorsToken: e.cfg.Operators.Token != "",
		Credentials:    len(e.cfg.Devices) + len(e.cfg.Server.SigningKeys),
		MaxSessions:    e.cfg.Server.MaxSessions,
		FilesEach:      files,
		MayListen: func(address string) error {
			guard, err := authenticator(e.cfg)
			if err != nil {
				return err
			}
			return edge.CheckListen(address, edge.Config{Authenticator: guard, AllowAnonymous: e.cfg.Server.Public})
		},
		Answers:   isEdged,
		FileLimit: fileLimit,
		Proc:      "/proc",
		Program:   e.program,
	}
	return e.ports.Look(ctx)
}

func fileLimit() (uint64, error) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0, err
	}
	return limit.Cur, nil
}

// isEdged reports whether what answers at the address does so as an edged: it knows
// its health, and refuses a request for a session that is no WebSocket.
func isEdged(ctx context.Context, address string) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for path, status := range map[string]int{"/healthz": http.StatusOK, wire.Path: http.StatusUpgradeRequired} {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+path, nil)
		if err != nil {
			return false
		}
		response, err := client.Do(request)
		if err != nil {
			return false
		}
		_ = response.Body.Close() // only its status is wanted
		if response.StatusCode != status {
			return false
		}
	}
	return true
}

func (e *examination) lookAtTokens(ctx context.Context) []doctor.Finding {
	tokens := doctor.Tokens{Config: e.cfg, EnvFile: e.cmd.EnvFile, Now: time.Now}
	// A server that only this machine reaches makes a token for its user.
	address := e.cfg.Operators.Listen
	if address == "" {
		address = e.cfg.Server.Listen
	}
	if tcp, err := net.ResolveTCPAddr("tcp", address); err == nil && tcp.IP.IsLoopback() {
		tokens.OperatorFile, _ = tokenFile(tcp.Port) // without a cache directory there is none
	}
	return append(tokens.Look(ctx), tokens.Shown(e.cmd.Token)...)
}

func (e *examination) lookAtClock(ctx context.Context) []doctor.Finding {
	zones := make(map[string]string)
	for name, m := range e.cfg.Models.Generator {
		if rules, ok := loader.SettingsOf[loader.Rules](m); ok {
			zones["models.generator."+name+".timezone"] = rules.Timezone
		}
	}
	files := []string{e.program, "/etc/ld.so.cache", "/var/log", "/var/lib/dpkg/status"}
	if e.cmd.Config != "" {
		files = append(files, e.cmd.Config)
	}
	elapsed := func() (wall, monotonic time.Duration) {
		now := time.Now()
		return now.Round(0).Sub(e.started.Round(0)), now.Sub(e.started)
	}
	return doctor.Clock{
		Now: time.Now, Elapsed: elapsed, Files: files, Sync: doctor.KernelSync, Tokens: len(e.cfg.Server.SigningKeys) > 0,
		Zones: zones, Local: time.Local, TZ: os.Getenv("TZ"),
	}.Look(ctx)
}

// models are those that a server loads, each to be loaded alone.
func (e *examination) models() []doctor.Model {
	var all []doctor.Model
	for _, kind := range []struct {
		name   string
		models map[string]loader.Model
		alone  func(map[string]loader.Model) loader.Models
	}{
		{"asr", e.cfg.Models.ASR, func(m map[string]loader.Model) loader.Models { return loader.Models{ASR: m} }},
		{"generator", e.cfg.Models.Generator, func(m map[string]loader.Model) loader.Models { return loader.Models{Generator: m} }},
		{"tts", e.cfg.Models.TTS, func(m map[string]loader.Model) loader.Models { return loader.Models{TTS: m} }},
	} {
		for _, name := range slices.Sorted(maps.Keys(kind.models)) {
			m := kind.models[name]
			model := doctor.Model{Key: "models." + kind.name + "." + name, Engine: m.Engine}
			if settings, ok := loader.SettingsOf[loader.Pocketsphinx](m); ok {
				model.Dir, model.DirKey = settings.ModelDir, model.Key+".model_dir"
			}
			model.Load = func() (io.Closer, error) { return loadEngines(kind.alone(map[string]loader.Model{name: m})) }
			all = append(all, model)
		}
	}
	return all
}
