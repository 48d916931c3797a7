package log

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"
	"unicode/utf8"

	"github.com/rs/zerolog"

	"edged/dialog"
)

// Version is the schema version, the field "v" of every line.
const Version = 1

// timeFormat is RFC 3339 with milliseconds, always three digits.
const timeFormat = "2006-01-02T15:04:05.000Z07:00"

// MS is a duration that is written as milliseconds with up to three decimals.
type MS time.Duration

// MarshalJSON implements json.Marshaler.
func (d MS) MarshalJSON() ([]byte, error) {
	us := time.Duration(d).Microseconds()
	return json.Marshal(float64(us) / 1000)
}

// maxMS is the longest duration that is read: 285 years, within what a
// time.Duration holds and a float64 holds to the microsecond.
const maxMS = 9e12

// UnmarshalJSON implements json.Unmarshaler.
func (d *MS) UnmarshalJSON(b []byte) error {
	var ms float64
	if err := json.Unmarshal(b, &ms); err != nil {
		return err
	}
	if ms < -maxMS || ms > maxMS {
		return fmt.Errorf("session log: %.40s ms is no duration, at most %.0f are", b, maxMS)
	}
	*d = MS(time.Duration(ms*1000+copysign(0.5, ms)) * time.Microsecond)
	return nil
}

func copysign(x, sign float64) float64 {
	if sign < 0 {
		return -x
	}
	return x
}

// Text is something that a person said or was told. It is written only where
// transcripts are enabled; elsewhere its length in characters stands for it.
type Text string

// Observer sees the events of one session as they are written, which is more
// than a Tail does: nothing is ever missing. Observe is called in the goroutine
// that emits the event, by several at once if several do, before the line is
// written. So it must not block and should not allocate. Texts are there whether
// transcripts are enabled or not: an Observer keeps none of them.
type Observer interface {
	// Observe is told of an event of a turn, 0 for one that belongs to none.
	Observe(turn dialog.Turn, e Event)
}

// Recorder writes the log of one session. It may be used by several goroutines
// at once if its zerolog.Logger and its observers may.
type Recorder struct {
	out         zerolog.Logger
	session     string
	device      string
	transcripts bool
	observers   []Observer
}

// NewRecorder returns a recorder that writes JSON lines to out, which should
// add no fields of its own. A zerolog logger writes in the caller's goroutine:
// give it a writer that does not block, such as a Ring. The observers see every
// event first.
func NewRecorder(out zerolog.Logger, session, device string, transcripts bool, observers ...Observer) *Recorder {
	return &Recorder{out: out, session: session, device: device, transcripts: transcripts, observers: observers}
}

// Transcripts reports whether what is said is written.
func (r *Recorder) Transcripts() bool { return r.transcripts }

// Emit writes one event. turn is 0 and media negative where the event belongs
// to none; media is the position on the microphone route.
func (r *Recorder) Emit(turn dialog.Turn, media time.Duration, e Event) {
	for _, o := range r.observers {
		o.Observe(turn, e)
	}
	level := zerolog.InfoLevel
	if e.Name() == NameError {
		level = zerolog.ErrorLevel
	}
	line := r.out.WithLevel(level).
		Int("v", Version).
		Str("time", time.Now().Format(timeFormat)).
		Str("event", string(e.Name())).
		Str("session", r.session).
		Str("device", r.device)
	if turn != 0 {
		line = line.Uint32("turn", uint32(turn))
	}
	if media >= 0 {
		line = line.Int64("media_ms", media.Milliseconds())
	}
	for name, value := range r.fields(e) {
		line = line.RawJSON(name, value)
	}
	line.Send()
}

// fields yields the payload's fields in their order, as JSON, with texts
// replaced by "NAME_chars" where transcripts are off.
func (r *Recorder) fields(e Event) func(yield func(string, []byte) bool) {
	return func(yield func(string, []byte) bool) {
		v := reflect.ValueOf(e)
		for i := range v.NumField() {
			name, omitempty := jsonName(v.Type().Field(i))
			f := v.Field(i)
			if omitempty && f.IsZero() {
				continue
			}
			value := f.Interface()
			if text, ok := value.(Text); ok && !r.transcripts {
				name, value = name+charsSuffix, utf8.RuneCountInString(string(text))
			}
			raw, err := json.Marshal(value)
			if err != nil {
				raw = fmt.Appendf(nil, "%q", err.Error())
			}
			if !yield(name, raw) {
				return
			}
		}
	}
}
