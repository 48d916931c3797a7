package source

import (
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func write(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFiles(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{
		"b.go": "package b", "a/a_test.go": "package a\n\nvar X = 1", "a/a.go": "package a",
		"a/notes.md": "no Go", "a/testdata/x.go": "no Go either", ".cache/y.go": "nor this",
	})
	var paths []string
	for f, err := range Files(root) {
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, f.Path)
		if f.Path != "a/a_test.go" {
			continue
		}
		if at := f.Offset(f.Tree.Decls[0].Pos()); !f.IsTest() || f.Dir() != "a" || string(f.Text[at:]) != "var X = 1" {
			t.Errorf("test %v of %q, its declaration at %d", f.IsTest(), f.Dir(), at)
		}
	}
	if want := []string{"a/a.go", "a/a_test.go", "b.go"}; !slices.Equal(paths, want) {
		t.Errorf("files %q, want %q", paths, want)
	}
}

// A file that does not parse is an error, the last thing that is told.
func TestFilesEndWithAnError(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{"a.go": "package a", "b.go": "pack age", "c.go": "package c"})
	var errs []error
	for _, err := range Files(root) {
		errs = append(errs, err)
	}
	if len(errs) != 2 || errs[0] != nil || errs[1] == nil {
		t.Errorf("told %v, want a file and an error", errs)
	}
}

// Whoever has seen enough gets no more.
func TestFilesCanBeLeft(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{"a.go": "package a", "b.go": "package b"})
	for f, err := range Files(root) {
		if err != nil || f.Path != "a.go" {
			t.Fatalf("%q, %v", f.Path, err)
		}
		break
	}
}

func TestName(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{"a.go": `package a

func Plain() {}
func (v Value) Of() {}
func (p *Pointer) To() {}
func (g Generic[T]) With() {}
func (g *Pair[K, V]) Both() {}
`})
	var names []string
	for f, err := range Files(root) {
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Tree.Decls {
			names = append(names, Name(d.(*ast.FuncDecl)))
		}
	}
	if want := []string{"Plain", "Value.Of", "Pointer.To", "Generic.With", "Pair.Both"}; !slices.Equal(names, want) {
		t.Errorf("names %q, want %q", names, want)
	}
}
