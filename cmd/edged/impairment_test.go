package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"edged/firmware-protocol/wire"
	"edged/internal/edgetest"
	"edged/internal/edgetest/impair"
)

// full asks for whole matrices (make impairment); they take minutes.
var full = os.Getenv("EDGED_FULL") != ""

// Loss, random and in bursts, jitter and packets of any length: what it costs is
// reported, and no rule is broken: every question is answered, nothing stale
// arrives, the protocol is kept, and the next question on a good network is
// understood.
func TestImpairments(t *testing.T) {
	losses, jitters, frames := []float64{0, 0.01, 0.05, 0.1, 0.2}, []time.Duration{0, 30 * time.Millisecond, 80 * time.Millisecond}, []uint32{20, 40, 60}
	texts := []string{"what time is it", "what is seven plus five", "what is six times eight", "set a timer for ten minutes"}
	if !full {
		losses, jitters, frames, texts = []float64{0.05, 0.2}, jitters[2:], []uint32{20, 60}, texts[1:3]
	}
	t.Logf("%-24s %8s %10s %10s %10s %8s", "loss  burst  jitter  frame", "WER", "concealed", "lost down", "starved", "late")
	for _, loss := range losses {
		for _, burst := range []float64{1, 4} {
			if loss == 0 && burst > 1 {
				continue
			}
			for _, jitter := range jitters {
				for _, frame := range frames {
					network := impair.Network{Loss: loss, Burst: burst, Jitter: jitter, Seed: 7}
					row := fmt.Sprintf("%3.0f%% %6.0f %7v %5d ms", 100*loss, burst, jitter, frame)
					visit(t, func(t *testing.T, h *house) { h.endure(row, network, frame, texts) })
				}
			}
		}
	}
}

// endure asks every question over a bad network and reports a row.
func (h *house) endure(row string, network impair.Network, frame uint32, texts []string) {
	h.t.Helper()
	format := wire.Format{Codec: wire.CodecOpus, SampleRate: 16000, Channels: 1, FrameMS: frame}
	d := h.dial(func(cfg *edgetest.Config) { cfg.Network, cfg.Up, cfg.Down = network, format, format })
	wrong, words := 0, 0
	for _, text := range texts {
		a, err := d.Ask(context.Background(), edgetest.Question{PCM: recording(h.t, text)})
		if err != nil || a.Turn == 0 || a.Received == 0 {
			h.t.Errorf("%s: %q: %v, %v: want an answer, whatever was understood", row, text, a, err)
		}
		errors, n := wordErrors(text, a.Transcript)
		wrong, words = wrong+errors, words+n
	}
	if err := d.Close(context.Background()); err != nil {
		h.t.Errorf("%s: close: %v", row, err)
	}
	s := d.Stats()
	if faults := d.Faults(); len(faults) > 0 || s.Stale > 0 || s.Overflowed > 0 || s.Undecodable > 0 {
		h.t.Errorf("%s: faults %v, counters %+v", row, faults, s)
	}
	h.t.Logf("%-24s %7.0f%% %10d %10d %10d %8d", row, 100*float64(wrong)/float64(words), s.Concealed, s.Down.Lost, s.Starved, s.Late)
	good := h.dial(nil)
	if a := h.ask(good, recording(h.t, "what is seven plus five")); !strings.Contains(a.Reply, "12") {
		h.t.Errorf("%s: the next device on a good network asked in vain: %v", row, a)
	}
	h.hangUp(good)
}

// A device whose clock is 200 ppm off plays a reply of ten minutes without running
// dry or over, with a queue of five packets as with one of forty (F02, F06).
func TestSkewedDevice(t *testing.T) {
	answer := strings.Repeat("Alpha bravo charlie delta echo foxtrot. ", 375) // 1.6 s each
	for _, queue := range []int{5, 40} {
		for _, ppm := range []impair.Clock{-200, 200} {
			converse(t, answer, func(t *testing.T, h *house) {
				pcm := wire.Format{Codec: wire.CodecPCM, SampleRate: 16000, Channels: 1, FrameMS: 60}
				d := h.dial(func(cfg *edgetest.Config) {
					cfg.Clock, cfg.Up, cfg.Down = ppm, pcm, pcm
					cfg.Buffer = time.Duration(queue) * 60 * time.Millisecond
					cfg.Forget = true
				})
				a := h.ask(d, recording(t, "what time is it"))
				if a.Played < 10*time.Minute-time.Second || a.Starved > 0 || a.Overflowed > 0 {
					t.Errorf("queue of %d, %d ppm: played %v, starved %d, overflowed %d; want ten minutes, never dry and never full",
						queue, ppm, a.Played, a.Starved, a.Overflowed)
				}
				h.hangUp(d)
			})
		}
	}
}
