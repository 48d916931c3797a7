package digest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"edged/dialog"
	"edged/session/log"
	"edged/session/log/digest"
)

// FuzzBook: whatever the log says, in whatever order, a book keeps no more than
// it may, and all that it tells of a session is in order and can be encoded. Six
// bytes make a record: its event, its session and turn, its time, and what is in
// its fields.
func FuzzBook(f *testing.F) {
	const sessions, turns = 3, 4
	f.Fuzz(func(t *testing.T, program []byte) {
		book, twin := digest.NewBook(digest.BookConfig{Sessions: sessions, Turns: turns}), digest.NewBook(digest.BookConfig{Sessions: sessions, Turns: turns})
		at, last := noon, make(map[string]log.Record)
		for ; len(program) >= 6; program = program[6:] {
			at = at.Add(time.Duration(int8(program[2])) * 50 * time.Millisecond)
			rec := recordOf(program[:6], at)
			book.Add(rec)
			twin.Add(rec)
			if rec.Session != "" {
				last[rec.Session] = rec
			}
		}
		all := book.Sessions("")
		if len(all) > sessions || len(all) > len(last) {
			t.Fatalf("%d sessions are kept", len(all))
		}
		if !sameJSON(t, all, twin.Sessions("")) {
			t.Fatal("two books of the same log tell different things")
		}
		ended := false
		for _, s := range all {
			if !s.Last.Equal(last[s.Session].Time) || s.Device != last[s.Session].Device {
				t.Fatalf("%+v, its last record is %+v", s, last[s.Session])
			}
			if isEnded := s.State == digest.Ended; ended && !isEnded {
				t.Fatal("a session that goes on stands behind one that is over")
			} else {
				ended = isEnded
			}
			detail, err := book.Session(s.Session)
			if err != nil {
				t.Fatal(err)
			}
			if !sameJSON(t, detail.Session, s) {
				t.Fatalf("in the list it is %+v, alone %+v", s, detail.Session)
			}
			checkDetail(t, detail, turns)
		}
		if _, err := book.Session("none of them"); !errors.Is(err, digest.ErrUnknown) {
			t.Fatalf("an unknown session: %v", err)
		}
	})
}

func recordOf(b []byte, at time.Time) log.Record {
	vocabulary := log.Vocabulary()
	rec := log.Record{
		Time: at, Session: []string{"s1", "s2", "s3", "s4", "s5", ""}[int(b[1]>>4)%6], Device: []string{"d1", "d2"}[b[1]>>7],
		Turn: dialog.Turn(b[1] & 15), Media: -1,
	}
	if int(b[0]) >= 8*len(vocabulary) {
		return rec // an event that is not known
	}
	event := reflect.New(reflect.TypeOf(vocabulary[int(b[0])%len(vocabulary)])).Elem()
	for i := range event.NumField() {
		v := int64(int8(b[3+i%3])) + int64(i)
		switch field := event.Field(i); field.Kind() {
		case reflect.Int64:
			field.SetInt(v * int64(50*time.Millisecond))
		case reflect.Int:
			field.SetInt(v)
		case reflect.Bool:
			field.SetBool(v&1 == 1)
		case reflect.String:
			field.SetString([]string{"", "u1", "u2", "u3", "some words", "\u2028\x00"}[(v+255)%6])
			if text, ok := field.Interface().(log.Text); ok && b[5]&1 == 1 {
				if rec.Chars == nil {
					rec.Chars = make(map[string]int)
				}
				name, _, _ := strings.Cut(event.Type().Field(i).Tag.Get("json"), ",")
				rec.Chars[name] = len(text)
				field.SetString("")
			}
		}
	}
	rec.Event = event.Interface().(log.Event)
	return rec
}

func checkDetail(t *testing.T, d digest.Detail, turns int) {
	t.Helper()
	if len(d.Story) > turns || len(d.Faults) > 100 || len(d.Drops) > 100 {
		t.Fatalf("%d turns, %d faults, %d drops are kept", len(d.Story), len(d.Faults), len(d.Drops))
	}
	if d.FirstPacketP50MS < 0 || d.FirstPacketP95MS < d.FirstPacketP50MS {
		t.Fatalf("the median wait is %v, the 95th percentile %v", time.Duration(d.FirstPacketP50MS), time.Duration(d.FirstPacketP95MS))
	}
	before := dialog.Turn(0)
	for i, turn := range d.Story {
		if turn.Turn <= before {
			t.Fatalf("turn %d stands behind turn %d", turn.Turn, before)
		}
		before = turn.Turn
		if turn.Outcome == digest.Open && (i < len(d.Story)-1 || d.State == digest.Ended) {
			t.Fatalf("turn %d goes on although it is over", turn.Turn)
		}
		if len(turn.Tools) > 100 || len(turn.BargeIns) > 100 || len(turn.Errors) > 100 {
			t.Fatalf("turn %d keeps too much", turn.Turn)
		}
		end := time.Duration(0)
		for _, s := range turn.Stages() {
			if s.From != end || s.To < s.From {
				t.Fatalf("the stage %s lasts from %v to %v, the one before it ends at %v", s.Name, s.From, s.To, end)
			}
			end = s.To
		}
	}
}

// sameJSON reports whether both are encoded as the same JSON.
func sameJSON(t *testing.T, a, b any) bool {
	t.Helper()
	x, err := json.Marshal(a)
	y, err2 := json.Marshal(b)
	if err := errors.Join(err, err2); err != nil {
		t.Fatalf("%+v or %+v cannot be encoded: %v", a, b, err)
	}
	return bytes.Equal(x, y)
}
