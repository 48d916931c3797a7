package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"edged/session"
)

// replayCmd is "edged replay".
type replayCmd struct {
	Files []string `arg:"" name:"file" help:"Journals of sessions." type:"existingfile"`
	JSON  bool     `name:"json" help:"Print a JSON object a line: one for each event, then the verdict."`
	Quiet bool     `short:"q" help:"Print the verdict only."`
}

// Run feeds journals to the turn machine again and tells whether it still does
// what is recorded.
func (c *replayCmd) Run(out streams) error {
	same := true
	for _, name := range c.Files {
		ok, err := c.replay(out.stdout, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		same = same && ok
	}
	if !same {
		return errTold
	}
	return nil
}

func (c *replayCmd) replay(w io.Writer, name string) (same bool, err error) {
	file, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer file.Close()
	entries, err := session.ReadJournal(file)
	if err != nil {
		return false, err
	}
	transitions, first, err := session.Verify(entries)
	if err != nil {
		return false, err
	}
	if c.JSON {
		return first < 0, c.printJSON(w, name, transitions, first)
	}
	if !c.Quiet {
		if err := printTransitions(w, transitions); err != nil {
			return false, err
		}
	}
	if first < 0 {
		_, err := fmt.Fprintf(w, "%s: identical (%d events, %d actions)\n", name, len(transitions), countActions(transitions))
		return true, err
	}
	return false, printDifference(w, name, transitions, first)
}

// printTransitions prints a row for each event.
func printTransitions(w io.Writer, transitions []session.Transition) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ENTRY\tTIME\tEVENT\tPHASE\tACTIONS")
	for _, t := range transitions {
		fmt.Fprintln(table, row(t))
	}
	return table.Flush()
}

func row(t session.Transition) string {
	phase := string(t.From)
	if t.To != t.From {
		phase += " -> " + string(t.To)
	}
	return fmt.Sprintf("%d\t%s\t%s\t%s\t%s", t.Seq, seconds(t.At), eventText(t.Event), phase, names(t.Now))
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3fs", d.Seconds()) }

// eventText is an event on one line.
func eventText(e session.Event) string {
	kind := strings.TrimPrefix(fmt.Sprintf("%T", e), "session.")
	if kind == "Begun" { // its policy fills a page
		return kind
	}
	data, err := json.Marshal(e)
	if err != nil || string(data) == "{}" {
		return kind
	}
	const most = 70
	if text := []rune(string(data)); len(text) > most {
		data = []byte(string(text[:most]) + "…")
	}
	return kind + " " + string(data)
}

func names(asked []session.Asked) string {
	all := make([]string, len(asked))
	for i, a := range asked {
		all[i] = a.Action
	}
	return strings.Join(all, ", ")
}

func countActions(transitions []session.Transition) (n int) {
	for _, t := range transitions {
		n += len(t.Now)
	}
	return n
}

// differenceContext is how many entries before a difference are shown with it.
const differenceContext = 5

// printDifference shows where the machine first does something else.
func printDifference(w io.Writer, name string, transitions []session.Transition, first int) error {
	t := transitions[first]
	fmt.Fprintf(w, "%s: entry %d differs:\n", name, t.Seq)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, before := range transitions[max(0, first-differenceContext) : first+1] {
		fmt.Fprintln(table, "  "+row(before))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if t.Phase != t.To {
		fmt.Fprintf(w, "  recorded phase %s, now %s\n", t.Phase, t.To)
	}
	for i := range max(len(t.Asked), len(t.Now)) {
		was, is := actionAt(t.Asked, i), actionAt(t.Now, i)
		mark := " "
		if was != is {
			mark = "!"
		}
		fmt.Fprintf(w, "%s action %d: recorded %s\n%s            now %s\n", mark, i+1, was, mark, is)
	}
	return nil
}

func actionAt(asked []session.Asked, i int) string {
	if i >= len(asked) {
		return "nothing"
	}
	return asked[i].Action + " " + string(asked[i].Data)
}

// replayLine is a transition for programs, and replayVerdict what comes of them.
type replayLine struct {
	Seq       uint64          `json:"seq"`
	AtUS      int64           `json:"at_us"`
	Event     string          `json:"event"`
	Data      session.Event   `json:"data"`
	From      session.Phase   `json:"from"`
	To        session.Phase   `json:"to"`
	Actions   []session.Asked `json:"actions"`
	Identical bool            `json:"identical"`
}

type replayVerdict struct {
	File      string `json:"file"`
	Events    int    `json:"events"`
	Actions   int    `json:"actions"`
	Identical bool   `json:"identical"`
	// FirstDifference is the number of an entry, 0 for none.
	FirstDifference uint64 `json:"first_difference,omitempty"`
}

func (c *replayCmd) printJSON(w io.Writer, name string, transitions []session.Transition, first int) error {
	out := json.NewEncoder(w)
	if !c.Quiet {
		for _, t := range transitions {
			kind := strings.TrimPrefix(fmt.Sprintf("%T", t.Event), "session.")
			if err := out.Encode(replayLine{t.Seq, t.At.Microseconds(), kind, t.Event, t.From, t.To, t.Now, t.Identical()}); err != nil {
				return err
			}
		}
	}
	verdict := replayVerdict{File: name, Events: len(transitions), Actions: countActions(transitions), Identical: first < 0}
	if first >= 0 {
		verdict.FirstDifference = transitions[first].Seq
	}
	return out.Encode(verdict)
}
