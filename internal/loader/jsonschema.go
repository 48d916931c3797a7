package loader

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// JSONSchema returns the schema of one document of a configuration as a JSON Schema
// (draft 2020-12), with which editors complete and check. A document may leave out
// any key. What depends on several keys, or on what is outside the document (that
// a name exists, that a variable is set), only Load knows.
func JSONSchema(providers Providers) ([]byte, error) {
	root := schema(providers)
	defaults := newDefaults(providers)
	top := root.jsonSchema(nil, defaults)
	top["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	top["title"] = "Configuration of edged"
	out, err := json.MarshalIndent(top, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("loader: JSON Schema: %w", err)
	}
	return append(out, '\n'), nil
}

// durationPattern fits what time.ParseDuration takes and may be in a range: no
// sign, and zero without a unit.
const durationPattern = `^(0|([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`

// jsonSchema writes a shape. A key that is set to nothing is an empty mapping, or a
// mistake.
func (s *shape) jsonSchema(at path, defaults *defaults) map[string]any {
	switch s.form {
	case section:
		return sectionSchema(s, at, defaults, nil)
	case names:
		out := map[string]any{"type": []string{"object", "null"}}
		element := s.element.jsonSchema(at.to("*"), defaults)
		switch {
		case s.element.form == model && len(s.element.variants) == 0:
			out["maxProperties"] = 0
		case s.rule.allowed != nil:
			properties := make(map[string]any)
			for _, name := range s.rule.allowed {
				properties[name] = element
			}
			out["properties"], out["additionalProperties"] = properties, false
		default:
			out["additionalProperties"] = element
			name := map[string]any{"minLength": 1}
			if s.rule.format != "" {
				name = map[string]any{"pattern": formats()[s.rule.format].pattern}
			}
			out["propertyNames"] = name
		}
		return out
	case model:
		choices := make([]any, len(s.variants))
		for i, v := range s.variants {
			word := map[string]any{"const": v.Engine, "description": v.Help}
			choices[i] = sectionSchema(v.settings, append(at[:len(at)-1:len(at)-1], "*("+v.Engine+")"), defaults, map[string]any{v.word(): word})
		}
		if len(choices) == 1 {
			return choices[0].(map[string]any)
		}
		return map[string]any{"anyOf": choices}
	case list:
		return map[string]any{"type": "array", "items": s.element.jsonSchema(at, nil)}
	default:
		return s.scalarSchema()
	}
}

func sectionSchema(s *shape, at path, defaults *defaults, more map[string]any) map[string]any {
	properties, required := more, []string(nil)
	if properties == nil {
		properties = make(map[string]any)
	}
	for _, f := range s.fields {
		below := at.to(f.key)
		p := f.shape.jsonSchema(below, defaults)
		p["description"] = f.description()
		if value, ok := defaults.of(below, f.shape); ok {
			p["default"] = value
		}
		properties[f.key] = p
		if f.required {
			required = append(required, f.key)
		}
	}
	out := map[string]any{"type": []string{"object", "null"}, "properties": properties, "additionalProperties": false}
	if required != nil {
		out["type"], out["required"] = "object", required
	}
	return out
}

func (s *shape) scalarSchema() map[string]any {
	out := make(map[string]any)
	switch s.form {
	case flag:
		out["type"] = "boolean"
	case whole:
		out["type"] = "integer"
	case number:
		out["type"] = "number"
	case duration:
		out["type"], out["pattern"] = []string{"string", "integer"}, durationPattern
		out["maximum"], out["minimum"] = 0, 0 // of numbers, only 0 is a duration
		if s.rule.bounded {
			// No keyword bounds a duration; these are for people and tools that know.
			out["x-minimum"], out["x-maximum"] = shortly(time.Duration(s.rule.least)), shortly(time.Duration(s.rule.most))
		}
		return out
	case secret:
		out["type"], out["pattern"] = "string", secretPattern
		return out
	default:
		out["type"] = "string"
		if s.rule.allowed != nil {
			out["enum"] = s.rule.allowed
		}
		if pattern := formats()[s.rule.format].pattern; pattern != "" {
			out["pattern"] = pattern
		}
		return out
	}
	if s.rule.bounded {
		out["minimum"], out["maximum"] = s.rule.least, s.rule.most
	}
	return out
}

// description is the help of a field with what its rule admits.
func (f field) description() string {
	d := f.help
	if allowed := f.shape.rule.describe(f.shape.form); allowed != "" {
		d += " Allowed: " + allowed + "."
	}
	if f.unset != "" {
		d += " If not set: " + f.unset + "."
	}
	return strings.TrimSpace(d)
}
