package operator

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/width"
)

// clean makes text safe to print: devices and people have written it, and a
// terminal obeys control characters.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', r == '\r':
			return ' '
		case unicode.IsControl(r), r == unicode.ReplacementChar, unicode.Is(unicode.Bidi_Control, r), r == '\u2028', r == '\u2029':
			return '\u00b7'
		}
		return r
	}, s)
}

// columns is how many columns of a terminal the text takes.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n += runeColumns(r)
	}
	return n
}

func runeColumns(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// pad fills the text up to n columns, or shortens it to them.
func pad(s string, n int) string {
	s = shorten(s, n)
	return s + strings.Repeat(" ", n-columns(s))
}

// shorten cuts the end of a text that takes more than n columns.
func shorten(s string, n int) string {
	if columns(s) <= n {
		return s
	}
	at, used := 0, 0
	for i, r := range s {
		if used+runeColumns(r) > n-1 {
			at = i
			break
		}
		used += runeColumns(r)
	}
	if n < 1 {
		return ""
	}
	return s[:at] + "…"
}

// shortenStart cuts the beginning of a text that takes more than n columns.
func shortenStart(s string, n int) string {
	all := columns(s)
	if all <= n {
		return s
	}
	if n < 1 {
		return ""
	}
	for i, r := range s {
		all -= runeColumns(r)
		if all <= n-1 {
			return "…" + s[i+len(string(r)):]
		}
	}
	return "…"
}

// span writes a duration for people: 2.3 ms, 608 ms, 3.2 s, 12 min.
func span(d time.Duration) string {
	switch ms := float64(d) / float64(time.Millisecond); {
	case ms != 0 && ms < 10 && ms > -10:
		return fmt.Sprintf("%.1f ms", ms)
	case d < time.Second:
		return fmt.Sprintf("%.0f ms", ms)
	case d < 2*time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	default:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
}

// whole writes milliseconds without a unit, for columns of numbers.
func whole(d time.Duration) string {
	return fmt.Sprintf("%d", d.Round(time.Millisecond).Milliseconds())
}

// plural writes a count with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Style is how views write.
type Style struct {
	// Color is for a terminal that shows it.
	Color bool
	// Columns is the width of the terminal: lines are kept within. 0 means no
	// limit.
	Columns int
	// Zone is in which times are written. Nil means the machine's.
	Zone *time.Location
}

// ink is a way to emphasise, as the parameter of an escape sequence (ECMA-48,
// "select graphic rendition").
type ink string

const (
	plain   ink = ""
	bold    ink = "1"
	dim     ink = "2"
	red     ink = "31"
	green   ink = "32"
	yellow  ink = "33"
	cyan    ink = "36"
	unheard ink = "2;9" // dim and struck out
)

// paint writes the text in an ink.
func (s Style) paint(i ink, text string) string {
	if !s.Color || i == plain || text == "" {
		return text
	}
	return "\x1b[" + string(i) + "m" + text + "\x1b[0m"
}

func (s Style) clock(t time.Time, layout string) string {
	if s.Zone != nil {
		return t.In(s.Zone).Format(layout)
	}
	return t.Local().Format(layout)
}
