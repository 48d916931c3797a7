package doctor

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Style is how to write for people.
type Style struct {
	// Color is for a terminal that shows it.
	Color bool
	// Columns is the width of the terminal, within which lines are kept; 0 means
	// no limit.
	Columns int
}

// Printer prints findings as they come. It serves one goroutine.
type Printer struct {
	out   io.Writer
	style Style
	check string // of the last finding
	err   error
}

// NewPrinter returns a printer.
func NewPrinter(out io.Writer, style Style) *Printer { return &Printer{out: out, style: style} }

// indent is where the text of a finding begins, behind its level.
const indent = "           "

// Finding prints one finding, and the name of its check where that is another
// than before.
func (p *Printer) Finding(f Finding) {
	if f.Check != p.check {
		p.print("\n" + p.paint("1", f.Check) + "\n")
		p.check = f.Check
	}
	color := map[Level]string{OK: "32", Warning: "33", Problem: "31", Skipped: "2"}[f.Level]
	level := fmt.Sprintf("%-9s", f.Level)
	p.print("  " + p.paint(color, level))
	p.wrap(f.Found, "")
	if f.Why != "" {
		p.print(indent)
		p.wrap(f.Why, "why  ")
	}
	if f.Fix.Text != "" {
		p.print(indent)
		p.wrap(f.Fix.Text, "fix  ")
	}
	if f.Fix.Key != "" {
		p.print(indent)
		p.wrap(f.Fix.Key, "key  ")
	}
	if f.Fix.Command != "" { // never wrapped, so that it can be copied
		p.print(indent + "run  " + printable(f.Fix.Command) + "\n")
	}
}

// End prints the sum of it all and returns the first error of writing.
func (p *Printer) End(r Report) error {
	sum := plural(r.Problems, "problem") + ", " + plural(r.Warnings, "warning")
	if r.Skipped > 0 {
		sum += fmt.Sprintf(", %d skipped", r.Skipped)
	} else if r.Problems == 0 {
		sum += ": edged works" // nothing was left out
	}
	switch {
	case r.Problems > 0:
		sum = p.paint("31", sum)
	case r.Warnings > 0:
		sum = p.paint("33", sum)
	default:
		sum = p.paint("32", sum)
	}
	p.print("\n" + sum + "\n")
	return p.err
}

// wrap prints text behind an indent and a label, on as many lines as it takes.
func (p *Printer) wrap(text, label string) {
	width := p.style.Columns - len(indent) - len(label)
	column := 0
	p.print(label)
	for word := range strings.FieldsSeq(printable(text)) {
		n := utf8.RuneCountInString(word)
		switch {
		case column == 0:
		case p.style.Columns > 0 && column+1+n > width:
			p.print("\n" + indent + strings.Repeat(" ", len(label)))
			column = 0
		default:
			p.print(" ")
			column++
		}
		p.print(word)
		column += n
	}
	p.print("\n")
}

func (p *Printer) print(text string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.out, text)
	}
}

// paint writes the text in an ink, the parameter of an escape sequence (ECMA-48).
func (p *Printer) paint(ink, text string) string {
	if !p.style.Color {
		return text
	}
	return "\x1b[" + ink + "m" + text + "\x1b[0m"
}

// printable takes out what a terminal would obey: findings quote file names and
// the command lines of other programs.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return ' '
		}
		return r
	}, s)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
