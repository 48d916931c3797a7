package badinput

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"

	"edged/internal/source"
)

// claim is a test function of the tree.
type claim struct {
	reference
	// listed: the page must name it. all: and each of its cases.
	listed, all bool
	numbers     []string        // such as F40
	cases       []string        // names of its table
	strings     map[string]bool // all string literals in it and in the variables of its file
}

// sayings is what the tree says: its tests, and the string literals of what is no
// test.
type sayings struct {
	claims  map[reference]*claim // by directory and function
	strings map[string]bool
}

var number = regexp.MustCompile(`\bF[0-9]{2}\b`)

// parseTree reads all Go files below root.
func parseTree(root string) (sayings, error) {
	s := sayings{claims: make(map[reference]*claim), strings: make(map[string]bool)}
	for f, err := range source.Files(root) {
		switch {
		case err != nil:
			return sayings{}, err
		case f.IsTest():
			s.tests(f)
		default:
			literals(f.Tree, s.strings)
		}
	}
	return s, nil
}

// tests adds the test functions of a file.
func (s sayings) tests(file source.File) {
	shared := make(map[string]bool)
	for _, decl := range file.Tree.Decls {
		if _, isFunc := decl.(*ast.FuncDecl); !isFunc {
			literals(decl, shared)
		}
	}
	mine := strings.HasPrefix(path.Base(file.Path), "badinput")
	for _, decl := range file.Tree.Decls {
		f, isFunc := decl.(*ast.FuncDecl)
		if !isFunc || f.Recv != nil || !referring.MatchString("x."+f.Name.Name) {
			continue
		}
		comment := f.Doc.Text()
		c := &claim{
			reference: reference{file.Dir(), f.Name.Name, ""},
			listed:    mine || strings.Contains(comment, `"Bad input"`),
			all:       mine,
			numbers:   number.FindAllString(comment, -1),
			cases:     cases(f),
			strings:   make(map[string]bool),
		}
		for text := range shared {
			c.strings[text] = true
		}
		literals(f, c.strings)
		s.claims[c.reference] = c
	}
}

// literals adds the string literals in a tree.
func literals(tree ast.Node, into map[string]bool) {
	ast.Inspect(tree, func(n ast.Node) bool {
		if text, ok := literal(n); ok {
			into[text] = true
		}
		return true
	})
}

func literal(n ast.Node) (string, bool) {
	lit, ok := n.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

// cases returns the names of the cases of a table-driven test: in each slice of a
// struct whose first field is called name, that field of every element.
func cases(f *ast.FuncDecl) (names []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		table, ok := n.(*ast.CompositeLit)
		if !ok || !named(table.Type) {
			return true
		}
		for _, element := range table.Elts {
			values, ok := element.(*ast.CompositeLit)
			if !ok || len(values.Elts) == 0 {
				continue
			}
			for i, value := range values.Elts {
				pair, keyed := value.(*ast.KeyValueExpr)
				if keyed {
					if key, ok := pair.Key.(*ast.Ident); !ok || key.Name != "name" {
						continue
					}
					value = pair.Value
				} else if i > 0 {
					break
				}
				if text, ok := literal(value); ok {
					names = append(names, text)
				}
			}
		}
		return true
	})
	return names
}

// named reports whether the type is a slice of a struct whose first field is name.
func named(t ast.Expr) bool {
	slice, ok := t.(*ast.ArrayType)
	if !ok {
		return false
	}
	of, ok := slice.Elt.(*ast.StructType)
	if !ok || len(of.Fields.List) == 0 || len(of.Fields.List[0].Names) == 0 {
		return false
	}
	return of.Fields.List[0].Names[0].Name == "name"
}
