package loader

import (
	"math"
	"reflect"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"
)

// fill gives every name what its author left out: a profile the built-in values of
// the profile "default", a device that profile, and a model the defaults of its
// engine.
func (t *tree) fill(defaults *yaml.Node) {
	t.eachName(path{"profiles"}, func(profile *yaml.Node) {
		t.lay(profile, t.nodeAt(defaults, path{"profiles", DefaultProfile}))
	})
	device := mapping()
	device.Content = []*yaml.Node{scalar("profile"), scalar(DefaultProfile)}
	t.eachName(path{"devices"}, func(d *yaml.Node) { t.lay(d, device) })
	for _, kind := range t.schema.field("models").shape.fields {
		t.eachName(path{"models", kind.key}, func(m *yaml.Node) {
			for _, v := range kind.shape.element.variants {
				if engineOf(m) == v.word()+" "+v.Engine {
					t.lay(m, encode(v.defaults(), v.settings))
				}
			}
		})
	}
}

// eachName visits what stands behind each name of a mapping of names.
func (t *tree) eachName(at path, visit func(*yaml.Node)) {
	names := t.nodeAt(t.root, at)
	if names == nil || names.Kind != yaml.MappingNode {
		return
	}
	for i := 1; i < len(names.Content); i += 2 {
		if names.Content[i].Kind == yaml.MappingNode {
			visit(names.Content[i])
		}
	}
}

// nodeAt returns the node at a path, nil if there is none.
func (t *tree) nodeAt(n *yaml.Node, at path) *yaml.Node {
	for _, key := range at {
		i := child(n, key)
		if i < 0 {
			return nil
		}
		n = n.Content[i]
	}
	return n
}

// builtIn is the source of what nobody has set.
const builtIn = "built-in defaults"

// lay puts copies of what is missing in the mapping below it.
func (t *tree) lay(n, defaults *yaml.Node) {
	if n == defaults {
		return
	}
	for i := 0; i+1 < len(defaults.Content); i += 2 {
		key, value := defaults.Content[i], defaults.Content[i+1]
		at := child(n, key.Value)
		switch {
		case at < 0:
			n.Content = append(n.Content, t.copy(key), t.copy(value))
		case n.Content[at].Kind == yaml.MappingNode && value.Kind == yaml.MappingNode:
			t.lay(n.Content[at], value)
		}
	}
}

// copy copies a node as a built-in one.
func (t *tree) copy(n *yaml.Node) *yaml.Node {
	c := &yaml.Node{Kind: n.Kind, Tag: n.Tag, Value: n.Value}
	t.sources[c] = builtIn
	for _, child := range n.Content {
		c.Content = append(c.Content, t.copy(child))
	}
	return c
}

// encode writes a value as a node. Secrets, empty lists and what must be set are
// left out: they are not set.
func encode(v reflect.Value, s *shape) *yaml.Node {
	switch s.form {
	case section:
		n := mapping()
		for i, f := range s.fields {
			if value := encode(v.Field(i), f.shape); value != nil && !f.required {
				n.Content = append(n.Content, scalar(f.key), value)
			}
		}
		return n
	case list:
		if v.Len() == 0 {
			return nil
		}
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for i := range v.Len() {
			n.Content = append(n.Content, encode(v.Index(i), s.element))
		}
		return n
	case text:
		return scalar(v.String())
	case flag:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(v.Bool())}
	case whole:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.FormatInt(v.Int(), 10)}
	case number:
		n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!float", Value: strconv.FormatFloat(v.Float(), 'g', -1, 64)}
		if v.Float() == math.Trunc(v.Float()) {
			n.Tag, n.Value = "!!int", strconv.FormatFloat(v.Float(), 'f', 0, 64) // as a person writes it
		}
		return n
	case duration:
		return scalar(shortly(time.Duration(v.Int())))
	default:
		return nil
	}
}
