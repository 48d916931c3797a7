package docs

import (
	"go/ast"
	"path"
	"regexp"
	"testing"

	"edged/internal/source"
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
	for f, err := range source.Files(root) {
		if err != nil {
			t.Fatal(err)
		}
		name := path.Base(f.Dir())
		if packages[name] == nil {
			packages[name] = make(map[string]bool)
		}
		for _, d := range f.Tree.Decls {
			declare(packages[name], members, d)
		}
	}
	return packages, members
}

func declare(names, members map[string]bool, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names[d.Name.Name] = true
		} else {
			members[source.Name(d)] = true
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
