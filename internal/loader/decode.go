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

var (
	configType   = reflect.TypeFor[Config]()
	durationType = reflect.TypeFor[time.Duration]()
	secretType   = reflect.TypeFor[Secret]()
)

// decode writes the node into v, which it finds at path, and reports whatever
// does not fit.
func (t *tree) decode(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return // "key:" with nothing behind it leaves the zero value
	}
	switch {
	case v.Type() == durationType:
		d, err := time.ParseDuration(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil {
			t.wrong(n, path, "a duration such as 600ms, 10s or 5m")
			return
		}
		v.SetInt(int64(d))
	case v.Type() == secretType:
		t.decodeSecret(n, v, path)
	case v.Kind() == reflect.Struct:
		t.decodeStruct(n, v, path)
	case v.Kind() == reflect.Map:
		t.decodeMap(n, v, path)
	case v.Kind() == reflect.Slice:
		t.decodeList(n, v, path)
	default:
		t.decodeScalar(n, v, path)
	}
}

func (t *tree) decodeStruct(n *yaml.Node, v reflect.Value, path string) {
	allowed := keysOf(v.Type())
	if n.Kind != yaml.MappingNode {
		t.wrong(n, path, "a mapping with the keys "+strings.Join(allowed, ", "))
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		field := slices.Index(allowed, key.Value)
		if field < 0 {
			t.report(t.sources[key], key, joinPath(path, key.Value), "is not a known key", strings.Join(allowed, ", "))
			continue
		}
		t.decode(value, v.Field(field), joinPath(path, key.Value))
	}
}

func (t *tree) decodeMap(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.MappingNode {
		t.wrong(n, path, "a mapping of names")
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i].Value
		element := reflect.New(v.Type().Elem()).Elem()
		t.decode(n.Content[i+1], element, joinPath(path, name))
		v.SetMapIndex(reflect.ValueOf(name), element)
	}
}

func (t *tree) decodeList(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.SequenceNode {
		t.wrong(n, path, "a list")
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
	for i, element := range n.Content {
		t.decode(element, v.Index(i), fmt.Sprintf("%s[%d]", path, i))
	}
}

func (t *tree) decodeSecret(n *yaml.Node, v reflect.Value, path string) {
	name, ok := strings.CutPrefix(n.Value, "$")
	if n.Kind != yaml.ScalarNode || !ok || name == "" {
		t.report(t.sources[n], n, path, "a secret must not stand in the configuration", "$NAME of an environment variable")
		return
	}
	value := t.secret(name)
	if value == "" {
		t.report(t.sources[n], n, path, fmt.Sprintf("the environment variable %s is not set", name), "")
		return
	}
	v.SetString(value)
}

func (t *tree) decodeScalar(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.ScalarNode {
		t.wrong(n, path, scalarName(v.Kind()))
		return
	}
	switch v.Kind() {
	case reflect.String:
		if n.Tag != "!!str" {
			t.wrong(n, path, "text; put it in quotes")
			return
		}
		v.SetString(n.Value)
	case reflect.Bool:
		if n.Tag != "!!bool" {
			t.wrong(n, path, "true or false")
			return
		}
		v.SetBool(strings.EqualFold(n.Value, "true"))
	case reflect.Int:
		i, err := strconv.ParseInt(n.Value, 10, 32)
		if n.Tag != "!!int" || err != nil {
			t.wrong(n, path, "a whole number")
			return
		}
		v.SetInt(i)
	case reflect.Float64:
		f, err := strconv.ParseFloat(n.Value, 64)
		if n.Tag != "!!int" && n.Tag != "!!float" || err != nil {
			t.wrong(n, path, "a number")
			return
		}
		v.SetFloat(f)
	}
}

func scalarName(k reflect.Kind) string {
	switch k {
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	default:
		return "text"
	}
}

// wrong reports a value of the wrong type.
func (t *tree) wrong(n *yaml.Node, path, allowed string) {
	what := fmt.Sprintf("%q", n.Value)
	switch n.Kind {
	case yaml.MappingNode:
		what = "a mapping"
	case yaml.SequenceNode:
		what = "a list"
	}
	t.report(t.sources[n], n, path, what+" does not fit", allowed)
}

// keysOf returns the keys of a struct of the schema, by field.
func keysOf(s reflect.Type) []string {
	keys := make([]string, s.NumField())
	for i := range keys {
		keys[i] = s.Field(i).Tag.Get("yaml")
	}
	return keys
}
