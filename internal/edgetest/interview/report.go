package interview

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"edged/firmware-protocol/wire"
	"edged/internal/edgetest"
)

// Report is what became of an interview. Times are in milliseconds.
type Report struct {
	Session string `json:"session"`
	// Turns are all turns of the session in their order, those that the server
	// began by itself included.
	Turns   []Turn  `json:"turns"`
	Packets Packets `json:"packets"`
	// Gaps is the distribution of the times between the arrivals of successive
	// packets of one reply.
	Gaps Gaps `json:"gap_ms"`
	// Errors are what the server reported, what it did against the protocol,
	// and which questions went unanswered.
	Errors []string `json:"errors"`
}

// Turn is one turn of a Report.
type Turn struct {
	Turn         uint32  `json:"turn"`
	Transcript   string  `json:"transcript"`
	Reply        string  `json:"reply"`
	Heard        string  `json:"heard"`
	Interrupted  bool    `json:"interrupted"`
	ReplyAudioMS float64 `json:"reply_audio_ms"`
	// MS tells when the stages were reached, by the server's clock since the end
	// of speech.
	MS Stages `json:"ms"`
	// InterruptMS is the time from the abort to the flush, by the device's clock;
	// 0 without an abort.
	InterruptMS float64 `json:"interrupt_ms"`
	// BargeIn is there for a reply that was talked over.
	BargeIn *BargeIn `json:"barge_in,omitempty"`
}

// BargeIn is what became of a reply that was talked over, by the device's clock
// and counter.
type BargeIn struct {
	// HeldMS and FlushedMS are the times from the onset of the speech to the hold
	// and to the flush; null where there was none.
	HeldMS    *float64 `json:"held_ms"`
	FlushedMS *float64 `json:"flushed_ms"`
	// PlayedMS is how much of the reply was played, Unheard what was not.
	PlayedMS float64 `json:"played_ms"`
	Unheard  string  `json:"unheard"`
}

// Stages of a turn; nil (null) was not reached.
type Stages struct {
	Endpoint    *uint32 `json:"endpoint"`
	ASRFinal    *uint32 `json:"asr_final"`
	FirstToken  *uint32 `json:"first_token"`
	FirstAudio  *uint32 `json:"first_audio"`
	FirstPacket *uint32 `json:"first_packet"`
}

// Packets counts audio frames: sent and received, lost by holes in their
// sequence, stale after a flush.
type Packets struct {
	Sent     uint64 `json:"sent"`
	Received uint64 `json:"received"`
	Lost     uint64 `json:"lost"`
	Stale    uint64 `json:"stale"`
}

// Gaps is a distribution.
type Gaps struct {
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

// newReport has empty lists rather than null ones.
func newReport() Report { return Report{Turns: []Turn{}, Errors: []string{}} }

// with adds an error.
func (r Report) with(err error) Report {
	r.Errors = append(r.Errors, err.Error())
	return r
}

// fill takes what the device knows at the end.
func (r *Report) fill(d *edgetest.Device) {
	for _, a := range d.Turns() {
		t := Turn{
			Turn: a.Turn, Transcript: a.Transcript, Reply: a.Reply, Heard: a.Heard, Interrupted: a.Interrupted,
			ReplyAudioMS: millis(a.Received), InterruptMS: millis(a.Seen.Interrupt),
		}
		if m := a.Timing; m != nil {
			t.MS = Stages{m.Endpoint, m.ASRFinal, m.FirstToken, m.FirstAudio, m.FirstPacket}
		}
		if a.Seen.BargeIn >= 0 || a.Seen.Held >= 0 {
			t.BargeIn = &BargeIn{
				HeldMS: reached(a.Seen.Held), FlushedMS: reached(a.Seen.BargeIn), PlayedMS: millis(a.Played),
				Unheard: strings.TrimSpace(strings.TrimPrefix(a.Reply, a.Heard)),
			}
		}
		r.Turns = append(r.Turns, t)
	}
	stats := d.Stats()
	r.Packets = Packets{Sent: stats.Sent, Received: stats.Received, Lost: stats.Lost, Stale: stats.Stale}
	gaps := d.Gaps()
	r.Gaps = Gaps{
		P50: millis(edgetest.Percentile(gaps, 0.5)), P99: millis(edgetest.Percentile(gaps, 0.99)),
		Max: millis(edgetest.Percentile(gaps, 1)),
	}
	for _, f := range d.Failures() {
		r.Errors = append(r.Errors, fmt.Sprintf("server: %s: %s", f.Code, f.Message))
	}
	for _, f := range d.Faults() {
		r.Errors = append(r.Errors, f.Error())
	}
	if err := d.Err(); err != nil {
		r.Errors = append(r.Errors, err.Error())
	}
	if stats.Overflowed > 0 {
		r.Errors = append(r.Errors, fmt.Sprintf("%d packets found the playback queue full", stats.Overflowed))
	}
}

// millis is d in milliseconds with one decimal.
func millis(d time.Duration) float64 {
	return math.Round(float64(d)/float64(time.Millisecond)*10) / 10
}

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
			row(b, "turn", "held", "stopped", "played")
			first = false
		}
		row(b, fmt.Sprint(t.Turn), at(cut.HeldMS), at(cut.FlushedMS), fmt.Sprint(cut.PlayedMS))
		fmt.Fprintf(b, "        heard:   %s\n        unheard: %s\n", orNothing(t.Heard), cut.Unheard)
	}
}

// reached is nil for what was not.
func reached(d time.Duration) *float64 {
	if d < 0 {
		return nil
	}
	ms := millis(d)
	return &ms
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

func formatText(f wire.Format) string {
	return fmt.Sprintf("%s %d Hz %d ms", f.Codec, f.SampleRate, f.FrameMS)
}
