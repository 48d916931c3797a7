package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"edged/audio/pcm"
	"edged/firmware-protocol/wire"
	"edged/internal/edgetest"
	"edged/realtime"
	"edged/session/log"
	"edged/transformers"
)

var pcm60 = wire.Format{Codec: wire.CodecPCM, SampleRate: 16000, Channels: 1, FrameMS: 60}

// deaf is a generator that takes its time and does not notice that it is cancelled,
// as an engine in C does.
type deaf struct{ transformers.Generator }

func (g deaf) GenerateStream(ctx context.Context, pattern string, mc transformers.ModelContext) (realtime.Stream, error) {
	time.Sleep(30 * time.Second)
	return g.Generator.GenerateStream(ctx, pattern, mc)
}

// F41: while twenty sessions take half a minute to end, because their engine cannot be
// stopped, the hellos of a hundred others, and of the twenty devices themselves, are
// answered at once: in no virtual time at all, where 100 ms are allowed.
func TestHelloWhileOthersEnd(t *testing.T) {
	engines, err := scripted("what time is it", "It is half past nine.", counted)
	if err != nil {
		t.Fatal(err)
	}
	engines.Generator = deaf{engines.Generator}
	question := recording(t, "what time is it")
	crowd(t, engines, func(t *testing.T, h *house) {
		const slow, others = 20, 100
		name := func(i int) func(*edgetest.Config) {
			return func(cfg *edgetest.Config) { cfg.Device = fmt.Sprint("d", i) }
		}
		var asking sync.WaitGroup
		old := make([]*edgetest.Device, slow)
		for i := range old {
			old[i] = h.dial(name(i))
			asking.Go(func() { _, _ = old[i].Ask(context.Background(), edgetest.Question{PCM: question}) }) // it is dropped
		}
		time.Sleep(5 * time.Second) // all of them are being answered
		for _, d := range old {
			d.Drop()
		}
		asking.Wait()
		var took []time.Duration
		var fresh []*edgetest.Device
		for i := range slow + others { // the first of them end an old session of their own
			begin := time.Now()
			fresh = append(fresh, h.dial(name(i)))
			took = append(took, time.Since(begin))
		}
		if ended := len(h.log.ended(t)); ended > 0 {
			t.Fatalf("%d sessions have ended already: none is slow", ended)
		}
		if p99 := edgetest.Percentile(took, 0.99); p99 > 0 {
			t.Errorf("hello answered after %v at the 99th percentile, want at once", p99)
		}
		for _, d := range fresh {
			h.hangUp(d)
		}
		time.Sleep(time.Minute)
		if ended := len(h.log.ended(t)); ended != 2*slow+others {
			t.Errorf("%d sessions have ended, want %d", ended, 2*slow+others)
		}
	})
}

// F42: a hello waits for no backend. Every engine hangs, twenty devices wait for their
// transcripts, and twenty more are let in at once.
func TestHelloWithoutBackends(t *testing.T) {
	engines, err := scripted("what time is it", "It is half past nine.", counted)
	if err != nil {
		t.Fatal(err)
	}
	hang := &faulty{fault: func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }}
	engines.ASR = always{hang}
	engines.Generator = slowly{engines.Generator, time.Hour}
	question := recording(t, "what time is it")
	crowd(t, engines, func(t *testing.T, h *house) {
		const devices = 20
		patience, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		var asking sync.WaitGroup
		dial := func(i int) *edgetest.Device {
			begin := time.Now()
			d := h.dial(func(cfg *edgetest.Config) { cfg.Device = fmt.Sprint("d", i) })
			if took := time.Since(begin); took > 0 {
				t.Errorf("device %d is greeted after %v, want at once", i, took)
			}
			return d
		}
		var all []*edgetest.Device
		for i := range devices {
			d := dial(i)
			all = append(all, d)
			asking.Go(func() {
				if a, err := d.Ask(patience, edgetest.Question{PCM: question}); err == nil && a.Failure == nil {
					t.Errorf("answered %v by engines that hang", a)
				}
			})
		}
		time.Sleep(4 * time.Second)
		for i := range devices {
			all = append(all, dial(devices+i))
		}
		asking.Wait()
		for _, d := range all {
			h.hangUp(d)
		}
	})
}

// always is a transformer that has the fault each time.
type always struct{ *faulty }

func (a always) Transform(ctx context.Context, _ string, in realtime.Stream) (realtime.Stream, error) {
	context.AfterFunc(ctx, func() { _ = in.Close() }) // it never reads
	return a.stream(ctx), nil
}

// F43: a peer that has vanished and one that only said hello are let go at their
// limits, are told so where they listen, and their sessions end after the time that
// is kept for a return.
func TestSilentPeers(t *testing.T) {
	tests := []struct {
		name  string
		after time.Duration
		told  wire.ErrorCode // empty: nobody is there to be told
		greet bool
		reads bool
	}{
		{"connected, and no hello", 10 * time.Second, wire.CodeTimeout, false, true},
		{"hello, and nothing after it", 60 * time.Second, wire.CodeTimeout, true, true},
		// The ping at 20 s is not taken for the 10 s that a write may last.
		{"hello, and the peer has vanished", 30 * time.Second, "", true, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			converse(t, "Yes.", func(t *testing.T, h *house) {
				begin := time.Now()
				p := h.stranger()
				defer p.close()
				if tt.greet {
					p.greet("")
				}
				if tt.reads {
					if told := p.closed(); told.Code != tt.told || !told.Fatal {
						t.Errorf("told %+v, want a fatal %s", told, tt.told)
					}
					if took := time.Since(begin); took != tt.after {
						t.Errorf("closed after %v, want %v", took, tt.after)
					}
				}
				time.Sleep(5 * time.Minute)
				var lost, ended time.Duration
				for _, rec := range h.log.events(t) {
					switch rec.Event.(type) {
					case log.SessionDetach:
						lost = rec.Time.Sub(begin)
					case log.SessionEnd:
						ended = rec.Time.Sub(begin)
					}
				}
				if tt.greet && (lost.Round(time.Second) != tt.after || ended.Round(time.Second) != tt.after+30*time.Second) {
					t.Errorf("lost after %v, ended after %v; want %v, and 30 s later", lost, ended, tt.after)
				}
				if reasons := h.log.ended(t); tt.greet != (len(reasons) == 1) {
					t.Errorf("sessions ended with %q", reasons)
				}
			})
		})
	}
}

// F44: a story of more than five minutes, told to a user who says nothing: with the
// microphone closed, and with one that hears only silence.
func TestLongStory(t *testing.T) {
	story := strings.Repeat("Alpha bravo charlie delta echo foxtrot. ", 200) // 1.6 s each
	question := recording(t, "what time is it")
	plain := func(cfg *edgetest.Config) { cfg.Up, cfg.Down, cfg.Forget = pcm60, pcm60, true }
	for _, open := range []bool{false, true} {
		converse(t, story, func(t *testing.T, h *house) {
			ctx := context.Background()
			if open {
				d := h.dial(func(cfg *edgetest.Config) { openly(true)(cfg); plain(cfg) })
				mic, err := d.OpenMicrophone(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if _, _, err := mic.Say(ctx, question); err != nil {
					t.Fatal(err)
				}
				time.Sleep(6 * time.Minute)
				if turns := d.Turns(); len(turns) != 1 || turns[0].Interrupted || turns[0].Played < 5*time.Minute || turns[0].Starved > 0 {
					t.Errorf("an open microphone: %v, want all of the story", turns)
				}
				if err := mic.Close(ctx); err != nil {
					t.Fatal(err)
				}
				h.hangUp(d)
				return
			}
			d := h.dial(plain)
			if a := h.ask(d, question); a.Interrupted || a.Played < 5*time.Minute || a.Starved > 0 || a.Overflowed > 0 {
				t.Errorf("a closed microphone: %v, want all of the story", a)
			}
			h.hangUp(d)
		})
	}
}

// F45: a device connects again while the reply of its old connection plays. The old
// one is told and ends; the new session begins at turn 1, hears nothing of the old
// reply and knows nothing of the old history.
func TestReplacedDevice(t *testing.T) {
	engines, err := scripted("what time is it", "", counted)
	if err != nil {
		t.Fatal(err)
	}
	told := &witness{}
	engines.Generator = told
	question := recording(t, "what time is it")
	converseWith(t, engines, func(t *testing.T, h *house) {
		ctx := context.Background()
		old := h.dial(nil)
		told.say(strings.Repeat("Old story. ", 60))
		asked := make(chan struct{})
		go func() {
			defer close(asked)
			_, _ = old.Ask(ctx, edgetest.Question{PCM: question}) // it is replaced
		}()
		for !happenedTo[wire.ReplyText](old, 2) {
			time.Sleep(50 * time.Millisecond)
		}
		fresh := h.dial(nil)
		<-asked
		<-old.Done()
		var why *edgetest.ServerError
		if err := old.Err(); !errors.As(err, &why) || why.Failure == nil || why.Failure.Code != wire.CodeReplaced {
			t.Errorf("the old connection ended with %v, want to be told that it was replaced", err)
		}
		if fresh.Hello().Session == old.Hello().Session {
			t.Error("the new connection is in the old session")
		}
		time.Sleep(10 * time.Second)
		if events := fresh.Events(); slices.ContainsFunc(events, func(e edgetest.Event) bool {
			return e.From == wire.FromServer && e.Message.Kind() != wire.KindPing
		}) || fresh.Stats().Received > 0 {
			t.Errorf("the new connection gets %v, %d packets, before it asked anything", events, fresh.Stats().Received)
		}
		told.say("New answer.")
		a := h.ask(fresh, question)
		if a.Turn != 1 || a.Reply != "New answer." {
			t.Errorf("answered %v, want a first turn", a)
		}
		if shape := shapeOf(told.last()); shape != "u" {
			t.Errorf("the model was told %q, want the question alone", shape)
		}
		h.hangUp(fresh)
		time.Sleep(time.Minute)
		if ended := h.log.ended(t); len(ended) != 2 {
			t.Errorf("sessions ended with %q, want both", ended)
		}
	})
}

// witness is a generator that keeps what it was told and says what it is given.
type witness struct {
	scriptedGenerator
	mu     sync.Mutex
	answer string
	heard  []transformers.ModelContext
}

func (w *witness) say(answer string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answer = answer
}

func (w *witness) last() transformers.ModelContext {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.heard[len(w.heard)-1]
}

func (w *witness) GenerateStream(ctx context.Context, pattern string, mc transformers.ModelContext) (realtime.Stream, error) {
	w.mu.Lock()
	w.heard = append(w.heard, mc)
	answer := scriptedGenerator(w.answer)
	w.mu.Unlock()
	return answer.GenerateStream(ctx, pattern, mc)
}

// F46: a device that takes nothing while an endless reply waits for it costs a bounded
// amount of memory until the write limit cuts it off, and the replies of the others
// come packet by packet at the very times at which they come without it.
func TestStalledPeer(t *testing.T) {
	question := recording(t, "what time is it")
	const answer = "Alpha bravo charlie delta echo foxtrot. "
	gaps, heap := make(map[bool][]time.Duration), make(map[bool]int64)
	for _, stalled := range []bool{false, true} {
		engines, err := scripted("what time is it", strings.Repeat(answer, 20_000), counted) // 9 hours
		if err != nil {
			t.Fatal(err)
		}
		converseWith(t, engines, func(t *testing.T, h *house) {
			others := make([]*edgetest.Device, 3)
			for i := range others {
				others[i] = h.dial(func(cfg *edgetest.Config) {
					cfg.Device, cfg.Up, cfg.Down, cfg.Forget = fmt.Sprint("d", i), pcm60, pcm60, true
				})
			}
			var p *stranger
			if stalled {
				p = h.stranger()
				p.greet("")
				p.say(`{"type":"listen","state":"start","mode":"manual"}`)
				for i, frame := range framesOf(t, question) {
					if err := p.conn.Write(context.Background(), websocket.MessageBinary, frame); err != nil {
						t.Fatalf("frame %d: %v", i, err)
					}
				}
				p.say(`{"type":"listen","state":"stop"}`)
			}
			var asking sync.WaitGroup
			patience, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			for _, d := range others {
				asking.Go(func() { _, _ = d.Ask(patience, edgetest.Question{PCM: question}) }) // it never ends
			}
			time.Sleep(9 * time.Second) // shortly before the write limit
			heap[stalled] = heapNow()
			asking.Wait()
			cancel()
			for _, d := range others {
				gaps[stalled] = append(gaps[stalled], d.Gaps()...)
				d.Drop()
			}
			if stalled {
				p.close()
				cut := false
				for _, rec := range h.log.events(t) {
					if e, ok := rec.Event.(log.SessionDetach); ok && strings.Contains(e.Reason, "took nothing for 10s") {
						cut = true
					}
				}
				if !cut {
					t.Errorf("nothing in the log says that the device was cut off:\n%.2000s", h.log.String())
				}
			}
		})
	}
	// A reply may hold its text, a second of sound and a few sentences.
	if grown := heap[true] - heap[false]; grown > 4<<20 {
		t.Errorf("the heap is larger by %d KiB with a device that stands still for 9 s, want 4 MiB at most", grown>>10)
	} else {
		t.Logf("the heap is larger by %d KiB with a device that stands still for 9 s", grown>>10)
	}
	if len(gaps[false]) < 800 || !slices.Equal(gaps[false], gaps[true]) {
		t.Errorf("%d and %d packets came to the others; without and with a stalled device they come at different times", len(gaps[false]), len(gaps[true]))
	}
	t.Logf("%d packets, p99 of the time between two: %v without, %v with a stalled device", len(gaps[true]),
		edgetest.Percentile(gaps[false], 0.99), edgetest.Percentile(gaps[true], 0.99))
}

func heapNow() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// framesOf encodes 16 kHz samples as the frames of one listening period, 60 ms each.
func framesOf(t *testing.T, samples []int16) (frames [][]byte) {
	t.Helper()
	i := 0
	for part := range slices.Chunk(samples, 960) {
		b, err := wire.AppendFrame(nil, wire.Frame{Type: wire.TypeAudio, Seq: uint32(i), Timestamp: uint32(i * 960), Payload: pcm.Append(nil, part)})
		if err != nil {
			t.Fatal(err)
		}
		frames = append(frames, b)
		i++
	}
	return frames
}
