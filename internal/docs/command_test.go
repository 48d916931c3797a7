package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"edged/internal/conformance"
)

// Every command of a page is taken by a script, or is one of make and go that is
// checked here.
func TestEveryCommandIsRun(t *testing.T) {
	taken := scripts(t)
	for page, blocks := range everything(t) {
		covered := make(map[string]bool)
		for _, name := range taken[page] {
			c, err := Find(blocks, name)
			if err != nil {
				t.Errorf("a script takes %q of %s: %v", name, page, err)
			}
			covered[c] = true
		}
		for _, b := range blocks {
			if b.Lang != "sh" {
				continue
			}
			for _, c := range b.Commands() {
				if !covered[c] && !check(t, b, c) {
					t.Errorf("%s: no script in cmd/edged/testdata/script runs this:\n%s", b, c)
				}
			}
		}
	}
}

// scripts returns the commands that the scripts take, by page.
func scripts(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(root + "/cmd/edged/testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	all := make(map[string][]string)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for page, names := range Taken(string(text)) {
			all[page] = append(all[page], names...)
		}
	}
	return all
}

// check looks at a command of make or go, and reports whether it is one.
func check(t *testing.T, b Block, command string) bool {
	t.Helper()
	words := strings.Fields(command)
	switch {
	case words[0] == "make":
		dry := exec.Command("make", append([]string{"-C", root, "-n"}, words[1:]...)...)
		if out, err := dry.CombinedOutput(); err != nil {
			t.Errorf("%s: %s: %v\n%s", b, command, err, out)
		}
		return true
	case words[0] == "go" && len(words) > 1 && words[1] == "test":
		checkGoTest(t, b, words)
		return true
	case words[0] == "go" && len(words) > 2 && words[1] == "tool":
		if out, err := exec.Command("go", "list", "cmd/"+words[2]).CombinedOutput(); err != nil {
			t.Errorf("%s: %s: %v\n%s", b, command, err, out)
		}
		return true
	case strings.HasPrefix(command, "export GOFLAGS="):
		if tag := strings.TrimPrefix(command, "export GOFLAGS="); !strings.Contains(read(t, "Makefile"), "GOFLAGS := "+tag) {
			t.Errorf("%s: %s is not what the Makefile sets", b, command)
		}
		return true
	}
	return false
}

var allTests = sync.OnceValues(func() (map[string]conformance.Test, error) {
	tests, _, err := conformance.Scan(root)
	return tests, err
})

// What stands in the middle of a sentence exists as well: tests, and targets of
// make. (Those of edged itself are looked up in cmd/edged.)
func TestCommandsInSentences(t *testing.T) {
	targets, err := conformance.Targets(root + "/Makefile")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for page := range everything(t) {
		b := Block{Page: page}
		for _, m := range regexp.MustCompile("`(make|go test) ([^`]+)`").FindAllStringSubmatch(strings.ReplaceAll(read(t, page), "\n", " "), -1) {
			found++
			words := strings.Fields(m[2])
			switch {
			case m[1] == "go test":
				checkGoTest(t, b, words)
			case !targets[words[0]] && !strings.Contains(words[0], "="):
				t.Errorf("%s: %s: there is no such target", page, m[0])
			}
		}
	}
	if found < 5 {
		t.Errorf("%d commands in sentences: they are not read rightly", found)
	}
}

// checkGoTest looks for the package and the tests of a command.
func checkGoTest(t *testing.T, b Block, words []string) {
	t.Helper()
	tests, err := allTests()
	if err != nil {
		t.Fatal(err)
	}
	dir, pattern := "", regexp.MustCompile("")
	for i, w := range words {
		if (w == "-run" || w == "-bench" || w == "-fuzz") && i+1 < len(words) {
			name, _, _ := strings.Cut(strings.Trim(words[i+1], "'"), "/")
			if pattern, err = regexp.Compile(name); err != nil {
				t.Errorf("%s: %v", b, err)
				return
			}
		}
		if strings.HasPrefix(w, "./") {
			dir = strings.TrimPrefix(w, "./")
		}
	}
	for _, test := range tests {
		within := test.Package == dir || strings.HasSuffix(dir, "/...") && strings.HasPrefix(test.Package+"/", strings.TrimSuffix(dir, "..."))
		if within && pattern.MatchString(test.Name) {
			return
		}
	}
	t.Errorf("%s: there is no test %s in ./%s", b, pattern, dir)
}
