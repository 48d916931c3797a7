package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"edged/internal/docs"
)

// treeRoot is the root of the tree, seen from this package.
const treeRoot = "../.."

// TestMain makes this binary be edged, too, when it is called by that name.
func TestMain(m *testing.M) {
	testscript.Main(leakless{m}, map[string]func(){"edged": main})
}

// leakless runs the tests and then looks for goroutines that they left.
type leakless struct{ *testing.M }

func (m leakless) Run() int {
	code := m.M.Run()
	if code != 0 {
		return code
	}
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// The commands of the pages, as they stand there, against real servers. A script
// takes a command from its page with "page", and a configuration with "yaml".
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		Setup:               furnish,
		RequireExplicitExec: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"page": takeCommand, "yaml": takeConfiguration, "fifo": makeFifo, "await": await, "grab": grab,
		},
	})
}

// furnish makes a script's directory look like the tree to who reads the pages.
func furnish(env *testscript.Env) error {
	root, err := filepath.Abs(treeRoot)
	if err != nil {
		return err
	}
	env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, ".cache"))
	env.Setenv("ROOT", root)
	// The machine may be busy with other tests, and time here is real.
	for _, stage := range []string{"ASR", "GENERATE", "TTS"} {
		env.Setenv("EDGED_PROFILES_DEFAULT_DEADLINES_"+stage, "25s")
	}
	if err := os.Symlink(filepath.Join(root, "testdata"), filepath.Join(env.WorkDir, "testdata")); err != nil {
		return err
	}
	bin := filepath.Join(env.WorkDir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		return err
	}
	path, _, _ := strings.Cut(env.Getenv("PATH"), string(filepath.ListSeparator))
	return os.Symlink(filepath.Join(path, "edged"), filepath.Join(bin, "edged"))
}

// takeCommand is "page PAGE 'COMMAND' [FILE.sh] [FROM->TO...]": it writes the one
// command of the page that begins with those words into a file (command.sh), with
// each FROM replaced. The address of the page is that of the server.
func takeCommand(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: page PAGE 'COMMAND' [FILE.sh] [FROM->TO...]")
	}
	blocks, err := docs.Read(treeRoot, args[0])
	ts.Check(err)
	command, err := docs.Find(blocks, args[1])
	ts.Check(err)
	if address := ts.Getenv("ADDR"); address != "" {
		command = strings.ReplaceAll(command, "127.0.0.1:8080", address)
	}
	file := "command.sh"
	for _, change := range args[2:] {
		from, to, ok := strings.Cut(change, "->")
		if !ok && strings.HasSuffix(change, ".sh") {
			file = change
			continue
		}
		if !ok || !strings.Contains(command, from) {
			ts.Fatalf("%q: want FROM->TO with FROM in %q", change, command)
		}
		command = strings.ReplaceAll(command, from, to)
	}
	ts.Check(os.WriteFile(ts.MkAbs(file), []byte(command+"\n"), 0o600))
}

// takeConfiguration is "yaml PAGE WORDS FILE": it writes the one configuration of
// the page that holds those words into a file.
func takeConfiguration(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: yaml PAGE WORDS FILE")
	}
	blocks, err := docs.Read(treeRoot, args[0])
	ts.Check(err)
	found := ""
	for _, b := range blocks {
		if b.Lang == "yaml" && strings.Contains(b.Text, args[1]) {
			if found != "" {
				ts.Fatalf("two configurations of %s hold %q", args[0], args[1])
			}
			found = b.Text
		}
	}
	if found == "" {
		ts.Fatalf("no configuration of %s holds %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(found), 0o600))
}

// makeFifo is "fifo NAME": a ready file that can be waited for.
func makeFifo(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(syscall.Mkfifo(ts.MkAbs(args[0]), 0o600))
}

// await is "await FIFO": it waits for the server to write its URL, which becomes
// URL, and its host and port ADDR. The other commands look there for it.
func await(ts *testscript.TestScript, _ bool, args []string) {
	type read struct {
		text []byte
		err  error
	}
	line := make(chan read, 1)
	go func() {
		text, err := os.ReadFile(ts.MkAbs(args[0]))
		line <- read{text, err}
	}()
	select {
	case r := <-line:
		ts.Check(r.err)
		url := strings.TrimSpace(string(r.text))
		address := strings.TrimSuffix(strings.TrimPrefix(url, "ws://"), "/v1/ws")
		ts.Setenv("URL", url)
		ts.Setenv("ADDR", address)
		ts.Setenv("EDGED_OPERATOR_URL", "http://"+address)
	case <-time.After(time.Minute):
		// The reader is released, so that it does not outlive the test.
		if end, err := os.OpenFile(ts.MkAbs(args[0]), os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			end.Close()
			<-line
		}
		ts.Fatalf("the server did not become ready")
	}
}

// grab is "grab NAME PATTERN": what the group of the pattern matches in the last
// standard output becomes a variable.
func grab(ts *testscript.TestScript, _ bool, args []string) {
	m := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if len(m) != 2 {
		ts.Fatalf("%s is not in the output", args[1])
	}
	ts.Setenv(args[0], m[1])
}
