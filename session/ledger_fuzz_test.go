package session

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"edged/transformers/tts"
)

// FuzzLedger: whatever a reply consists of, what was heard of it is a beginning
// of its text that only grows with the position, never more than it at the end
// and all of it then; and a place to pause is never before the position asked
// for.
//
// The bytes of program lay out the reply: each takes so many bytes of text as a
// segment, gives it audio in two parts, and may tell its words. Two bytes make a
// word; like those of a synthesiser they are in order and do not overlap, but
// need not be words of the text.
func FuzzLedger(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string, words, program []byte) {
		if !utf8.ValidString(text) || len(text) > 2000 || len(program) > 64 {
			return // texts come from the segmenter, which makes them valid
		}
		var told []tts.Word
		last := tts.Word{}
		for ; len(words) >= 2; words = words[2:] {
			last.Start = last.End + int(words[0]>>4)
			last.End = last.Start + 1 + int(words[0]&15)
			last.At = last.Until + time.Duration(words[1]>>4)*20*time.Millisecond
			last.Until = last.At + time.Duration(words[1]&15)*40*time.Millisecond
			told = append(told, last)
		}
		var l Ledger
		rest := text
		for i, b := range program {
			cut := min(len(rest), int(b>>2))
			for cut < len(rest) && !utf8.RuneStart(rest[cut]) {
				cut++
			}
			segment := rest[:cut]
			if i == len(program)-1 {
				segment = rest
			}
			rest = rest[len(segment):]
			l.Text(segment)
			l.Audio(time.Duration(b&15) * 40 * time.Millisecond)
			if b&1 == 1 {
				l.Words(told)
			}
			l.Audio(time.Duration(b>>4) * 20 * time.Millisecond)
		}
		checkLedger(t, &l, strings.TrimSuffix(text, rest))
	})
}

func checkLedger(t *testing.T, l *Ledger, text string) {
	if all := l.All(); all != text {
		t.Fatalf("the text is %q, recorded was %q", all, text)
	}
	length := l.Length()
	for _, complete := range []bool{true, false} {
		before := ""
		for n := range 42 {
			offset := length*time.Duration(n)/40 - time.Millisecond // from before the beginning to behind the end
			heard, unheard := l.Split(offset, complete)
			if heard+unheard != text {
				t.Fatalf("at %v of %v: %q and %q are not %q", offset, length, heard, unheard, text)
			}
			if !utf8.ValidString(heard) {
				t.Fatalf("at %v: cut within a character: %q", offset, heard)
			}
			if !strings.HasPrefix(heard, before) {
				t.Fatalf("at %v: %q was heard, before that it was %q", offset, heard, before)
			}
			if offset <= 0 && heard != "" {
				t.Fatalf("%q was heard before anything was played", heard)
			}
			if at := l.Boundary(offset); at < offset {
				t.Fatalf("the boundary after %v is %v", offset, at)
			}
			before = heard
		}
		if heard, _ := l.Split(length+time.Hour, complete); complete && length > 0 && heard != text {
			t.Fatalf("at the end %q was heard of %q", heard, text)
		}
	}
}
