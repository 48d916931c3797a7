package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Block is a snippet on a page.
type Block struct {
	// Page is the path of the page below the root of the tree, Line the number
	// of the first line of Text on it.
	Page string
	Line int
	// Lang is the language that a fenced block is tagged with, "sh" for an
	// indented block, "" for an untagged one.
	Lang string
	Text string
	// Source is what the comment <!-- source: FILE NAME --> before the block
	// says, "" without one.
	Source string
}

// String names the block for a message.
func (b Block) String() string { return fmt.Sprintf("%s:%d", b.Page, b.Line) }

// Pages returns the paths of the pages of the tree at root: README.md,
// CONTRIBUTING.md and docs/*.md.
func Pages(root string) ([]string, error) {
	pages := []string{"README.md", "CONTRIBUTING.md"}
	files, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	for _, file := range files {
		pages = append(pages, "docs/"+filepath.Base(file))
	}
	return pages, err
}

// Read returns the blocks of a page.
func Read(root, page string) ([]Block, error) {
	text, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		return nil, err
	}
	return Parse(page, string(text))
}

var (
	fence  = regexp.MustCompile("^( *)```([a-z]*)$")
	origin = regexp.MustCompile(`^<!-- source: (.*) -->$`)
)

// Parse returns the blocks of a page with that text. The error is a fence
// without an end.
func Parse(page, text string) ([]Block, error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	var blocks []Block
	from, blank := "", true
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if m := origin.FindStringSubmatch(line); m != nil {
			from = m[1]
			continue
		}
		b := Block{Page: page, Line: i + 1, Source: from}
		switch m := fence.FindStringSubmatch(line); {
		case m != nil:
			b.Line, b.Lang = i+2, m[2]
			for i++; ; i++ {
				if i == len(lines) {
					return nil, fmt.Errorf("%s: the block that begins here has no end", b)
				}
				if lines[i] == m[1]+"```" {
					break
				}
				b.Text += strings.TrimPrefix(lines[i], m[1]) + "\n"
			}
		case blank && strings.HasPrefix(line, "    "):
			b.Lang = "sh"
			for ; i < len(lines) && strings.HasPrefix(lines[i], "    "); i++ {
				b.Text += lines[i][4:] + "\n"
			}
			i--
		default:
			blank = strings.TrimSpace(line) == ""
			if !blank {
				from = ""
			}
			continue
		}
		blocks = append(blocks, b)
		from, blank = "", true
	}
	return blocks, nil
}
