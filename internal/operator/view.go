package operator

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"edged/session/log"
	"edged/session/log/digest"
)

// View prints the session log for a person: one line an event, and one with the
// latency at the end of each turn.
type View struct {
	out     io.Writer
	style   Style
	device  int // columns of that column
	stories map[string]*digest.Story
}

const (
	// minDevice and maxDevice bound the column of the device, which grows with
	// the names that come.
	minDevice, maxDevice = 8, 20
	// eventColumns is the length of the longest name, reply.first_packet.
	eventColumns = 18
	// maxStories bounds the sessions whose turns are followed. Those that end
	// are forgotten; so many at a time only a large server has.
	maxStories = 5000
	// viewTurns is how many turns of a session are followed: what is said of one
	// comes with its last line, which an interruption may put behind the beginning
	// of the next.
	viewTurns = 8
)

// NewView returns a view that prints to out.
func NewView(out io.Writer, style Style) *View {
	return &View{out: out, style: style, device: minDevice, stories: make(map[string]*digest.Story)}
}

// Print prints a line of the log. A line that is none is printed as it is.
func (v *View) Print(line []byte) error {
	rec, ok, err := log.Parse(line)
	if !ok || err != nil {
		_, err := fmt.Fprintln(v.out, v.style.paint(dim, clean(string(line))))
		return err
	}
	if gap, ok := rec.Event.(log.Gap); ok {
		return v.gap(gap)
	}
	story := v.follow(rec)
	said := v.say(line, rec)
	if _, err := fmt.Fprintln(v.out, v.columns(rec, nameOf(line, rec), said...)); err != nil {
		return err
	}
	switch rec.Event.(type) {
	case log.ReplyDone, log.Interrupt:
		if turn, ok := story.Turn(rec.Turn); ok && turn.FirstPacketMS != nil {
			_, err := fmt.Fprintln(v.out, v.columns(rec, "  turn", phrase{bold, summary(turn)}))
			return err
		}
	case log.SessionEnd:
		delete(v.stories, rec.Session)
	}
	return nil
}

// follow adds the record to the story of its session.
func (v *View) follow(rec log.Record) *digest.Story {
	s := v.stories[rec.Session]
	if s == nil {
		if len(v.stories) >= maxStories {
			clear(v.stories)
		}
		s = digest.NewStory(viewTurns)
		v.stories[rec.Session] = s
	}
	s.Add(rec)
	return s
}

// gap prints that lines are missing, across the columns.
func (v *View) gap(gap log.Gap) error {
	lines := "lines are"
	switch gap.Missed {
	case 0:
	case 1:
		lines = "1 line is"
	default:
		lines = fmt.Sprintf("%d lines are", gap.Missed)
	}
	why := map[log.GapReason]string{
		log.GapSlow:       "they came faster than they were read",
		log.GapForgotten:  "the server does not keep them any more",
		log.GapRestart:    "the server was started anew",
		log.GapUnwritable: "they could not be written",
	}[gap.Reason]
	if why == "" {
		why = clean(string(gap.Reason))
	}
	_, err := fmt.Fprintln(v.out, v.style.paint(yellow, "---- "+lines+" missing: "+why+" ----"))
	return err
}

// phrase is a part of what is said about an event.
type phrase struct {
	ink  ink
	text string
}

// columns lays out a line: time, device, turn, event, and what is said.
func (v *View) columns(rec log.Record, event string, said ...phrase) string {
	device := clean(rec.Device)
	v.device = max(v.device, min(columns(device), maxDevice))
	turn := ""
	if rec.Turn != 0 {
		turn = fmt.Sprint(uint32(rec.Turn))
	}
	head := v.style.clock(rec.Time, "15:04:05.000") + "  " + pad(device, v.device) + "  " + fmt.Sprintf("%4s", turn) + "  "
	name := pad(clean(event), eventColumns)
	left := v.style.Columns - columns(head) - eventColumns - 2
	if v.style.Columns > 0 {
		said = within(said, max(left, 10))
	}
	var b strings.Builder
	b.WriteString(v.style.paint(dim, head) + v.style.paint(inkOf(rec.Event), name) + "  ")
	for _, p := range said {
		b.WriteString(v.paintPhrase(p))
	}
	return strings.TrimRight(b.String(), " ")
}

// paintPhrase writes a phrase; what was not heard is told apart without colours,
// too.
func (v *View) paintPhrase(p phrase) string {
	if p.ink == unheard && !v.style.Color && p.text != "" {
		return "[" + p.text + "]"
	}
	return v.style.paint(p.ink, p.text)
}

// within shortens phrases to n columns. What was heard of an interrupted reply is
// cut at its beginning and what was not at its end: where they meet matters most.
func within(said []phrase, n int) []phrase {
	all := 0
	for _, p := range said {
		all += columns(p.text)
		if p.ink == unheard {
			all += 2 // brackets
		}
	}
	if all <= n {
		return said
	}
	over, least := all-n, min(12, n/3)
	short := append([]phrase(nil), said...)
	cutOff := slices.ContainsFunc(said, func(p phrase) bool { return p.ink == unheard })
	for i := len(short) - 1; i >= 0 && over > 0; i-- {
		p := &short[i]
		before := columns(p.text)
		switch {
		case p.ink == unheard:
			p.text = shorten(p.text, max(before-over, least))
		case p.ink == green && cutOff:
			p.text = shortenStart(p.text, max(before-over, least))
		default:
			p.text = shorten(p.text, max(before-over, 1))
		}
		over -= before - columns(p.text)
	}
	return short
}

// summary tells where the time of a turn went.
func summary(t digest.Turn) string {
	var parts []string
	for i, s := range t.Stages() {
		if i == 0 {
			parts = append(parts, fmt.Sprintf("%s %s", s.Name, whole(s.To)))
		} else {
			parts = append(parts, fmt.Sprintf("%s +%s", s.Name, whole(s.To-s.From)))
		}
	}
	return fmt.Sprintf("%s to the first packet: %s", span(time.Duration(*t.FirstPacketMS)), strings.Join(parts, ", "))
}
