package operator

import (
	"fmt"
	"io"
	"strings"
	"time"

	"edged/session/log/digest"
)

// Table prints a list of sessions, as of now.
func Table(out io.Writer, style Style, sessions []digest.Session, now time.Time) error {
	if len(sessions) == 0 {
		_, err := fmt.Fprintln(out, "no sessions")
		return err
	}
	rows := [][]string{{"SESSION", "DEVICE", "PROFILE", "STATE", "SINCE", "TURNS", "CUT", "ERRORS", "P50", "P95", "LAST"}}
	right := map[int]bool{5: true, 6: true, 7: true, 8: true, 9: true}
	for _, s := range sessions {
		since := "?"
		if !s.Started.IsZero() {
			since = style.clock(s.Started, "01-02 15:04:05")
		}
		rows = append(rows, []string{
			shortID(s.Session), clean(s.Device), clean(s.Profile), clean(string(s.State)), since,
			fmt.Sprint(s.Turns), fmt.Sprint(s.Interrupted), fmt.Sprint(s.Errors),
			wait(time.Duration(s.FirstPacketP50MS)), wait(time.Duration(s.FirstPacketP95MS)),
			clean(string(s.LastEvent)) + " " + ago(now.Sub(s.Last)),
		})
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = min(max(widths[i], columns(cell)), 32)
		}
	}
	for i, row := range rows {
		var b strings.Builder
		for j, cell := range row {
			cell = pad(cell, widths[j])
			if right[j] {
				text := strings.TrimRight(cell, " ")
				cell = strings.Repeat(" ", widths[j]-columns(text)) + text
			}
			if j > 0 {
				b.WriteString("  ")
			}
			b.WriteString(cell)
		}
		line := strings.TrimRight(b.String(), " ")
		if style.Columns > 0 {
			line = shorten(line, style.Columns)
		}
		switch {
		case i == 0:
			line = style.paint(bold, line)
		case sessions[i-1].State == digest.Ended:
			line = style.paint(dim, line)
		}
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return nil
}

// shortID is as much of a session's identifier as tells it apart: ten characters
// of 5 bits each.
func shortID(id string) string {
	runes := []rune(clean(id))
	return string(runes[:min(len(runes), 10)])
}

// wait writes a latency, "-" where there is none.
func wait(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return span(d)
}

// ago writes how long something is past.
func ago(d time.Duration) string {
	if d = max(d, 0).Round(time.Second); d < 2*time.Minute {
		return fmt.Sprintf("%.0f s ago", d.Seconds())
	}
	if d < 2*time.Hour {
		return fmt.Sprintf("%.0f min ago", d.Minutes())
	}
	return fmt.Sprintf("%.0f h ago", d.Hours())
}
