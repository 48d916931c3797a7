package loader

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// shape is what may stand at a place of the configuration: its form, and what a
// value must satisfy. All shapes are made from the types of the schema and the
// tags of their fields; whatever knows the schema (reading, checking, printing,
// the JSON Schema, the reference) goes by them.
//
//	yaml     the key
//	help     what it is, in sentences
//	range    the least and the greatest value: "1..100", "0s..5m"; of a secret,
//	         its length in bytes
//	allow    the texts that may stand there: "cancel,ignore"
//	form     a text of a special form: see formats
//	names    the names that may stand in a mapping of names
//	required "yes": must be set
//	unset    what holds where nothing is set, for keys without a default
//	reload   "yes": may change without a restart, all below included
type shape struct {
	form     form
	typ      reflect.Type
	fields   []field   // of a section, in the order of the type
	element  *shape    // of names and of a list
	variants []variant // of a model
	kind     Kind      // of a model
	rule     rule
}

// form is the type of a value, as its author knows it.
type form int

const (
	section form = iota // a mapping of known keys
	names               // a mapping of names that its author chooses
	model               // a section whose keys depend on the engine
	list                // a sequence
	text                // the scalars
	flag
	whole
	number
	duration
	secret
)

// field is a key of a section.
type field struct {
	key, help, unset string
	reload, required bool
	shape            *shape
}

// variant is what a model of one engine looks like.
type variant struct {
	Provider
	settings *shape
}

// schema describes the whole configuration of a build with these providers; nil
// means Offline.
func schema(providers Providers) *shape {
	if providers == nil {
		providers = Offline()
	}
	return describe(reflect.TypeFor[Config](), "", providers)
}

// describe makes the shape of a type, whose field has the tag. It panics on a type
// or a tag that no configuration can have, which is a fault of the schema.
func describe(typ reflect.Type, tag reflect.StructTag, providers Providers) *shape {
	s := &shape{typ: typ}
	switch {
	case typ == reflect.TypeFor[time.Duration]():
		s.form = duration
	case typ == reflect.TypeFor[Secret]():
		s.form = secret
	case typ == reflect.TypeFor[Model]():
		s.form = model
	case typ.Kind() == reflect.Struct:
		s.form = section
		for i := range typ.NumField() {
			s.fields = append(s.fields, describeField(typ.Field(i), providers))
		}
	case typ.Kind() == reflect.Map:
		s.form = names
		s.element = describe(typ.Elem(), tag, providers)
		s.rule.allowed = split(tag.Get("names"))
		if s.element.form == model {
			s.rule.format = "name" // it becomes a part of patterns
		}
		return s
	case typ.Kind() == reflect.Slice:
		s.form = list
		s.element = describe(typ.Elem(), tag, providers)
		return s
	default:
		scalar, ok := map[reflect.Kind]form{reflect.String: text, reflect.Bool: flag, reflect.Int: whole, reflect.Float64: number}[typ.Kind()]
		if !ok {
			panic(fmt.Sprintf("loader: a configuration has no %v", typ))
		}
		s.form = scalar
	}
	s.rule = ruleOf(s.form, tag)
	return s
}

func describeField(f reflect.StructField, providers Providers) field {
	described := field{
		key: f.Tag.Get("yaml"), help: f.Tag.Get("help"), unset: f.Tag.Get("unset"), reload: f.Tag.Get("reload") == "yes",
		required: f.Tag.Get("required") == "yes", shape: describe(f.Type, f.Tag, providers),
	}
	if e := described.shape.element; e != nil && e.form == model {
		e.kind = Kind(described.key)
		for _, p := range providers.of(e.kind) {
			e.variants = append(e.variants, variant{p, describe(p.defaults().Type(), "", nil)})
		}
	}
	return described
}

// split cuts a list of a tag; nil for none.
func split(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

// field returns the key of a section, nil if it has none of that name.
func (s *shape) field(key string) *field {
	i := slices.IndexFunc(s.fields, func(f field) bool { return f.key == key })
	if i < 0 {
		return nil
	}
	return &s.fields[i]
}

// keys lists the keys of a section.
func (s *shape) keys() []string {
	keys := make([]string, len(s.fields))
	for i, f := range s.fields {
		keys[i] = f.key
	}
	return keys
}

// holdsSecret reports whether a secret may stand here or below.
func (s *shape) holdsSecret() bool {
	switch s.form {
	case secret:
		return true
	case names, list:
		return s.element.holdsSecret()
	case section:
		return slices.ContainsFunc(s.fields, func(f field) bool { return f.shape.holdsSecret() })
	case model:
		return slices.ContainsFunc(s.variants, func(v variant) bool { return v.settings.holdsSecret() })
	}
	return false
}

// what says in words what belongs to a place of this shape.
func (s *shape) what() string {
	switch s.form {
	case section:
		return "a mapping with the keys " + strings.Join(s.keys(), ", ")
	case names, model:
		return "a mapping"
	case list:
		return "a list"
	case flag:
		return "true or false"
	case whole:
		return "a whole number"
	case number:
		return "a number"
	case duration:
		return "a duration such as 600ms, 10s or 5m"
	case secret:
		return "$NAME of an environment variable"
	default:
		return "text"
	}
}
