package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"edged/internal/edgetest"
	"edged/realtime"
	"edged/session/log"
	"edged/transformers"
)

// moody makes engines that are slow, quick and wordy at random.
type moody struct {
	mu  sync.Mutex
	rnd *rand.Rand
	// told are the contexts that the generator was given.
	told []transformers.ModelContext
}

func (m *moody) n(most int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rnd.IntN(most)
}

func (m *moody) wait(ctx context.Context, most time.Duration) error {
	select {
	case <-time.After(time.Duration(m.n(int(most/time.Millisecond))) * time.Millisecond):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// GenerateStream gives some sentences, token by token, after a tool now and then.
func (m *moody) GenerateStream(ctx context.Context, _ string, mc transformers.ModelContext) (realtime.Stream, error) {
	m.mu.Lock()
	m.told = append(m.told, mc)
	m.mu.Unlock()
	return realtime.Produce(ctx, 0, func(ctx context.Context, out *realtime.StreamBuilder) error {
		if err := m.wait(ctx, 1500*time.Millisecond); err != nil {
			return err
		}
		if m.n(4) == 0 {
			return out.Add(ctx, &realtime.MessageChunk{Role: realtime.RoleModel,
				ToolCall: &realtime.ToolCall{ID: "c1", Name: "get_volume", Arguments: "{}"}})
		}
		for range 1 + m.n(4) {
			for _, token := range []string{"Alpha ", "bravo ", "charlie ", "delta. "} {
				if err := out.Add(ctx, &realtime.MessageChunk{Role: realtime.RoleModel, Part: realtime.Text(token)}); err != nil {
					return err
				}
				if err := m.wait(ctx, 120*time.Millisecond); err != nil {
					return err
				}
			}
		}
		return nil
	}), nil
}

func (*moody) Invoke(context.Context, string, transformers.ModelContext, *transformers.FuncTool) (realtime.Usage, *transformers.FuncCall, error) {
	return realtime.Usage{}, nil, errors.New("a session never invokes")
}

// F10, F11, F12, F13: whatever tokens, tools, segments, acknowledgements, buttons,
// speech over the reply and lost connections come in between, no packet of an old
// turn reaches the device after its flush, and the history stays in pairs.
func TestNothingStale(t *testing.T) {
	question := recording(t, "what time is it")
	interruptions := 0
	for seed := range uint64(12) {
		m := &moody{rnd: rand.New(rand.NewPCG(seed, 3))}
		engines, err := scripted("what time is it", "", counted)
		if err != nil {
			t.Fatal(err)
		}
		engines.Generator = m
		converseWith(t, engines, func(t *testing.T, h *house) {
			prepare := openly(seed%3 == 1)
			if seed%3 == 2 {
				prepare = nil // half duplex
			}
			d := h.dial(prepare)
			for range 6 {
				d = h.trouble(m, d, question)
			}
			time.Sleep(15 * time.Second)
			h.hangUp(d) // no stale packet, no broken rule
			for _, rec := range h.log.events(t) {
				if _, ok := rec.Event.(log.Interrupt); ok {
					interruptions++
				}
			}
			for _, mc := range m.told {
				if shape := shapeOf(mc); !strings.HasSuffix(shape, "u") || strings.Trim(strings.ReplaceAll(shape[:len(shape)-1], "um", ""), "m") != "" {
					t.Errorf("seed %d: the model was told %q: not in pairs", seed, shape)
				}
			}
		})
	}
	t.Logf("%d interruptions", interruptions)
	if interruptions < 12 {
		t.Errorf("%d interruptions in 12 conversations show nothing", interruptions)
	}
}

// trouble is one thing that happens to a conversation.
func (h *house) trouble(m *moody, d *edgetest.Device, question []int16) *edgetest.Device {
	h.t.Helper()
	ctx := context.Background()
	switch kind := m.n(4); {
	case kind == 0:
		d.Drop()
		time.Sleep(time.Duration(m.n(5000)) * time.Millisecond)
		again, err := d.Return(ctx)
		if err != nil || again.Hello().Resumed == nil {
			h.t.Fatalf("coming back: %v", err)
		}
		d = again
	case h.duplex(d):
		mic, err := d.OpenMicrophone(ctx)
		if err != nil {
			h.t.Fatal(err)
		}
		for range 1 + m.n(3) {
			if _, _, err := mic.Say(ctx, question); err != nil {
				h.t.Fatal(err)
			}
			time.Sleep(time.Duration(500+m.n(4000)) * time.Millisecond)
		}
		if m.n(2) == 0 {
			if err := d.Abort(ctx, 0, "button"); err != nil {
				h.t.Fatal(err)
			}
		}
		if err := mic.Close(ctx); err != nil {
			h.t.Fatal(err)
		}
	default:
		patience, cancel := context.WithTimeout(ctx, time.Duration(3000+m.n(6000))*time.Millisecond)
		_, _ = d.Ask(patience, edgetest.Question{PCM: question, AbortAfter: time.Duration(m.n(2000)) * time.Millisecond}) // it may be left in the middle
		cancel()
	}
	time.Sleep(time.Duration(m.n(2000)) * time.Millisecond)
	return d
}

// duplex reports whether the device of this conversation listens for good.
func (h *house) duplex(d *edgetest.Device) bool {
	mic, err := d.OpenMicrophone(context.Background())
	if err != nil {
		return false
	}
	return mic.Close(context.Background()) == nil
}

// shapeOf writes the history of a model context as one letter a message, "u" and
// "m", tools left out.
func shapeOf(mc transformers.ModelContext) string {
	var shape strings.Builder
	for msg := range mc.Messages() {
		if _, ok := msg.Payload.(realtime.Contents); ok {
			shape.WriteString(map[realtime.Role]string{realtime.RoleUser: "u", realtime.RoleModel: "m"}[msg.Role])
		}
	}
	return shape.String()
}
