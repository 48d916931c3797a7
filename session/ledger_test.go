package session

import (
	"strings"
	"testing"
	"time"
)

func TestLedgerSplit(t *testing.T) {
	const second = time.Second
	two := func() *Ledger {
		var l Ledger
		l.Text("One two three. ") // 15 characters in 3 s: 5 a second
		l.Audio(3 * second)
		l.Text("Four five.")
		l.Audio(2 * second)
		return &l
	}
	tests := []struct {
		name     string
		offset   time.Duration
		complete bool
		heard    string
	}{
		{"nothing played", 0, true, ""},
		{"inside the first word", 500 * time.Millisecond, true, ""},
		{"the first word just ended", 600 * time.Millisecond, true, "One "},
		{"inside the second word", 1300 * time.Millisecond, true, "One "},
		{"the second word ended", 1400 * time.Millisecond, true, "One two "},
		{"the first segment ended", 3 * second, true, "One two three. "},
		{"inside the second segment", 4 * second, true, "One two three. Four "},
		{"all of it", 5 * second, true, "One two three. Four five."},
		{"beyond the end", 50 * second, true, "One two three. Four five."},
		// The second segment has 10 characters; at the pace of the first it
		// takes 2 s, just as the audio that is there.
		{"last segment still open", 4 * second, false, "One two three. Four "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := two()
			heard, unheard := l.Split(tt.offset, tt.complete)
			if heard != tt.heard {
				t.Errorf("heard %q at %v, want %q", heard, tt.offset, tt.heard)
			}
			if heard+unheard != l.All() {
				t.Errorf("heard %q and unheard %q are not the whole text %q", heard, unheard, l.All())
			}
		})
	}
}

// While a segment's audio is still coming, its length is guessed from the pace
// of those before it; what is there already must not count as the whole of it.
func TestLedgerOpenSegmentIsNotMistakenForShort(t *testing.T) {
	var l Ledger
	l.Text(strings.Repeat("word ", 20)) // 100 characters, 10 s
	l.Audio(10 * time.Second)
	l.Text("one two three four") // 18 characters: 1.8 s at that pace
	l.Audio(200 * time.Millisecond)
	heard, _ := l.Split(10*time.Second+200*time.Millisecond, false)
	if want := strings.Repeat("word ", 20); heard != want {
		t.Errorf("heard %q after 200 ms of an unfinished segment, want only the first segment", heard)
	}
}

func TestLedgerNeverSplitsInsideAWord(t *testing.T) {
	var l Ledger
	l.Text("Grüße, señor — 你好 world!  ")
	l.Audio(4 * time.Second)
	last := ""
	for offset := time.Duration(0); offset <= 4*time.Second; offset += 10 * time.Millisecond {
		heard, unheard := l.Split(offset, true)
		if heard+unheard != l.All() {
			t.Fatalf("at %v text was lost: %q + %q", offset, heard, unheard)
		}
		if heard != "" && unheard != "" && !strings.HasSuffix(heard, " ") {
			t.Errorf("at %v the cut %q | %q is inside a word", offset, heard, unheard)
		}
		if len(heard) < len(last) {
			t.Errorf("at %v less was heard (%q) than before (%q)", offset, heard, last)
		}
		last = heard
	}
}
