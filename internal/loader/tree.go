package loader

import (
	"errors"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// tree is the merged configuration as YAML nodes, each with where it came from.
type tree struct {
	root    *yaml.Node
	sources map[*yaml.Node]string
	// secret looks up an environment variable.
	secret func(name string) string
	// problems found so far.
	problems Problems
}

// maxDepth bounds the nesting of a document; the schema needs five levels.
const maxDepth = 16

func newTree(secret func(string) string) *tree {
	return &tree{root: mapping(), sources: make(map[*yaml.Node]string), secret: secret}
}

func mapping() *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"} }

// document merges a YAML document over the tree.
func (t *tree) document(source string, r io.Reader) {
	var doc yaml.Node
	decoder := yaml.NewDecoder(r)
	switch err := decoder.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return // an empty file sets nothing
	case err != nil:
		t.problems = append(t.problems, Problem{Source: source, Message: strings.TrimPrefix(err.Error(), "yaml: ")})
		return
	}
	if decoder.Decode(new(yaml.Node)) == nil {
		t.problems = append(t.problems, Problem{Source: source, Message: "more than one document", Allowed: "one document in a file"})
		return
	}
	top := doc.Content[0]
	if top.Kind == yaml.ScalarNode && top.Tag == "!!null" {
		return
	}
	if top.Kind != yaml.MappingNode {
		t.report(source, top, "", "is not a mapping", strings.Join(keysOf(configType), ", "))
		return
	}
	if t.adopt(source, top, 0) {
		t.merge(t.root, top, "")
	}
}

// adopt notes the source of every node and refuses what a configuration has no
// use for.
func (t *tree) adopt(source string, n *yaml.Node, depth int) bool {
	t.sources[n] = source
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		t.report(source, n, "", "uses an anchor or alias", "plain values")
		return false
	}
	if depth > maxDepth {
		t.report(source, n, "", "is nested too deeply", "")
		return false
	}
	for _, child := range n.Content {
		if !t.adopt(source, child, depth+1) {
			return false
		}
	}
	return true
}

// merge lays the mapping over into, key by key; anything but a mapping replaces
// what was there.
func (t *tree) merge(into, over *yaml.Node, path string) {
	seen := make(map[string]bool)
	for i := 0; i+1 < len(over.Content); i += 2 {
		key, value := over.Content[i], over.Content[i+1]
		at := joinPath(path, key.Value)
		if seen[key.Value] {
			t.report(t.sources[key], key, at, "is set twice", "")
			continue
		}
		seen[key.Value] = true
		old := child(into, key.Value)
		switch {
		case old < 0:
			into.Content = append(into.Content, key, value)
		case into.Content[old].Kind == yaml.MappingNode && value.Kind == yaml.MappingNode:
			t.merge(into.Content[old], value, at)
		default:
			into.Content[old-1], into.Content[old] = key, value
		}
	}
}

// set lays one value over the tree, as if a document had said so.
func (t *tree) set(source string, path []string, value *yaml.Node) {
	for _, key := range slices.Backward(path) {
		outer := mapping()
		outer.Content = []*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value}
		value = outer
	}
	if t.adopt(source, value, 0) {
		t.merge(t.root, value, "")
	}
}

// child returns the index of the value of key in the mapping n, -1 without it.
func child(n *yaml.Node, key string) int {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return i + 1
		}
	}
	return -1
}

// find returns the node at path, or the nearest one above it.
func (t *tree) find(path string) *yaml.Node {
	n := t.root
	for key := range strings.SplitSeq(path, ".") {
		i := child(n, key)
		if i < 0 {
			return n
		}
		n = n.Content[i]
	}
	return n
}

func (t *tree) report(source string, n *yaml.Node, key, message, allowed string) {
	t.problems = append(t.problems, Problem{
		Source: source, Line: n.Line, Column: n.Column, Key: key, Message: message, Allowed: allowed,
	})
}

// problem reports something about the node at path.
func (t *tree) problem(path, message, allowed string) {
	n := t.find(path)
	source, ok := t.sources[n]
	if !ok {
		source = "configuration"
	}
	t.report(source, n, path, message, allowed)
}

func joinPath(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
