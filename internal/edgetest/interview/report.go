package interview

import (
	"fmt"
	"math"
	"strings"
	"time"

	"edged/firmware-protocol/wire"
	"edged/internal/edgetest"
	"edged/internal/edgetest/impair"
)

// Report is what became of an interview. Times are in milliseconds.
type Report struct {
	Session string `json:"session"`
	// Turns are all turns of the session in their order, those that the server
	// began by itself included.
	Turns   []Turn  `json:"turns"`
	Packets Packets `json:"packets"`
	// Glitches are what was wrong with the sound of the replies.
	Glitches Glitches `json:"glitches"`
	// Network is what the simulated network did to the audio packets; absent on a
	// perfect one.
	Network *Network `json:"network,omitempty"`
	// EchoMS is how much of the microphone's sound holds the speaker's, absent
	// without echo.
	EchoMS float64 `json:"echo_ms,omitempty"`
	// Comebacks are the returns after a lost connection.
	Comebacks []Comeback `json:"comebacks,omitempty"`
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
	// Cause of the interruption and what was not heard because of it; absent
	// without one.
	Cause   string `json:"cause,omitempty"`
	Unheard string `json:"unheard,omitempty"`
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
	// SilentMS is the time from the onset until the speaker was silent; null if
	// the reply was not stopped.
	SilentMS *float64 `json:"silent_ms"`
	// OnsetMS is where in the listening period the speech began, OnsetPlayedMS how
	// much of the reply had been played by then.
	OnsetMS       float64 `json:"onset_ms"`
	OnsetPlayedMS float64 `json:"onset_played_ms"`
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

// Glitches count how often the playback queue ran dry within a reply and for how
// long, the packets that found it full, and those that were made up for lost ones.
type Glitches struct {
	Starved    uint64  `json:"starved"`
	StarvedMS  float64 `json:"starved_ms"`
	Overflowed uint64  `json:"overflowed"`
	Concealed  uint64  `json:"concealed"`
	// Late packets came behind their successors and were dropped.
	Late uint64 `json:"late"`
}

// Network tells what happened on the way up and down.
type Network struct {
	Up   Line `json:"up"`
	Down Line `json:"down"`
}

// Line is one direction of a Network; all but MostDelayedMS counts packets.
type Line struct {
	Audio         uint64  `json:"audio"`
	Lost          uint64  `json:"lost"`
	Reordered     uint64  `json:"reordered"`
	Duplicated    uint64  `json:"duplicated"`
	Delayed       uint64  `json:"delayed"`
	MostDelayedMS float64 `json:"most_delayed_ms"`
}

// Comeback is a return after a lost connection.
type Comeback struct {
	AwayMS   float64 `json:"away_ms"`
	Attempts int     `json:"attempts"`
	// Resumed: the session went on; Answering: so did its reply.
	Resumed   bool `json:"resumed"`
	Answering bool `json:"answering"`
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

// witness is what tells how an interview went: a device, or one that came back.
type witness interface {
	Turns() []edgetest.Answer
	Stats() edgetest.Stats
	Gaps() []time.Duration
	Failures() []wire.Failure
	Faults() []error
}

// fill takes what the device knows at the end.
func (r *Report) fill(d witness, cfg edgetest.Config) {
	for _, a := range d.Turns() {
		t := Turn{
			Turn: a.Turn, Transcript: a.Transcript, Reply: a.Reply, Heard: a.Heard, Interrupted: a.Interrupted,
			ReplyAudioMS: millis(a.Received), InterruptMS: millis(a.Seen.Interrupt),
		}
		if m := a.Timing; m != nil {
			t.MS = Stages{m.Endpoint, m.ASRFinal, m.FirstToken, m.FirstAudio, m.FirstPacket}
		}
		if a.Interrupted {
			t.Cause, t.Unheard = string(a.Cause), strings.TrimSpace(a.Unheard)
		}
		if a.Seen.BargeIn >= 0 || a.Seen.Held >= 0 {
			t.BargeIn = &BargeIn{
				HeldMS: reached(a.Seen.Held), FlushedMS: reached(a.Seen.BargeIn), SilentMS: reached(a.Seen.Silent), PlayedMS: millis(a.Played),
				OnsetMS:       millis(cfg.MicrophoneRate().Duration(int(a.Overlap.Sample))),
				OnsetPlayedMS: millis(a.Overlap.Played),
				Unheard:       strings.TrimSpace(a.Unheard),
			}
		}
		r.Turns = append(r.Turns, t)
	}
	stats := d.Stats()
	r.Packets = Packets{Sent: stats.Sent, Received: stats.Received, Lost: stats.Lost, Stale: stats.Stale}
	r.Glitches = Glitches{
		Starved: stats.Starved, StarvedMS: millis(stats.StarvedFor), Overflowed: stats.Overflowed, Concealed: stats.Concealed, Late: stats.Late,
	}
	if !cfg.Network.Perfect() {
		r.Network = &Network{Up: lineOf(stats.Up), Down: lineOf(stats.Down)}
	}
	r.EchoMS = millis(cfg.MicrophoneRate().Duration(int(stats.Echoed)))
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
	if stats.Overflowed > 0 {
		r.Errors = append(r.Errors, fmt.Sprintf("%d packets found the playback queue full", stats.Overflowed))
	}
}

func lineOf(c impair.Counts) Line {
	return Line{
		Audio: c.Audio, Lost: c.Lost, Reordered: c.Reordered, Duplicated: c.Duplicated, Delayed: c.Delayed, MostDelayedMS: millis(c.MostDelayed),
	}
}

// ended takes how the connection of d ended.
func (r *Report) ended(d *edgetest.Device) {
	if err := d.Err(); err != nil {
		r.Errors = append(r.Errors, err.Error())
	}
}

// returned takes how often the device came back.
func (r *Report) returned(backs []edgetest.Comeback) {
	for _, c := range backs {
		r.Comebacks = append(r.Comebacks, Comeback{
			AwayMS: millis(c.Away), Attempts: c.Attempts, Resumed: c.Resumed != nil, Answering: c.Resumed != nil && c.Resumed.Answering,
		})
	}
}

// millis is d in milliseconds with one decimal.
func millis(d time.Duration) float64 {
	return math.Round(float64(d)/float64(time.Millisecond)*10) / 10
}

func formatText(f wire.Format) string {
	return fmt.Sprintf("%s %d Hz %d ms", f.Codec, f.SampleRate, f.FrameMS)
}

// reached is nil for what was not.
func reached(d time.Duration) *float64 {
	if d < 0 {
		return nil
	}
	ms := millis(d)
	return &ms
}
