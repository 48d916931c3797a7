package loader

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// environment makes a layer of the variables that name a key. Variables that begin
// with EDGED_ but with none of the top-level keys are other programs'.
func (t *tree) environment(environ []string) *yaml.Node {
	layer := mapping()
	for _, variable := range slices.Sorted(slices.Values(environ)) {
		name, value, _ := strings.Cut(variable, "=")
		words, ok := strings.CutPrefix(name, "EDGED_")
		if !ok {
			continue
		}
		at, known := t.pathOf(words)
		switch {
		case known:
			t.value(layer, name, at, value)
		case len(at) > 0:
			t.problems = append(t.problems, Problem{
				Source: name, Key: at.String(),
				Message: fmt.Sprintf("has no key that is written %q", strings.TrimPrefix(words, variableName(at...)+"_")),
				Allowed: strings.Join(t.keysAt(at), ", "),
			})
		}
	}
	return layer
}

// value lays one value, written as YAML, over a layer.
func (t *tree) value(layer *yaml.Node, source string, at path, text string) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		p := syntaxProblem(source, err)
		p.Key, p.Line, p.Column = at.String(), 0, 0
		t.problems = append(t.problems, p)
		return
	}
	node := scalar("") // an empty variable is empty text
	if len(doc.Content) > 0 && !isNull(doc.Content[0]) {
		node = doc.Content[0]
	}
	clearPosition(node)
	t.set(layer, source, at, node)
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
func (t *tree) pathOf(words string) (at path, known bool) {
	n, s := t.root, t.schema
	for words != "" {
		keys := keysIn(n, s)
		i := slices.IndexFunc(keys, func(key string) bool {
			name := variableName(key)
			return words == name || strings.HasPrefix(words, name+"_")
		})
		if i < 0 {
			return at, false
		}
		key := keys[i]
		at = append(at, key)
		words = strings.TrimPrefix(strings.TrimPrefix(words, variableName(key)), "_")
		s, n = s.below(key), nodeBelow(n, key)
		if s == nil || s.form != section && s.form != names && s.form != model {
			return at, words == ""
		}
	}
	return at, len(at) > 0
}

func (t *tree) keysAt(at path) []string {
	n, s := t.root, t.schema
	for _, key := range at {
		s, n = s.below(key), nodeBelow(n, key)
	}
	keys := keysIn(n, s)
	slices.SortFunc(keys, strings.Compare)
	return keys
}

func nodeBelow(n *yaml.Node, key string) *yaml.Node {
	if i := child(n, key); i >= 0 {
		return n.Content[i]
	}
	return mapping()
}

// keysIn returns the keys that may stand in the node, longest first, so that a key
// that another one begins with is not mistaken for it: those of the schema, or for
// a mapping of names those that are there.
func keysIn(n *yaml.Node, s *shape) []string {
	var keys []string
	switch s.form {
	case section:
		keys = s.keys()
	case model:
		for _, v := range s.variants {
			keys = append(append(keys, v.word()), v.settings.keys()...)
		}
		slices.Sort(keys)
		keys = slices.Compact(keys)
	case names:
		for i := 0; i+1 < len(n.Content); i += 2 {
			keys = append(keys, n.Content[i].Value)
		}
	}
	slices.SortStableFunc(keys, func(a, b string) int { return len(b) - len(a) })
	return keys
}

// variableName writes a path as the name of a variable.
func variableName(at ...string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		default:
			return '_'
		}
	}, strings.Join(at, "_"))
}
