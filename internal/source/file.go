package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// File is a Go file.
type File struct {
	// Path is below the root, with slashes.
	Path string
	Text []byte
	// Tree is the file with its comments, without resolved objects. The positions
	// in it are those of Set.
	Tree *ast.File
	Set  *token.FileSet
}

// IsTest reports whether the file belongs to the tests of its package.
func (f File) IsTest() bool { return strings.HasSuffix(f.Path, "_test.go") }

// Dir is the directory of its package below the root: "." for the root itself.
func (f File) Dir() string { return path.Dir(f.Path) }

// Offset is where in Text a position of Tree is.
func (f File) Offset(p token.Pos) int { return f.Set.Position(p).Offset }

// Files yields the Go files below root in the order of their paths, tests
// included. Like the go command it leaves out hidden directories and testdata. After
// an error nothing more comes.
func Files(root string) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && name != root && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata"):
				return filepath.SkipDir
			case entry.IsDir() || !strings.HasSuffix(name, ".go"):
				return nil
			}
			f, err := read(root, name)
			if err == nil && !yield(f, nil) {
				return fs.SkipAll
			}
			return err
		})
		if err != nil {
			yield(File{}, err)
		}
	}
}

func read(root, name string) (File, error) {
	below, err := filepath.Rel(root, name)
	if err != nil {
		return File{}, err
	}
	f := File{Path: filepath.ToSlash(below), Set: token.NewFileSet()}
	if f.Text, err = os.ReadFile(name); err != nil {
		return File{}, err
	}
	f.Tree, err = parser.ParseFile(f.Set, name, f.Text, parser.ParseComments|parser.SkipObjectResolution)
	return f, err
}

// Name returns the name of a function, with that of its type before it if it is a
// method: "Files", "File.Dir".
func Name(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	typ := f.Recv.List[0].Type
	for {
		switch t := typ.(type) {
		case *ast.StarExpr:
			typ = t.X
		case *ast.IndexExpr: // of a generic type
			typ = t.X
		case *ast.IndexListExpr:
			typ = t.X
		case *ast.Ident:
			return t.Name + "." + f.Name.Name
		default:
			return f.Name.Name
		}
	}
}
