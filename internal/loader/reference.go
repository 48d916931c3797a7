package loader

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Key is a key of the schema, for a reference. In a path, * stands for a name that
// its author chooses.
type Key struct {
	Path string
	// Section tells a mapping of keys, which has no value of its own.
	Section bool
	// Type says in words what may stand there: "text", "a duration", with what is
	// allowed.
	Type, Allowed string
	// Default is the value of who sets nothing, as YAML; "" for none.
	Default string
	// Help says what it is.
	Help string
	// Reload: a running server takes a new value over.
	Reload bool
	// Variable is the environment variable that sets it, NAME for a name.
	Variable string
}

// Keys lists every key of the schema, in its order. A model's keys stand under the
// name of the engine or provider that has them: models.asr.*(pocketsphinx).decoders.
func Keys(providers Providers) []Key {
	var keys []Key
	schema(providers).list(&keys, nil, newDefaults(providers), false)
	return keys
}

func (s *shape) list(keys *[]Key, at path, defaults *defaults, reload bool) {
	switch s.form {
	case section:
		for _, f := range s.fields {
			f.list(keys, at.to(f.key), defaults, reload || f.reload)
		}
	case names:
		s.element.list(keys, at.to("*"), defaults, reload)
	case model:
		for _, v := range s.variants {
			of := append(at[:len(at)-1:len(at)-1], "*("+v.Engine+")")
			*keys = append(*keys, Key{Path: display(of.to(v.word())), Type: "text", Allowed: v.Engine, Help: v.Help, Variable: variableOf(of.to(v.word()))})
			v.settings.list(keys, of, defaults, reload)
		}
	}
}

func (f field) list(keys *[]Key, at path, defaults *defaults, reload bool) {
	s := f.shape
	k := Key{
		Path: display(at), Section: s.form == section || s.form == names, Type: s.what(), Allowed: s.rule.describe(s.form),
		Help: f.help, Reload: reload, Variable: variableOf(at),
	}
	switch {
	case s.form == list:
		k.Allowed = s.element.rule.describe(s.element.form)
	case s.form == names && s.element.form != section && s.element.form != model:
		k.Section, k.Type = false, "a mapping of names to "+s.element.what()
		if k.Allowed = s.element.rule.describe(s.element.form); s.rule.allowed != nil {
			k.Allowed = "the names " + strings.Join(s.rule.allowed, ", ")
		}
	case s.form == section:
		k.Type = "a mapping"
	}
	if n := defaults.node(at); n != nil && !k.Section {
		k.Default = flow(n)
	} else if f.unset != "" {
		k.Default = "(" + f.unset + ")"
	} else if f.required {
		k.Default = "(required)"
	}
	*keys = append(*keys, k)
	s.list(keys, at, defaults, reload)
}

// display writes a path of the schema.
func display(at path) string { return strings.Join(at, ".") }

func variableOf(at path) string {
	words := make(path, len(at))
	for i, key := range at {
		words[i] = key
		if strings.HasPrefix(key, "*") {
			words[i] = "NAME"
		}
	}
	return "EDGED_" + variableName(words...)
}

// defaults are the values of keys that nobody has set.
type defaults struct {
	root  *yaml.Node // defaults.yaml
	model map[string]*yaml.Node
}

func newDefaults(providers Providers) *defaults {
	var doc yaml.Node
	if err := yaml.NewDecoder(bytes.NewReader(defaultsYAML)).Decode(&doc); err != nil {
		panic("loader: built-in defaults: " + err.Error())
	}
	d := &defaults{root: doc.Content[0], model: make(map[string]*yaml.Node)}
	for _, kind := range schema(providers).field("models").shape.fields {
		for _, v := range kind.shape.element.variants {
			d.model[kind.key+"/"+v.Engine] = encode(v.defaults(), v.settings)
		}
	}
	return d
}

// node returns the default of a key of the schema, nil if it has none.
func (d *defaults) node(at path) *yaml.Node {
	if d == nil {
		return nil
	}
	n := d.root
	if i := slices.IndexFunc(at, func(key string) bool { return strings.HasPrefix(key, "*") }); i > 0 {
		switch {
		case at[0] == "profiles":
			at = append(path{"profiles", DefaultProfile}, at[2:]...)
		case at[0] == "devices" && display(at[2:]) == "profile":
			return scalar(DefaultProfile)
		case at[0] == "models" && strings.HasPrefix(at[i], "*("):
			n, at = d.model[at[1]+"/"+strings.Trim(at[i], "*()")], at[i+1:]
		}
	}
	for _, key := range at {
		i := child(n, key)
		if i < 0 {
			return nil
		}
		n = n.Content[i]
	}
	return n
}

// of returns the default as a value for JSON.
func (d *defaults) of(at path, s *shape) (any, bool) {
	n := d.node(at)
	if n == nil || s.form == section || s.form == model || s.form == names && len(n.Content) > 0 {
		return nil, false
	}
	return valueOf(n, s), true
}
