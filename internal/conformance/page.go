package conformance

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Row is one line of a contract on the page.
type Row struct {
	ID    string // such as G05
	Says  string
	Tests string // as written
}

var (
	row  = regexp.MustCompile(`^\| ([FGRVX]\d\d) \| (.*) \| (.*) \|$`)
	link = regexp.MustCompile(`\[([a-z0-9/_-]+\.(?:Test|Fuzz|Benchmark|Example)\w*)\]\(([^)]*)\)`)
)

// Rows returns the lines of the page's tables.
func Rows(page string) []Row {
	var rows []Row
	for text := range strings.Lines(page) {
		if m := row.FindStringSubmatch(strings.TrimSuffix(text, "\n")); m != nil {
			rows = append(rows, Row{ID: m[1], Says: m[2], Tests: m[3]})
		}
	}
	return rows
}

// NotYet returns the lines that the section "Not yet" names, in ranges or alone.
func NotYet(page string) []string {
	_, section, found := strings.Cut(page, "\n## Not yet\n")
	if !found {
		return nil
	}
	section, _, _ = strings.Cut(section, "\n## ")
	return linesIn(section, "")
}

// Links returns the tests that text links to, with the addresses.
func Links(text string) map[string]string {
	links := make(map[string]string)
	for _, m := range link.FindAllStringSubmatch(text, -1) {
		links[m[1]] = m[2]
	}
	return links
}

// ShownBy writes down the tests of a line as they stand on the page: tests by
// ID, and the conversations that show it.
func ShownBy(tests []Test, conversations []string) string {
	var all []string
	slices.SortFunc(tests, func(a, b Test) int { return strings.Compare(a.ID(), b.ID()) })
	for _, t := range tests {
		all = append(all, fmt.Sprintf("[%s](../%s)", t.ID(), t.File))
	}
	if len(conversations) > 0 {
		all = append(all, fmt.Sprintf("[%s](../session/testdata): %s", Corpus, strings.Join(conversations, " ")))
	}
	return strings.Join(all, ", ")
}
