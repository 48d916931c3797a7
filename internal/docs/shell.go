package docs

import (
	"fmt"
	"regexp"
	"strings"
)

// comment is one behind a command.
var comment = regexp.MustCompile(`(^|\s)#.*$`)

// Commands returns the commands of a block of sh, one line each: comments are
// gone, lines that end with a backslash are joined with the next one.
func (b Block) Commands() []string {
	var commands []string
	begun := ""
	for line := range strings.Lines(b.Text) {
		line = strings.TrimSpace(comment.ReplaceAllString(strings.TrimSuffix(line, "\n"), ""))
		if begun += line; strings.HasSuffix(begun, `\`) {
			begun = strings.TrimSuffix(begun, `\`)
			continue
		}
		if begun != "" {
			commands = append(commands, strings.Join(strings.Fields(begun), " "))
		}
		begun = ""
	}
	return commands
}

// Find returns the command of the blocks that is name, or the only one that
// begins with those words.
func Find(blocks []Block, name string) (string, error) {
	var found []string
	for _, b := range blocks {
		if b.Lang != "sh" {
			continue
		}
		for _, c := range b.Commands() {
			if c == name {
				return c, nil
			}
			if rest, ok := strings.CutPrefix(c, name); ok && (rest[0] == ' ' || rest[0] == '=') {
				found = append(found, c)
			}
		}
	}
	if len(found) != 1 {
		return "", fmt.Errorf("%d commands on the page begin with %q: %q", len(found), name, found)
	}
	return found[0], nil
}

// taken is a command that a script takes from a page.
var taken = regexp.MustCompile(`(?m)^page (\S+) '([^']+)'`)

// Taken returns the names of the commands that a script takes, by page.
func Taken(script string) map[string][]string {
	by := make(map[string][]string)
	for _, m := range taken.FindAllStringSubmatch(script, -1) {
		by[m[1]] = append(by[m[1]], m[2])
	}
	return by
}
