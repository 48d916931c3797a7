package log_test

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"edged/session/log"
)

var update = flag.Bool("update", false, "write docs/session-log.md")

// docs/session-log.md is made of the constants, the types and their comments:
// every event, its fields, their types and what they mean.
func TestVocabularyPage(t *testing.T) {
	const page = "../../docs/session-log.md"
	want := vocabularyPage(t)
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil || string(got) != want {
		t.Errorf("%s is not what the code says (%v); write it with: go test ./session/log -run TestVocabularyPage -update", page, err)
	}
}

// A page that leaves something out would be no vocabulary.
func TestVocabularyIsDocumented(t *testing.T) {
	page := vocabularyPage(t)
	names := 0
	for name := range parseNames(t) {
		names++
		if !strings.Contains(page, "\n### "+name+"\n") {
			t.Errorf("the event %s is a constant, and not in Vocabulary", name)
		}
	}
	if names != len(log.Vocabulary()) {
		t.Errorf("%d names for %d events", names, len(log.Vocabulary()))
	}
	for line := range strings.Lines(page) {
		if strings.HasSuffix(line, "|  |\n") {
			t.Errorf("a field has no comment: %s", line)
		}
	}
}

const pageHead = `# The session log

<!-- Made by go test ./session/log -run TestVocabularyPage -update; do not edit. -->

One line is one event, a JSON object. [operating.md](operating.md) says where the lines go, how long they are kept and who may read
them; %[1]sgo doc edged/session/log%[1]s has the packages that write and read them. This page is made from the types there.

Every line begins with the same members:

| member | type | what it is |
|---|---|---|
| %[1]sv%[1]s | integer | the version of the vocabulary: %[2]d |
| %[1]stime%[1]s | text | RFC 3339 with milliseconds |
| %[1]sevent%[1]s | text | the name of the event |
| %[1]ssession%[1]s, %[1]sdevice%[1]s | text | whose event it is; empty where it is nobody's |
| %[1]sturn%[1]s | integer | the turn it belongs to; left out where it belongs to none |
| %[1]smedia_ms%[1]s | milliseconds | the position on the microphone's time line; left out where there is none |

Names of events and members keep their meaning; a changed set of members raises %[1]sv%[1]s. Events and members may be added: skip what you do not know.
Milliseconds have up to three decimals. The %[1]sms%[1]s of a stage counts from the end of the user's speech, or from the trigger of a reply that nobody asked for.
*Said* is text that people said or were told: where the server keeps no transcripts, %[1]sNAME_chars%[1]s stands there, its length in characters.
Members marked *opt.* are left out where they are empty.

## Events

In the order of a turn.
`

func vocabularyPage(t *testing.T) string {
	t.Helper()
	types := parseTypes(t, "event.go")
	var b strings.Builder
	fmt.Fprintf(&b, pageHead, "`", log.Version)
	for _, e := range log.Vocabulary() {
		typ := reflect.TypeOf(e)
		when := strings.TrimPrefix(types[typ.Name()].doc, typ.Name()+": ")
		fmt.Fprintf(&b, "\n### %s\n\n%s\n", e.Name(), capital(when))
		b.WriteString("\n| member | type | what it is |\n|---|---|---|\n")
		comment := ""
		for i := range typ.NumField() {
			f := typ.Field(i)
			name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
			kind := kindOf(t, f.Type)
			if option != "" {
				kind += ", opt."
			}
			own := types[typ.Name()].fields[f.Name]
			if own == "" && !word(f.Name).MatchString(comment) {
				comment = "" // that of the member before is not about this one
			}
			comment = cmp.Or(own, comment)
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, kind, capital(strings.TrimPrefix(inJSON(typ, comment), "`"+name+"` is ")))
		}
	}
	b.WriteString("\n## Values\n")
	for _, set := range []struct{ file, typ, title string }{
		{"../../dialog/turn.go", "Cause", "Cause"}, {"../../dialog/event.go", "ErrorCode", "Code"}, {"event.go", "GapReason", "Gap"},
	} {
		fmt.Fprintf(&b, "\n### %s\n\n| value | what it says |\n|---|---|\n", set.title)
		for _, c := range parseConstants(t, set.file, set.typ) {
			fmt.Fprintf(&b, "| `%s` | %s |\n", c.value, c.doc)
		}
	}
	return b.String()
}

// kindOf says in words what a member holds.
func kindOf(t *testing.T, typ reflect.Type) string {
	switch typ.Name() {
	case "MS":
		return "milliseconds"
	case "Text":
		return "said"
	case "Cause":
		return "[cause](#cause)"
	case "ErrorCode":
		return "[code](#code)"
	case "GapReason":
		return "[reason](#gap)"
	case "int":
		return "integer"
	case "bool":
		return "true or false"
	case "string":
		return "text"
	}
	t.Errorf("a member is of the type %s, for which there is no word", typ)
	return ""
}

// inJSON writes the names of an event's members as they stand in JSON.
func inJSON(typ reflect.Type, comment string) string {
	for i := range typ.NumField() {
		name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		comment = word(typ.Field(i).Name).ReplaceAllString(comment, "`"+name+"`")
	}
	return comment
}

func word(name string) *regexp.Regexp { return regexp.MustCompile(`\b` + name + `\b`) }

func capital(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// documented is a type with its comment and those of its fields.
type documented struct {
	doc    string
	fields map[string]string
}

func parseFile(t *testing.T, file string) *ast.File {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// oneLine is a comment as one line.
func oneLine(comments *ast.CommentGroup) string {
	return strings.Join(strings.Fields(comments.Text()), " ")
}

func parseTypes(t *testing.T, file string) map[string]documented {
	t.Helper()
	types := make(map[string]documented)
	for _, d := range parseFile(t, file).Decls {
		gen, ok := d.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		spec := gen.Specs[0].(*ast.TypeSpec)
		s, ok := spec.Type.(*ast.StructType)
		if !ok {
			continue
		}
		doc := documented{oneLine(gen.Doc), make(map[string]string)}
		for _, f := range s.Fields.List {
			for _, name := range f.Names {
				doc.fields[name.Name] = oneLine(f.Doc)
			}
		}
		types[spec.Name.Name] = doc
	}
	return types
}

// constant is one value of a set, with its comment.
type constant struct{ name, value, doc string }

// parseConstants returns the constants of a type in their order. One without a
// comment shares that of the one before it.
func parseConstants(t *testing.T, file, typ string) []constant {
	t.Helper()
	var all []constant
	doc := ""
	for _, d := range parseFile(t, file).Decls {
		gen, ok := d.(*ast.GenDecl)
		if !ok || gen.Tok != token.CONST {
			continue
		}
		for _, s := range gen.Specs {
			spec := s.(*ast.ValueSpec)
			if ident, ok := spec.Type.(*ast.Ident); !ok || ident.Name != typ {
				continue
			}
			value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			if spec.Doc != nil {
				doc = oneLine(spec.Doc)
			}
			all = append(all, constant{spec.Names[0].Name, value, doc})
		}
	}
	if len(all) == 0 {
		t.Fatalf("%s has no constants of type %s", file, typ)
	}
	for i := range all { // a name of Go says nothing to who reads the log
		all[i].doc = capital(afterName(all[i].name, all[i].doc))
	}
	return all
}

// afterName cuts the Go names that begin a comment: "CauseWake is the wake word"
// becomes "the wake word", and so does "CauseWake: the wake word".
func afterName(name, doc string) string {
	if rest, ok := strings.CutPrefix(doc, name+" is "); ok {
		return rest
	}
	if _, rest, ok := strings.Cut(doc, ": "); ok {
		return rest
	}
	return doc
}

// parseNames returns the names of events that are constants.
func parseNames(t *testing.T) map[string]bool {
	t.Helper()
	names := make(map[string]bool)
	for _, c := range parseConstants(t, "event.go", "Name") {
		names[c.value] = true
	}
	return names
}
