package loader

import (
	"errors"
	"fmt"
	"reflect"
)

// ErrRestart is what Problems of a reload match where the new configuration is
// right and changes what a running server cannot change.
var ErrRestart = errors.New("loader: needs a restart")

// Reload reads the configuration again for a server that runs with another one.
// The error is Problems: those of the configuration, or else every key whose value
// differs and cannot change without a restart.
func Reload(running *Config, from Sources) (*Config, error) {
	e, err := Read(from)
	if err != nil {
		return nil, err
	}
	was, is := reflect.ValueOf(running).Elem(), reflect.ValueOf(e.Config).Elem()
	if problems := e.tree.fixed(nil, was, is, e.tree.schema, nil); len(problems) > 0 {
		return nil, problems
	}
	return e.Config, nil
}

// fixed appends the keys that differ and need a restart.
func (t *tree) fixed(all Problems, was, is reflect.Value, s *shape, at path) Problems {
	switch s.form {
	case section:
		for i, f := range s.fields {
			if !f.reload {
				all = t.fixed(all, was.Field(i), is.Field(i), f.shape, at.to(f.key))
			}
		}
		return all
	case names:
		return t.fixedNames(all, was, is, s, at)
	case model:
		a, b := was.Interface().(Model), is.Interface().(Model)
		if a.Engine == b.Engine && reflect.TypeOf(a.Settings) == reflect.TypeOf(b.Settings) {
			for _, v := range s.variants {
				if v.Engine == a.Engine {
					return t.fixed(all, reflect.ValueOf(a.Settings), reflect.ValueOf(b.Settings), v.settings, at)
				}
			}
		}
	}
	if equal(was, is) {
		return all
	}
	change := "differs"
	if s.form != secret && s.form != model {
		change = fmt.Sprintf("is %v in the running server and %v here", shown(was), shown(is))
	}
	return t.needsRestart(all, at, change)
}

func (t *tree) fixedNames(all Problems, was, is reflect.Value, s *shape, at path) Problems {
	merged := make(map[string]struct{})
	for _, m := range []reflect.Value{was, is} {
		for _, key := range m.MapKeys() {
			merged[key.String()] = struct{}{}
		}
	}
	for name := range sorted(merged) {
		a, b := was.MapIndex(reflect.ValueOf(name)), is.MapIndex(reflect.ValueOf(name))
		switch {
		case !a.IsValid():
			all = t.needsRestart(all, at.to(name), "is new")
		case !b.IsValid():
			all = t.needsRestart(all, at.to(name), "is gone")
		default:
			all = t.fixed(all, a, b, s.element, at.to(name))
		}
	}
	return all
}

func (t *tree) needsRestart(all Problems, at path, change string) Problems {
	n := t.find(at)
	return append(all, Problem{
		Source: t.sources[n], Line: n.Line, Column: n.Column, Key: at.String(),
		Message: change + ", which takes a restart", Err: ErrRestart,
	})
}

// equal compares values; a list that is empty is one that is not set.
func equal(a, b reflect.Value) bool {
	if a.Kind() == reflect.Slice && a.Len() == 0 && b.Len() == 0 {
		return true
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

func shown(v reflect.Value) string {
	if v.Kind() == reflect.String {
		return fmt.Sprintf("%q", v.String())
	}
	return fmt.Sprint(v.Interface())
}
