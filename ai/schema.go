package ai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strings"

	reflector "github.com/invopop/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// argumentSchema is a compiled schema together with the document it came from.
type argumentSchema struct {
	document json.RawMessage
	compiled *jsonschema.Schema
}

// reflectSchema generates the schema document of the Go type t, self-contained
// and without a $schema line: providers take it verbatim and some refuse
// references.
func reflectSchema(t reflect.Type) (doc json.RawMessage, err error) {
	switch {
	case t.Kind() == reflect.Map && t.Key().Kind() == reflect.String:
	case t.Kind() == reflect.Struct:
	default:
		return nil, fmt.Errorf("arguments of type %v: want a struct or a map with string keys", t)
	}
	if cycle := findCycle(t, nil); cycle != nil {
		return nil, fmt.Errorf("arguments of type %v: %v contains itself, which no self-contained schema can say; use NewRawTool", t, cycle)
	}
	defer func() { // the reflector panics on types JSON has no word for
		if r := recover(); r != nil {
			err = fmt.Errorf("arguments of type %v: %v", t, r)
		}
	}()
	r := &reflector.Reflector{Anonymous: true, DoNotReference: true, ExpandedStruct: true}
	schema := r.ReflectFromType(t)
	schema.Version = ""
	return json.Marshal(schema)
}

// findCycle returns a type that contains itself, or nil.
func findCycle(t reflect.Type, path []reflect.Type) reflect.Type {
	for _, seen := range path {
		if seen == t {
			return t
		}
	}
	path = append(path, t)
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return findCycle(t.Elem(), path)
	case reflect.Struct:
		for i := range t.NumField() {
			if cycle := findCycle(t.Field(i).Type, path); cycle != nil {
				return cycle
			}
		}
	}
	return nil
}

// compileSchema compiles a schema document that may come from outside: it
// reaches for nothing but the document itself.
func compileSchema(document json.RawMessage) (*argumentSchema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	object, ok := doc.(map[string]any)
	if !ok {
		return nil, errors.New("schema: want a JSON object")
	}
	if n, found := hugeNumber(doc); found {
		return nil, fmt.Errorf("schema: %.40s is beyond all numbers that are used", n)
	}
	if typ, given := object["type"]; given && typ != "object" {
		return nil, fmt.Errorf("schema: type is %v, want \"object\": the arguments of a tool are an object", typ)
	}
	const url = "schema:arguments"
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	if err := c.AddResource(url, doc); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	compiled, err := c.Compile(url)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return &argumentSchema{document: document, compiled: compiled}, nil
}

// noLoader keeps a schema from reading files or the network.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("reference to %s: only references within the schema are allowed", url)
}

// validate checks the arguments object against the schema.
func (s *argumentSchema) validate(arguments string) error {
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(arguments))
	if err != nil {
		return &ArgumentError{Reason: "not valid JSON: " + err.Error()}
	}
	if _, ok := value.(map[string]any); !ok {
		return &ArgumentError{Reason: "not a JSON object"}
	}
	if n, found := hugeNumber(value); found {
		return &ArgumentError{Reason: fmt.Sprintf("%.40s is beyond all numbers that are used", n)}
	}
	err = s.compiled.Validate(value)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if errors.As(err, &invalid) {
		return argumentError(invalid)
	}
	return &ArgumentError{Reason: err.Error()}
}

// hugeNumber finds a number whose exponent has more than three digits: beyond all
// that a float64 holds. The validator computes with exact fractions, which take
// memory in proportion to the exponent, and panics where they end.
func hugeNumber(value any) (n json.Number, found bool) {
	switch v := value.(type) {
	case map[string]any:
		for _, elem := range v {
			if n, found = hugeNumber(elem); found {
				return n, true
			}
		}
	case []any:
		for _, elem := range v {
			if n, found = hugeNumber(elem); found {
				return n, true
			}
		}
	case json.Number:
		_, exp, _ := strings.Cut(strings.ToLower(v.String()), "e")
		return v, len(strings.TrimLeft(exp, "+-0")) > 3
	}
	return "", false
}

var english = message.NewPrinter(language.English)

// argumentError turns the first leaf of a validation error into the argument it
// is about. A missing or unknown argument is reported by the object that lacks
// or has it, so its name comes from the kind of the error.
func argumentError(e *jsonschema.ValidationError) *ArgumentError {
	for len(e.Causes) > 0 {
		e = e.Causes[0]
	}
	path := e.InstanceLocation
	reason := e.ErrorKind.LocalizedString(english)
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		path, reason = withLast(path, k.Missing), "missing"
	case *kind.AdditionalProperties:
		path, reason = withLast(path, k.Properties), "not an argument of this tool"
	}
	return &ArgumentError{Argument: strings.Join(path, "/"), Reason: reason}
}

func withLast(path, names []string) []string {
	if len(names) == 0 {
		return path
	}
	return append(append([]string(nil), path...), names[0])
}

// decodeArguments decodes validated arguments into a Go value. Models write
// whole numbers as 300.0 or 3e2 too, which the schema calls integers but
// encoding/json refuses for a Go int; such numbers are rewritten first.
func decodeArguments(arguments json.RawMessage, into any) error {
	dec := json.NewDecoder(bytes.NewReader(arguments))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return &ArgumentError{Reason: err.Error()}
	}
	plain, err := json.Marshal(wholeNumbers(value))
	if err != nil {
		return &ArgumentError{Reason: err.Error()}
	}
	err = json.Unmarshal(plain, into)
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		return &ArgumentError{
			Argument: strings.ReplaceAll(mismatch.Field, ".", "/"),
			Reason:   fmt.Sprintf("%s does not fit %v", mismatch.Value, mismatch.Type),
		}
	}
	if err != nil {
		return &ArgumentError{Reason: err.Error()}
	}
	return nil
}

// maxExponentDigits keeps 1e999999999 from becoming a billion digits.
const maxExponentDigits = 2

func wholeNumbers(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, elem := range v {
			v[key] = wholeNumbers(elem)
		}
	case []any:
		for i, elem := range v {
			v[i] = wholeNumbers(elem)
		}
	case json.Number:
		return wholeNumber(v)
	}
	return value
}

func wholeNumber(n json.Number) json.Number {
	text := strings.ToLower(n.String())
	if !strings.ContainsAny(text, ".e") {
		return n
	}
	if _, exp, ok := strings.Cut(text, "e"); ok && len(strings.TrimLeft(exp, "+-0")) > maxExponentDigits {
		return n
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || !r.IsInt() {
		return n
	}
	return json.Number(r.Num().String())
}

// parameters expresses the schema in the subset of ParameterSchema. What the
// subset has no word for is left out.
func (s *argumentSchema) parameters() *ParameterSchema {
	var doc struct {
		Properties map[string]*looseProperty `json:"properties"`
		Required   []string                  `json:"required"`
	}
	p := &ParameterSchema{Type: "object", Properties: map[string]*PropertySchema{}}
	if err := json.Unmarshal(s.document, &doc); err != nil {
		return p // compiled, but of a shape the subset cannot hold
	}
	p.Required = doc.Required
	for name, prop := range doc.Properties {
		p.Properties[name] = prop.subset()
	}
	return p
}

// looseProperty reads a property of any JSON Schema, whose keywords may have
// shapes that PropertySchema lacks ("type" as a list, a schema that is a
// boolean).
type looseProperty struct {
	Type        any
	Description string
	Enum        []any
	Items       *looseProperty
}

func (p *looseProperty) UnmarshalJSON(text []byte) error {
	type plain looseProperty
	err := json.Unmarshal(text, (*plain)(p))
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		return nil
	}
	return err
}

func (p *looseProperty) subset() *PropertySchema {
	if p == nil {
		return &PropertySchema{}
	}
	out := &PropertySchema{Description: p.Description, Enum: p.Enum}
	switch typ := p.Type.(type) {
	case string:
		out.Type = typ
	case []any: // ["integer","null"]: the first that is not null
		for _, t := range typ {
			if name, ok := t.(string); ok && name != "null" {
				out.Type = name
				break
			}
		}
	}
	if p.Items != nil {
		out.Items = p.Items.subset()
	}
	return out
}
