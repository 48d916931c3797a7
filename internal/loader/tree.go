package loader

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// tree is the merged configuration as YAML nodes, each with where it came from.
type tree struct {
	schema  *shape
	root    *yaml.Node
	sources map[*yaml.Node]string
	// secret looks up an environment variable.
	secret func(name string) string
	// problems found so far.
	problems Problems
	// incomplete: a document could not be read, and what seems to be missing may
	// stand in it.
	incomplete bool
}

// maxDepth bounds the nesting of a document; the schema needs six levels.
const maxDepth = 16

func newTree(providers Providers, secret func(string) string) *tree {
	return &tree{schema: schema(providers), root: mapping(), sources: make(map[*yaml.Node]string), secret: secret}
}

func mapping() *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"} }

func scalar(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// isDeep reports whether a node has more levels below it than that.
func isDeep(n *yaml.Node, levels int) bool {
	return levels < 0 || slices.ContainsFunc(n.Content, func(child *yaml.Node) bool { return isDeep(child, levels-1) })
}

// adopt notes the source of a node and of all below, and reports and takes out what
// a configuration has no use for. It returns false if that is the node itself.
func (t *tree) adopt(source string, n *yaml.Node, s *shape, at path) bool {
	t.sources[n] = source
	switch {
	case len(at) == 0 && isDeep(n, maxDepth):
		t.report(n, nil, "is nested too deeply", "")
		return false
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		t.report(n, at, "uses an anchor or alias", "plain values")
		return false
	case isNull(n) && s != nil && (s.form == section || s.form == names || s.form == model):
		n.Kind, n.Tag, n.Value = yaml.MappingNode, "!!map", "" // "key:" with nothing behind it
	case n.Kind == yaml.SequenceNode:
		for i, child := range n.Content {
			if !t.adopt(source, child, nil, at.entry(i)) {
				return false
			}
		}
	case n.Kind == yaml.MappingNode:
		t.adoptMapping(source, n, s, at)
	}
	return true
}

func (t *tree) adoptMapping(source string, n *yaml.Node, s *shape, at path) {
	seen := make(map[string]*yaml.Node)
	kept := n.Content[:0]
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		t.sources[key] = source
		switch first := seen[key.Value]; {
		case key.Kind != yaml.ScalarNode || key.Tag == "!!merge":
			t.report(key, at, "has a key that is no text", "plain keys")
			t.incomplete = true
			continue
		case first != nil:
			t.report(key, at.to(key.Value), "is set twice; the first time at "+t.place(first), "")
			continue
		}
		seen[key.Value] = key
		if t.adopt(source, value, s.below(key.Value), at.to(key.Value)) {
			kept = append(kept, key, value)
		} else {
			t.incomplete = true
		}
	}
	n.Content = kept
}

// below returns the shape of what stands at a key here, nil if that is not known.
func (s *shape) below(key string) *shape {
	if s == nil {
		return nil
	}
	switch s.form {
	case section:
		if f := s.field(key); f != nil {
			return f.shape
		}
	case names:
		return s.element
	case model:
		for _, v := range s.variants {
			if f := v.settings.field(key); f != nil {
				return f.shape
			}
		}
	}
	return nil
}

// join puts the documents of one layer together. They may set different keys; a
// name, with all that belongs to it, and a key that is no mapping have one place.
func (t *tree) join(into, document *yaml.Node, s *shape, at path) {
	for i := 0; i+1 < len(document.Content); i += 2 {
		key, value := document.Content[i], document.Content[i+1]
		below := s.below(key.Value)
		old := child(into, key.Value)
		switch {
		case old < 0:
			into.Content = append(into.Content, key, value)
		case s.form == section && below != nil && (below.form == section || below.form == names) &&
			into.Content[old].Kind == yaml.MappingNode && value.Kind == yaml.MappingNode:
			t.join(into.Content[old], value, below, at.to(key.Value))
		default:
			t.report(key, at.to(key.Value), "is set at "+t.place(into.Content[old-1])+", too", "one place")
		}
	}
}

// merge lays a layer over into, key by key; anything but a mapping replaces what
// was there, and so does a model of another engine.
func (t *tree) merge(into, over *yaml.Node, s *shape) {
	for i := 0; i+1 < len(over.Content); i += 2 {
		key, value := over.Content[i], over.Content[i+1]
		below := s.below(key.Value)
		old := child(into, key.Value)
		switch {
		case old < 0:
			into.Content = append(into.Content, key, value)
		case into.Content[old].Kind != yaml.MappingNode || value.Kind != yaml.MappingNode,
			below != nil && below.form == model && differs(engineOf(into.Content[old]), engineOf(value)):
			into.Content[old-1], into.Content[old] = key, value
		default:
			t.merge(into.Content[old], value, below)
		}
	}
}

// differs reports whether two names are there and are not the same.
func differs(a, b string) bool { return a != "" && b != "" && a != b }

// engineOf returns the engine or provider that a declared model names, with the
// word for it; "" if it names none.
func engineOf(n *yaml.Node) string {
	for _, word := range []string{"engine", "provider"} {
		if i := child(n, word); i >= 0 {
			return word + " " + n.Content[i].Value
		}
	}
	return ""
}

// set lays one value over a layer, as if a document had said so.
func (t *tree) set(layer *yaml.Node, source string, at path, value *yaml.Node) {
	for _, key := range slices.Backward(at) {
		outer := mapping()
		outer.Content = []*yaml.Node{scalar(key), value}
		value = outer
	}
	if t.adopt(source, value, t.schema, nil) {
		t.merge(layer, value, t.schema)
	}
}

// child returns the index of the value of key in the mapping n, -1 without it.
func child(n *yaml.Node, key string) int {
	if n.Kind != yaml.MappingNode {
		return -1
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return i + 1
		}
	}
	return -1
}

// find returns the node at a path, or the nearest one above it.
func (t *tree) find(at path) *yaml.Node {
	n := t.root
	for _, key := range at {
		i := child(n, key)
		if i < 0 {
			return n
		}
		n = n.Content[i]
	}
	return n
}

// report adds a problem about a node.
func (t *tree) report(n *yaml.Node, at path, message, allowed string) {
	source, ok := t.sources[n]
	if !ok {
		source = "configuration"
	}
	t.problems = append(t.problems, Problem{
		Source: source, Line: n.Line, Column: n.Column, Key: at.String(), Message: message, Allowed: allowed,
	})
}

// place is where a node stands.
func (t *tree) place(n *yaml.Node) string {
	return Problem{Source: t.sources[n], Line: n.Line, Column: n.Column}.place()
}

// reported tells whether there is a problem at the key already, or right above it.
func (t *tree) reported(at path) bool {
	key, above := at.String(), at[:len(at)-1].String()
	return slices.ContainsFunc(t.problems, func(p Problem) bool { return p.Key == key || p.Key == above })
}
