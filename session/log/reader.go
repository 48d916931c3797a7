package log

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"time"

	"edged/dialog"
)

// ErrVersion is matched by the error for a line of another schema version.
var ErrVersion = errors.New("session log: unknown schema version")

// Record is one line, read back.
type Record struct {
	Time    time.Time
	Session string
	Device  string
	// Turn is 0 where the event belongs to none.
	Turn dialog.Turn
	// Media is the position on the microphone route, negative where unknown.
	Media time.Duration
	// Event is the payload as a value of its type, nil if the line has an event
	// that this version does not know.
	Event Event
	// Chars holds the lengths, in characters, of the texts that were not
	// written, by the names of their fields. Nil where there are none.
	Chars map[string]int
}

// Reader reads a session log. Lines that are no JSON object with an "event"
// field, such as those of other programs in the same file, are passed over.
type Reader struct {
	lines *bufio.Scanner
	n     int
}

// maxLine bounds a line of the log.
const maxLine = 1 << 20

// NewReader returns a Reader on r.
func NewReader(r io.Reader) *Reader {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	return &Reader{lines: lines}
}

// Next returns the next record, io.EOF at the end.
func (r *Reader) Next() (Record, error) {
	for r.lines.Scan() {
		r.n++
		rec, ok, err := Parse(r.lines.Bytes())
		if err != nil {
			return Record{}, fmt.Errorf("session log: line %d: %w", r.n, err)
		}
		if ok {
			return rec, nil
		}
	}
	if err := r.lines.Err(); err != nil {
		return Record{}, fmt.Errorf("session log: after line %d: %w", r.n, err)
	}
	return Record{}, io.EOF
}

// Parse reads one line. ok is false for a line that is not of the session log.
func Parse(line []byte) (rec Record, ok bool, err error) {
	head := struct {
		V       int         `json:"v"`
		Time    time.Time   `json:"time"`
		Event   Name        `json:"event"`
		Session string      `json:"session"`
		Device  string      `json:"device"`
		Turn    dialog.Turn `json:"turn"`
		Media   *int64      `json:"media_ms"`
	}{}
	if json.Unmarshal(line, &head) != nil || head.Event == "" {
		return Record{}, false, nil
	}
	if head.V != Version {
		return Record{}, false, fmt.Errorf("%w: %d, this reader knows %d", ErrVersion, head.V, Version)
	}
	rec = Record{Time: head.Time, Session: head.Session, Device: head.Device, Turn: head.Turn, Media: -1}
	if head.Media != nil {
		rec.Media = time.Duration(*head.Media) * time.Millisecond
	}
	for _, known := range Vocabulary() {
		if known.Name() != head.Event {
			continue
		}
		payload := reflect.New(reflect.TypeOf(known))
		if err := json.Unmarshal(line, payload.Interface()); err != nil {
			return Record{}, false, fmt.Errorf("event %s: %w", head.Event, err)
		}
		rec.Event = payload.Elem().Interface().(Event)
		rec.Chars = lengths(line, reflect.TypeOf(known))
	}
	return rec, true, nil
}

// charsSuffix makes the name of the field that stands for a text.
const charsSuffix = "_chars"

// lengths finds the lengths that stand for texts in the line of an event.
func lengths(line []byte, event reflect.Type) map[string]int {
	if !bytes.Contains(line, []byte(charsSuffix)) {
		return nil
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(line, &fields) != nil {
		return nil
	}
	var chars map[string]int
	for i := range event.NumField() {
		name, _ := jsonName(event.Field(i))
		n, err := strconv.Atoi(string(fields[name+charsSuffix]))
		if err != nil {
			continue
		}
		if chars == nil {
			chars = make(map[string]int)
		}
		chars[name] = n
	}
	return chars
}

// jsonName returns the wire name of a payload's field.
func jsonName(f reflect.StructField) (name string, omitempty bool) {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name, options == "omitempty"
}
