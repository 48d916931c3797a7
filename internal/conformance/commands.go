package conformance

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

var target = regexp.MustCompile(`(?m)^([a-z][a-z -]*):(?:[^=]|$)`)

// Targets returns the targets of a makefile.
func Targets(makefile string) (map[string]bool, error) {
	text, err := os.ReadFile(makefile)
	if err != nil {
		return nil, err
	}
	targets := make(map[string]bool)
	for _, m := range target.FindAllSubmatch(text, -1) {
		for name := range strings.FieldsSeq(string(m[1])) {
			targets[name] = true
		}
	}
	return targets, nil
}

// Commands returns the commands of the program in dir, as they are typed: "serve",
// "config", "config print". They are the fields tagged cmd of the type cli.
func Commands(dir string) (map[string]bool, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	types := make(map[string]*ast.StructType)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			return nil, err
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if s, ok := spec.Type.(*ast.StructType); ok {
					types[spec.Name.Name] = s
				}
			}
			return true
		})
	}
	commands := make(map[string]bool)
	var collect func(prefix string, s *ast.StructType)
	collect = func(prefix string, s *ast.StructType) {
		for _, field := range s.Fields.List {
			name, ok := command(field)
			if !ok {
				continue
			}
			commands[prefix+name] = true
			switch t := field.Type.(type) {
			case *ast.StructType:
				collect(prefix+name+" ", t)
			case *ast.Ident:
				if below := types[t.Name]; below != nil {
					collect(prefix+name+" ", below)
				}
			}
		}
	}
	if cli := types["cli"]; cli != nil {
		collect("", cli)
	}
	return commands, nil
}

// command returns the name of the command that field is.
func command(field *ast.Field) (name string, ok bool) {
	if field.Tag == nil || len(field.Names) != 1 {
		return "", false
	}
	text, err := strconv.Unquote(field.Tag.Value)
	if err != nil {
		return "", false
	}
	tag := reflect.StructTag(text)
	if _, ok := tag.Lookup("cmd"); !ok {
		return "", false
	}
	if name := tag.Get("name"); name != "" {
		return name, true
	}
	return strings.ToLower(field.Names[0].Name), true
}
