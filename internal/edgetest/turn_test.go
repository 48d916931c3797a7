package edgetest

import (
	"testing"
	"time"

	"edged/audio"
)

// F14: what was heard follows the speaker, word by word.
func TestHeard(t *testing.T) {
	const rate = audio.Rate16k
	at := func(d time.Duration) uint32 { return uint32(rate.Samples(d)) }
	// Ten characters in the first second, then eleven in the second one.
	pieces := []piece{{"One two. ", 0}, {"Three four.", time.Second}}
	tests := []struct {
		name   string
		turn   turn
		expect string
	}{
		{"nothing played", turn{pieces: pieces}, ""},
		{"in the first word", turn{pieces: pieces, played: at(300 * ms)}, ""},
		{"behind the first word: 3 of 9 characters", turn{pieces: pieces, played: at(334 * ms)}, "One"},
		{"in the space before the second piece", turn{pieces: pieces, played: at(950 * ms)}, "One two."},
		{"exactly the first piece", turn{pieces: pieces, played: at(time.Second)}, "One two."},
		{"into the last piece, end known: 5 of 11 characters in 2 s", turn{pieces: pieces, closed: true, duration: 3 * time.Second, played: at(1910 * ms)}, "One two. Three"},
		{"not yet", turn{pieces: pieces, closed: true, duration: 3 * time.Second, played: at(1900 * ms)}, "One two."},
		{"last piece, end unknown: 5 of 15 characters a second", turn{pieces: pieces, played: at(1340 * ms)}, "One two. Three"},
		{"all of it by the counter", turn{pieces: pieces, closed: true, duration: 2 * time.Second, played: at(2 * time.Second)}, "One two. Three four."},
		{"played to the end", turn{pieces: pieces, done: true}, "One two. Three four."},
		{"interrupted at its end", turn{pieces: pieces, done: true, interrupted: true, played: at(1200 * ms)}, "One two."},
		{"silence before the first word", turn{pieces: []piece{{"Hello there.", 500 * ms}}, closed: true, duration: 1700 * ms, played: at(500 * ms)}, ""},
		{"wide characters count as one", turn{pieces: []piece{{"你好 世界", 0}}, closed: true, duration: time.Second, played: at(400 * ms)}, "你好"},
		{"no text", turn{played: at(time.Second)}, ""},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			if got := tc.turn.heard(rate); got != tc.expect {
				t.Errorf("heard %q, want %q", got, tc.expect)
			}
		})
	}
}

func TestPercentile(t *testing.T) {
	ds := []time.Duration{5, 1, 4, 2, 3}
	for _, tc := range []struct {
		p    float64
		want time.Duration
	}{{0, 1}, {0.2, 1}, {0.21, 2}, {0.5, 3}, {0.99, 5}, {1, 5}} {
		if got := Percentile(ds, tc.p); got != tc.want {
			t.Errorf("Percentile(%v) = %d, want %d", tc.p, got, tc.want)
		}
	}
	if got := Percentile(nil, 0.5); got != 0 {
		t.Errorf("Percentile of nothing = %d, want 0", got)
	}
	if ds[0] != 5 {
		t.Error("Percentile sorted its argument")
	}
}
