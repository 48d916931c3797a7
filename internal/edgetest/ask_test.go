package edgetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"edged/audio"
	"edged/firmware-protocol/wire"
)

// requireAcks checks the rhythm of played in a turn of so many samples.
func requireAcks(t *testing.T, d *Device, turn, samples uint32) {
	t.Helper()
	var begin, last time.Time
	var acked []uint32
	for _, e := range d.Events() {
		switch m := e.Message.(type) {
		case wire.ReplyBegin:
			if m.Turn == turn {
				begin, last = e.At, e.At
			}
		case wire.Played:
			if m.Turn != turn {
				continue
			}
			if gap := e.At.Sub(last); gap > 100*ms {
				t.Errorf("%v without an acknowledgement at %v of the reply, at most 100ms", gap, e.At.Sub(begin))
			}
			if want := uint32(audio.Rate16k.Samples(e.At.Sub(begin))); m.Samples != want {
				t.Errorf("acknowledged %d samples after %v, want %d", m.Samples, e.At.Sub(begin), want)
			}
			last = e.At
			acked = append(acked, m.Samples)
		}
	}
	if len(acked) == 0 || acked[len(acked)-1] != samples {
		t.Errorf("acknowledged %v, want %d at the end", acked, samples)
	}
}

// Every packet of the microphone leaves at its own deadline: the sum of all
// delays stays 0.
func TestMicrophoneKeepsTime(t *testing.T) {
	for _, frame := range []uint32{20, 40, 60} {
		t.Run(fmt.Sprint(frame, "ms"), func(t *testing.T) {
			var began time.Time
			var arrivals []time.Duration
			script := func(ctx context.Context, p *Peer) {
				for {
					in, ok := p.Next(ctx)
					if !ok {
						return
					}
					switch m := in.Message.(type) {
					case nil:
						arrivals = append(arrivals, in.At.Sub(began))
					case wire.Listen:
						if m.State == wire.ListenStart {
							began = in.At
							continue
						}
						for _, m := range []wire.Message{wire.Transcript{Turn: 1, Text: "x", Final: true}, wire.ReplyBegin{Turn: 1}, wire.ReplyEnd{Turn: 1}} {
							if err := p.Say(ctx, m); err != nil {
								t.Errorf("Say: %v", err)
							}
						}
					case wire.Bye:
						return
					}
				}
			}
			up := wire.Format{Codec: wire.CodecOpus, SampleRate: 16000, Channels: 1, FrameMS: frame}
			withDevice(t, Config{Up: up, Mode: wire.ModeManual}, script, func(ctx context.Context, d *Device, s *Server) {
				if _, err := d.Ask(ctx, Question{PCM: tone(audio.Rate16k, 10*time.Second)}); err != nil {
					t.Fatalf("Ask: %v", err)
				}
			})
			ptime := time.Duration(frame) * ms
			if want := int((10*time.Second + ptime - 1) / ptime); len(arrivals) != want {
				t.Fatalf("%d packets of %v for 10 s, want %d", len(arrivals), ptime, want)
			}
			for k, at := range arrivals {
				if want := time.Duration(k+1) * ptime; at != want {
					t.Fatalf("packet %d came at %v, want %v", k, at, want)
				}
			}
		})
	}
}

// Manual mode: the button ends the utterance, pauses do not, and the last packet
// carries EOS (the strict server checks the frames).
func TestAskManual(t *testing.T) {
	lines := Converse(Line{Transcript: "one two", Pieces: []Sound{{"Three.", tone(audio.Rate16k, 300*ms)}}})
	cfg := pcmConfig()
	cfg.Mode = wire.ModeManual
	question := slices.Concat(tone(audio.Rate16k, 500*ms), make([]int16, 16000), tone(audio.Rate16k, 510*ms))
	withDevice(t, cfg, lines, func(ctx context.Context, d *Device, s *Server) {
		a, err := d.Ask(ctx, Question{PCM: question})
		if err != nil || a.Transcript != "one two" || a.Heard != "Three." {
			t.Fatalf("Ask = %v, %v", a, err)
		}
		if got, want := d.Stats().Sent, uint64(101); got != want {
			t.Errorf("%d packets for 2.01 s, want %d", got, want)
		}
	})
}

// The button in the middle of a reply: playback stops where the counter says,
// the text is cut there, nothing stale arrives, and the next question works.
func TestAbortDuringReply(t *testing.T) {
	sound := tone(audio.Rate16k, 2*time.Second)
	lines := Converse(
		Line{Transcript: "tell me a story", Pieces: []Sound{{"Once upon a time. ", sound}, {"The end.", sound}}},
		Line{Transcript: "thanks", Pieces: []Sound{{"Welcome.", sound[:3200]}}},
	)
	withDevice(t, pcmConfig(), lines, func(ctx context.Context, d *Device, s *Server) {
		a, err := d.Ask(ctx, Question{PCM: tone(audio.Rate16k, 500*ms), AbortAfter: 1050 * ms})
		if err != nil {
			t.Fatalf("Ask: %v", err)
		}
		if !a.Interrupted || a.Cause != wire.CauseAbort || a.Played != 1050*ms || len(a.PCM) != 16800 {
			t.Errorf("interrupted %v by %q after %v (%d samples kept), want by abort after exactly 1.05s", a.Interrupted, a.Cause, a.Played, len(a.PCM))
		}
		// The second piece had not come yet, so the end of the first was not known:
		// 15 characters a second, 15.75 in all.
		if a.Heard != "Once upon a" || a.Reply != "Once upon a time. " || !a.Answered() {
			t.Errorf("heard %q of %q, want Once upon a", a.Heard, a.Reply)
		}
		if stats := d.Stats(); stats.Stale != 0 || stats.Lost != 0 {
			t.Errorf("%d stale and %d lost packets, want none", stats.Stale, stats.Lost)
		}
		events := d.Events()
		if i := slices.IndexFunc(events, func(e Event) bool { return e.Message.Kind() == wire.KindAbort }); events[i-1].Message != (wire.Played{Turn: 1, Samples: 16800}) {
			t.Errorf("the abort follows %v, want where the speaker is", events[i-1].Message)
		}
		if last := lastPlayed(d, 1); last != 16800 {
			t.Errorf("last acknowledgement %d, want 16800: where the speaker stopped", last)
		}
		b, err := d.Ask(ctx, Question{PCM: tone(audio.Rate16k, 500*ms)})
		if err != nil || b.Turn != 2 || b.Transcript != "thanks" || b.Heard != "Welcome." {
			t.Errorf("the next question: %v, %v", b, err)
		}
		if turns := d.Turns(); len(turns) != 2 || turns[0].Heard != "Once upon a" || turns[1].Heard != "Welcome." {
			t.Errorf("turns %v", turns)
		}
	})
}

func lastPlayed(d *Device, turn uint32) (samples uint32) {
	for _, e := range d.Events() {
		if m, ok := e.Message.(wire.Played); ok && m.Turn == turn {
			samples = m.Samples
		}
	}
	return samples
}

// When the reply is over before the button is pressed, nothing is interrupted.
func TestAbortTooLate(t *testing.T) {
	lines := Converse(Line{Transcript: "hi", Pieces: []Sound{{"Hello.", tone(audio.Rate16k, 300*ms)}}})
	withDevice(t, pcmConfig(), lines, func(ctx context.Context, d *Device, s *Server) {
		a, err := d.Ask(ctx, Question{PCM: tone(audio.Rate16k, 500*ms), AbortAfter: time.Second})
		if err != nil || a.Interrupted || a.Heard != "Hello." {
			t.Errorf("Ask = %v, %v", a, err)
		}
	})
}

// F11: the button while the server thinks, and while the user still speaks.
func TestAbortBeforeReply(t *testing.T) {
	lines := Converse(Line{Transcript: "never answered", Think: time.Second, Pieces: []Sound{{"No.", tone(audio.Rate16k, time.Second)}}})
	// Before the server has heard anything, while the user speaks, in thought.
	for _, after := range []time.Duration{10 * ms, 700 * ms, 2700 * ms} {
		t.Run(fmt.Sprint(after), func(t *testing.T) {
			withDevice(t, pcmConfig(), lines, func(ctx context.Context, d *Device, s *Server) {
				pressed := time.AfterFunc(after, func() {
					if err := d.Abort(ctx, 0, "button"); err != nil {
						t.Errorf("Abort: %v", err)
					}
				})
				defer pressed.Stop()
				a, err := d.Ask(ctx, Question{PCM: tone(audio.Rate16k, 2*time.Second)})
				if err != nil || !a.Interrupted || a.Cause != wire.CauseAbort || a.Heard != "" || a.Answered() {
					t.Errorf("Ask = %v, %v; want an interrupted turn without a reply", a, err)
				}
			})
		})
	}
}

// F27: a turn that fails is reported, and the server's apology is waited for.
func TestFailedTurn(t *testing.T) {
	lines := Converse(Line{Fail: wire.CodeASR}, Line{Transcript: "again", Pieces: []Sound{{"Yes.", tone(audio.Rate16k, 200*ms)}}})
	withDevice(t, pcmConfig(), lines, func(ctx context.Context, d *Device, s *Server) {
		began := time.Now()
		a, err := d.Ask(ctx, Question{PCM: tone(audio.Rate16k, 500*ms)})
		if err != nil || a.Answered() || a.Failure == nil || a.Failure.Code != wire.CodeASR || a.Turn != 1 {
			t.Errorf("Ask = %v, %v; want the failure of turn 1", a, err)
		}
		if took := time.Since(began); took != 900*ms+apologyPatience {
			t.Errorf("took %v, want 900ms and 2s of waiting for an apology", took)
		}
		if b, err := d.Ask(ctx, Question{PCM: tone(audio.Rate16k, 500*ms)}); err != nil || b.Heard != "Yes." {
			t.Errorf("the next question: %v, %v", b, err)
		}
		if f := d.Failures(); len(f) != 1 {
			t.Errorf("failures %v, want one", f)
		}
	})
}

// A server that says nothing is given up, with an abort.
func TestNoAnswer(t *testing.T) {
	aborted := false
	script := func(ctx context.Context, p *Peer) {
		for {
			in, ok := p.Next(ctx)
			if !ok {
				return
			}
			switch in.Message.(type) {
			case wire.Abort:
				aborted = true
				if err := p.Say(ctx, wire.Flush{Cause: wire.CauseAbort}); err != nil {
					t.Errorf("Say: %v", err)
				}
			case wire.Bye:
				return
			}
		}
	}
	cfg := pcmConfig()
	cfg.Patience = 3 * time.Second
	withDevice(t, cfg, script, func(ctx context.Context, d *Device, s *Server) {
		began := time.Now()
		a, err := d.Ask(ctx, Question{PCM: tone(audio.Rate16k, time.Second)})
		if !errors.Is(err, ErrNoAnswer) || a.Answered() {
			t.Errorf("Ask = %v, %v; want ErrNoAnswer", a, err)
		}
		if took := time.Since(began); took != 4*time.Second {
			t.Errorf("gave up after %v, want 4s", took)
		}
	})
	if !aborted {
		t.Error("the server was not told")
	}
}

// A server that speaks over the question is let finish; then the question is
// asked again.
func TestSpokenOver(t *testing.T) {
	listens := 0
	script := func(ctx context.Context, p *Peer) {
		speak := func(turn uint32, text string) {
			for _, m := range []wire.Message{wire.ReplyBegin{Turn: turn}, wire.ReplyText{Turn: turn, Text: text}} {
				if err := p.Say(ctx, m); err != nil {
					t.Errorf("Say: %v", err)
				}
			}
			if err := p.Frame(ctx, wire.Frame{Flags: wire.FlagBOS | wire.FlagEOS}, tone(audio.Rate16k, 20*ms)); err != nil {
				t.Errorf("Frame: %v", err)
			}
			if err := p.Say(ctx, wire.ReplyEnd{Turn: turn, DurationMS: 20}); err != nil {
				t.Errorf("Say: %v", err)
			}
		}
		for {
			in, ok := p.Next(ctx)
			if !ok {
				return
			}
			switch m := in.Message.(type) {
			case nil:
				if in.Frame.Timestamp != 320 {
					continue
				}
				if listens == 1 {
					speak(1, "Your timer is due.")
					continue
				}
				if err := p.Say(ctx, wire.Transcript{Turn: 2, Text: "hello", Final: true}); err != nil {
					t.Errorf("Say: %v", err)
				}
				speak(2, "Hi.")
			case wire.Listen:
				_ = m
				listens++
			case wire.Bye:
				return
			}
		}
	}
	withDevice(t, pcmConfig(), script, func(ctx context.Context, d *Device, s *Server) {
		a, err := d.Ask(ctx, Question{PCM: tone(audio.Rate16k, time.Second)})
		if err != nil || a.Turn != 2 || a.Heard != "Hi." || listens != 2 {
			t.Errorf("Ask = %v, %v after %d attempts; want turn 2 on the second", a, err, listens)
		}
		if turns := d.Turns(); len(turns) != 2 || turns[0].Heard != "Your timer is due." {
			t.Errorf("turns %v, want the notice among them", turns)
		}
	})
}
