package conformance

import (
	"flag"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

const (
	root     = "../.."
	pagePath = root + "/docs/conformance.md"
)

var update = flag.Bool("update", false, "write the tests into docs/conformance.md")

// What contracts there are, and how many lines each has.
func catalogue() []string {
	var ids []string
	for _, part := range []struct {
		letter      string
		first, last int
	}{
		{"G", 1, 64}, {"V", 1, 90}, {"X", 1, 21}, {"R", 1, 73},
		{"F", 1, 7}, {"F", 10, 18}, {"F", 20, 27}, {"F", 30, 32}, {"F", 40, 47}, {"F", 50, 53}, {"F", 60, 64},
	} {
		for n := part.first; n <= part.last; n++ {
			ids = append(ids, fmt.Sprintf("%s%02d", part.letter, n))
		}
	}
	return ids
}

// Tests, and packages of them, that name lines without showing them.
var bookkeeping = map[string]string{
	"internal/conformance":                "this package",
	"internal/badinput":                   "it keeps the page of bad input and its tests in step",
	"session.TestCorpusCoversCatalogue":   "it counts the conversations",
	"session.TestConversationFileRefuses": "the line is part of an example",
}

// Tests that skip themselves where they cannot be run, which is nowhere that CI runs.
var maySkip = map[string]string{
	"cmd/edged.TestAbruptDrops": "counts descriptors in /proc, which only Linux has",
}

func readPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(pagePath)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// evidence is what the tree says about each line.
type evidence struct {
	tests         map[string]Test
	byLine        map[string][]Test
	elsewhere     map[string]string
	conversations map[string][]string
}

func gather(t *testing.T) evidence {
	t.Helper()
	e, err := evidenceOnce()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

var evidenceOnce = sync.OnceValues(func() (evidence, error) {
	tests, elsewhere, err := Scan(root)
	if err != nil {
		return evidence{}, err
	}
	conversations, err := Conversations(root)
	if err != nil {
		return evidence{}, err
	}
	e := evidence{tests: tests, elsewhere: elsewhere, conversations: conversations, byLine: make(map[string][]Test)}
	for id, test := range tests {
		if bookkeeping[id] != "" || bookkeeping[test.Package] != "" {
			continue
		}
		for _, line := range test.Lines {
			e.byLine[line] = append(e.byLine[line], test)
		}
	}
	return e, nil
})

// Each line has the tests that name it, all of them and no others.
func TestPageAndTestsAgree(t *testing.T) {
	page, e := readPage(t), gather(t)
	written := make(map[string]bool)
	for _, r := range Rows(page) {
		written[r.ID] = true
		want := ShownBy(e.byLine[r.ID], e.conversations[r.ID])
		if r.Tests == want {
			continue
		}
		if !*update {
			t.Errorf("%s: the page names %s\nthe tests that name it are %s\n(go test ./internal/conformance -update writes them)", r.ID, r.Tests, want)
			continue
		}
		page = strings.Replace(page, fmt.Sprintf("| %s | %s | %s |\n", r.ID, r.Says, r.Tests), fmt.Sprintf("| %s | %s | %s |\n", r.ID, r.Says, want), 1)
	}
	for line, tests := range e.byLine {
		if !written[line] {
			t.Errorf("%s names %s, which is not on the page", tests[0].ID(), line)
		}
	}
	for line, file := range e.elsewhere {
		if !written[line] && bookkeeping[path.Dir(file)] == "" {
			t.Errorf("%s names %s, which is not on the page", file, line)
		}
	}
	if *update && page != readPage(t) {
		if err := os.WriteFile(pagePath, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Each line of each contract is either shown or admitted to be missing, once.
func TestEveryLineIsAccountedFor(t *testing.T) {
	page := readPage(t)
	seen := make(map[string]int)
	for _, r := range Rows(page) {
		seen[r.ID]++
		if r.Tests == "" || len(r.Says) < 15 {
			t.Errorf("%s says %q and names %q: want a sentence and a test", r.ID, r.Says, r.Tests)
		}
	}
	for _, id := range NotYet(page) {
		seen[id]++
	}
	all := catalogue()
	for _, id := range all {
		if seen[id] != 1 {
			t.Errorf("%s stands %d times on the page, want it once: in a table or under \"Not yet\"", id, seen[id])
		}
		delete(seen, id)
	}
	for id := range seen {
		t.Errorf("%s is on the page and in no contract", id)
	}
}

// Each test on the page exists where the page says, and always runs.
func TestNamedTestsRun(t *testing.T) {
	e := gather(t)
	links := Links(readPage(t))
	if len(links) < 100 {
		t.Fatalf("%d tests on the page: it is not read rightly", len(links))
	}
	for id, address := range links {
		test, ok := e.tests[id]
		switch {
		case !ok:
			t.Errorf("there is no test %s", id)
		case address != "../"+test.File && (id != Corpus || address != "../session/testdata"):
			t.Errorf("%s stands in %s, the page links to %s", id, test.File, address)
		case test.Skips && maySkip[id] == "":
			t.Errorf("%s may skip itself: what it shows is not shown then", id)
		}
	}
}

// Each command on the page exists.
func TestNamedCommandsExist(t *testing.T) {
	targets, err := Targets(root + "/Makefile")
	if err != nil {
		t.Fatal(err)
	}
	commands, err := Commands(root + "/cmd/edged")
	if err != nil {
		t.Fatal(err)
	}
	if !targets["test"] || !commands["serve"] || !commands["sessions show"] {
		t.Fatalf("targets %v, commands %v: not read rightly", targets, commands)
	}
	for _, m := range regexp.MustCompile("`(make|edged) ([^`]*)`").FindAllStringSubmatch(readPage(t), -1) {
		words := strings.Fields(m[2])
		switch {
		case m[1] == "make" && !targets[words[0]]:
			t.Errorf("%s: there is no such target", m[0])
		case m[1] == "edged" && !commands[words[0]]:
			t.Errorf("%s: there is no such command", m[0])
		case m[1] == "edged" && isGroup(commands, words[0]) && len(words) > 1 && !strings.HasPrefix(words[1], "-") && !commands[words[0]+" "+words[1]]:
			t.Errorf("%s: there is no such command", m[0])
		}
	}
}

// isGroup reports whether command has commands of its own.
func isGroup(commands map[string]bool, command string) bool {
	for c := range commands {
		if strings.HasPrefix(c, command+" ") {
			return true
		}
	}
	return false
}

// The scanner finds what it has to find, and nothing else.
func TestLinesIn(t *testing.T) {
	tests := []struct{ text, name, want string }{
		{"// F10, F11: nothing", "TestX", "F10 F11"},
		{"a range F08-F11", "TestX", "F08 F09 F10 F11"},
		{"", "TestG07G09ChunksTravel", "G07 G09"},
		{`{"G05 the end"}`, "TestG05End", "G05"},
		{"F1, F100, XF10, F10x and 0xF10 are none", "TestX", ""},
		{"", "TestG7", ""},
	}
	for _, tt := range tests {
		if got := strings.Join(linesIn(tt.text, tt.name), " "); got != tt.want {
			t.Errorf("lines in %q of %s: %q, want %q", tt.text, tt.name, got, tt.want)
		}
	}
	if !slices.Equal(NotYet("# x\n\n## Not yet\n\nV42-V43: none. R01\n\n## More\n\nG01\n"), []string{"R01", "V42", "V43"}) {
		t.Error("the section \"Not yet\" is not read rightly")
	}
}
