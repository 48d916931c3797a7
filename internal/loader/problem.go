package loader

import (
	"fmt"
	"strings"
)

// Problem is one thing that is wrong with the configuration.
type Problem struct {
	// Source is the file, environment variable or flag.
	Source string
	// Line and Column are 0 where the source has none.
	Line, Column int
	// Key is the path of the key, such as "server.listen".
	Key string
	// Message says what is wrong. It holds no secrets.
	Message string
	// Allowed says what would be right. May be empty.
	Allowed string
	// Err is the cause, such as that of a file that cannot be read, or
	// ErrRestart. May be nil.
	Err error
}

// Error formats the problem in one line.
func (p Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.place())
	b.WriteString(": ")
	if p.Key != "" {
		b.WriteString(p.Key + ": ")
	}
	b.WriteString(p.Message)
	if p.Allowed != "" {
		b.WriteString("; allowed: " + p.Allowed)
	}
	return b.String()
}

// place is where the problem is, as compilers write it.
func (p Problem) place() string {
	if p.Line == 0 {
		return p.Source
	}
	return fmt.Sprintf("%s:%d:%d", p.Source, p.Line, p.Column)
}

// Unwrap returns the cause.
func (p Problem) Unwrap() error { return p.Err }

// Problems is everything that is wrong, in the order of the places. It unwraps
// to its members, so errors.As finds a Problem.
type Problems []Problem

// Error lists the problems, one a line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return "configuration:\n  " + strings.Join(lines, "\n  ")
}

// Unwrap implements the multiple unwrapping of package errors.
func (ps Problems) Unwrap() []error {
	errs := make([]error, len(ps))
	for i, p := range ps {
		errs[i] = p
	}
	return errs
}
