//go:build cgo

package pocketsphinx

import (
	"math"
	"strings"
	"testing"

	"edged/internal/edits"
)

func TestClean(t *testing.T) {
	for raw, want := range map[string]string{
		"":                                     "",
		"<s> what time is it </s>":             "what time is it",
		"the(2) timer [NOISE] a(3) <sil> joke": "the timer a joke",
		"++BREATH++ Hello":                     "hello",
		"  don't   stop ":                      "don't stop",
	} {
		if got := clean(raw); got != want {
			t.Errorf("clean(%q) = %q, want %q", raw, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	cases := []struct {
		a, b string
		want float64
	}{
		{"", "", 0},
		{"yes", "", 1},
		{"", "yes", 1},
		{"yes", "yes", 0},
		{"Don't", "dont", 0},              // only letters count
		{"twenty-five", "twenty five", 0}, // a hyphen is a space
		{"kitten", "sitting", 3. / 7},
		{"four", "for", 1. / 4},
		{"a b", "ab", 1. / 3},
		{"ääh", "aah", 2. / 3}, // characters, not bytes
	}
	for _, c := range cases {
		if got := distance(c.a, c.b); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("distance(%q, %q) = %v, want %v", c.a, c.b, got, c.want)
		}
		if got, back := distance(c.a, c.b), distance(c.b, c.a); got != back {
			t.Errorf("distance(%q, %q) = %v, the other way round %v", c.a, c.b, got, back)
		}
	}
}

// The texts and the sound both count.
func TestDisagreement(t *testing.T) {
	const frames = 100
	heard := func(text string, perFrame float64) reading {
		return reading{text: text, score: -perFrame * frames, frames: frames}
	}
	cases := []struct {
		name          string
		free, command reading
		want          float64
	}{
		{"the same", heard("stop the timer", 30), heard("stop the timer", 30), 0},
		{"nothing in common", heard("aaaa", 30), heard("bbbb", 30), 0.65},
		{"the same letters, but the sound does not fit", heard("stop", 30), heard("stop", 46), 0.35},
		{"no letter right, but the sound fits better", heard("aaaa", 30), heard("bbbb", 29), 0.65 - 0.35/16},
		{"a better fit counts up to a point", heard("aaaa", 90), heard("bbbb", 10), 0.65 - 5*0.35/16},
		{"the same, but hardly the sound of it", heard("stop", 80), heard("stop", 80), 10 * 0.012},
		{"the sound of neither", heard("aaaa", 100), heard("bbbb", 90), 0.65 - 5*0.35/16 + 20*0.012},
		{"the sound fits better than it should", heard("stop", 90), heard("stop", 80), 10 * 0.012},
		{"one word for several", heard("thirteenth", 40), heard("thirteen cubed", 40), 1},
		{"several words for one", heard("turn teen", 40), heard("thirteen", 40), 0.65 * 4 / 9},
		{"never above one", heard("aaaa", 30), heard("bbbb", 300), 1},
		{"never below zero", heard("stop", 30), heard("stop", 25), 0},
		{"no command", heard("stop", 30), reading{}, 1},
		{"only a command", reading{}, heard("stop", 30), 1},
		{"nothing at all", reading{}, reading{}, 0},
		{"no frame of words", reading{text: "a"}, reading{text: "a", score: -10}, 10 * 0.35 / 16},
	}
	for _, c := range cases {
		if got := disagreement(c.free, c.command); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Whatever the texts are, the distance is a proportion, 0 for the same, and the
// number of edits that of the definition.
func FuzzDistance(f *testing.F) {
	f.Add("what time is it", "what dime is it")
	f.Add("", "x")
	f.Add("\xff\xfe", "ÿ")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a) > 60 || len(b) > 60 {
			return
		}
		d := distance(a, b)
		if math.IsNaN(d) || d < 0 || d > 1 {
			t.Errorf("distance(%q, %q) = %v, want 0 to 1", a, b, d)
		}
		if distance(a, a) != 0 {
			t.Errorf("%q is not the same as itself", a)
		}
		if d == 0 && string(letters(a)) != string(letters(b)) {
			t.Errorf("distance(%q, %q) is 0", a, b)
		}
		x, y := letters(a), letters(b)
		if got, want := edits.Count(x, y), recursiveEdits(x, y, make(map[[2]int]int)); got != want {
			t.Errorf("edits(%q, %q) = %d, by definition %d", a, b, got, want)
		}
		_ = strings.Fields(clean(a)) // does not panic
	})
}

func recursiveEdits(a, b []rune, known map[[2]int]int) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	key := [2]int{len(a), len(b)}
	if n, ok := known[key]; ok {
		return n
	}
	n := recursiveEdits(a[1:], b[1:], known)
	if a[0] != b[0] {
		n = 1 + min(n, recursiveEdits(a[1:], b, known), recursiveEdits(a, b[1:], known))
	}
	known[key] = n
	return n
}
