package session

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"edged/dialog"
	"edged/realtime"
	"edged/session/log"
	"edged/transformers"
)

// whim makes the engines of a story slow, quick and wordy at random.
type whim struct {
	mu  sync.Mutex
	rnd *rand.Rand
}

func (w *whim) n(most int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rnd.IntN(most)
}

func (w *whim) wait(ctx context.Context, most time.Duration) error {
	select {
	case <-time.After(time.Duration(w.n(int(most/time.Millisecond))) * time.Millisecond):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// answer says some sentences, token by token, after some tools.
func (w *whim) answer(ctx context.Context, mc transformers.ModelContext, say func(string)) ([]realtime.ToolCall, error) {
	if err := w.wait(ctx, 1500*time.Millisecond); err != nil {
		return nil, err
	}
	if told := transcript(mc); !strings.HasSuffix(told, "result {\"timers\":[]}") && w.n(3) == 0 {
		return []realtime.ToolCall{{ID: "c1", Name: "list_timers", Arguments: "{}"}}, nil
	}
	for range 1 + w.n(4) {
		for _, token := range []string{"Alpha ", "bravo ", "charlie ", "delta. "} {
			say(token)
			if err := w.wait(ctx, 120*time.Millisecond); err != nil {
				return nil, err
			}
		}
	}
	return nil, nil
}

// F10-F14: over random interleavings of tokens, tools, segments, acknowledgements,
// interruptions of every kind and lost connections, nothing of a turn is played
// after its flush, history is paired, and it holds what the device has played,
// give or take a word.
func TestStories(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 10
	}
	cuts := 0
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { cuts += tellStory(t, seed) })
	}
	if cuts < int(seeds) {
		t.Errorf("%d interruptions in %d stories: too few to show anything", cuts, seeds)
	}
}

func tellStory(t *testing.T, seed uint64) (cuts int) {
	w := &whim{rnd: rand.New(rand.NewPCG(seed, 7))}
	s := &script{
		answer:      w.answer,
		recognizing: func(ctx context.Context) error { return w.wait(ctx, 400*time.Millisecond) },
		speaking:    func(ctx context.Context, _ string) error { return w.wait(ctx, 300*time.Millisecond) },
	}
	for n := range 100 {
		s.heard = append(s.heard, fmt.Sprintf("question %d", n))
	}
	kinds := []func(*testDevice){nil, duplex, holding}
	inhabit(t, s, Profile{ResumeFor: resumable, HistoryTurns: 100}, kinds[seed%3], func(h *house) {
		for range 14 {
			h.mischief(w)
		}
		time.Sleep(20 * time.Second)
		cuts = h.check(s)
	})
	return cuts
}

// mischief is what a user, a device or a network may do next.
func (h *house) mischief(w *whim) {
	switch w.n(6) {
	case 0:
		h.events <- dialog.Abort{}
	case 1:
		h.events <- dialog.Wake{Phrase: "lamp"}
	case 2:
		turn := h.speakerTurn()
		played := h.lost(turn)
		time.Sleep(time.Duration(w.n(8000)) * time.Millisecond)
		if _, ok := h.back(turn, played); !ok {
			h.t.Fatal("the session did not wait for its device")
		}
	default:
		h.question(w)
	}
	time.Sleep(time.Duration(w.n(5000)) * time.Millisecond)
}

// question asks, on a microphone that is open for good where the device can.
func (h *house) question(w *whim) {
	if !h.hello.Capabilities.FullDuplex {
		h.ask()
		return
	}
	if h.route == 0 {
		h.open(dialog.ModeRealtime)
	}
	h.speak(time.Duration(w.n(500))*time.Millisecond, 0)
	h.speak(time.Duration(100+w.n(1000))*time.Millisecond, loud)
	h.speak(time.Duration(w.n(1500))*time.Millisecond, 0)
}

func (d *testDevice) speakerTurn() dialog.Turn {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.speaker.turn
}

// check compares what the session believes with what the device knows.
func (h *house) check(s *script) (cuts int) {
	commits := logged[log.HistoryCommit](h.t, h.log)
	for _, cut := range logged[log.Interrupt](h.t, h.log) {
		cuts++
		played := time.Duration(cut.PlayedMS)
		heard := len(strings.Fields(string(cut.Heard)))
		said := string(cut.Heard + cut.Unheard)
		if truth := len(strings.Fields(said[:min(len(said), int(played/perCharacter))])); heard > truth || heard < truth-1 {
			h.t.Errorf("heard %q of %q after %v: the device played %d words or the beginning of the last", cut.Heard, said, played, truth)
		}
	}
	for _, mc := range s.contexts {
		told := strings.Split(transcript(mc), " | ")
		var shape strings.Builder
		for _, line := range told {
			word, _, _ := strings.Cut(line, " ")
			shape.WriteString(strings.TrimSuffix(word, ":") + " ")
		}
		// Wake words and buttons in the middle of nothing leave no trace.
		paired := strings.ReplaceAll(shape.String(), "call result ", "")
		for strings.Contains(paired, "user model ") {
			paired = strings.Replace(paired, "user model ", "", 1)
		}
		if paired != "user " {
			h.t.Errorf("the model was told %q: not in pairs", told)
		}
	}
	last := dialog.Turn(0)
	for _, c := range commits {
		if c.Messages <= 0 {
			h.t.Errorf("a history of %d messages after a commit", c.Messages)
		}
	}
	for _, e := range tells[dialog.Transcript](h.testDevice) {
		if e.Turn < last {
			h.t.Errorf("turn %d after turn %d", e.Turn, last)
		}
		last = e.Turn
	}
	return cuts
}
