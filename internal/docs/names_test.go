package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What a page calls by its name in Go is there: `edge.Transport`,
// `Admission.Serve`, `session.Engines`. Packages of others are not looked at.
func TestNamesExist(t *testing.T) {
	packages, members := declared(t)
	qualified := regexp.MustCompile("`\\*?([A-Za-z]+)\\.([A-Z]\\w*)(?:\\.([A-Z]\\w*))?[(){}]*`")
	found := 0
	for page := range everything(t) {
		for _, m := range qualified.FindAllStringSubmatch(read(t, page), -1) {
			owner, name := m[1], m[2]
			switch {
			case packages[owner] != nil && m[3] == "":
				found++
				if !packages[owner][name] {
					t.Errorf("%s: %s is not declared", page, m[0])
				}
			case packages[owner] != nil:
				found++
				if !members[name+"."+m[3]] {
					t.Errorf("%s: %s is not declared", page, m[0])
				}
			case ast.IsExported(owner):
				found++
				if !members[owner+"."+name] {
					t.Errorf("%s: %s is not declared", page, m[0])
				}
			}
		}
	}
	if found < 30 {
		t.Errorf("%d names on the pages: they are not read rightly", found)
	}
}

// declared returns what the packages of the module declare, by the package's
// name, and the methods and fields of all types as TYPE.NAME.
func declared(t *testing.T) (packages map[string]map[string]bool, members map[string]bool) {
	t.Helper()
	packages, members = make(map[string]map[string]bool), make(map[string]bool)
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && file != root && strings.HasPrefix(entry.Name(), "."):
			return filepath.SkipDir
		case !strings.HasSuffix(file, ".go"):
			return nil
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		name := path.Base(filepath.ToSlash(filepath.Dir(file)))
		if packages[name] == nil {
			packages[name] = make(map[string]bool)
		}
		for _, d := range tree.Decls {
			declare(packages[name], members, d)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return packages, members
}

func declare(names, members map[string]bool, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names[d.Name.Name] = true
		} else if owner := receiver(d); owner != "" {
			members[owner+d.Name.Name] = true
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names[n.Name] = true
				}
			case *ast.TypeSpec:
				names[s.Name.Name] = true
				declareMembers(members, s)
			}
		}
	}
}

func declareMembers(members map[string]bool, s *ast.TypeSpec) {
	var fields *ast.FieldList
	switch typ := s.Type.(type) {
	case *ast.StructType:
		fields = typ.Fields
	case *ast.InterfaceType:
		fields = typ.Methods
	default:
		return
	}
	for _, f := range fields.List {
		for _, n := range f.Names {
			members[s.Name.Name+"."+n.Name] = true
		}
	}
}
