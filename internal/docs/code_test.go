package docs

import (
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"edged/internal/source"
)

var update = flag.Bool("update", false, "write the code of the guides into their pages")

// A snippet of Go stands in a file that is compiled and run with the tests: the
// comment before it says in which, and which of its declarations it is.
func TestCode(t *testing.T) {
	for page, blocks := range everything(t) {
		text := read(t, page)
		for _, b := range blocks {
			if b.Lang != "go" {
				continue
			}
			want, err := declarations(b.Source)
			switch {
			case err != nil:
				t.Errorf("%s: %v", b, err)
			case b.Text != want && *update:
				text = strings.Replace(text, "```go\n"+b.Text+"```\n", "```go\n"+want+"```\n", 1)
			case b.Text != want:
				t.Errorf("%s is not what %s says (go test ./internal/docs -update copies it):\n%s", b, b.Source, want)
			}
		}
		if *update && text != read(t, page) {
			if err := os.WriteFile(filepath.Join(root, page), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// declarations returns the source of what "FILE NAME NAME ..." names, with the
// comments. A method is named TYPE.NAME. An example is returned without its
// function: what it does, and what it prints.
func declarations(names string) (string, error) {
	words := strings.Fields(names)
	if len(words) < 2 {
		return "", fmt.Errorf("%q does not say FILE and NAME: the block needs a comment <!-- source: FILE NAME --> before it", names)
	}
	text, err := os.ReadFile(filepath.Join(root, words[0]))
	if err != nil {
		return "", err
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, words[0], text, parser.ParseComments)
	if err != nil {
		return "", err
	}
	cut := func(from, to token.Pos) string {
		return string(text[set.Position(from).Offset:set.Position(to).Offset])
	}
	var parts []string
	for _, name := range words[1:] {
		d := declaration(tree, name)
		if d == nil {
			return "", fmt.Errorf("%s has no %s", words[0], name)
		}
		fn, ok := d.(*ast.FuncDecl)
		if ok && strings.HasPrefix(fn.Name.Name, "Example") {
			body, err := format.Source([]byte(cut(fn.Body.Lbrace+1, fn.Body.Rbrace)))
			if err != nil {
				return "", err
			}
			parts = append(parts, outdent(string(body)))
			continue
		}
		parts = append(parts, cut(start(d), d.End()))
	}
	return strings.Join(parts, "\n\n") + "\n", nil
}

// declaration finds a function, method or type in a file.
func declaration(tree *ast.File, name string) ast.Decl {
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if source.Name(d) == name {
				return d
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if spec, ok := s.(*ast.TypeSpec); ok && spec.Name.Name == name {
					return d
				}
			}
		}
	}
	return nil
}

// start is where a declaration begins, comment included.
func start(d ast.Decl) token.Pos {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc != nil {
			return d.Doc.Pos()
		}
	case *ast.GenDecl:
		if d.Doc != nil {
			return d.Doc.Pos()
		}
	}
	return d.Pos()
}

// outdent takes one tab off each line.
func outdent(body string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.Trim(body, "\n")) {
		b.WriteString(strings.TrimPrefix(line, "\t"))
	}
	return b.String()
}
