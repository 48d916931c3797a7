package badinput

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A tree of two packages and its page, which the cases below break.
const (
	goodPage = `
Tests are in ` + "`c`" + `, mostly.

| Input | Gets | Counted | Next | Test |
|---|---|---|---|---|
| an empty name | an error | ` + "`stale`" + ` | goes on | ` + "`a/b.TestNames/empty`" + ` |
| a long name | an error | nothing | goes on | ` + "`a/b.TestNames/long, very`" + ` |
| a bomb | a close | nothing | ends | ` + "`c.TestBomb`" + ` |

| Other | Table |
|---|---|
| is | not looked at |

| Number | What | Test |
|---|---|---|
| F40 drops | no trace | ` + "`TestBomb`" + ` |
`
	goodB = `package b

func TestNames(t *testing.T) {
	tests := []struct{ name, in string }{{"empty", ""}, {name: "long, very", in: "x"}}
}
`
	goodC = `package c

const stale = "stale"
`
	goodCTest = `package c

// "Bad input", F40: nothing is left.
func TestBomb(t *testing.T) {}

// TestOther claims nothing.
func TestOther(t *testing.T) {}
`
)

// What is out of step is found.
func TestComparison(t *testing.T) {
	tests := []struct {
		name    string
		from    string
		to      string
		problem string // empty: none
	}{
		{"in step", "", "", ""},
		{"a test that is not there", "c.TestBomb`" + ` |

| Other`, "c.TestBom`" + ` |

| Other`, "there is no c.TestBom"},
		{"a case that is not there", "a/b.TestNames/empty", "a/b.TestNames/vacant", `has no case "vacant"`},
		{"a case without a row", `{"empty", ""}`, `{"empty", ""}, {"new", ""}`, "a/b.TestNames/new has no row"},
		{"a claim without a row", "// TestOther claims nothing.", `// TestOther is "Bad input".`, "c.TestOther claims a row and has none"},
		{"a test that lost its claim to a number", "F40: nothing", "nothing", "whose comment does not name F40"},
		{"a number without a row", "| F40 drops", "| drops", "no row begins with F40"},
		{"a number that a row does not name", "// TestOther claims nothing.", "// TestOther is F40.", "c.TestOther says that it is F40 and is not in that row"},
		{"an empty cell", "| an error | nothing |", "| | nothing |", `says nothing in column "Gets"`},
		{"a missing cell", "| a bomb | a close |", "| a bomb |", "has 4 cells, its table 5"},
		{"a row without a test", "`c.TestBomb`" + ` |

| Other`, "none |\n\n| Other", "names no test"},
		{"a name that is no test", "a/b.TestNames/empty", "names of b", "is not of the form"},
		{"a counter that is not there", "`stale`", "`fresh`", `nothing is counted as "fresh"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			changed := tt.from == ""
			edit := func(text string) string {
				changed = changed || strings.Contains(text, tt.from)
				return strings.Replace(text, tt.from, tt.to, 1)
			}
			page := edit(goodPage)
			for file, text := range map[string]string{"a/b/badinput_test.go": goodB, "c/c.go": goodC, "c/c_test.go": goodCTest} {
				if err := os.MkdirAll(filepath.Join(root, filepath.Dir(file)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(root, file), []byte(edit(text)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if !changed {
				t.Fatalf("%q is nowhere", tt.from)
			}
			tree, err := parseTree(root)
			if err != nil {
				t.Fatal(err)
			}
			rows, problems := parsePage(page)
			problems = append(problems, compare(rows, tree, []string{"F40"})...)
			if tt.problem == "" {
				if len(problems) > 0 {
					t.Errorf("found %q where nothing is wrong", problems)
				}
			} else if !slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, tt.problem) }) {
				t.Errorf("found %q, want %q", problems, tt.problem)
			}
		})
	}
}
