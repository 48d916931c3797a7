package operator

import (
	"fmt"
	"io"
	"strings"
	"time"

	"edged/session/log/digest"
)

const (
	// defaultBar is how many columns the time line of a turn has where the width
	// of the terminal is not known; minBar is the least on a narrow one.
	defaultBar, minBar = 40, 10
	// rowHead is how many columns stand before the time line: indentation, the
	// name of the stage, and its beginning and end.
	rowHead = 2 + 12 + 2 + 6 + 2 + 6 + 2
)

// Waterfall prints a session turn by turn: each stage as a bar on the time since
// the user stopped speaking, in milliseconds.
func Waterfall(out io.Writer, style Style, d digest.Detail) error {
	w := &waterfall{style: style, bar: defaultBar}
	if style.Columns > 0 {
		w.bar = max(minBar, min(style.Columns-rowHead, 2*defaultBar))
	}
	w.head(d)
	for _, t := range d.Story {
		w.print("")
		w.turn(t)
	}
	for _, f := range d.Faults {
		w.print("")
		w.fault(f)
	}
	_, err := io.WriteString(out, w.text.String())
	return err
}

type waterfall struct {
	style Style
	bar   int // columns of the time line
	text  strings.Builder
}

func (w *waterfall) print(parts ...string) {
	w.text.WriteString(strings.TrimRight(strings.Join(parts, ""), " ") + "\n")
}

func (w *waterfall) head(d digest.Detail) {
	state := string(d.State)
	if d.Reason != "" {
		state += " (" + string(d.Reason) + ")"
	}
	w.print(w.style.paint(bold, "session "+clean(d.Session.Session)), "  ", clean(d.Device), "  ", clean(state))
	if !d.Started.IsZero() {
		w.print("  profile ", clean(d.Profile), from(clean(d.Model+" "+d.Version), ", "), from(clean(d.Remote), ", from "),
			", since ", w.style.clock(d.Started, "2006-01-02 15:04:05"))
	}
	w.print("  ", plural(d.Turns, "turn"), fmt.Sprintf(", %d interrupted, ", d.Interrupted), plural(d.Errors, "error"),
		"; first packet p50 ", wait(time.Duration(d.FirstPacketP50MS)), ", p95 ", wait(time.Duration(d.FirstPacketP95MS)))
	if n := d.Turns - len(d.Story); n > 0 {
		w.print("  of ", plural(n, "turn"), " nothing is kept")
	}
	for _, lost := range d.Drops {
		w.print("  dropped ", clean(lost.What), ": ", clean(lost.Reason), ", ", ms(lost.MS), ", ", plural(lost.Packets, "packet"))
	}
}

func (w *waterfall) turn(t digest.Turn) {
	question := ""
	if !t.Question.IsEmpty() {
		question = "  " + tell(t.Question)
	}
	if t.SpeechMS > 0 {
		question += "  (spoke for " + ms(t.SpeechMS) + ")"
	}
	w.print(w.style.paint(bold, fmt.Sprintf("turn %d", t.Turn)), "  ", w.style.clock(t.Began, "15:04:05"), "  ",
		w.style.paint(outcomeInk(t.Outcome), clean(string(t.Outcome))), question)
	w.stages(t)
	w.reply(t)
	for _, b := range t.BargeIns {
		w.bargeIn(b)
	}
	for _, f := range t.Errors {
		w.fault(f)
	}
}

func outcomeInk(o digest.Outcome) ink {
	switch o {
	case digest.Done:
		return green
	case digest.Interrupted:
		return yellow
	case digest.Failed:
		return red
	}
	return dim
}

// row is a bar on the time line. The part up to Rest is drawn lightly.
type row struct {
	name           string
	from, to, rest time.Duration
}

// stages draws the bars. They share one scale, up to the end of the last one.
func (w *waterfall) stages(t digest.Turn) {
	var rows []row
	end := time.Duration(0)
	for _, s := range t.Stages() {
		r := row{name: s.Name, from: s.From, to: s.To}
		if s.Name == "generate" && t.GenDoneMS != nil {
			r.rest = time.Duration(*t.GenDoneMS)
		}
		rows = append(rows, r)
		end = s.To
	}
	for _, tool := range t.Tools {
		r := row{name: clean(tool.Tool), from: time.Duration(tool.AtMS), to: time.Duration(tool.AtMS)}
		if tool.MS != nil {
			r.to += time.Duration(*tool.MS)
		}
		rows = append(rows, r)
		end = max(end, r.to)
	}
	for _, r := range rows {
		w.print("  ", pad(r.name, 12), "  ", fmt.Sprintf("%6s", whole(r.from)), "  ", fmt.Sprintf("%6s", whole(r.to)), "  ",
			w.style.paint(cyan, bar(r, end, w.bar)))
	}
	for _, tool := range t.Tools {
		if tool.Error != "" {
			w.print("  ", w.style.paint(red, clean(tool.Tool+": "+tool.Error)))
		}
	}
}

// bar draws a row on n columns that stand for the time from 0 to end. Even the
// shortest stage has a column.
func bar(r row, end time.Duration, n int) string {
	column := func(at time.Duration) int {
		if end <= 0 {
			return 0
		}
		return int(float64(n) * (float64(min(max(at, 0), end)) / float64(end)))
	}
	begin := min(column(r.from), n-1)
	stop := max(column(r.to), begin+1)
	text := strings.Repeat(" ", begin) + strings.Repeat("█", stop-begin)
	if light := column(r.rest); light > stop {
		text += strings.Repeat("░", light-stop)
	}
	return text
}

// reply tells what was played, and what the user did not hear of it.
func (w *waterfall) reply(t digest.Turn) {
	switch {
	case t.Interrupt != nil:
		i := t.Interrupt
		text := "cut off by " + string(i.Cause)
		if i.ReactionMS != 0 {
			text += ", reaction " + ms(i.ReactionMS)
		}
		w.print("  ", w.style.paint(yellow, clean(text)), ", ", ms(i.PlayedMS), " of ", ms(i.SentMS), " played", estimate(t.Acknowledged))
		if !t.Heard.IsEmpty() {
			w.print("  heard    ", w.style.paint(green, tell(t.Heard)))
		}
		if !t.Unheard.IsEmpty() {
			w.print("  unheard  ", w.style.paint(unheard, tell(t.Unheard)))
		}
	case t.Outcome == digest.Done:
		w.print("  played ", ms(t.AudioMS), estimate(t.Acknowledged))
		if !t.Heard.IsEmpty() {
			w.print("  heard    ", w.style.paint(green, tell(t.Heard)))
		}
	case !t.Reply.IsEmpty():
		w.print("  reply    ", tell(t.Reply))
	}
}

func (w *waterfall) bargeIn(b digest.BargeIn) {
	text := "speech during the reply"
	if b.Held {
		text += ", which was held"
	}
	switch b.Verdict {
	case "confirm":
		text += ": an interruption (" + b.Reason + ")"
	case "reject":
		text += ": none (" + b.Reason + ")"
	}
	w.print("  ", clean(text), from(saidOrNothing(b.Text), " "))
}

func (w *waterfall) fault(f digest.Fault) {
	text := fmt.Sprintf("%s: %s: %s", f.Stage, f.Code, f.Message)
	if f.MS != 0 {
		text += " (after " + ms(f.MS) + ")"
	}
	w.print("  ", w.style.paint(red, clean(text)))
}

func saidOrNothing(s digest.Said) string {
	if s.IsEmpty() {
		return ""
	}
	return tell(s)
}

// tell writes what was said, or its length.
func tell(s digest.Said) string {
	if s.Text == "" {
		return "(" + plural(s.Chars, "character") + ")"
	}
	return quote(s.Text)
}
