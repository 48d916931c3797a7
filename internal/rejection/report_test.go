package rejection

import (
	"math"
	"strings"
	"testing"

	"edged/internal/edits"
	"edged/internal/recordings"
	"edged/transformers/asr"
)

// The intervals are those of the formula, worked out by hand for round figures.
func TestInterval(t *testing.T) {
	for _, c := range []struct {
		rate      Rate
		low, high float64
	}{
		{Rate{0, 0}, 0, 1},
		{Rate{0, 10}, 0, 0.2775},
		{Rate{10, 10}, 0.7225, 1},
		{Rate{5, 10}, 0.2366, 0.7634},
		{Rate{50, 100}, 0.4038, 0.5962},
		{Rate{12, 10}, 0.7225, 1}, // more words wrong than said
	} {
		if low, high := c.rate.Interval(); math.Abs(low-c.low) > 5e-4 || math.Abs(high-c.high) > 5e-4 {
			t.Errorf("%+v: %.4f to %.4f, want %.4f to %.4f", c.rate, low, high, c.low, c.high)
		}
	}
}

func outcome(class Class, said, heard string, taken, answered, right bool) Outcome {
	return Outcome{
		Utterance: Utterance{Text: Text{Split: recordings.Tuning, Class: class, Said: said}, Speaker: "anna", Kind: Human},
		Condition: Clean, Heard: asr.Result{Text: heard, Accepted: taken}, Answered: answered, Right: right,
		Wrong: edits.Count(strings.Fields(said), strings.Fields(heard)),
	}
}

func TestReport(t *testing.T) {
	outcomes := []Outcome{
		outcome(Command, "stop the timer", "stop the timer", true, true, true),
		outcome(Command, "start the timer", "stop timer", false, true, false),
		outcome(Outside, "the end", "the end", false, false, false),
		outcome(Outside, "my time", "what time is it", true, true, false),
		outcome(Sound, "cough 1", "", false, false, false),
	}
	s := Summarise(outcomes[:2])
	if (s != Summary{Wrong: Rate{2, 6}, Taken: Rate{1, 2}, Answered: Rate{2, 2}, Right: Rate{1, 2}}) {
		t.Errorf("commands: %+v", s)
	}
	if d := Summarise(outcomes[2:4]).Declined(); d != (Rate{1, 2}) {
		t.Errorf("declined: %+v, want 1 of 2", d)
	}
	var b strings.Builder
	if err := Report(&b, outcomes); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2 of 6", "| clean | anna | not as said | start the timer | stop timer | 0.00 |",
		"| clean | anna | answered | my time | what time is it |", "100.0% (20.7 to 100.0; 1 of 1)"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report does not hold %q:\n%s", want, &b)
		}
	}
}

func TestWordEdits(t *testing.T) {
	for _, c := range []struct {
		said, heard string
		want        int
	}{
		{"", "", 0}, {"", "a b", 2}, {"a b c", "", 3}, {"a b c", "a c", 1}, {"a b c", "a x c", 1}, {"a b", "x a b y", 2},
		{"set a timer for two minutes", "set the timer for ten minutes please", 3},
	} {
		if got := edits.Count(strings.Fields(c.said), strings.Fields(c.heard)); got != c.want {
			t.Errorf("edits.Count(%q, %q) = %d, want %d", c.said, c.heard, got, c.want)
		}
	}
}
