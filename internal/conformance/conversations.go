package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Corpus is the test that performs the conversations.
const Corpus = "session.TestCorpus"

var shows = regexp.MustCompile(`(?m)^shows: \[([^\]]*)\]`)

// Conversations returns for each line the conversations of session/testdata that
// show it, sorted by name.
func Conversations(root string) (map[string][]string, error) {
	files, err := filepath.Glob(filepath.Join(root, "session", "testdata", "*.yaml"))
	if err != nil {
		return nil, err
	}
	by := make(map[string][]string)
	for _, file := range files { // Glob sorts
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		m := shows.FindSubmatch(text)
		if m == nil {
			return nil, fmt.Errorf("%s: there is no line \"shows: [...]\"", file)
		}
		for _, line := range linesIn(string(m[1]), "") {
			by[line] = append(by[line], strings.TrimSuffix(filepath.Base(file), ".yaml"))
		}
	}
	return by, nil
}
