package loader

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxDocument bounds a file of the configuration, in bytes. One of ten thousand
// devices is smaller.
const maxDocument = 4 << 20

// files reads the file or the directory as one layer.
func (t *tree) files(name string) *yaml.Node {
	layer := mapping()
	info, err := os.Stat(name)
	switch {
	case err != nil:
		t.unreadable(name, err)
	case info.IsDir():
		t.directory(layer, name)
	default:
		t.file(layer, name)
	}
	return layer
}

// directory reads the documents of a directory in the order of their names. What
// is hidden is left alone: editors and secret mounts keep things of their own
// there. Whatever else is no document is a problem, since its author may think
// that it counts.
func (t *tree) directory(layer *yaml.Node, name string) {
	entries, err := os.ReadDir(name) // sorted
	if err != nil {
		t.unreadable(name, err)
		return
	}
	documents := 0
	for _, e := range entries {
		file := filepath.Join(name, e.Name())
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		info, err := os.Stat(file) // of what a link leads to
		switch {
		case err != nil:
			t.unreadable(file, err)
		case !info.Mode().IsRegular() || !slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(file)):
			t.problems = append(t.problems, Problem{Source: file, Message: "is no document of the configuration", Allowed: "files named *.yaml or *.yml; what begins with a dot is left alone"})
		default:
			documents++
			t.file(layer, file)
		}
	}
	if documents == 0 {
		t.problems = append(t.problems, Problem{Source: name, Message: "the directory holds no configuration", Allowed: "files named *.yaml or *.yml"})
	}
}

// file reads one file.
func (t *tree) file(layer *yaml.Node, name string) {
	file, err := os.Open(name)
	if err != nil {
		t.unreadable(name, err)
		return
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxDocument+1))
	switch {
	case err != nil:
		t.unreadable(name, err)
	case len(content) > maxDocument:
		t.unreadable(name, fmt.Errorf("has more than %d bytes", maxDocument))
	default:
		t.documents(layer, name, content)
	}
}

func (t *tree) unreadable(source string, err error) {
	message := err.Error()
	var at *os.PathError
	if errors.As(err, &at) {
		message = at.Err.Error() // the path stands before it
	}
	t.problems = append(t.problems, Problem{Source: source, Message: message, Err: err})
	t.incomplete = true
}

// documents joins the YAML documents of a file to a layer.
func (t *tree) documents(layer *yaml.Node, source string, content []byte) {
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	for {
		var doc yaml.Node
		switch err := decoder.Decode(&doc); {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			t.problems = append(t.problems, syntaxProblem(source, err))
			t.incomplete = true
			return
		}
		if len(doc.Content) == 0 {
			continue
		}
		top := doc.Content[0]
		switch {
		case isNull(top):
			// an empty document sets nothing
		case top.Kind != yaml.MappingNode:
			t.sources[top] = source
			t.report(top, nil, "is not a mapping", strings.Join(t.schema.keys(), ", "))
		case t.adopt(source, top, t.schema, nil):
			t.join(layer, top, t.schema, nil)
		default:
			t.incomplete = true
		}
	}
}

// syntaxProblem makes a problem of an error of the YAML parser, which begins with
// the line.
func syntaxProblem(source string, err error) Problem {
	p := Problem{Source: source, Message: strings.TrimPrefix(err.Error(), "yaml: ")}
	var line int
	var rest string
	if n, _ := fmt.Sscanf(p.Message, "line %d: ", &line); n == 1 {
		if _, after, ok := strings.Cut(p.Message, ": "); ok {
			rest = after
		}
		p.Line, p.Column, p.Message = line, 1, rest
	}
	p.Message += " (YAML)"
	return p
}
