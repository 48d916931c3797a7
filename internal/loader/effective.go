package loader

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Setting is one key of a configuration, with where its value comes from.
type Setting struct {
	// Key is the path of the key.
	Key string `json:"key"`
	// Value is text, a number, true or false, or a list of them; a duration is
	// text, and a secret is the name of its variable. Nil: nothing is set.
	Value any `json:"value"`
	// Source is the file, environment variable or "command line" that has set it,
	// or says that it is built in. Empty: nothing has set it.
	Source string `json:"source,omitempty"`
	// Line is the line of the file, 0 for other sources.
	Line int `json:"line,omitempty"`

	// Of WriteYAML: the value as it is written, or what holds without one.
	written string
	at      path
}

// From says in a few words where the value comes from.
func (s Setting) From() string {
	switch {
	case s.Source == "":
		return "not set"
	case s.Line > 0:
		return s.Source + ":" + strconv.Itoa(s.Line)
	default:
		return s.Source
	}
}

// Settings lists all keys, in the order of the reference, names sorted.
func (e *Effective) Settings() []Setting {
	return e.tree.settings(nil, e.tree.root, e.tree.schema, nil, "")
}

// settings appends the settings at and below a node, nil if there is none.
func (t *tree) settings(all []Setting, n *yaml.Node, s *shape, at path, unset string) []Setting {
	switch {
	case s.form == section:
		for _, f := range s.fields {
			all = t.settings(all, t.valueAt(n, f.key), f.shape, at.to(f.key), f.unset)
		}
		return all
	case s.form == model:
		i := slices.IndexFunc(s.variants, func(v variant) bool { return engineOf(n) == v.word()+" "+v.Engine })
		word := s.variants[i].word()
		all = t.settings(all, t.valueAt(n, word), &shape{form: text}, at.to(word), "")
		return t.settings(all, n, s.variants[i].settings, at, "")
	case s.form == names && n != nil && len(n.Content) > 0:
		var keys []string
		for i := 0; i+1 < len(n.Content); i += 2 {
			keys = append(keys, n.Content[i].Value)
		}
		slices.Sort(keys)
		for _, key := range keys {
			all = t.settings(all, t.valueAt(n, key), s.element, at.to(key), "")
		}
		return all
	case n == nil:
		return append(all, Setting{Key: at.String(), at: at, written: unset})
	}
	set := Setting{Key: at.String(), Value: valueOf(n, s), Source: t.sources[n], at: at, written: flow(n)}
	if !strings.HasPrefix(set.Source, "built-in") {
		set.Line = n.Line
	}
	return append(all, set)
}

func (t *tree) valueAt(n *yaml.Node, key string) *yaml.Node {
	if n == nil {
		return nil
	}
	return t.nodeAt(n, path{key})
}

// valueOf returns a checked node as a value for JSON.
func valueOf(n *yaml.Node, s *shape) any {
	switch s.form {
	case names:
		return map[string]any{} // an empty one
	case list:
		values := make([]any, len(n.Content))
		for i, c := range n.Content {
			values[i] = valueOf(c, s.element)
		}
		return values
	case flag:
		return strings.EqualFold(n.Value, "true")
	case whole, number:
		f, _ := strconv.ParseFloat(n.Value, 64) // it was checked
		return f
	default:
		return n.Value
	}
}

// flow writes a node in one line.
func flow(n *yaml.Node) string {
	line, err := yaml.Marshal(flowing(n))
	if err != nil {
		return strconv.Quote(n.Value)
	}
	return strings.TrimSuffix(string(line), "\n")
}

// flowing copies a node in the style of one line: text with a line break in it
// stands in double quotes.
func flowing(n *yaml.Node) *yaml.Node {
	c := &yaml.Node{Kind: n.Kind, Tag: n.Tag, Value: n.Value}
	if n.Kind != yaml.ScalarNode {
		c.Style = yaml.FlowStyle
	} else if strings.ContainsAny(n.Value, "\n\r\u0085\u2028\u2029") {
		c.Style = yaml.DoubleQuotedStyle
	}
	for _, child := range n.Content {
		c.Content = append(c.Content, flowing(child))
	}
	return c
}

// WriteYAML writes the configuration with all its keys, each with where its value
// comes from in a comment. What it writes is a configuration again, if the
// variables of its secrets are set: it holds their names only.
func (e *Effective) WriteYAML(w io.Writer) error {
	var b strings.Builder
	var open path // the mappings whose keys were written
	for _, s := range e.Settings() {
		within := s.at[:len(s.at)-1]
		common := 0
		for common < min(len(open), len(within)) && open[common] == within[common] {
			common++
		}
		for i := common; i < len(within); i++ {
			fmt.Fprintf(&b, "%s%s:\n", strings.Repeat("  ", i), flow(scalar(within[i])))
		}
		open = within
		indent, key := strings.Repeat("  ", len(within)), flow(scalar(s.at[len(s.at)-1]))
		if s.Source == "" {
			fmt.Fprintf(&b, "%s# %s: %s\n", indent, key, strings.TrimSuffix("not set: "+s.written, ": "))
			continue
		}
		fmt.Fprintf(&b, "%s%s: %s  # %s\n", indent, key, s.written, oneLine(s.From()))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// oneLine makes text fit for a comment: a path may hold anything.
func oneLine(s string) string {
	if quoted := strconv.Quote(s); quoted != `"`+s+`"` {
		return quoted
	}
	return s
}
