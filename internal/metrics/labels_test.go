package metrics

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// Each constant that may become the value of a label is one: none of what is
// known is counted as other.
func TestEveryConstantIsAValue(t *testing.T) {
	for _, tt := range []struct {
		dir, typ string
		values   []string
		except   []string
	}{
		{"../../dialog", "Cause", texts(causes), nil},
		{"../../dialog", "ErrorCode", texts(errorCodes), nil},
		{"../../edge", "DropReason", texts(dropReasons), nil},
		{"../../edge", "Refusal", texts(limits), nil},
		{"../../edge", "EndReason", texts(endReasons()), nil},
		{"../../dialog", "ErrorCode", texts(endReasons()), texts(stageCodes)},
		{"../../audio/jitter", "Drop", texts(dropReasons), []string{""}},
	} {
		found := constants(t, tt.dir, tt.typ)
		for _, value := range found {
			if !slices.Contains(tt.values, value) && !slices.Contains(tt.except, value) {
				t.Errorf("%s.%s %q would be counted as other", filepath.Base(tt.dir), tt.typ, value)
			}
		}
		if len(found) < 2 {
			t.Errorf("%d constants of %s.%s: they are not read rightly", len(found), filepath.Base(tt.dir), tt.typ)
		}
	}
}

func texts[K ~string](values []K) (all []string) {
	for _, v := range values {
		all = append(all, string(v))
	}
	return all
}

// constants returns the values of the constants of a type in the package in dir.
func constants(t *testing.T, dir, typ string) (values []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if of, ok := spec.Type.(*ast.Ident); !ok || of.Name != typ {
				return true
			}
			for _, v := range spec.Values {
				if text, ok := v.(*ast.BasicLit); ok && text.Kind == token.STRING {
					value, err := strconv.Unquote(text.Value)
					if err != nil {
						t.Fatal(err)
					}
					values = append(values, value)
				}
			}
			return true
		})
	}
	return values
}
