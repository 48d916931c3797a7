package arch

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"edged/internal/source"
)

// Every name that the walkthrough leads its reader to is there.
func TestWalkthroughNamesWhatExists(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root(t), "docs", "walkthrough.md"))
	if err != nil {
		t.Fatal(err)
	}
	declared := declarations(t)
	quoted := regexp.MustCompile("`([^`]+)`")
	qualified := regexp.MustCompile(`^[a-z][a-z/-]*(\.[A-Za-z]+){1,2}$`)
	found := 0
	for _, name := range quoted.FindAllStringSubmatch(string(page), -1) {
		if !qualified.MatchString(name[1]) {
			continue
		}
		found++
		if !declared[name[1]] {
			t.Errorf("docs/walkthrough.md names %s, which is not declared", name[1])
		}
	}
	if found < 40 {
		t.Errorf("docs/walkthrough.md names %d functions and types, want a way through the tree", found)
	}
}

// declarations are all types, functions and methods of the module, each as its
// package's directory, the receiver's type if it has one, and the name.
func declarations(t *testing.T) map[string]bool {
	declared := make(map[string]bool)
	for file := range files(t) {
		prefix := file.Dir() + "."
		for _, d := range file.Tree.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				declared[prefix+source.Name(d)] = true
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if typ, ok := spec.(*ast.TypeSpec); ok {
						declared[prefix+typ.Name.Name] = true
					}
				}
			}
		}
	}
	return declared
}
