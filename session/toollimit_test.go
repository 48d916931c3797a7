package session

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"edged/dialog"
	"edged/realtime"
	"edged/session/log"
	"edged/transformers"
)

// A turn runs so many tools and no more, all rounds together. What the model asks
// for beyond is answered with an error that names the bound, and the turn goes on;
// a model that asks for hundreds at once fails.
func TestToolCallsPerTurn(t *testing.T) {
	tests := []struct {
		name   string
		bound  int   // Profile.ToolCalls
		rounds []int // how many tools the model asks for, round by round
		run    int
		reply  string
	}{
		{"all in one round", 3, []int{5}, 3, "Done."},
		{"over two rounds", 3, []int{2, 2}, 3, "Done."},
		{"none is left", 3, []int{3, 1}, 3, "Done."},
		{"exactly the bound", 3, []int{3}, 3, "Done."},
		{"the default", 0, []int{20}, 16, "Done."},
		{"no tools at all", -1, []int{2}, 0, "Done."},
		{"beyond all reason", 3, []int{maxCallsAtOnce + 1}, 0, DefaultPhrases("en")[PhraseFailed]},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &script{heard: []string{"do it all"}}
			round := 0
			s.answer = func(_ context.Context, _ transformers.ModelContext, say func(string)) ([]realtime.ToolCall, error) {
				if round == len(tt.rounds) {
					say("Done.")
					return nil, nil
				}
				var calls []realtime.ToolCall
				for i := range tt.rounds[round] {
					calls = append(calls, realtime.ToolCall{ID: fmt.Sprintf("c%d.%d", round, i), Name: "blink", Arguments: "{}"})
				}
				round++
				return calls, nil
			}
			var mu sync.Mutex
			ran := 0
			prepare := func(d *testDevice) {
				d.hello.Tools = []dialog.Tool{{Name: "blink"}}
				d.calls = func(c dialog.ToolCall) dialog.ToolResult {
					mu.Lock()
					defer mu.Unlock()
					ran++
					return dialog.ToolResult{Call: c.Call, Content: "blinked"}
				}
			}
			perform(t, s, Profile{ToolCalls: tt.bound}, prepare, func(st *stage) {
				st.ask()
				time.Sleep(8 * time.Second)
				mu.Lock()
				defer mu.Unlock()
				if ran != tt.run {
					st.t.Errorf("%d tools ran, want %d", ran, tt.run)
				}
				said := st.replyOf(1) + st.replyOf(2)
				if said != tt.reply {
					st.t.Errorf("reply %q, want %q", said, tt.reply)
				}
				asked := 0
				for _, n := range tt.rounds {
					asked += n
				}
				if tt.reply != "Done." {
					return
				}
				refusals := 0
				for _, r := range logged[log.ToolResult](st.t, st.log) {
					if strings.Contains(r.Error, "too many tool calls in this turn") {
						refusals++
					}
				}
				if refusals != asked-tt.run {
					st.t.Errorf("%d refusals in the log, want %d", refusals, asked-tt.run)
				}
				if told := strings.Count(s.last(), "too many tool calls in this turn"); told != asked-tt.run {
					st.t.Errorf("the model was told %d refusals, want %d", told, asked-tt.run)
				}
			})
		})
	}
}
