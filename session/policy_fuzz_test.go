package session

import (
	"testing"
	"unicode/utf8"
)

// FuzzPolicyWords: whatever was understood, back-channels count for nothing,
// words are counted once, and nothing else than words counts.
func FuzzPolicyWords(f *testing.F) {
	f.Fuzz(func(t *testing.T, text, backchannel string) {
		if !utf8.ValidString(backchannel) {
			return // no configuration holds it
		}
		p := BargeIn{Backchannels: []string{backchannel, "mhm", "i see"}}
		n := p.Words(text)
		if runes := utf8.RuneCountInString(text); n < 0 || n > runes {
			t.Fatalf("%d words in %q", n, text)
		}
		if again := p.Words(text); again != n {
			t.Fatalf("%d words in %q, then %d", n, text, again)
		}
		if got := p.Words(backchannel); got != 0 {
			t.Fatalf("the back-channel %q counts as %d words", backchannel, got)
		}
		if got := p.Words("Mhm. I see!"); got != 0 {
			t.Fatalf("two back-channels count as %d words", got)
		}
		if without := (BargeIn{}).Words(text); n > without {
			t.Fatalf("%d words of %q with back-channels, %d without", n, text, without)
		}
	})
}
