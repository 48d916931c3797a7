package loader

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// secretPattern is how a secret is written: by the name of its variable.
const secretPattern = `^\$[A-Za-z_][A-Za-z0-9_]*$`

// decode writes the node into v, which has the shape and stands at the path, and
// reports whatever does not fit.
func (t *tree) decode(n *yaml.Node, v reflect.Value, s *shape, at path) {
	switch {
	case isNull(n):
		t.report(n, at, "has no value", s.what())
	case s.form == section:
		t.decodeSection(n, v, s, at, "")
	case s.form == names:
		t.decodeNames(n, v, s, at)
	case s.form == model:
		t.decodeModel(n, v, s, at)
	case s.form == list:
		t.decodeList(n, v, s, at)
	case s.form == secret:
		t.decodeSecret(n, v, s, at)
	case t.decodeScalar(n, v, s, at):
		if message, allowed := s.rule.check(v); message != "" {
			t.report(n, at, message, allowed)
		}
	}
}

// decodeSection decodes known keys, beside which the key extra may stand.
func (t *tree) decodeSection(n *yaml.Node, v reflect.Value, s *shape, at path, extra string) {
	if n.Kind != yaml.MappingNode {
		t.wrong(n, s, at)
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Value == extra && extra != "" {
			continue
		}
		f := slices.IndexFunc(s.fields, func(f field) bool { return f.key == key.Value })
		if f < 0 {
			allowed := s.keys()
			if extra != "" {
				allowed = append([]string{extra}, allowed...)
			}
			t.report(key, at.to(key.Value), "is not a known key", strings.Join(allowed, ", "))
			continue
		}
		t.decode(value, v.Field(f), s.fields[f].shape, at.to(key.Value))
	}
	for _, f := range s.fields {
		if f.required && child(n, f.key) < 0 {
			t.report(n, at, "has no "+f.key, f.key+": "+f.shape.what())
		}
	}
}

func (t *tree) decodeNames(n *yaml.Node, v reflect.Value, s *shape, at path) {
	if n.Kind != yaml.MappingNode {
		t.wrong(n, s, at)
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, name := n.Content[i], n.Content[i].Value
		if name == "" {
			t.report(key, at.to(name), "the name is empty", "a name")
			continue
		}
		if message, allowed := s.rule.check(reflect.ValueOf(name)); message != "" {
			t.report(key, at.to(name), message, allowed)
			continue
		}
		element := reflect.New(v.Type().Elem()).Elem()
		t.decode(n.Content[i+1], element, s.element, at.to(name))
		v.SetMapIndex(reflect.ValueOf(name), element)
	}
}

// decodeModel decodes a model: its engine or provider says which keys it has.
func (t *tree) decodeModel(n *yaml.Node, v reflect.Value, s *shape, at path) {
	if n.Kind != yaml.MappingNode {
		t.wrong(n, s, at)
		return
	}
	if len(s.variants) == 0 {
		t.report(n, at, fmt.Sprintf("this build has no engine and no provider for models of the kind %q", s.kind), "")
		return
	}
	v.Set(reflect.ValueOf(Model{})) // the name exists, whatever is wrong with it
	chosen, ok := t.chosen(n, s, at)
	if !ok {
		return
	}
	settings := reflect.New(chosen.settings.typ).Elem()
	t.decodeSection(n, settings, chosen.settings, at, chosen.word())
	v.Set(reflect.ValueOf(Model{Engine: chosen.Engine, Settings: settings.Interface()}))
}

// chosen finds what a declared model comes from.
func (t *tree) chosen(n *yaml.Node, s *shape, at path) (variant, bool) {
	word := "engine"
	i := child(n, word)
	if other := child(n, "provider"); other >= 0 && i >= 0 {
		t.report(n.Content[other-1], at.to("provider"), "stands beside engine", "one of the two")
		return variant{}, false
	} else if other >= 0 {
		word, i = "provider", other
	}
	if i < 0 {
		t.report(n, at, "names no engine or provider", s.sources(""))
		return variant{}, false
	}
	value := n.Content[i]
	for _, p := range s.variants {
		if p.word() == word && p.Engine == value.Value && value.Kind == yaml.ScalarNode {
			return p, true
		}
	}
	if value.Kind != yaml.ScalarNode {
		t.wrong(value, &shape{form: text}, at.to(word))
	} else {
		t.report(value, at.to(word), fmt.Sprintf("%q is not known", value.Value), s.sources(word))
	}
	return variant{}, false
}

// sources lists what models of a kind can come from: without the word if all have
// the same.
func (s *shape) sources(word string) string {
	var with, without []string
	for _, p := range s.variants {
		with, without = append(with, p.word()+": "+p.Engine), append(without, p.Engine)
		if p.word() != word {
			word = ""
		}
	}
	if word == "" {
		return strings.Join(with, ", ")
	}
	return strings.Join(without, ", ")
}

func (t *tree) decodeList(n *yaml.Node, v reflect.Value, s *shape, at path) {
	if n.Kind != yaml.SequenceNode {
		t.wrong(n, s, at)
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
	for i, element := range n.Content {
		t.decode(element, v.Index(i), s.element, at.entry(i))
	}
}

func (t *tree) decodeSecret(n *yaml.Node, v reflect.Value, s *shape, at path) {
	if n.Kind != yaml.ScalarNode || !isSecret(n.Value) {
		t.report(n, at, "a secret must not stand in the configuration", s.what())
		return
	}
	name := strings.TrimPrefix(n.Value, "$")
	value := t.secret(name)
	if value == "" {
		t.report(n, at, fmt.Sprintf("the environment variable %s is not set", name), "the name of a variable that is set")
		return
	}
	v.SetString(value)
	if message, allowed := s.rule.check(v); message != "" {
		t.report(n, at, message, allowed)
	}
}

// isSecret reports whether the text fits secretPattern.
func isSecret(s string) bool {
	name, ok := strings.CutPrefix(s, "$")
	return ok && isVariable(name)
}

// isVariable reports whether the text is the name of an environment variable.
func isVariable(name string) bool {
	for i, r := range name {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

// decodeScalar reports whether the value fits.
func (t *tree) decodeScalar(n *yaml.Node, v reflect.Value, s *shape, at path) bool {
	fits := n.Kind == yaml.ScalarNode
	switch {
	case !fits:
	case s.form == text:
		if n.Tag != "!!str" {
			t.wrong(n, s, at, "text; put it in quotes")
			return false
		}
		v.SetString(n.Value)
	case s.form == flag:
		fits = n.Tag == "!!bool"
		v.SetBool(strings.EqualFold(n.Value, "true"))
	case s.form == whole:
		i, err := strconv.ParseInt(n.Value, 10, 32)
		fits = n.Tag == "!!int" && err == nil
		v.SetInt(i)
	case s.form == number:
		f, err := strconv.ParseFloat(n.Value, 64)
		fits = (n.Tag == "!!int" || n.Tag == "!!float") && err == nil
		v.SetFloat(f)
	case s.form == duration:
		d, err := time.ParseDuration(n.Value)
		fits = err == nil
		v.SetInt(int64(d))
	}
	if !fits {
		t.wrong(n, s, at)
	}
	return fits
}

// wrong reports a value of another form than that of its place. What may be a
// secret in the wrong place is not shown.
func (t *tree) wrong(n *yaml.Node, s *shape, at path, allowed ...string) {
	what := fmt.Sprintf("%q", n.Value)
	switch {
	case n.Kind == yaml.MappingNode:
		what = "a mapping"
	case n.Kind == yaml.SequenceNode:
		what = "a list"
	case s.holdsSecret():
		what = "the value"
	}
	t.report(n, at, what+" does not fit", strings.Join(append(allowed, s.what())[:1], ""))
}
