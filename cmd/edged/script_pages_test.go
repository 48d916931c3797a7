package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"edged/internal/docs"
)

// Whatever a page says of the command line, also in the middle of a sentence, is
// there: the command, and each of its flags.
func TestPagesNameFlagsThatExist(t *testing.T) {
	parser, err := kong.New(&cli{}, kong.Name("edged"), kong.BindTo(context.Background(), (*context.Context)(nil)), kong.Bind(streams{}))
	if err != nil {
		t.Fatal(err)
	}
	span := regexp.MustCompile("`(?:bin/)?edged ([^`]+)`")
	pages, err := docs.Pages(treeRoot)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, page := range pages {
		text, err := os.ReadFile(filepath.Join(treeRoot, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range span.FindAllStringSubmatch(strings.ReplaceAll(string(text), "\n", " "), -1) {
			found++
			if fault := misnamed(parser.Model.Node, strings.Fields(m[1])); fault != "" {
				t.Errorf("%s: %s: there is no %s", page, m[0], fault)
			}
		}
	}
	if found < 5 {
		t.Errorf("%d commands on the pages: they are not read rightly", found)
	}
}

// misnamed returns the command or flag among words that node does not have.
func misnamed(node *kong.Node, words []string) string {
	for i, w := range words {
		if flag, ok := strings.CutPrefix(w, "--"); ok {
			flag, _, _ = strings.Cut(flag, "=")
			if !hasFlag(node, flag) {
				return w
			}
			continue
		}
		below := child(node, w)
		if below == nil && i == 0 {
			return "command " + w
		}
		if below != nil {
			node = below
		}
	}
	return ""
}

func child(node *kong.Node, name string) *kong.Node {
	for _, c := range node.Children {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// hasFlag reports whether a command, or one above it or its default command, has a
// flag.
func hasFlag(node *kong.Node, name string) bool {
	if node.DefaultCmd != nil && hasFlag(node.DefaultCmd, name) {
		return true
	}
	for n := node; n != nil; n = n.Parent {
		for _, f := range n.Flags {
			if f.Name == name || "no-"+f.Name == name {
				return true
			}
		}
	}
	return name == "help"
}
