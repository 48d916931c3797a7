package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// What a test names and whether it skips itself, in every way in which it may.
func TestScan(t *testing.T) {
	dir := t.TempDir()
	source := `package p

import "testing"

// table has a row of G01, outside of any test.
var table = []string{"G01"}

// F10: in the comment.
func TestComment(t *testing.T) {}

func TestG07G09Name(t *testing.T) { needs(t) }

func TestRow(t *testing.T) {
	for _, name := range []string{"V28 unknown"} {
		t.Run(name, func(t *testing.T) { in.Skip(1) })
	}
}

func FuzzX(f *testing.F) { f.Skip("never") }

func needs(t *testing.T) { deeper(t) }

func deeper(t *testing.T) { t.Skipf("no %s", "engine") }

func Testify() {} // F11: no test
`
	if err := os.MkdirAll(filepath.Join(dir, "a", "p"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a", "p", "p_test.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	tests, elsewhere, err := Scan(dir)
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{
		"a/p.TestComment": "[F10] false", "a/p.TestG07G09Name": "[G07 G09] true", "a/p.TestRow": "[V28] false", "a/p.FuzzX": "[] true",
	} {
		if got := fmt.Sprint(tests[id].Lines, tests[id].Skips); got != want {
			t.Errorf("%s: lines and skips %s, want %s", id, got, want)
		}
	}
	if len(tests) != 4 || elsewhere["G01"] != "a/p/p_test.go" || elsewhere["F11"] == "" {
		t.Errorf("%d tests, lines elsewhere %v", len(tests), elsewhere)
	}
}
