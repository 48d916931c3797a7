package log_test

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"github.com/rs/zerolog"

	"edged/session/log"
)

// FuzzParse: any line is one of three: not of the log, a fault, or a record that
// can be written and read again. Where transcripts are off, nothing that was said
// is written.
func FuzzParse(f *testing.F) {
	f.Fuzz(func(t *testing.T, line []byte) {
		rec, ok, err := log.Parse(line)
		if ok && err != nil {
			t.Fatalf("a record with the error %v", err)
		}
		if !ok {
			if !reflect.DeepEqual(rec, log.Record{}) {
				t.Fatalf("no record, but %+v", rec)
			}
			return
		}
		if rec.Event == nil {
			return // of a later version
		}
		if !slices.ContainsFunc(log.Vocabulary(), func(e log.Event) bool { return reflect.TypeOf(e) == reflect.TypeOf(rec.Event) }) {
			t.Fatalf("%T is not of the vocabulary", rec.Event)
		}
		once := emit(t, rec, true)
		if once.Session != rec.Session || once.Device != rec.Device || once.Turn != rec.Turn || once.Chars != nil {
			t.Fatalf("%+v came back as %+v", rec, once)
		}
		if !reflect.DeepEqual(rec.Event, once.Event) {
			t.Fatalf("%+v came back as %+v", rec.Event, once.Event)
		}
		checkSilent(t, rec, emit(t, rec, false))
	})
}

// emit writes a record and reads it back.
func emit(t *testing.T, rec log.Record, transcripts bool) log.Record {
	t.Helper()
	var out bytes.Buffer
	log.NewRecorder(zerolog.New(&out), rec.Session, rec.Device, transcripts).Emit(rec.Turn, rec.Media, rec.Event)
	text, ok := bytes.CutSuffix(out.Bytes(), []byte("\n"))
	if !ok || bytes.ContainsRune(text, '\n') {
		t.Fatalf("one event makes the lines %q", out.Bytes())
	}
	again, ok, err := log.Parse(text)
	if !ok || err != nil {
		t.Fatalf("%s does not read back: %v", text, err)
	}
	return again
}

// checkSilent: of what was said, silent knows the length and nothing else.
func checkSilent(t *testing.T, rec, silent log.Record) {
	t.Helper()
	full, void := reflect.ValueOf(rec.Event), reflect.ValueOf(silent.Event)
	for i := range full.NumField() {
		text, ok := full.Field(i).Interface().(log.Text)
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(full.Type().Field(i).Tag.Get("json"), ",")
		if void.Field(i).String() != "" {
			t.Fatalf("%s is written although transcripts are off", name)
		}
		if n, ok := silent.Chars[name]; text != "" && (!ok || n != utf8.RuneCountInString(string(text))) {
			t.Fatalf("%s has %d characters, written are %v", name, utf8.RuneCountInString(string(text)), silent.Chars)
		}
	}
}

// FuzzReader: whatever a file holds and in whatever pieces it comes, the reader
// brings what Parse makes of its lines, up to the first fault.
func FuzzReader(f *testing.F) {
	f.Fuzz(func(t *testing.T, text []byte) {
		whole, one := log.NewReader(bytes.NewReader(text)), log.NewReader(iotest.OneByteReader(bytes.NewReader(text)))
		for line := range bytes.Lines(text) {
			want, ok, fault := log.Parse(bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")))
			if !ok && fault == nil {
				continue
			}
			for _, r := range []*log.Reader{whole, one} {
				got, err := r.Next()
				if (err == nil) != (fault == nil) || errors.Is(err, log.ErrVersion) != errors.Is(fault, log.ErrVersion) || !reflect.DeepEqual(got, want) {
					t.Fatalf("%q is read as %+v (%v), parsed as %+v (%v)", line, got, err, want, fault)
				}
			}
			if fault != nil {
				return
			}
		}
		for _, r := range []*log.Reader{whole, one} {
			if rec, err := r.Next(); !errors.Is(err, io.EOF) {
				t.Fatalf("behind the end: %+v, %v", rec, err)
			}
		}
	})
}

// FuzzParseID: a text is the id of a line and is read as what it is written as,
// or it is refused.
func FuzzParseID(f *testing.F) {
	ring := log.NewRing(log.RingConfig{Events: 4})
	_, _ = ring.Write([]byte(`{"v":1,"event":"wake"}`))
	f.Fuzz(func(t *testing.T, text string) {
		id, err := log.ParseID(text)
		if err != nil {
			if !errors.Is(err, log.ErrID) || len(err.Error()) > 500 {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if again, err := log.ParseID(id.String()); err != nil || again != id {
			t.Fatalf("%q is written as %q and read as %v, %v", text, id, again, err)
		}
		// Wherever a reader says that it was, it is brought what is kept.
		tail := ring.Tail(log.Start{After: id})
		defer tail.Close()
		read := 0
		for {
			e, ok := tail.Ready()
			if !ok {
				break
			}
			if read++; read > 2 || len(e.Line) == 0 {
				t.Fatalf("after %q: %d lines of one, the last is %q", text, read, e.Line)
			}
		}
	})
}

// FuzzMS: a duration reads back as it was written.
func FuzzMS(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string) {
		var d log.MS
		if d.UnmarshalJSON([]byte(text)) != nil {
			return
		}
		out, err := d.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var again log.MS
		if err := again.UnmarshalJSON(out); err != nil || again != d {
			t.Fatalf("%q is %v, written as %s and read as %v, %v", text, time.Duration(d), out, time.Duration(again), err)
		}
	})
}
