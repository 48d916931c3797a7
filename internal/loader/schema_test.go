package loader

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// compiled is the JSON Schema of a build, as an independent validator reads it.
func compiled(t *testing.T, providers Providers) *jsonschema.Schema {
	t.Helper()
	text, err := JSONSchema(providers)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("edged.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("edged.json")
	if err != nil {
		t.Fatalf("the schema is none of draft 2020-12: %v", err)
	}
	return s
}

// instance reads YAML as a validator of JSON wants it.
func instance(t *testing.T, document string) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(document), &v); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	out, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSchemaOfGoodDocuments(t *testing.T) {
	s := compiled(t, everyKind())
	for name, document := range map[string]string{
		"the defaults": string(defaultsYAML), "the development settings": string(developmentYAML), "everything": everything,
		"nothing": "server:\nprofiles:\n", "one key of a declared model": "models: {asr: {local: {decoders: 4}}}",
		"zero without a unit": "profiles: {default: {resume_for: 0}}", "a long duration": "server: {idle_timeout: 1h2m3.5s}",
		"no address of operators": "operators: {listen: ''}", "a port on all interfaces": "server: {listen: ':8080'}",
	} {
		if err := s.Validate(instance(t, document)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What the loader refuses by itself in one document, the schema refuses as well.
func TestSchemaOfBadDocuments(t *testing.T) {
	s := compiled(t, everyKind())
	for name, document := range map[string]string{
		"unknown key": "server: {lisen: x}", "unknown top-level key": "serwer: {}", "unknown kind": "models: {vision: {}}",
		"wrong type": "server: {max_sessions: many}", "text for a mapping": "server: yes please", "list for text": "server: {listen: [a]}",
		"number for text": "profiles: {default: {prompt: 5}}", "duration without unit": "server: {idle_timeout: 10}",
		"negative duration": "profiles: {default: {deadlines: {asr: -1s}}}", "fraction for a whole number": "log: {files: 1.5}",
		"no address": "server: {listen: nine}", "no origin": "server: {origins: [panel]}", "secret in the document": "operators: {token: hunter2}",
		"unknown engine": "models: {asr: {x: {engine: whisper}}}", "a key of another engine": "models: {tts: {x: {engine: flite, base_url: 'http://h'}}}",
		"no credential": "models: {labeler: {x: {provider: openai, model: m}}}", "no token": "devices: {a: {profile: default}}",
		"unknown voice": "models: {tts: {x: {engine: flite, voice: bob}}}", "unknown phrase": "profiles: {default: {phrases: {bye: Bye.}}}",
		"unknown language": "profiles: {default: {language: xx}}", "no value": "server: {max_sessions: }",
		"an empty name": "devices: {'': {token: $T}}", "a name that cannot be one": "models: {tts: {a/b: {engine: flite}}}",
	} {
		if err := s.Validate(instance(t, document)); err == nil {
			t.Errorf("%s: the schema takes %s", name, document)
		}
		if _, err := Load(Sources{Providers: everyKind(), File: file(t, document), Environ: []string{"T=0123456789abcdef"}}); err == nil {
			t.Errorf("%s: the loader takes %s", name, document)
		}
	}
	if err := compiled(t, nil).Validate(instance(t, "models: {realtime: {x: {provider: openai}}}")); err == nil {
		t.Error("a build without models of a kind takes one")
	}
}

// numbered are the numbers and durations of the schema with a value of each and its place in a
// document; a name is "x", a device has a token, a model its engine.
func numbered(s *shape, at []string, visit func(f field, document func(value string) string)) {
	for _, f := range s.fields {
		below := append(at[:len(at):len(at)], f.key)
		switch e := f.shape; e.form {
		case section:
			numbered(e, below, visit)
		case names:
			switch e.element.form {
			case section:
				numbered(e.element, append(below, "x"), visit)
			case model:
				for _, v := range e.element.variants {
					numbered(v.settings, append(below, "x", v.word()+"="+v.Engine), visit)
				}
			}
		case whole, number, duration:
			visit(f, func(value string) string {
				document, end := "", ""
				for _, key := range below {
					if word, engine, ok := strings.Cut(key, "="); ok {
						document += word + ": " + engine + ", "
						continue
					}
					document, end = document+key+": {", end+"}"
				}
				document = strings.TrimSuffix(document, "{") + value
				return "{" + document + strings.TrimPrefix(end, "}") + "}"
			})
		}
	}
}

// The least and the greatest value are taken and what is next to them is refused,
// by the loader as by the schema, for every number that there is; for durations by
// the loader, since no schema can bound them.
func TestRangesAgree(t *testing.T) {
	s, root := compiled(t, nil), schema(Offline())
	checked := 0
	numbered(root, nil, func(f field, document func(string) string) {
		checked++
		if !f.shape.rule.bounded {
			t.Errorf("%s: no range", document("1"))
			return
		}
		step := 1.0
		if f.shape.form == number {
			step = 0.01
		}
		r := f.shape.rule
		if f.shape.form == duration {
			step = float64(time.Millisecond)
		}
		for value, good := range map[float64]bool{r.least: true, r.most: true, r.least - step: false, r.most + step: false} {
			text := document(fmt.Sprint(value))
			switch f.shape.form {
			case whole:
				text = document(fmt.Sprintf("%.0f", value))
			case duration:
				text = document(time.Duration(value).String())
			}
			_, err := Load(Sources{File: file(t, text)})
			if (err == nil) != good {
				t.Errorf("%s: the loader says %v", text, err)
			}
			if err := s.Validate(instance(t, text)); (err == nil) != good && (good || f.shape.form != duration) {
				t.Errorf("%s: the schema says %v", text, err)
			}
		}
	})
	if checked < 30 {
		t.Errorf("only %d numbers were found", checked)
	}
}

// Every key says what it is, durations have a range, and the built-in defaults hold
// all keys but those that have none.
func TestKeys(t *testing.T) {
	unset := map[string]bool{"profiles.*.barge_in.backchannels": true, "devices.*.token": true, "operators.token": true}
	seen := make(map[string]bool)
	for _, k := range Keys(nil) {
		if seen[k.Path] {
			t.Errorf("%s is there twice", k.Path)
		}
		seen[k.Path] = true
		if !strings.HasSuffix(k.Help, ".") || k.Type == "" {
			t.Errorf("%s: help %q, type %q; want a sentence and a type", k.Path, k.Help, k.Type)
		}
		if strings.HasPrefix(k.Type, "a duration") && k.Allowed == "" {
			t.Errorf("%s: a duration without a range", k.Path)
		}
		word := strings.HasSuffix(k.Path, ".engine") || strings.HasSuffix(k.Path, ".provider")
		if hasNone := k.Default == "" || strings.HasPrefix(k.Default, "("); hasNone != (k.Section || word || unset[k.Path]) {
			t.Errorf("%s: default %q", k.Path, k.Default)
		}
		reload := strings.HasPrefix(k.Path, "profiles") || strings.HasPrefix(k.Path, "devices") || k.Path == "server.signing_keys"
		if k.Reload != reload {
			t.Errorf("%s: can be reloaded: %v, want %v", k.Path, k.Reload, reload)
		}
	}
	for _, path := range []string{"server.listen", "profiles.*.barge_in.min_words", "models.asr.*(pocketsphinx).decoders", "devices.*.token", "models.realtime"} {
		if !seen[path] {
			t.Errorf("%s is missing", path)
		}
	}
}

// The description of a default is the default that a document without the key has.
func TestDefaultsOfKeys(t *testing.T) {
	e, err := Read(Sources{File: file(t, "profiles: {x: {}}\ndevices: {x: {token: $T}}\n"), Environ: []string{"T=0123456789abcdef"}})
	if err != nil {
		t.Fatal(err)
	}
	values := make(map[string]string)
	for _, s := range e.Settings() {
		values[s.Key] = s.written
	}
	for _, k := range Keys(nil) {
		path := strings.NewReplacer("asr.*(pocketsphinx)", "asr.local", "generator.*(rules)", "generator.rules", "tts.*(flite)", "tts.local", "*", "x").Replace(k.Path)
		if k.Default != "" && k.Default[0] != '(' && values[path] != k.Default {
			t.Errorf("%s: the default is %q, described as %q", path, values[path], k.Default)
		}
	}
}
