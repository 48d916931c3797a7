//go:build !race

package metrics_test

import (
	"runtime"
	"slices"
	"testing"

	"edged/dialog"
	"edged/internal/metrics"
	"edged/session/log"
)

// conversation is a turn with all that may happen in it, as events that were
// made already: only the observer's own cost is measured.
func conversation(turn dialog.Turn) []said {
	return slices.Concat(question(turn, "u1"), []said{
		{turn, log.ToolCall{Tool: "lamp"}}, {turn, log.ToolResult{Tool: "lamp", MS: ms(40)}},
		{turn, log.BargeInSuspect{Utterance: "u2"}}, {turn, log.Hold{}}, {turn, log.BargeInReject{Utterance: "u2", Reason: "final"}},
		{turn, log.Error{Stage: "tts", Code: dialog.ErrorTTS}}, {turn, log.Error{Stage: "unknown", Code: "unknown"}},
		{turn, log.Usage{PromptTokens: 10}}, {0, log.Drop{}}, {turn, log.HistoryCommit{}}, done(turn),
		{0, log.SessionDetach{}}, {0, log.SessionAttach{AwayMS: ms(500)}}, {turn, log.Resume{}},
	})
}

// Observing an event allocates nothing.
func TestObserveAllocations(t *testing.T) {
	const turns = 1000
	sessions := metrics.NewSessions()
	o := sessions.Observer()
	events := make([][]said, 2*turns)
	for i := range events {
		events[i] = conversation(dialog.Turn(i + 1))
	}
	observe := func(all [][]said) (n int) {
		for _, turn := range all {
			for _, e := range turn {
				o.Observe(e.turn, e.event)
				n++
			}
		}
		return n
	}
	observe(events[:turns])
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n := observe(events[turns:])
	runtime.ReadMemStats(&after)
	if perEvent := float64(after.Mallocs-before.Mallocs) / float64(n); perEvent > 0.001 {
		t.Errorf("%.4f allocations for each of %d events, want none", perEvent, n)
	}
}

func BenchmarkObserve(b *testing.B) {
	var events []said // of a session of 1000 turns
	for turn := range dialog.Turn(1000) {
		events = append(events, conversation(turn+1)...)
	}
	sessions := metrics.NewSessions()
	run := func(next func() bool) {
		for {
			o := sessions.Observer()
			for _, e := range events {
				if !next() {
					return
				}
				o.Observe(e.turn, e.event)
			}
		}
	}
	b.Run("one session", func(b *testing.B) {
		b.ReportAllocs()
		run(b.Loop)
	})
	b.Run("sessions side by side", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) { run(pb.Next) })
	})
}
