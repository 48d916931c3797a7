package edits

import (
	"slices"
	"strings"
	"testing"
	"testing/quick"
)

func TestCount(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"abc", "", 3},
		{"kitten", "sitting", 3}, // two replaced, one inserted
		{"flaw", "lawn", 2},      // one deleted, one inserted
		{"ab", "ba", 2},          // a swap is no edit of its own
	} {
		if got := Count([]rune(c.a), []rune(c.b)); got != c.want {
			t.Errorf("Count(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
	said, heard := strings.Fields("set a timer for ten minutes"), strings.Fields("set the timer ten minutes now")
	if got := Count(said, heard); got != 3 {
		t.Errorf("Count of words = %d, want 3: one replaced, one missing, one more", got)
	}
}

// It is a metric: nothing but the same is at no distance, the direction does not
// matter, and a detour is never shorter.
func TestCountIsAMetric(t *testing.T) {
	few := func(s []byte) []byte { // with letters that meet each other
		s = slices.Clone(s[:min(len(s), 12)])
		for i := range s {
			s[i] %= 3
		}
		return s
	}
	holds := func(x, y, z []byte) bool {
		a, b, c := few(x), few(y), few(z)
		ab := Count(a, b)
		return (ab == 0) == slices.Equal(a, b) && ab == Count(b, a) && ab <= Count(a, c)+Count(c, b) &&
			ab >= max(len(a), len(b))-min(len(a), len(b)) && ab <= max(len(a), len(b))
	}
	if err := quick.Check(holds, nil); err != nil {
		t.Error(err)
	}
}
