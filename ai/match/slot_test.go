package match_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"edged/ai/match"
)

// one returns a Set with a single rule.
func one(t testing.TB, patterns ...string) *match.Set {
	t.Helper()
	set, err := match.Compile(match.Config{Rules: []match.Rule{{Name: "rule", Loose: patterns}}})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestNumbers(t *testing.T) {
	set := one(t, "number {n:number}")
	tests := []struct{ text, want string }{
		{"zero", "0"}, {"seven", "7"}, {"nineteen", "19"}, {"twenty one", "21"}, {"twenty-one", "21"},
		{"a hundred", "100"}, {"a hundred and five", "105"}, {"one hundred five", "105"},
		{"nine hundred ninety nine", "999"}, {"fifteen hundred", "1500"}, {"a thousand", "1000"},
		{"two thousand and six", "2006"}, {"twelve thousand three hundred and forty five", "12345"},
		{"one million two hundred thousand", "1200000"}, {"two trillion", "2000000000000"},
		{"a dozen", "12"}, {"two dozen", "24"}, {"a couple", "2"}, {"a couple of", "2"},
		{"three point one four", "157/50"}, {"point five", "1/2"}, {"zero point oh five", "1/20"},
		{"two point five million", "2500000"}, {"3.5 million", "3500000"}, {"2 hundred", "200"},
		{"minus four", "-4"}, {"negative two point five", "-5/2"}, {"-7", "-7"}, {"1,234.5", "2469/2"},
		{"half", "1/2"}, {"a half", "1/2"}, {"two thirds", "2/3"}, {"three quarters", "3/4"}, {"3/4", "3/4"},
		{"two and a half", "5/2"}, {"five and three quarters", "23/4"}, {"1 fifth", "1/5"},
	}
	for _, tt := range tests {
		m, ok := set.Match("number " + tt.text)
		if !ok {
			t.Errorf("%q is not understood as a number", tt.text)
			continue
		}
		if n, _ := m.Number("n"); n == nil || n.RatString() != tt.want {
			t.Errorf("%q is %v, want %s", tt.text, n, tt.want)
		}
	}
	for _, text := range []string{"", "and", "a", "point", "hundred", "twenty twenty", "five hundred hundred",
		"one and two", "minus", "thousand", "seven zero", "1.2.3", "2/0", "12:30", "fifty eleven",
		strings.Repeat("9", 100)} {
		if m, ok := set.Match("number " + text); ok {
			n, _ := m.Number("n")
			t.Errorf("%q is understood as the number %v", text, n)
		}
	}
}

var (
	units = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
	tens  = strings.Fields("- - twenty thirty forty fifty sixty seventy eighty ninety")
)

// spell writes a whole number below 10^12 in words, with an "and" before the
// last two digits or not. It is written apart from the code it tests.
func spell(n int, and bool) string {
	switch {
	case n < 20:
		return units[n]
	case n < 100 && n%10 == 0:
		return tens[n/10]
	case n < 100:
		return tens[n/10] + " " + units[n%10]
	}
	scale, name := 100, "hundred"
	for _, s := range []struct {
		scale int
		name  string
	}{{1e3, "thousand"}, {1e6, "million"}, {1e9, "billion"}} {
		if n >= s.scale {
			scale, name = s.scale, s.name
		}
	}
	text := spell(n/scale, and) + " " + name
	rest := n % scale
	if rest == 0 {
		return text
	}
	if and && rest < 100 {
		text += " and"
	}
	return text + " " + spell(rest, and)
}

// TestNumbersAreReadAsSpelled: whatever whole number is spelled out is read as
// itself.
func TestNumbersAreReadAsSpelled(t *testing.T) {
	set := one(t, "number {n:number}")
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	for n := range 3000 {
		if n >= 2000 { // beyond the first two thousand a sample of all lengths
			n = rng.IntN(1 << (1 + rng.IntN(39)))
		}
		for _, and := range []bool{false, true} {
			text := spell(n, and)
			m, ok := set.Match("number " + text)
			if !ok {
				t.Fatalf("seed %d: %q is not understood", seed, text)
			}
			if got, _ := m.Number("n"); got.Cmp(new(big.Rat).SetInt64(int64(n))) != 0 {
				t.Fatalf("seed %d: %q is read as %v, want %d", seed, text, got, n)
			}
		}
	}
}

func TestCounts(t *testing.T) {
	set := one(t, "count {n:count}")
	for text, want := range map[string]int{"zero": 0, "twelve": 12, "300": 300, "a hundred and one": 101} {
		m, ok := set.Match("count " + text)
		if !ok {
			t.Errorf("%q is not understood", text)
			continue
		}
		if got, ok := m.Int("n"); !ok || got != want {
			t.Errorf("%q is %d, want %d", text, got, want)
		}
	}
	for _, text := range []string{"minus one", "half", "2.5", "three point one"} {
		if _, ok := set.Match("count " + text); ok {
			t.Errorf("%q is understood as a count", text)
		}
	}
	m, ok := set.Match("count one million million")
	if ok {
		t.Errorf("one million million is understood: %v", m.Text("n"))
	}
	if m, ok := set.Match("count 99999999999"); !ok {
		t.Error("a large count is not understood")
	} else if _, fits := m.Int("n"); fits {
		t.Error("Int does not say that the count is too large for it")
	}
}

func TestDurations(t *testing.T) {
	set := one(t, "for {d:duration}")
	tests := []struct {
		text string
		want time.Duration
	}{
		{"ten minutes", 10 * time.Minute}, {"1 minute", time.Minute}, {"a minute", time.Minute}, {"an hour", time.Hour},
		{"ninety seconds", 90 * time.Second}, {"half an hour", 30 * time.Minute}, {"a half hour", 30 * time.Minute},
		{"half a minute", 30 * time.Second}, {"an hour and a half", 90 * time.Minute},
		{"one and a half hours", 90 * time.Minute}, {"two hours and a half", 150 * time.Minute},
		{"a quarter of an hour", 15 * time.Minute}, {"three quarters of an hour", 45 * time.Minute},
		{"one hour twenty minutes", 80 * time.Minute}, {"one hour and twenty minutes", 80 * time.Minute},
		{"one hour thirty", 90 * time.Minute}, {"2 minutes 30 seconds", 150 * time.Second},
		{"1 hour 2 minutes and 3 seconds", time.Hour + 2*time.Minute + 3*time.Second},
		{"2.5 minutes", 150 * time.Second}, {"a couple of minutes", 2 * time.Minute}, {"5 mins", 5 * time.Minute},
		{"2 hrs", 2 * time.Hour}, {"a hundred seconds", 100 * time.Second}, {"two days", 48 * time.Hour},
		{"a week", 168 * time.Hour}, {"five-minute", 5 * time.Minute}, {"a minute and a half", 90 * time.Second},
	}
	for _, tt := range tests {
		m, ok := set.Match("for " + tt.text)
		if !ok {
			t.Errorf("%q is not understood as a duration", tt.text)
			continue
		}
		if got, _ := m.Duration("d"); got != tt.want {
			t.Errorf("%q is %v, want %v", tt.text, got, tt.want)
		}
	}
	for _, text := range []string{"minutes", "ten", "minus five minutes", "five minutes two hours",
		"a million years", "99999999999 weeks", "half", "an and a half hour"} {
		if m, ok := set.Match("for " + text); ok {
			d, _ := m.Duration("d")
			t.Errorf("%q is understood as the duration %v", text, d)
		}
	}
}

func TestCalendarWords(t *testing.T) {
	set := one(t, "day {w:weekday}", "month {m:month}", "the {o:ordinal}")
	for day := time.Sunday; day <= time.Saturday; day++ {
		if m, ok := set.Match("day " + day.String()); !ok {
			t.Errorf("%v is not understood", day)
		} else if got, _ := m.Weekday("w"); got != day {
			t.Errorf("%v is read as %v", day, got)
		}
	}
	for month := time.January; month <= time.December; month++ {
		for _, name := range []string{month.String(), month.String()[:3]} {
			if m, ok := set.Match("month " + name); !ok {
				t.Errorf("%v is not understood", name)
			} else if got, _ := m.Month("m"); got != month {
				t.Errorf("%v is read as %v", name, got)
			}
		}
	}
	ordinals := map[string]int{
		"first": 1, "second": 2, "third": 3, "twelfth": 12, "twentieth": 20, "twenty-first": 21,
		"thirty first": 31, "ninety ninth": 99, "1st": 1, "22nd": 22, "23rd": 23, "30th": 30,
	}
	for text, want := range ordinals {
		if m, ok := set.Match("the " + text); !ok {
			t.Errorf("%q is not understood", text)
		} else if got, _ := m.Int("o"); got != want {
			t.Errorf("%q is read as %d, want %d", text, got, want)
		}
	}
	for _, text := range []string{"twenty", "twenty tenth", "th", "100000th", "five"} {
		if _, ok := set.Match("the " + text); ok {
			t.Errorf("%q is understood as an ordinal", text)
		}
	}
}

// TestUnits: every unit is found by its own name and plural, and names are
// unique, since the rest of the program looks units up by name.
func TestUnits(t *testing.T) {
	set := one(t, "unit {u:unit}")
	seen := map[string]bool{}
	for _, unit := range match.Units() {
		if seen[unit.Name] {
			t.Errorf("two units are called %q", unit.Name)
		}
		seen[unit.Name] = true
		for _, name := range []string{unit.Name, unit.Plural} {
			m, ok := set.Match("unit " + name)
			if !ok {
				t.Errorf("%q is not understood as a unit", name)
				continue
			}
			if got, _ := m.Unit("u"); got != unit {
				t.Errorf("%q is read as %v, want %v", name, got, unit)
			}
		}
	}
	written := map[string]string{"km": "kilometer", "°C": "degree Celsius", "mph": "mile per hour", "kilos": "kilogram",
		"litres": "liter", "tbsp": "tablespoon", "miles an hour": "mile per hour", "degrees f": "degree Fahrenheit"}
	for text, want := range written {
		m, ok := set.Match("unit " + text)
		if !ok {
			t.Errorf("%q is not understood as a unit", text)
			continue
		}
		if got, _ := m.Unit("u"); got.Name != want {
			t.Errorf("%q is read as %q, want %q", text, got.Name, want)
		}
	}
}

func ExampleCompile() {
	set, err := match.Compile(match.Config{Rules: []match.Rule{
		{Name: "timer.set", Patterns: []string{"(set | start) [a | the] timer for {d:duration}"}},
		{Name: "sum", Patterns: []string{"what is {a:number} plus {b:number}"}},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, _ := set.Match("Could you set a timer for an hour and a half, please?")
	d, _ := m.Duration("d")
	fmt.Println(m.Rule, d)
	m, _ = set.Match("What's twenty-one plus 4.5?")
	a, _ := m.Number("a")
	b, _ := m.Number("b")
	fmt.Println(m.Rule, a.FloatString(1), b.FloatString(1))
	// Output:
	// timer.set 1h30m0s
	// sum 21.0 4.5
}
