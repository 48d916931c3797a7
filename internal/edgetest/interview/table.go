package interview

import (
	"fmt"
	"io"
	"strings"
)

// show prints the tables at the end.
func (r Report) show(w io.Writer) {
	if w == nil {
		return
	}
	var b strings.Builder
	if len(r.Turns) > 0 {
		b.WriteString("\nms from the end of speech\n")
		row(&b, "turn", "endpoint", "ASR final", "first token", "first audio", "first packet")
		for _, t := range r.Turns {
			row(&b, fmt.Sprint(t.Turn), stage(t.MS.Endpoint), stage(t.MS.ASRFinal), stage(t.MS.FirstToken),
				stage(t.MS.FirstAudio), stage(t.MS.FirstPacket))
		}
	}
	r.showInterruptions(&b)
	fmt.Fprintf(&b, "\npackets: %d sent, %d received, %d lost, %d stale; between packets of a reply: p50 %.1f ms, p99 %.1f ms, max %.1f ms\n",
		r.Packets.Sent, r.Packets.Received, r.Packets.Lost, r.Packets.Stale, r.Gaps.P50, r.Gaps.P99, r.Gaps.Max)
	r.showSurroundings(&b)
	for _, e := range r.Errors {
		fmt.Fprintf(&b, "error: %s\n", e)
	}
	_, _ = io.WriteString(w, b.String()) // a closed screen is no reason to fail
}

// showInterruptions tells of the replies that were talked over: how fast they
// stopped, what was heard of them and what was not.
func (r Report) showInterruptions(b *strings.Builder) {
	first := true
	for _, t := range r.Turns {
		cut := t.BargeIn
		if cut == nil {
			continue
		}
		if first {
			b.WriteString("\ntalked over: ms from the first sound of the user\n")
			row(b, "turn", "held", "flushed", "silent", "played", "cause")
			first = false
		}
		row(b, fmt.Sprint(t.Turn), at(cut.HeldMS), at(cut.FlushedMS), at(cut.SilentMS), fmt.Sprint(cut.PlayedMS), orNone(t.Cause))
		fmt.Fprintf(b, "        heard:   %s\n        unheard: %s\n", orNothing(t.Heard), cut.Unheard)
	}
}

func at(ms *float64) string {
	if ms == nil {
		return "-"
	}
	return fmt.Sprint(*ms)
}

func row(b *strings.Builder, turn string, stages ...string) {
	fmt.Fprintf(b, "%6s", turn)
	for _, s := range stages {
		fmt.Fprintf(b, "  %12s", s)
	}
	b.WriteByte('\n')
}

func stage(ms *uint32) string {
	if ms == nil {
		return "-"
	}
	return fmt.Sprint(*ms)
}

// showSurroundings tells what the network, the room and the queue did to the sound.
func (r Report) showSurroundings(b *strings.Builder) {
	if g := r.Glitches; g != (Glitches{}) {
		fmt.Fprintf(b, "glitches: queue dry %d times for %.0f ms, %d packets found it full, %d made up, %d too late\n",
			g.Starved, g.StarvedMS, g.Overflowed, g.Concealed, g.Late)
	}
	if n := r.Network; n != nil {
		for _, way := range []struct {
			name string
			Line
		}{{"up", n.Up}, {"down", n.Down}} {
			fmt.Fprintf(b, "network %-4s: of %d packets %d lost, %d reordered, %d doubled; %d messages delayed, %.1f ms at most\n",
				way.name, way.Audio, way.Lost, way.Reordered, way.Duplicated, way.Delayed, way.MostDelayedMS)
		}
	}
	if r.EchoMS > 0 {
		fmt.Fprintf(b, "echo: in %.0f ms of the microphone's sound\n", r.EchoMS)
	}
	for _, c := range r.Comebacks {
		what := "to a new session"
		if c.Resumed {
			what = "to the session"
		}
		if c.Answering {
			what += " and its reply"
		}
		fmt.Fprintf(b, "came back after %.0f ms (attempt %d) %s\n", c.AwayMS, c.Attempts, what)
	}
}

func orNone(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
