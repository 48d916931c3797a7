package loader

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// environment lays the variables that name a key over the tree. Variables that
// begin with EDGED_ but with none of the top-level keys are other programs'.
func (t *tree) environment(environ []string) {
	for _, variable := range slices.Sorted(slices.Values(environ)) {
		name, value, _ := strings.Cut(variable, "=")
		words, ok := strings.CutPrefix(name, "EDGED_")
		if !ok {
			continue
		}
		path, known := t.pathOf(words)
		switch {
		case known:
			t.value(name, path, value)
		case len(path) > 0:
			t.problems = append(t.problems, Problem{
				Source: name, Key: strings.Join(path, "."),
				Message: fmt.Sprintf("has no key that is written %q", strings.TrimPrefix(words, variableName(path)+"_")),
				Allowed: strings.Join(t.keysAt(path), ", "),
			})
		}
	}
}

// value lays one value, written as YAML, over the tree.
func (t *tree) value(source string, path []string, text string) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		t.problems = append(t.problems, Problem{Source: source, Key: strings.Join(path, "."), Message: strings.TrimPrefix(err.Error(), "yaml: ")})
		return
	}
	node := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str"} // an empty variable is empty text
	if len(doc.Content) > 0 {
		node = doc.Content[0]
	}
	clearPosition(node)
	t.set(source, path, node)
}

// clearPosition forgets line and column, which a variable does not have.
func clearPosition(n *yaml.Node) {
	n.Line, n.Column = 0, 0
	for _, c := range n.Content {
		clearPosition(c)
	}
}

// pathOf finds the key that is written as words, such as SERVER_MAX_SESSIONS.
// Where there is none it returns how far words led.
func (t *tree) pathOf(words string) (path []string, known bool) {
	at, typ := t.root, configType
	for words != "" {
		keys := t.keys(at, typ)
		i := slices.IndexFunc(keys, func(key string) bool {
			name := variableName([]string{key})
			return words == name || strings.HasPrefix(words, name+"_")
		})
		if i < 0 {
			return path, false
		}
		path = append(path, keys[i])
		words = strings.TrimPrefix(strings.TrimPrefix(words, variableName(keys[i:i+1])), "_")
		typ = elementType(typ, keys[i])
		if c := child(at, keys[i]); c >= 0 {
			at = at.Content[c]
		} else {
			at = mapping()
		}
		if typ.Kind() != reflect.Struct && typ.Kind() != reflect.Map {
			return path, words == ""
		}
	}
	return path, len(path) > 0
}

func (t *tree) keysAt(path []string) []string {
	at, typ := t.root, configType
	for _, key := range path {
		typ = elementType(typ, key)
		if c := child(at, key); c >= 0 {
			at = at.Content[c]
		} else {
			at = mapping()
		}
	}
	return t.keys(at, typ)
}

// keys returns the keys that may stand in the node, longest first, so that a
// key that another one begins with is not mistaken for it: those of the schema,
// or for a mapping of names those that are there.
func (t *tree) keys(n *yaml.Node, typ reflect.Type) []string {
	var keys []string
	if typ.Kind() == reflect.Struct {
		keys = keysOf(typ)
	} else {
		for i := 0; i+1 < len(n.Content); i += 2 {
			keys = append(keys, n.Content[i].Value)
		}
	}
	slices.SortStableFunc(keys, func(a, b string) int { return len(b) - len(a) })
	return keys
}

func elementType(typ reflect.Type, key string) reflect.Type {
	if typ.Kind() == reflect.Map {
		return typ.Elem()
	}
	return typ.Field(slices.Index(keysOf(typ), key)).Type
}

// variableName writes a path as the name of a variable.
func variableName(path []string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		default:
			return '_'
		}
	}, strings.Join(path, "_"))
}
