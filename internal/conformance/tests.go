package conformance

import (
	"cmp"
	"go/ast"
	"maps"
	"regexp"
	"slices"

	"edged/internal/source"
)

// Test is a test, benchmark, fuzz target or example in the tree.
type Test struct {
	// Package and File are paths below the root, with slashes.
	Package, File string
	Name          string
	// Lines are the lines of contracts that it names, sorted.
	Lines []string
	// Skips tells that it, or what it calls in its package, calls Skip.
	Skips bool
}

// ID is how the page names the test: its package and its name.
func (t Test) ID() string { return t.Package + "." + t.Name }

var (
	// named is a line in a text, or a range of them.
	named = regexp.MustCompile(`\b([FGRVX])(\d\d)(?:-([FGRVX])(\d\d))?\b`)
	// inName are the lines at the beginning of a test's name.
	inName = regexp.MustCompile(`^(?:Test|Fuzz|Benchmark|Example)((?:[FGRVX]\d\d)+)`)
	isTest = regexp.MustCompile(`^(?:Test|Fuzz|Benchmark|Example)(?:[A-Z_]|$)`)
)

// Scan returns the tests below root by ID, and the lines that test files name
// outside of tests, each with one such file.
func Scan(root string) (tests map[string]Test, elsewhere map[string]string, err error) {
	tests, elsewhere = make(map[string]Test), make(map[string]string)
	packages := make(map[string][]source.File)
	for f, err := range source.Files(root) {
		if err != nil {
			return nil, nil, err
		}
		if f.IsTest() {
			packages[f.Dir()] = append(packages[f.Dir()], f)
		}
	}
	for name, files := range packages {
		scanPackage(name, files, tests, elsewhere)
	}
	return tests, elsewhere, nil
}

// scanPackage adds the tests of one directory.
func scanPackage(name string, files []source.File, tests map[string]Test, elsewhere map[string]string) {
	skip := skipping(files)
	for _, f := range files {
		rest := slices.Clone(f.Text) // what stands outside of tests
		for _, d := range f.Tree.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !isTest.MatchString(fn.Name.Name) {
				continue
			}
			from := f.Offset(fn.Pos())
			if fn.Doc != nil {
				from = f.Offset(fn.Doc.Pos())
			}
			own := rest[from:f.Offset(fn.End())]
			t := Test{Package: name, File: f.Path, Name: fn.Name.Name, Lines: linesIn(string(own), fn.Name.Name)}
			t.Skips = skip[t.Name]
			tests[t.ID()] = t
			for i := range own {
				own[i] = ' '
			}
		}
		for _, line := range linesIn(string(rest), "") {
			elsewhere[line] = f.Path
		}
	}
}

// linesIn returns the lines that a test of that name and text names.
func linesIn(text, name string) []string {
	lines := make(map[string]bool)
	if m := inName.FindStringSubmatch(name); m != nil {
		for line := range slices.Chunk([]byte(m[1]), 3) {
			lines[string(line)] = true
		}
	}
	for _, m := range named.FindAllStringSubmatch(text, -1) {
		from, to := m[2], cmp.Or(m[4], m[2])
		for number := from; number <= to; number = next(number) {
			lines[m[1]+number] = true
		}
	}
	return slices.Sorted(maps.Keys(lines))
}

// next returns the number of two digits behind n.
func next(n string) string {
	tens, ones := n[0], n[1]+1
	if ones > '9' {
		tens, ones = tens+1, '0'
	}
	return string([]byte{tens, ones})
}

// skips are the calls by which a test, fuzz target or benchmark skips itself.
var skips = map[string]bool{
	"t.Skip": true, "t.Skipf": true, "t.SkipNow": true, "f.Skip": true, "f.Skipf": true, "f.SkipNow": true,
	"b.Skip": true, "b.Skipf": true, "b.SkipNow": true, "tb.Skip": true, "tb.Skipf": true, "tb.SkipNow": true,
}

// skipping returns the functions of a package that call Skip, by themselves or by
// another function of the package.
func skipping(files []source.File) map[string]bool {
	names := make(map[string][]string) // what each function names
	skip := make(map[string]bool)
	for _, f := range files {
		for _, d := range f.Tree.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Ident:
					names[fn.Name.Name] = append(names[fn.Name.Name], n.Name)
				case *ast.SelectorExpr:
					if on, ok := n.X.(*ast.Ident); ok && skips[on.Name+"."+n.Sel.Name] {
						skip[fn.Name.Name] = true
					}
				}
				return true
			})
		}
	}
	for grown := true; grown; {
		grown = false
		for fn, all := range names {
			if !skip[fn] && slices.ContainsFunc(all, func(name string) bool { return skip[name] && names[name] != nil }) {
				skip[fn], grown = true, true
			}
		}
	}
	return skip
}
