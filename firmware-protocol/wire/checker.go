package wire

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// checker holds the first range or length fault of a message. The same checks
// run on what is sent and on what was received.
type checker struct{ err *Error }

func (c *checker) fail(err *Error) {
	if c.err == nil {
		c.err = err
	}
}

// text checks free UTF-8 text of at most most bytes.
func (c *checker) text(field, s string, most int) {
	switch {
	case len(s) > most:
		c.fail(fault(ErrTooLarge, -1, field, "%d bytes, at most %d", len(s), most))
	case !utf8.ValidString(s):
		c.fail(fault(ErrMalformed, -1, field, "not UTF-8"))
	}
}

// ident checks an identifier: 1 to MaxName bytes of printable ASCII without
// spaces.
func (c *checker) ident(field, s string) {
	switch {
	case s == "":
		c.fail(fault(ErrMalformed, -1, field, "empty"))
	case len(s) > MaxName:
		c.fail(fault(ErrTooLarge, -1, field, "%d bytes, at most %d", len(s), MaxName))
	case strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }):
		c.fail(fault(ErrMalformed, -1, field, "%s, want printable ASCII without spaces", quote(s)))
	}
}

// tool checks the name of a tool: the alphabet that model APIs accept.
func (c *checker) tool(field, s string) {
	c.ident(field, s)
	if strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	}) {
		c.fail(fault(ErrMalformed, -1, field, "%s, want letters, digits, _ and -", quote(s)))
	}
}

// turn checks a turn number that must name a turn.
func (c *checker) turn(field string, turn uint32) {
	if turn == 0 {
		c.fail(fault(ErrMalformed, -1, field, "0, turns are numbered from 1"))
	}
}

// json checks an optional JSON object of at most most bytes.
func (c *checker) json(field string, raw json.RawMessage, most int) {
	switch {
	case raw == nil:
	case len(raw) > most:
		c.fail(fault(ErrTooLarge, -1, field, "%d bytes, at most %d", len(raw), most))
	case !json.Valid(raw) || strings.TrimLeft(string(raw), " \t\r\n")[0] != '{':
		c.fail(fault(ErrMalformed, -1, field, "%s, want a JSON object", quote(string(raw))))
	}
}

// oneOf checks an enumerated value.
func oneOf[T comparable](c *checker, field string, v T, allowed ...T) {
	if !slices.Contains(allowed, v) {
		c.fail(fault(ErrMalformed, -1, field, "%v, allowed are %v", v, allowed))
	}
}
