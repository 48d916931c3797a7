package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"

	"edged/dialog"
	"edged/edge"
	"edged/firmware-protocol/wire"
	"edged/internal/edgetest"
	"edged/internal/loader"
	"edged/session/log"
)

const (
	kitchenToken = "kitchen-kitchen-kitchen"
	denToken     = "den-den-den-den-den-den"
	oldKey       = "0123456789abcdef0123456789abcdef"
	newKey       = "fedcba9876543210fedcba9876543210"
)

// before is what the server of these tests starts with.
const before = `
server: {signing_keys: {k1: $OLD_KEY}}
profiles: {toy: {phrases: {nothing_heard: Say something.}, resume_for: 30s}}
devices:
  kitchen: {token: $KITCHEN, profile: toy}
  den: {token: $DEN}
`

// changing is a house whose configuration changes.
type changing struct {
	*house
	reloading *reloader
	told      logBuffer // what the server says of itself
	path      string    // of the configuration
}

// settle runs story against a server with a configuration that it can change and
// have reloaded, in virtual time.
func settle(t *testing.T, story func(t *testing.T, c *changing)) {
	t.Helper()
	c := &changing{path: filepath.Join(t.TempDir(), "edged.yaml")}
	write(t, c.path, before)
	sources := loader.Sources{Providers: providers(), File: c.path, Flags: map[string]string{"server.public": "true"}, // a pipe has no address
		Environ: []string{"KITCHEN=" + kitchenToken, "DEN=" + denToken, "OLD_KEY=" + oldKey, "NEW_KEY=" + newKey, "OPERATORS=" + denToken}}
	cfg, err := loader.Load(sources)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		engines, err := loadEngines(cfg.Models)
		if err != nil {
			t.Fatal(err)
		}
		inhabit(t, cfg, engines.Engines, func(t *testing.T, h *house) {
			h.engines, c.house = engines, h
			c.reloading = &reloader{sources: sources, cfg: cfg, dialogues: h.dialogues, guard: h.guard, server: h.server, counts: h.meters.reloads, notices: zerolog.New(&c.told)}
			story(t, c)
		})
		if err := engines.Close(); err != nil {
			t.Errorf("close engines: %v", err)
		}
	})
}

// becomes writes the configuration anew and has it reloaded.
func (c *changing) becomes(yaml string) {
	c.t.Helper()
	write(c.t, c.path, yaml)
	c.reloading.reload(c.t.Context())
}

// as is how a device dials that shows the token.
func as(device, token string) func(*edgetest.Config) {
	return func(cfg *edgetest.Config) { cfg.Device, cfg.Token, cfg.Mode = device, token, wire.ModeManual }
}

// silent presses the button and says nothing: what the session then says by itself.
func (c *changing) silent(d *edgetest.Device) edgetest.Answer {
	c.t.Helper()
	return c.ask(d, make([]int16, 8000))
}

// refused dials with a token that does not let the device in.
func (c *changing) refused(device, token string) {
	c.t.Helper()
	cfg := edgetest.Config{URL: "ws://edged" + wire.Path, Dial: c.pipe.Dial}
	as(device, token)(&cfg)
	d, err := edgetest.Dial(context.Background(), cfg)
	var why *edgetest.ServerError
	if !errors.As(err, &why) || why.Status != 401 && (why.Failure == nil || why.Failure.Code != wire.CodeUnauthorized) {
		c.t.Errorf("%s dials and gets %v, want to be unauthorized", device, err)
	}
	if err == nil {
		d.Drop()
	}
}

// Sessions that run keep their profile to their end; those that begin have the new
// one, its phrases spoken anew.
func TestReloadProfiles(t *testing.T) {
	settle(t, func(t *testing.T, c *changing) {
		old := c.dial(as("kitchen", kitchenToken))
		spoken := c.dialogues.standing.Load().phrases
		c.becomes(strings.Replace(before, "Say something.", "Speak louder please.", 1))
		now := c.dialogues.standing.Load().phrases
		if now["toy"] == spoken["toy"] || now[loader.DefaultProfile] != spoken[loader.DefaultProfile] {
			t.Error("the phrases of the profile that has changed, and of no other, are spoken anew")
		}
		if a := c.silent(old); a.Reply != "Say something." {
			t.Errorf("the session that ran says %q, want its old words", a.Reply)
		}
		// It keeps them over a lost connection.
		old.Drop()
		<-old.Done()
		back, err := old.Return(context.Background())
		if err != nil || back.Hello().Resumed == nil {
			t.Fatalf("the device comes back: %v, %v", back, err)
		}
		if a := c.silent(back); a.Reply != "Say something." {
			t.Errorf("the session that was resumed says %q, want its old words", a.Reply)
		}
		c.hangUp(back)
		young := c.dial(as("kitchen", kitchenToken))
		a := c.silent(young)
		if a.Reply != "Speak louder please." {
			t.Errorf("the new session says %q, want the new words", a.Reply)
		}
		if heard := c.recognise(a.PCM); len(a.PCM) == 0 {
			t.Errorf("the new words have no sound: %q", heard)
		}
		c.hangUp(young)
		if said := c.told.String(); !strings.Contains(said, "configuration reloaded") || !strings.Contains(said, `"profiles":["~toy"]`) || !strings.Contains(said, `"reload":1`) {
			t.Errorf("said %s, want a line that names the profile", said)
		}
	})
}

// A device whose entry is gone, and one whose signing key is, are told so, in the
// middle of whatever they do, and cannot come back. The others do not notice.
func TestReloadTokens(t *testing.T) {
	settle(t, func(t *testing.T, c *changing) {
		keys, err := edge.NewSignedTokens(0, edge.SigningKey{ID: "k1", Secret: []byte(oldKey)})
		if err != nil {
			t.Fatal(err)
		}
		signed, err := keys.Sign(edge.Identity{Device: "lamp"}, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		den := c.dial(as("den", denToken))
		gone := map[string]*edgetest.Device{"kitchen": c.dial(as("kitchen", kitchenToken)), "lamp": c.dial(as("lamp", signed))}
		before := c.silent(gone["kitchen"])
		if !before.Answered() {
			t.Fatal("the kitchen is not served")
		}
		c.becomes("server: {signing_keys: {k2: $NEW_KEY}}\ndevices:\n  den: {token: $DEN}\n  hall: {token: $KITCHEN}\n")
		for name, d := range gone {
			<-d.Done()
			var why *edgetest.ServerError
			if !errors.As(d.Err(), &why) || why.Failure == nil || why.Failure.Code != wire.CodeUnauthorized || why.CloseCode != wire.CloseUnauthorized {
				t.Errorf("the %s was told %v, want unauthorized and close code %d", name, d.Err(), wire.CloseUnauthorized)
			}
			if _, err := d.Return(context.Background()); err == nil {
				t.Errorf("the %s comes back to its session", name)
			}
		}
		c.refused("kitchen", kitchenToken) // the token is the hall's now
		c.refused("lamp", signed)
		hall := c.dial(as("hall", kitchenToken))
		c.silent(hall)
		c.silent(den)
		c.hangUp(hall)
		c.hangUp(den)
		causes := make(map[string]bool)
		for _, rec := range c.log.events(t) {
			switch e := rec.Event.(type) {
			case log.Error:
				causes[rec.Device] = e.Code == dialog.ErrorUnauthorized && e.Stage == "device"
			case log.SessionDetach:
				t.Errorf("the session of %s waits for its device", rec.Device)
			}
		}
		if len(causes) != 2 || !causes["kitchen"] || !causes["lamp"] {
			t.Errorf("the log names the cause for %v, want kitchen and lamp", causes)
		}
		for _, want := range []string{`"connections_ended":2`, `"devices":["+hall","-kitchen"]`, `"signing_keys":["+k2","-k1"]`} {
			if !strings.Contains(c.told.String(), want) {
				t.Errorf("said %s, want %s in it", c.told.String(), want)
			}
		}
	})
}

// What cannot be taken over whole is not taken over at all, and each reason is said.
func TestReloadRefused(t *testing.T) {
	settle(t, func(t *testing.T, c *changing) {
		kitchen := c.dial(as("kitchen", kitchenToken))
		standing := c.dialogues.standing.Load()
		for _, tt := range []struct {
			name, yaml string
			says       []string
		}{
			{"a mistake, beside a device that is gone", "profiles: {toy: {lenguage: de}}\ndevices:\n  den: {token: $NONE}\n",
				[]string{c.path + ":1:18: profiles.toy.lenguage: is not a known key", c.path + ":3:16: devices.den.token: the environment variable NONE is not set", `"problems":2`}},
			{"no YAML", "server: [", []string{c.path + ":1:"}},
			{"what takes a restart, beside a device that is gone", "server: {max_sessions: 9}\noperators: {token: $OPERATORS}\nlog: {files: 3}\nprofiles: {toy: {}}\n",
				[]string{":1:24: server.max_sessions: is 200 in the running server and 9 here, which takes a restart", ":3:14: log.files: is 5", "operators.token: differs", `"problems":3`}},
		} {
			c.told = logBuffer{}
			c.becomes(tt.yaml)
			for _, want := range append(tt.says, "configuration not reloaded: the one in force stays") {
				if !strings.Contains(c.told.String(), want) {
					t.Errorf("%s: said %s, want %q in it", tt.name, c.told.String(), want)
				}
			}
			if strings.Contains(c.told.String(), denToken) {
				t.Errorf("%s: a token is shown: %s", tt.name, c.told.String())
			}
			if c.dialogues.standing.Load() != standing {
				t.Errorf("%s: something was taken over", tt.name)
			}
		}
		if err := os.Remove(c.path); err != nil {
			t.Fatal(err)
		}
		c.reloading.reload(t.Context())
		if !strings.Contains(c.told.String(), c.path+": no such file") {
			t.Errorf("said %s, want that the file is gone", c.told.String())
		}
		c.silent(kitchen)
		c.hangUp(kitchen)
		again := c.dial(as("kitchen", kitchenToken)) // its token is still good
		c.hangUp(again)
		c.scrape().want(t, map[string]float64{"edged_config_reloads_total outcome=refused": 4, "edged_config_reloads_total outcome=applied": 0})
		// What was refused does not count as in force: the same file as at first is no
		// change.
		c.told = logBuffer{}
		c.becomes(before)
		if !strings.Contains(c.told.String(), "configuration reloaded") || strings.Contains(c.told.String(), "kitchen") {
			t.Errorf("said %s, want that it was reloaded and no device changed", c.told.String())
		}
	})
}

// lines is where a server writes what a test waits for.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		l <- line
	}
	return len(p), nil
}

// until returns the first line that holds the words.
func (l lines) until(words string) string {
	for line := range l {
		if strings.Contains(line, words) {
			return line
		}
	}
	return ""
}

// The command reloads at a real SIGHUP, a directory and a file of variables, and the
// process goes on.
func TestReloadAtSignal(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir, env := t.TempDir(), filepath.Join(t.TempDir(), "secrets")
	write(t, env, "KITCHEN="+kitchenToken+"\n")
	write(t, filepath.Join(dir, "10-kitchen.yaml"), "devices: {kitchen: {token: $KITCHEN}}\n")
	said := make(lines, 1000)
	ctx, cancel := context.WithCancel(context.Background())
	code := make(chan int)
	go func() {
		code <- runWith(ctx, []string{"serve", "--listen", "127.0.0.1:0", "--config", dir, "--env-file", env}, &logBuffer{}, said, sighups)
	}()
	_, url, _ := strings.Cut(strings.TrimSuffix(said.until("edged is ready"), " (subprotocol edged.v1)\n"), ": ")
	hangup := func() {
		if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	dial := func(device, token string) error {
		d, err := edgetest.Dial(ctx, edgetest.Config{URL: url, Device: device, Token: token})
		if err == nil {
			err = d.Close(ctx)
		}
		return err
	}
	if err := dial("den", denToken); err == nil {
		t.Error("the den is let in before it is known")
	}
	write(t, filepath.Join(dir, "20-den.yaml"), "devices: {den: {token: $DEN}}\n")
	hangup()
	said.until("DEN is not set")
	write(t, env, "KITCHEN="+kitchenToken+"\nDEN="+denToken+"\n")
	hangup()
	if line := said.until("configuration reloaded"); !strings.Contains(line, "+den") || !strings.Contains(line, "reload=2") {
		t.Errorf("said %q, want that the den is new", line)
	}
	for device, token := range map[string]string{"kitchen": kitchenToken, "den": denToken} {
		if err := dial(device, token); err != nil {
			t.Errorf("%s: %v", device, err)
		}
	}
	cancel()
	if c := <-code; c != 0 {
		t.Errorf("serve exited with %d", c)
	}
}

// A terminal that was closed is told from one that is there, and from what is none.
func TestHungUp(t *testing.T) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("this system has no terminals: %v", err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if hungUp(terminal) || hungUp(null) {
		t.Errorf("a terminal that is there: %v, what is none: %v", hungUp(terminal), hungUp(null))
	}
	if err := master.Close(); err != nil {
		t.Fatal(err)
	}
	if !hungUp(terminal) {
		t.Error("a terminal that was closed seems to be there")
	}
}
