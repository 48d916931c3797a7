package doctor

import (
	"context"
	"fmt"
	"runtime"
	"strings"
)

// Check looks at one part of the surroundings.
type Check struct {
	// Name is what Finding.Check says.
	Name string
	// Look returns what it has found. It returns soon after ctx is done.
	Look func(ctx context.Context) []Finding
}

// Report is everything that was found, in the order of the checks.
type Report struct {
	// Healthy: there is no problem. Warnings do not count.
	Healthy  bool      `json:"healthy"`
	Problems int       `json:"problems"`
	Warnings int       `json:"warnings"`
	Skipped  int       `json:"skipped"`
	Findings []Finding `json:"findings"`
}

// Run runs the checks one after another and hands each finding to tell as soon as
// it is known; a nil tell is told nothing. A check that panics has found a problem
// of its own; after ctx is done the rest is skipped.
func Run(ctx context.Context, checks []Check, tell func(Finding)) Report {
	report := Report{Findings: []Finding{}}
	for _, check := range checks {
		for _, f := range look(ctx, check) {
			f.Check = check.Name
			report.count(f.Level)
			report.Findings = append(report.Findings, f)
			if tell != nil {
				tell(f)
			}
		}
	}
	report.Healthy = report.Problems == 0
	return report
}

func (r *Report) count(level Level) {
	switch level {
	case Problem:
		r.Problems++
	case Warning:
		r.Warnings++
	case Skipped:
		r.Skipped++
	}
}

// look runs one check.
func look(ctx context.Context, check Check) (findings []Finding) {
	if ctx.Err() != nil {
		return []Finding{skippedf("not looked at: interrupted")}
	}
	defer func() {
		if v := recover(); v != nil {
			findings = append(findings, problemf("this check itself has failed: %v (%s)", v, panicPlace()).
				because("that is a mistake in edged; what it was to look at is not known", Fix{Text: "report it with this line"}))
		}
	}()
	return check.Look(ctx)
}

// panicPlace is the file and line that panicked, found from a deferred function.
func panicPlace() string {
	var callers [32]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers[:])])
	panicking := false
	for {
		frame, more := frames.Next()
		inRuntime := strings.HasPrefix(frame.Function, "runtime.")
		switch {
		case inRuntime:
			panicking = true
		case panicking:
			return fmt.Sprintf("%s:%d", frame.File[strings.LastIndexByte(frame.File, '/')+1:], frame.Line)
		}
		if !more {
			return "place unknown"
		}
	}
}
