package arch

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"iter"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"edged/internal/source"
)

const module = "edged/"

// goPackage is what go list says of a package.
type goPackage struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	CgoFiles   []string
	Imports    []string
	Deps       []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	list := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,CgoFiles,Imports,Deps", "edged/...")
	var stderr strings.Builder
	list.Stderr = &stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	var all []goPackage
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// ours returns the imports of this module without its prefix.
func ours(imports []string) []string {
	var out []string
	for _, i := range imports {
		if rest, ok := strings.CutPrefix(i, module); ok {
			out = append(out, rest)
		}
	}
	return out
}

// Imports point down. Each row says what the packages of a part may depend on,
// directly or not, besides other packages of the same part.
func TestImportsPointDown(t *testing.T) {
	rules := []struct {
		part    string
		depends []string
	}{
		{"dialog", nil},
		{"firmware-protocol/wire", nil},
		{"ai", nil},
		{"audio", nil},
		{"realtime", []string{"ai", "audio"}},
		{"internal/engine", nil},
		{"internal/edits", nil},
		{"internal/loader", nil},
		{"transformers", []string{"realtime", "ai", "audio", "internal/engine", "internal/edits"}},
		{"session", []string{"transformers", "realtime", "ai", "audio", "dialog", "internal/engine", "internal/edits"}},
		{"edge", []string{"realtime", "ai", "audio", "dialog", "firmware-protocol/wire"}},
		{"edge/admin", nil},
		{"session/log", []string{"dialog"}},
		{"internal/operator", []string{"session/log", "dialog"}},
		{"internal/metrics", []string{"edge", "session/log", "dialog", "internal/engine", "realtime", "ai", "audio", "firmware-protocol/wire"}},
		{"internal/edgetest", []string{"audio", "firmware-protocol/wire", "dialog"}},
	}
	all := packages(t)
	for _, rule := range rules {
		found := false
		for _, p := range all {
			name := strings.TrimPrefix(p.ImportPath, module)
			if !within(name, rule.part) {
				continue
			}
			found = true
			for _, dep := range ours(p.Deps) {
				allowed := within(dep, rule.part)
				for _, d := range rule.depends {
					allowed = allowed || within(dep, d)
				}
				if !allowed {
					t.Errorf("%s depends on %s; %s may only depend on %q", name, dep, rule.part, rule.depends)
				}
			}
		}
		if !found {
			t.Errorf("no package is in %s: the rule guards nothing", rule.part)
		}
	}
}

func within(name, part string) bool { return name == part || strings.HasPrefix(name, part+"/") }

// What a Go developer imports to build a voice agent needs no C compiler.
func TestBuildsWithoutC(t *testing.T) {
	pure := []string{
		"./ai/...", "./realtime/...", "./dialog", "./firmware-protocol/wire", "./session/...",
		"./transformers", "./transformers/turn", "./transformers/generate", "./transformers/asr", "./transformers/tts", "./transformers/tts/speakable",
		"./audio", "./audio/vad",
	}
	build := exec.Command("go", append([]string{"build"}, pure...)...)
	build.Dir = root(t)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("CGO_ENABLED=0 go build %s: %v\n%s", strings.Join(pure, " "), err, out)
	}
}

// C lives in few places.
func TestWhereCLives(t *testing.T) {
	want := map[string]bool{
		"audio/echo": true, "audio/opus": true, "audio/resample": true, "transformers/asr/pocketsphinx": true, "transformers/tts/flite": true,
	}
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		if len(p.CgoFiles) > 0 && !want[name] {
			t.Errorf("%s has C in it (%v)", name, p.CgoFiles)
		}
	}
}

// Every package says what it is, names something, starts nothing by being
// imported, and keeps its files readable.
func TestHouseRules(t *testing.T) {
	const longest = 500 // lines; beyond it a file rarely holds one idea
	vague := regexp.MustCompile(`^(util|utils|common|helper|helpers|misc|base|lib)$`)
	for _, p := range packages(t) {
		if vague.MatchString(path.Base(p.ImportPath)) {
			t.Errorf("%s: the name says nothing", p.ImportPath)
		}
		documented := false
		for _, name := range append(p.GoFiles, p.CgoFiles...) {
			file := filepath.Join(p.Dir, name)
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(source), "\n"); n > longest {
				t.Errorf("%s has %d lines, at most %d", file, n, longest)
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			doc := parsed.Doc.Text()
			documented = documented || strings.HasPrefix(doc, "Package ") || strings.HasPrefix(doc, "Command ")
			for _, d := range parsed.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
					t.Errorf("%s: init() runs by being imported; register explicitly", file)
				}
			}
		}
		if !documented && len(p.GoFiles)+len(p.CgoFiles) > 0 {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
}

// A session's identity lives in parameters, never in a struct that outlives the
// call.
func TestNoContextInStructs(t *testing.T) {
	for file := range files(t) {
		ast.Inspect(file.Tree, func(n ast.Node) bool {
			s, ok := n.(*ast.StructType)
			if !ok {
				return true
			}
			for _, f := range s.Fields.List {
				if sel, ok := f.Type.(*ast.SelectorExpr); ok && sel.Sel.Name == "Context" {
					if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "context" {
						t.Errorf("%s: a context.Context in a struct", file.Path)
					}
				}
			}
			return true
		})
	}
}

// files yields the Go files of the module that are not tests.
func files(t *testing.T) iter.Seq[source.File] {
	return func(yield func(source.File) bool) {
		t.Helper()
		for f, err := range source.Files(root(t)) {
			if err != nil {
				t.Fatal(err)
			}
			if !f.IsTest() && !yield(f) {
				return
			}
		}
	}
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
