package arch

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"testing"
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
	top := root(t)
	eachFile(t, func(file string, parsed *ast.File) {
		dir, err := filepath.Rel(top, filepath.Dir(file))
		if err != nil {
			t.Fatal(err)
		}
		prefix := filepath.ToSlash(dir) + "."
		for _, d := range parsed.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				declared[prefix+receiver(d)+d.Name.Name] = true
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if typ, ok := spec.(*ast.TypeSpec); ok {
						declared[prefix+typ.Name.Name] = true
					}
				}
			}
		}
	})
	return declared
}

// receiver returns the type of a method's receiver and a dot; nothing for a
// function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	typ := f.Recv.List[0].Type
	if pointer, ok := typ.(*ast.StarExpr); ok {
		typ = pointer.X
	}
	switch typ := typ.(type) {
	case *ast.Ident:
		return typ.Name + "."
	case *ast.IndexExpr: // of a generic type
		return typ.X.(*ast.Ident).Name + "."
	}
	return ""
}
