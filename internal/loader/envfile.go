package loader

import (
	"os"
	"strings"
)

// envFile reads a file of variables: lines of NAME=value, of which one pair of
// quotes around the value is no part. Empty lines and those that begin with #
// mean nothing.
func (t *tree) envFile(name string) (environ []string) {
	if name == "" {
		return nil
	}
	content, err := os.ReadFile(name)
	if err != nil {
		t.unreadable(name, err)
		return nil
	}
	for i, line := range strings.Split(string(content), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok || !isVariable(key) || strings.ContainsRune(value, 0) {
			t.problems = append(t.problems, Problem{Source: name, Line: i + 1, Column: 1, Message: "is no variable", Allowed: "NAME=value"})
			continue
		}
		environ = append(environ, key+"="+unquote(value))
	}
	return environ
}

func unquote(s string) string {
	if n := len(s); n >= 2 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		return s[1 : n-1]
	}
	return s
}
