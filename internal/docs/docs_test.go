package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

// everything returns the blocks of all pages, by page.
func everything(t *testing.T) map[string][]Block {
	t.Helper()
	pages, err := Pages(root)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string][]Block)
	blocks := 0
	for _, page := range pages {
		if all[page], err = Read(root, page); err != nil {
			t.Fatal(err)
		}
		blocks += len(all[page])
	}
	if blocks < 20 {
		t.Fatalf("%d blocks on %d pages: they are not read rightly", blocks, len(pages))
	}
	return all
}

// Every block has a language for which there is a test.
func TestEveryBlockIsTagged(t *testing.T) {
	for _, blocks := range everything(t) {
		for _, b := range blocks {
			switch b.Lang {
			case "sh", "yaml", "go", "json", "text":
			default:
				t.Errorf("%s: the block is tagged %q, want sh, yaml, go, json or text", b, b.Lang)
			}
		}
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	span    = regexp.MustCompile("`[^`]*`")
	anchor  = regexp.MustCompile(`[^a-z0-9_ -]`)
)

// Every link within the tree leads somewhere, to a heading where it names one.
func TestLinks(t *testing.T) {
	for page := range everything(t) {
		text := read(t, page)
		for _, m := range link.FindAllStringSubmatch(span.ReplaceAllString(text, ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			file, name, _ := strings.Cut(m[1], "#")
			target := page
			if file != "" {
				target = filepath.Join(filepath.Dir(page), file)
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
				continue
			}
			if name != "" && !anchors(read(t, target))[name] {
				t.Errorf("%s links to %s, which has no such heading", page, m[1])
			}
		}
	}
}

// anchors returns the names that the headings of a page can be linked by.
func anchors(text string) map[string]bool {
	names := make(map[string]bool)
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		plain := anchor.ReplaceAllString(strings.ToLower(m[1]), "")
		names[strings.ReplaceAll(plain, " ", "-")] = true
	}
	return names
}

func read(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The index names every page.
func TestIndexIsWhole(t *testing.T) {
	index := read(t, "docs/README.md")
	for page := range everything(t) {
		name, below := strings.CutPrefix(page, "docs/")
		if below && name != "README.md" && !strings.Contains(index, "]("+name+")") {
			t.Errorf("docs/README.md does not lead to %s", page)
		}
	}
}
