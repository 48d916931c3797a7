package operator

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode"
	"unicode/utf8"

	"edged/session/log/digest"
)

// FuzzEventReader: whatever a server sends, in whatever pieces, is read as the
// plain reading of the rule has it: fields up to an empty line are an event, its
// data the values of "data" in lines, its id that of the last "id" so far.
func FuzzEventReader(f *testing.F) {
	f.Fuzz(func(t *testing.T, stream []byte) {
		whole, pieces := newEventReader(bytes.NewReader(stream)), newEventReader(iotest.OneByteReader(bytes.NewReader(stream)))
		for _, want := range plainEvents(string(stream)) {
			for _, r := range []*eventReader{whole, pieces} {
				got, err := r.next()
				if err != nil || got.id != want.id || (got.data == nil) != (want.data == nil) || !bytes.Equal(got.data, want.data) {
					t.Fatalf("read %q %q, %v, want %q %q", got.id, got.data, err, want.id, want.data)
				}
			}
		}
		for _, r := range []*eventReader{whole, pieces} {
			if got, err := r.next(); !errors.Is(err, io.EOF) {
				t.Fatalf("behind the last event: %+v, %v", got, err)
			}
		}
	})
}

func plainEvents(stream string) []event {
	var events []event
	var e event
	for line := range strings.Lines(stream) {
		line, ended := strings.CutSuffix(line, "\n")
		line, returned := strings.CutSuffix(line, "\r")
		if line == "" && (ended || returned) {
			events = append(events, e)
			e.data = nil
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case name == "id":
			e.id = value
		case name == "data" && e.data == nil:
			e.data = append([]byte{}, value...)
		case name == "data":
			e.data = append(append(e.data, '\n'), value...)
		}
	}
	return events
}

// FuzzView: whatever stands in a log, every line of it makes lines that are safe
// for a terminal, and those of its own make one, with one more at the end of a
// turn.
func FuzzView(f *testing.F) {
	f.Fuzz(func(t *testing.T, text []byte, width uint8, color bool) {
		var out strings.Builder
		v := NewView(&out, Style{Color: color, Columns: int(width), Zone: time.UTC})
		for line := range bytes.Lines(text) {
			out.Reset()
			if err := v.Print(bytes.TrimSuffix(line, []byte("\n"))); err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(out.String(), "\n"); n < 1 || n > 2 {
				t.Fatalf("%q makes %d lines: %q", line, n, out.String())
			}
			checkPrinted(t, out.String(), color)
		}
	})
}

// FuzzWaterfall: whatever a server says of its sessions is printed, safely for a
// terminal, and the bars stay within their columns.
func FuzzWaterfall(f *testing.F) {
	f.Fuzz(func(t *testing.T, answer []byte, width uint8, color bool) {
		var d digest.Detail
		if json.Unmarshal(answer, &d) != nil {
			return
		}
		style := Style{Color: color, Columns: int(width), Zone: time.UTC}
		var out strings.Builder
		if err := Waterfall(&out, style, d); err != nil {
			t.Fatal(err)
		}
		checkPrinted(t, out.String(), color)
		for line := range strings.Lines(out.String()) {
			if n := strings.Count(line, "█") + strings.Count(line, "░"); n > 2*defaultBar && !strings.ContainsAny(string(answer), "█░\\") {
				t.Fatalf("a bar of %d columns: %q", n, line)
			}
		}
		out.Reset()
		if err := Table(&out, style, []digest.Session{d.Session, d.Session}, time.Unix(1<<31, 0)); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out.String(), "\n"); n != 3 {
			t.Fatalf("a table of two sessions has %d lines: %q", n, out.String())
		}
		checkPrinted(t, out.String(), color)
	})
}

// FuzzRefusal: whatever comes with an answer that is no success becomes one
// sentence that is safe to print.
func FuzzRefusal(f *testing.F) {
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		e := refusal(&http.Response{StatusCode: status, Body: io.NopCloser(bytes.NewReader(body))})
		if e.Status != status || e.Message == "" || len(e.Message) > 16<<10 {
			t.Fatalf("%+v", e)
		}
		checkPrinted(t, e.Error(), false)
		if strings.Contains(e.Error(), "\n") {
			t.Fatalf("%q is more than a line", e)
		}
	})
}

// inks are the escape sequences that are written.
var inks = regexp.MustCompile("\x1b\\[(0|1|2|31|32|33|36|2;9)m")

// checkPrinted: nothing in the text commands a terminal but the inks.
func checkPrinted(t *testing.T, text string, color bool) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Fatalf("not UTF-8: %q", text)
	}
	if color {
		text = inks.ReplaceAllString(text, "")
	}
	for _, r := range text {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029') {
			t.Fatalf("%q is printed: %q", r, text)
		}
	}
}
