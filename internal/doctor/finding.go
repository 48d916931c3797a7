package doctor

import "fmt"

// Level says how much a Finding matters.
type Level string

// The levels of findings.
const (
	// OK: it was looked at and is as it should be.
	OK Level = "ok"
	// Warning: the server works, but not as well or as safely as it should.
	Warning Level = "warning"
	// Problem: the server, or some of its devices, will not work.
	Problem Level = "problem"
	// Skipped: it could not, or was not to, be looked at.
	Skipped Level = "skipped"
)

// Fix says what to do. The zero value is nothing.
type Fix struct {
	// Text says it in words. It may stand alone or explain the others.
	Text string `json:"text,omitempty"`
	// Command is a command line for a shell.
	Command string `json:"command,omitempty"`
	// Key is the key of the configuration to change, with its value where one is
	// known: "server.max_sessions: 100".
	Key string `json:"key,omitempty"`
}

// Measure is a measured time and what it is held against.
type Measure struct {
	// Name is the stage, such as "endpoint".
	Name string `json:"name"`
	// MS is the time in milliseconds; up to GoodMS it is good, up to SlowMS fair,
	// beyond that slow.
	MS     float64 `json:"ms"`
	GoodMS float64 `json:"good_ms"`
	SlowMS float64 `json:"slow_ms"`
}

// Finding is one thing that a check has found out.
type Finding struct {
	// Check is the name of the check; Run fills it in.
	Check string `json:"check"`
	Level Level  `json:"level"`
	// Found is what was found, in a sentence or less.
	Found string `json:"found"`
	// Why says why it matters; empty with OK.
	Why string `json:"why,omitempty"`
	// Fix says what to do; zero where nothing is to be done.
	Fix Fix `json:"fix,omitzero"`
	// Measure is set where a time was measured.
	Measure *Measure `json:"measure,omitempty"`
}

func okf(format string, args ...any) Finding {
	return Finding{Level: OK, Found: fmt.Sprintf(format, args...)}
}

// because gives a finding its reason and its remedy.
func (f Finding) because(why string, fix Fix) Finding {
	f.Why, f.Fix = why, fix
	return f
}

func problemf(format string, args ...any) Finding {
	return Finding{Level: Problem, Found: fmt.Sprintf(format, args...)}
}

func warningf(format string, args ...any) Finding {
	return Finding{Level: Warning, Found: fmt.Sprintf(format, args...)}
}

func skippedf(format string, args ...any) Finding {
	return Finding{Level: Skipped, Found: fmt.Sprintf(format, args...)}
}
