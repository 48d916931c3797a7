package log_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"edged/session/log"
)

// numbered writes the lines {"n":from} to {"n":to}.
func numbered(r *log.Ring, from, to int) {
	for n := from; n <= to; n++ {
		fmt.Fprintf(r, "{\"n\":%d}\n", n)
	}
}

// ready reads what there is: the number of each line, and "gap MISSED REASON".
func ready(t *testing.T, tail *log.Tail) string {
	t.Helper()
	var got []string
	for {
		e, ok := tail.Ready()
		if !ok {
			return strings.Join(got, " ")
		}
		got = append(got, describe(t, e))
	}
}

func describe(t *testing.T, e log.Entry) string {
	t.Helper()
	rec, ok, err := log.Parse(e.Line)
	if err != nil {
		t.Fatalf("line %s: %v", e.Line, err)
	}
	if gap, isGap := rec.Event.(log.Gap); ok && isGap {
		return fmt.Sprintf("gap %d %s", gap.Missed, gap.Reason)
	}
	return strings.TrimSuffix(strings.TrimPrefix(string(e.Line), `{"n":`), "}")
}

// Where a tail begins, and what it is told when that place is gone. The ring
// keeps five lines; ten were written.
func TestStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ring := log.NewRing(log.RingConfig{Events: 5})
		first := ring.Tail(log.Start{})
		defer first.Close()
		begin := time.Now()
		ids := make([]log.ID, 11)
		for n := 1; n <= 10; n++ {
			time.Sleep(time.Second)
			numbered(ring, n, n)
			e, ok := first.Ready()
			if !ok {
				t.Fatalf("line %d did not come", n)
			}
			ids[n] = e.ID
		}
		time.Sleep(time.Hour)
		other := log.NewRing(log.RingConfig{})
		numbered(other, 1, 3)
		otherTail := other.Tail(log.Start{Oldest: true})
		defer otherTail.Close()
		foreign, _ := otherTail.Ready()
		tests := []struct {
			name string
			from log.Start
			want string
		}{
			{"with what comes next", log.Start{}, ""},
			{"with the oldest", log.Start{Oldest: true}, "6 7 8 9 10"},
			{"behind an id", log.Start{After: ids[8]}, "9 10"},
			{"behind the newest", log.Start{After: ids[10]}, ""},
			{"behind the last one that is not kept", log.Start{After: ids[5]}, "6 7 8 9 10"},
			{"behind an id that is long gone", log.Start{After: ids[2]}, "gap 3 forgotten 6 7 8 9 10"},
			{"behind an id of another process", log.Start{After: foreign.ID}, "gap 0 restart 6 7 8 9 10"},
			{"since a time", log.Start{Since: begin.Add(8500 * time.Millisecond)}, "9 10"},
			{"since the very time of a line", log.Start{Since: begin.Add(9 * time.Second)}, "9 10"},
			{"since now", log.Start{Since: time.Now()}, ""},
			{"since a time that is not kept", log.Start{Since: begin}, "gap 0 forgotten 6 7 8 9 10"},
		}
		for _, tt := range tests {
			tail := ring.Tail(tt.from)
			if got := ready(t, tail); got != tt.want {
				t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
			}
			tail.Close()
			tail.Close()
		}
	})
}

// A tail that is overtaken is told how many lines it missed, and goes on with
// the oldest that is kept.
func TestOvertaken(t *testing.T) {
	ring := log.NewRing(log.RingConfig{Events: 5})
	tail := ring.Tail(log.Start{})
	defer tail.Close()
	numbered(ring, 1, 3)
	if e, _ := tail.Ready(); describe(t, e) != "1" {
		t.Errorf("first line %s", e.Line)
	}
	numbered(ring, 4, 12)
	want := "gap 6 slow 8 9 10 11 12" // 2 to 7
	if got := ready(t, tail); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	numbered(ring, 13, 13)
	if got := ready(t, tail); got != "13" {
		t.Errorf("%q, want 13 without a second gap", got)
	}
}

// The id of a gap leads behind it: who resumes there is told of it once.
func TestIDs(t *testing.T) {
	ring := log.NewRing(log.RingConfig{Events: 2})
	tail := ring.Tail(log.Start{})
	defer tail.Close()
	numbered(ring, 1, 4)
	gap, _ := tail.Ready()
	again := ring.Tail(log.Start{After: gap.ID})
	defer again.Close()
	if got := ready(t, again); got != "3 4" {
		t.Errorf("behind the gap come %q, want 3 4", got)
	}
	back, err := log.ParseID(gap.ID.String())
	if err != nil || back != gap.ID {
		t.Errorf("ParseID(%q) = %v, %v", gap.ID, back, err)
	}
	for _, bad := range []string{"", "-", "1", "x-1", "1-x", "1--1", "-1-1", "1-1-1", strings.Repeat("9", 99) + "-1"} {
		if _, err := log.ParseID(bad); !errors.Is(err, log.ErrID) {
			t.Errorf("ParseID(%q): %v, want ErrID", bad, err)
		}
	}
}

// The ring holds no more bytes than it may, whatever the lines.
func TestBytesAreBounded(t *testing.T) {
	ring := log.NewRing(log.RingConfig{Events: 1000, Bytes: 1000})
	held := func() (lines, bytes int) {
		tail := ring.Tail(log.Start{Oldest: true})
		defer tail.Close()
		for e, ok := tail.Ready(); ok; e, ok = tail.Ready() {
			lines, bytes = lines+1, bytes+len(e.Line)
		}
		return lines, bytes
	}
	for n := range 500 {
		line := strings.Repeat("x", n%300)
		io.WriteString(ring, line+"\n")
		if _, bytes := held(); bytes > 1000 {
			t.Fatalf("after %d lines the ring holds %d bytes, at most 1000", n+1, bytes)
		}
	}
	io.WriteString(ring, strings.Repeat("y", 5000)+"\n")
	if lines, bytes := held(); lines != 1 || bytes != 5000 {
		t.Errorf("a line larger than the ring leaves %d lines of %d bytes, want it alone", lines, bytes)
	}
	io.WriteString(ring, "z\n")
	if lines, bytes := held(); lines != 1 || bytes != 1 {
		t.Errorf("then %d lines of %d bytes, want the next one alone", lines, bytes)
	}
}

// Next waits, and ends with its context or the ring.
func TestNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ring := log.NewRing(log.RingConfig{})
		tail := ring.Tail(log.Start{})
		defer tail.Close()
		go func() {
			time.Sleep(time.Second)
			numbered(ring, 1, 2)
		}()
		begin := time.Now()
		if e, err := tail.Next(t.Context()); err != nil || describe(t, e) != "1" || time.Since(begin) != time.Second {
			t.Errorf("Next: %s, %v after %v", e.Line, err, time.Since(begin))
		}
		if got := ready(t, tail); got != "2" {
			t.Errorf("then %q", got)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := tail.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("err = %v, want that of the context", err)
		}
		go func() {
			time.Sleep(time.Second)
			numbered(ring, 3, 3)
			ring.Close()
			numbered(ring, 4, 4)
		}()
		if e, err := tail.Next(t.Context()); err != nil || describe(t, e) != "3" {
			t.Errorf("Next: %s, %v", e.Line, err)
		}
		for range 2 {
			if e, err := tail.Next(t.Context()); err != io.EOF {
				t.Errorf("after the end: %s, %v", e.Line, err)
			}
		}
	})
}

// Many write, many read, some far too slowly: every tail sees the lines of each
// writer in their order, and lines and gaps add up to what was written.
func TestConcurrently(t *testing.T) {
	const writers, lines, readers = 4, 2000, 6
	ring := log.NewRing(log.RingConfig{Events: 500})
	var reading, writing sync.WaitGroup
	for reader := range readers {
		tail := ring.Tail(log.Start{})
		reading.Go(func() {
			defer tail.Close()
			last := make([]int, writers)
			total := 0
			for n := 0; ; n++ {
				e, err := tail.Next(context.Background())
				if err != nil {
					break
				}
				rec, _, _ := log.Parse(e.Line)
				if gap, ok := rec.Event.(log.Gap); ok {
					total += gap.Missed
					continue
				}
				total++
				var writer, number int
				if _, err := fmt.Sscanf(string(e.Line), `{"w":%d,"n":%d}`, &writer, &number); err != nil {
					t.Errorf("torn line %q", e.Line)
					return
				}
				if number <= last[writer] {
					t.Errorf("line %d of a writer came after its line %d", number, last[writer])
				}
				last[writer] = number
				for range reader * 200 { // the later, the slower
					_ = strconv.Itoa(number)
				}
			}
			if total != writers*lines {
				t.Errorf("reader %d saw %d lines and gaps, %d were written", reader, total, writers*lines)
			}
		})
	}
	for writer := range writers {
		writing.Go(func() {
			for n := 1; n <= lines; n++ {
				fmt.Fprintf(ring, "{\"w\":%d,\"n\":%d}\n", writer, n)
			}
		})
	}
	writing.Wait()
	ring.Close()
	reading.Wait()
}

// The head of a line is what the recorder wrote into it.
func TestHead(t *testing.T) {
	ring := log.NewRing(log.RingConfig{})
	tail := ring.Tail(log.Start{})
	defer tail.Close()
	log.NewRecorder(zerolog.New(ring), "s1", "kitchen", true).Emit(1, 0, log.Wake{Phrase: "hey"})
	io.WriteString(ring, "not JSON\n")
	e, _ := tail.Ready()
	if h := e.Head(); h != (log.Head{Event: log.NameWake, Session: "s1", Device: "kitchen"}) {
		t.Errorf("head %+v of %s", h, e.Line)
	}
	e, _ = tail.Ready()
	if h := e.Head(); h != (log.Head{}) || !bytes.Equal(e.Line, []byte("not JSON")) {
		t.Errorf("head %+v of %s", h, e.Line)
	}
}
