package badinput

import (
	"fmt"
	"regexp"
	"strings"
)

// row is a line of a table of the page.
type row struct {
	line    int
	cells   []string
	counted []string // names in the cell "Counted"
	tests   []reference
}

// reference names a test as the page does: directory, function, and one of its
// cases, empty for all of them.
type reference struct{ dir, function, name string }

func (r reference) String() string {
	if r.name == "" {
		return r.dir + "." + r.function
	}
	return r.dir + "." + r.function + "/" + r.name
}

// whole is the function without the case.
func (r reference) whole() reference { return reference{r.dir, r.function, ""} }

var (
	code      = regexp.MustCompile("`([^`]+)`")
	referring = regexp.MustCompile(`^(?:([a-z][a-z0-9/-]*)\.)?((?:Test|Fuzz)\w+)(?:/(.+))?$`)
	standing  = regexp.MustCompile("^Tests are in `([^`]+)`")
	separator = regexp.MustCompile(`^\|(?:\s*:?-+:?\s*\|)+$`)
)

// parsePage returns the rows of all tables whose last column is headed "Test", and
// what is wrong with them. A line that begins with "Tests are in" says where those
// tests are that are named without a directory.
func parsePage(page string) (rows []row, problems []string) {
	var heads []string
	dir := ""
	for n, line := range strings.Split(page, "\n") {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			heads = nil
			if m := standing.FindStringSubmatch(line); m != nil {
				dir = m[1]
			}
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case heads == nil:
			heads = cells
			continue
		case separator.MatchString(line) || heads[len(heads)-1] != "Test":
			continue
		case len(cells) != len(heads):
			problems = append(problems, fmt.Sprintf("line %d has %d cells, its table %d", n+1, len(cells), len(heads)))
			continue
		}
		r := row{line: n + 1, cells: cells}
		for i, cell := range cells {
			if cell == "" {
				problems = append(problems, fmt.Sprintf("line %d says nothing in column %q", n+1, heads[i]))
			}
			for _, name := range code.FindAllStringSubmatch(cell, -1) {
				switch heads[i] {
				case "Counted":
					r.counted = append(r.counted, name[1])
				case "Test":
					m := referring.FindStringSubmatch(name[1])
					if m == nil {
						problems = append(problems, fmt.Sprintf("line %d: %q is not of the form directory.TestName/case", n+1, name[1]))
						continue
					}
					if m[1] == "" {
						m[1] = dir
					}
					r.tests = append(r.tests, reference{m[1], m[2], m[3]})
				}
			}
		}
		if len(r.tests) == 0 {
			problems = append(problems, fmt.Sprintf("line %d names no test", n+1))
		}
		rows = append(rows, r)
	}
	return rows, problems
}
