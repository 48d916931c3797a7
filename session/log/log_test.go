package log_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"edged/dialog"
	"edged/session/log"
)

// filled returns an event of the kind of e with a value in every field.
func filled(e log.Event) log.Event {
	v := reflect.New(reflect.TypeOf(e)).Elem()
	for i := range v.NumField() {
		f := v.Field(i)
		switch {
		case f.Type() == reflect.TypeFor[log.MS]():
			f.SetInt(int64(1234567 * time.Microsecond))
		case f.Kind() == reflect.String:
			f.SetString("Grüße, \"world\"\n")
		case f.Kind() == reflect.Int:
			f.SetInt(7)
		case f.Kind() == reflect.Bool:
			f.SetBool(true)
		}
	}
	return v.Interface().(log.Event)
}

// What is written is read back, for every event of the vocabulary.
func TestRoundTrip(t *testing.T) {
	for _, zero := range log.Vocabulary() {
		t.Run(string(zero.Name()), func(t *testing.T) {
			want := filled(zero)
			var out bytes.Buffer
			log.NewRecorder(zerolog.New(&out), "s1", "d1", true).Emit(3, 1500*time.Millisecond, want)
			if n := bytes.Count(out.Bytes(), []byte("\n")); n != 1 {
				t.Errorf("one event made %d lines", n)
			}
			rec, err := log.NewReader(&out).Next()
			if err != nil {
				t.Fatal(err)
			}
			if rec.Session != "s1" || rec.Device != "d1" || rec.Turn != 3 || rec.Media != 1500*time.Millisecond {
				t.Errorf("read back as %+v", rec)
			}
			if !reflect.DeepEqual(rec.Event, want) {
				t.Errorf("read back\n %#v, want\n %#v", rec.Event, want)
			}
		})
	}
}

// Where transcripts are off, no field that holds what was said is written.
func TestTranscriptsAreEnabledOrAbsent(t *testing.T) {
	for _, zero := range log.Vocabulary() {
		var out bytes.Buffer
		log.NewRecorder(zerolog.New(&out), "s1", "d1", false).Emit(1, 0, filled(zero))
		var line map[string]any
		if err := json.Unmarshal(out.Bytes(), &line); err != nil {
			t.Fatalf("%s: %v", zero.Name(), err)
		}
		typ := reflect.TypeOf(zero)
		for i := range typ.NumField() {
			if typ.Field(i).Type != reflect.TypeFor[log.Text]() {
				continue
			}
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			if text, ok := line[name]; ok {
				t.Errorf("%s writes %s = %q", zero.Name(), name, text)
			}
			// 15 characters: G r ü ß e , space " w o r l d " newline.
			if n := line[name+"_chars"]; n != 15.0 {
				t.Errorf("%s: %s_chars = %v, want 15", zero.Name(), name, n)
			}
		}
	}
}

// The table in the package documentation names every event with its fields.
func TestDocumentation(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	rows := make(map[string]string)
	for line := range strings.Lines(string(doc)) {
		if row, ok := strings.CutPrefix(line, "//\t"); ok {
			name, fields, _ := strings.Cut(strings.TrimSpace(row), " ")
			rows[name] = strings.TrimSpace(fields)
		}
	}
	for _, e := range log.Vocabulary() {
		typ := reflect.TypeOf(e)
		var fields []string
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			fields = append(fields, name)
		}
		if want := strings.Join(fields, " "); rows[string(e.Name())] != want {
			t.Errorf("%s is documented with %q, it has %q", e.Name(), rows[string(e.Name())], want)
		}
		delete(rows, string(e.Name()))
	}
	if len(rows) > 0 {
		t.Errorf("documented but not in the vocabulary: %v", rows)
	}
}

func TestReader(t *testing.T) {
	tests := []struct {
		name, lines string
		want        []log.Event
		err         string
	}{
		{"other programs' lines are passed over", "hello\n{\"level\":\"info\"}\n[1]\n{\"v\":1,\"event\":\"gen.first_token\",\"ms\":2}\n",
			[]log.Event{log.GenFirstToken{MS: log.MS(2 * time.Millisecond)}}, ""},
		{"an unknown event has no payload", `{"v":1,"event":"moon.phase"}`, []log.Event{nil}, ""},
		{"another schema version", "\n" + `{"v":2,"event":"usage"}`, nil, "line 2: session log: unknown schema version: 2"},
		{"a field of the wrong type", `{"v":1,"event":"usage","prompt_tokens":"many"}`, nil, "line 1: event usage"},
		{"an endless line", strings.Repeat("x", 2<<20), nil, "too long"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			reader := log.NewReader(strings.NewReader(tt.lines))
			var got []log.Event
			for {
				rec, err := reader.Next()
				if errors.Is(err, io.EOF) && tt.err == "" {
					break
				}
				if err != nil {
					if tt.err == "" || !strings.Contains(err.Error(), tt.err) {
						t.Errorf("err = %v, want %q in it", err, tt.err)
					}
					return
				}
				got = append(got, rec.Event)
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("read %#v, want %#v", got, tt.want)
			}
		})
	}
}

func ExampleRecorder() {
	out := zerolog.New(zerolog.ConsoleWriter{Out: os.Stdout, NoColor: true, PartsOrder: []string{"event"}, FieldsExclude: []string{"time", "event"}})
	recorder := log.NewRecorder(out, "9f2c", "kitchen", true)
	recorder.Emit(dialog.Turn(1), 1200*time.Millisecond, log.ASRFinal{
		Utterance: "utterance/1", Text: "what time is it", MS: log.MS(704 * time.Millisecond),
	})
	// Output:
	// asr.final device=kitchen media_ms=1200 ms=704 session=9f2c text="what time is it" turn=1 utterance=utterance/1 v=1
}
