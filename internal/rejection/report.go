package rejection

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
)

// Rate is how often something was so.
type Rate struct{ Of, N int }

// Interval returns the bounds within which the true rate lies, by Wilson, with
// 95% confidence, if the cases are independent of each other.
func (r Rate) Interval() (low, high float64) {
	if r.N == 0 {
		return 0, 1
	}
	const z = 1.96
	// More words may be wrong than were said.
	p, n := math.Min(1, float64(r.Of)/float64(r.N)), float64(r.N)
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(middle-half, 0), min(middle+half, 1)
}

// String gives the rate in percent, its interval and its counts.
func (r Rate) String() string {
	if r.N == 0 {
		return "none"
	}
	low, high := r.Interval()
	return fmt.Sprintf("%.1f%% (%.1f to %.1f; %d of %d)", 100*float64(r.Of)/float64(r.N), 100*low, 100*high, r.Of, r.N)
}

// Summary is what became of some utterances of one class.
type Summary struct {
	// Wrong are words wrong of words said; meaningless but for commands and
	// paraphrases.
	Wrong Rate
	// Taken are utterances that the gate took for commands, Answered those that the
	// model answered, Right those that it answered as it would have answered what was
	// said.
	Taken, Answered, Right Rate
}

// Declined are the utterances that were not answered.
func (s Summary) Declined() Rate { return Rate{s.Answered.N - s.Answered.Of, s.Answered.N} }

// Summarise counts.
func Summarise(outcomes []Outcome) Summary {
	var s Summary
	count := func(r *Rate, is bool) {
		r.N++
		if is {
			r.Of++
		}
	}
	for _, o := range outcomes {
		s.Wrong.Of += o.Wrong
		s.Wrong.N += o.Words()
		count(&s.Taken, o.Heard.Accepted)
		count(&s.Answered, o.Answered)
		count(&s.Right, o.Right)
	}
	return s
}

// Report writes what became of the outcomes as tables, commands before the others,
// people and machines apart, and what went wrong one by one.
func Report(w io.Writer, outcomes []Outcome) error {
	p := &printer{w: w}
	p.commands("Commands", outcomes, Command)
	p.commands("Paraphrases: no grammar holds them", outcomes, Paraphrase)
	p.others("Outside of the grammar", outcomes, Outside)
	p.others("No speech", outcomes, Sound)
	p.mistakes(outcomes)
	return p.err
}

type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// group is a row of a table.
type group struct {
	condition Condition
	kind      Kind
	speaker   string // "" for all of them
}

// groups splits the outcomes of a class into the rows of its table: under every
// condition each kind of speaker, and each voice.
func groups(outcomes []Outcome, class Class) (order []group, of map[group][]Outcome) {
	of = map[group][]Outcome{}
	for _, o := range outcomes {
		if o.Class != class {
			continue
		}
		all := group{o.Condition, o.Kind, ""}
		of[all] = append(of[all], o)
		if o.Kind != Machine && (o.Condition == Clean || o.Kind == Synthetic) {
			one := group{o.Condition, o.Kind, o.Speaker}
			of[one] = append(of[one], o)
		}
	}
	for g := range of {
		order = append(order, g)
	}
	conditions := Conditions()
	slices.SortFunc(order, func(a, b group) int {
		return cmp.Or(cmp.Compare(slices.Index(conditions, a.condition), slices.Index(conditions, b.condition)),
			-cmp.Compare(a.kind, b.kind), cmp.Compare(a.speaker, b.speaker))
	})
	return order, of
}

func (g group) String() string {
	if g.speaker == "" {
		return fmt.Sprintf("%s | %s |", g.condition, g.kind)
	}
	return fmt.Sprintf("| | %s", g.speaker)
}

func (p *printer) commands(title string, outcomes []Outcome, class Class) {
	order, of := groups(outcomes, class)
	if len(order) == 0 {
		return
	}
	p.line("## %s\n", title)
	p.line("| condition | speakers | | words wrong | taken by the gate | answered as said |\n|---|---|---|---|---|---|")
	for _, g := range order {
		s := Summarise(of[g])
		p.line("| %s | %v | %v | %v |", g, s.Wrong, s.Taken, s.Right)
	}
	p.line("")
}

func (p *printer) others(title string, outcomes []Outcome, class Class) {
	order, of := groups(outcomes, class)
	if len(order) == 0 {
		return
	}
	p.line("## %s\n", title)
	p.line("| condition | speakers | | declined | taken by the gate |\n|---|---|---|---|---|")
	for _, g := range order {
		s := Summarise(of[g])
		p.line("| %s | %v | %v |", g, s.Declined(), s.Taken)
	}
	p.line("")
}

// mistakes lists what was not as it should be.
func (p *printer) mistakes(outcomes []Outcome) {
	p.line("## What went wrong\n")
	p.line("| condition | speaker | | said | taken as | distance |\n|---|---|---|---|---|---|")
	for _, o := range outcomes {
		fault := ""
		switch {
		case o.Class == Command && !o.Right:
			fault = "not as said"
		case o.Class == Command && o.Wrong > 0:
			fault = "words"
		case (o.Class == Outside || o.Class == Sound) && o.Answered:
			fault = "answered"
		case (o.Class == Outside || o.Class == Sound) && o.Heard.Accepted:
			fault = "taken"
		default:
			continue
		}
		p.line("| %s | %s | %s | %s | %s | %.2f |", o.Condition, o.Speaker, fault, o.Said, o.Heard.Text, o.Heard.Distance)
	}
}
