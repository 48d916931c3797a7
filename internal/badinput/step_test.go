package badinput

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// numbers are those that the page must have a row for.
var numbers = []string{"F40", "F41", "F42", "F43", "F44", "F45", "F46", "F50", "F51", "F52", "F53"}

// The page and the tests are in step.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/bad-input.md")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := parseTree("../..")
	if err != nil {
		t.Fatal(err)
	}
	rows, problems := parsePage(string(page))
	for _, p := range append(problems, compare(rows, tree, numbers)...) {
		t.Error("docs/bad-input.md: " + p)
	}
	if len(rows) < 150 {
		t.Errorf("docs/bad-input.md has %d rows: most of its tables were not found", len(rows))
	}
	t.Logf("%d rows", len(rows))
}

// compare returns where the rows and the tests are out of step. Each of the numbers
// must have a row.
func compare(rows []row, tree sayings, numbers []string) (problems []string) {
	complain := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	listed := make(map[reference]bool)
	byNumber := make(map[string][]reference)
	for _, r := range rows {
		for _, name := range r.counted {
			if !tree.strings[name] {
				complain("line %d: nothing is counted as %q", r.line, name)
			}
		}
		for _, ref := range r.tests {
			listed[ref] = true
			c := tree.claims[ref.whole()]
			if c == nil {
				complain("line %d: there is no %s", r.line, ref.whole())
			} else if ref.name != "" && !c.strings[ref.name] {
				complain("line %d: %s has no case %q", r.line, ref.whole(), ref.name)
			}
		}
		if n := number.FindString(r.cells[0]); n != "" && strings.HasPrefix(r.cells[0], n) {
			for _, ref := range r.tests {
				byNumber[n] = append(byNumber[n], ref.whole())
			}
		}
	}
	for _, n := range numbers {
		if len(byNumber[n]) == 0 {
			complain("no row begins with %s", n)
		}
		for _, ref := range byNumber[n] {
			if c := tree.claims[ref]; c != nil && !slices.Contains(c.numbers, n) {
				complain("the row %s names %s, whose comment does not name %s", n, ref, n)
			}
		}
	}
	for _, c := range tree.claims {
		for _, n := range c.numbers {
			if slices.Contains(numbers, n) && !slices.Contains(byNumber[n], c.reference) {
				complain("%s says that it is %s and is not in that row", c.reference, n)
			}
		}
		problems = append(problems, missing(c, listed)...)
	}
	slices.Sort(problems)
	return problems
}

// missing returns what the page does not list of a test that claims a row.
func missing(c *claim, listed map[reference]bool) (problems []string) {
	if !c.listed || listed[c.reference] {
		return nil
	}
	any := false
	for ref := range listed {
		any = any || ref.whole() == c.reference
	}
	if !any {
		return []string{fmt.Sprintf("%s claims a row and has none", c.reference)}
	}
	if !c.all {
		return nil
	}
	for _, name := range c.cases {
		if one := (reference{c.dir, c.function, name}); !listed[one] {
			problems = append(problems, fmt.Sprintf("%s has no row", one))
		}
	}
	return problems
}
