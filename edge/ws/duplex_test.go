package ws

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"edged/dialog"
	"edged/edge"
	"edged/firmware-protocol/wire"
	"edged/realtime"
)

// duplexHello is a device that can do everything.
func duplexHello(device string, up, down wire.Format) wire.DeviceHello {
	h := helloOf(device, up, down)
	h.Capabilities = wire.Capabilities{FullDuplex: true, AEC: true, Flush: true, Ack: true, Hold: true}
	return h
}

// beginAt begins a reply at a place in it.
func beginAt(at time.Duration) *realtime.MessageChunk {
	return &realtime.MessageChunk{Ctrl: &realtime.StreamCtrl{BeginOfStream: true, Timestamp: 1 + at.Milliseconds()}}
}

func pcmChunk(d time.Duration) *realtime.MessageChunk {
	return &realtime.MessageChunk{Part: &realtime.Blob{MIMEType: "audio/pcm;rate=16000", Data: make([]byte, 32*d.Milliseconds())}}
}

func endChunk() *realtime.MessageChunk {
	return &realtime.MessageChunk{Ctrl: &realtime.StreamCtrl{EndOfStream: true}}
}

// TestBargeInOnTheWire: one open microphone, a reply that is held while the user
// talks, and either goes on or is flushed for the next one.
func TestBargeInOnTheWire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		legs := make(chan *edge.Leg, 1)
		r := newRig(t, edge.Config{Handler: func(ctx context.Context, leg *edge.Leg) error {
			legs <- leg
			for range leg.Events() {
			}
			return nil
		}}, Config{}, true)
		defer r.stop()
		p := r.connect(duplexHello("lamp", pcm20, pcm60))
		defer p.drop()
		leg := <-legs
		p.send(wire.Listen{State: wire.ListenStart, Mode: wire.ModeRealtime})
		var got []string
		collect := func(until func(any) bool) {
			for {
				m := p.next()
				switch m := m.(type) {
				case wire.Frame:
					got = append(got, fmt.Sprintf("audio@%d", m.Timestamp))
				case wire.Message:
					got = append(got, asJSON(t, m))
				}
				if until(m) {
					return
				}
			}
		}
		play := func(turn dialog.Turn, chunks ...*realtime.MessageChunk) {
			for _, c := range chunks {
				if err := leg.Play(t.Context(), turn, c); err != nil && !errors.Is(err, edge.ErrFlushed) {
					t.Errorf("play turn %d: %v", turn, err)
				}
			}
		}
		play(1, beginAt(0), pcmChunk(300*ms))
		collect(func(m any) bool { f, ok := m.(wire.Frame); return ok && f.Timestamp == 960 })
		if err := leg.Hold(1, 100*ms); err != nil {
			t.Fatal(err)
		}
		collect(func(m any) bool { _, ok := m.(wire.Hold); return ok })
		if err := leg.Release(1); err != nil {
			t.Fatal(err)
		}
		collect(func(m any) bool { _, ok := m.(wire.Release); return ok })
		flushed := make(chan error, 1)
		go func() { _, err := leg.Flush(t.Context(), 1, dialog.CauseSpeech); flushed <- err }()
		collect(func(m any) bool { _, ok := m.(wire.Flush); return ok })
		if err := <-flushed; err != nil {
			t.Fatal(err)
		}
		play(2, beginAt(0), pcmChunk(60*ms), endChunk())
		collect(func(m any) bool { _, ok := m.(wire.ReplyEnd); return ok })
		want := []string{
			`{"type":"reply_begin","turn":1}`, "audio@0", "audio@960", `{"type":"hold","turn":1,"samples":1600}`,
			`{"type":"release","turn":1}`, `{"type":"flush","turn":1,"cause":"speech"}`,
			`{"type":"reply_begin","turn":2}`, "audio@0", `{"type":"reply_end","turn":2,"duration_ms":60}`,
		}
		// More audio of turn 1 may have left between hold, release and flush.
		flush := slices.Index(got, `{"type":"flush","turn":1,"cause":"speech"}`)
		for i := flush; i > 0; i-- {
			if strings.HasPrefix(got[i], "audio@") && got[i] != "audio@0" && got[i] != "audio@960" {
				got = slices.Delete(got, i, i+1)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("arrived\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		// The microphone is still open.
		p.frame(wire.Frame{Payload: tone(t, pcm20)})
		p.alive()
		if n := leg.Stats().Drops[edge.DropOutsideListening]; n != 0 {
			t.Errorf("%d packets fell outside the period", n)
		}
	})
}

// TestRealtimeOnTheWire: a device that did not say full_duplex is told so, and goes
// on in another mode.
func TestRealtimeOnTheWire(t *testing.T) {
	r := newRig(t, edge.Config{Handler: parrot}, Config{}, false)
	defer r.stop()
	p := r.connect(helloOf("lamp", pcm20, pcm60))
	defer p.drop()
	p.send(wire.Listen{State: wire.ListenStart, Mode: wire.ModeRealtime})
	if f, ok := p.next().(wire.Failure); !ok || f.Code != wire.CodeProtocol || f.Fatal || !strings.Contains(f.Message, "full_duplex") {
		t.Errorf("told %+v, want that the capability is missing", f)
	}
	p.say(pcm20, 0, 5)
	if turn, _, _ := p.reply(pcm60); turn != 1 {
		t.Errorf("turn %d, want the first", turn)
	}
}

// TestResumeOnTheWire: who comes back to its own session is told how things stand,
// and gets the rest of the reply, in whatever formats it offers now. Everybody else
// gets a new session and hears nothing about the one that it named.
func TestResumeOnTheWire(t *testing.T) {
	const kept = "kept-session"
	host := func(hello dialog.Hello) (dialog.Resumed, bool) {
		return dialog.Resumed{Turn: 3, Answering: true}, hello.Device == "lamp" && hello.Resume.Session == kept
	}
	goOn := func(ctx context.Context, leg *edge.Leg) error {
		if r := leg.Hello().Resume; r != nil {
			// 48000 samples at the old rate were 2 s, as the old leg would say.
			for _, c := range []*realtime.MessageChunk{beginAt(2 * time.Second), {Part: realtime.Text("rest")}, pcmChunk(120 * ms), endChunk()} {
				if err := leg.Play(ctx, r.Turn, c); err != nil {
					return err
				}
			}
		}
		return waits(ctx, leg)
	}
	r := newRig(t, edge.Config{Handler: goOn, Authenticator: tokens(t), Resume: host}, Config{}, false)
	defer r.stop()
	hello := func(device string, down wire.Format, resume *wire.Resume) wire.DeviceHello {
		h := duplexHello(device, pcm20, down)
		h.Resume = resume
		return h
	}
	greet := func(t *testing.T, token string, h wire.DeviceHello) (*peer, wire.ServerHello) {
		p, _, err := r.dial("", "Authorization: Bearer "+token)
		if err != nil {
			t.Fatal(err)
		}
		p.t = t
		p.send(h)
		answer, ok := p.next().(wire.ServerHello)
		if !ok {
			t.Fatal("the first answer is no hello")
		}
		return p, answer
	}
	for _, down := range []wire.Format{pcm60, wireFormat(wire.CodecPCM, 24000, 20), wireFormat(wire.CodecOpus, 48000, 40)} {
		t.Run(fmt.Sprint(down), func(t *testing.T) {
			p, answer := greet(t, lampToken, hello("lamp", down, &wire.Resume{Session: kept, Turn: 3, Samples: 48000}))
			defer p.drop()
			if answer.Session != kept || answer.Resumed == nil || *answer.Resumed != (wire.Resumed{Turn: 3, Answering: true}) || answer.Audio.Down != down {
				t.Fatalf("answered %+v, resumed %+v; want that it goes on", answer, answer.Resumed)
			}
			if m := p.next(); m != (wire.ReplyBegin{Turn: 3, Resumed: true}) {
				t.Errorf("then came %+v, want the rest of turn 3", m)
			}
			if m := p.next(); m != (wire.ReplyText{Turn: 3, Text: "rest", AtMS: 2000}) {
				t.Errorf("then came %+v, want its text at 2000 ms", m)
			}
			if f, ok := p.next().(wire.Frame); !ok || !f.Flags.Has(wire.FlagBOS) || f.Timestamp != 2*down.SampleRate {
				t.Errorf("then came %+v, want audio from sample %d on", f, 2*down.SampleRate)
			}
			for {
				if e, ok := p.next().(wire.ReplyEnd); ok {
					if e.DurationMS != 2120 {
						t.Errorf("the reply has %d ms, want 2120 with what came before", e.DurationMS)
					}
					break
				}
			}
		})
	}
	var answers []string
	for name, ask := range map[string]struct {
		token, device string
		resume        *wire.Resume
	}{
		"an unknown session":              {lampToken, "lamp", &wire.Resume{Session: "never-was", Turn: 3}},
		"the session of another device":   {toyToken, "toy", &wire.Resume{Session: kept, Turn: 3}},
		"a session that is no identifier": {toyToken, "toy", &wire.Resume{Session: `x"},{"y`}},
		"nothing to go on with, no wish":  {lampToken, "lamp", nil},
		"the other's session, no counter": {toyToken, "toy", &wire.Resume{Session: kept}},
	} {
		t.Run(name, func(t *testing.T) {
			p, answer := greet(t, ask.token, hello(ask.device, pcm60, ask.resume))
			defer p.drop()
			if answer.Resumed != nil || ask.resume != nil && answer.Session == ask.resume.Session {
				t.Errorf("answered %+v, want a new session", answer)
			}
			p.alive() // no error, nothing of a reply
			answer.Session, answer.Device = fmt.Sprint(len(answer.Session), " bytes"), ""
			answers = append(answers, fmt.Sprintf("%+v", answer))
		})
	}
	slices.Sort(answers)
	if same := slices.Compact(answers); len(same) != 1 {
		t.Errorf("refusals can be told apart: %s", strings.Join(same, "\n"))
	}
}

// TestReturnBeforeTheLossIsNoticed: the old connection is told that it was replaced.
func TestReturnBeforeTheLossIsNoticed(t *testing.T) {
	sessions := make(chan string, 2)
	r := newRig(t, edge.Config{
		Handler: func(ctx context.Context, leg *edge.Leg) error {
			sessions <- leg.Hello().Session
			return waits(ctx, leg)
		},
		Authenticator: tokens(t),
		Resume:        func(dialog.Hello) (dialog.Resumed, bool) { return dialog.Resumed{}, true },
	}, Config{}, false)
	defer r.stop()
	old := r.connect(duplexHello("lamp", pcm20, pcm60), "Authorization: Bearer "+lampToken)
	defer old.drop()
	first := <-sessions
	again := duplexHello("lamp", pcm20, pcm60)
	again.Resume = &wire.Resume{Session: first}
	p := r.connect(again, "Authorization: Bearer "+lampToken)
	defer p.drop()
	if second := <-sessions; second != first {
		t.Errorf("session %q, want %q", second, first)
	}
	if status, failure := old.closed(); int(status) != wire.CloseReplaced || failure == nil || failure.Code != wire.CodeReplaced {
		t.Errorf("the old connection was closed with %d, %+v", status, failure)
	}
	p.alive()
}
