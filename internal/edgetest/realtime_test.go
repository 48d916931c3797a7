package edgetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"edged/audio"
	"edged/audio/pcm"
	"edged/firmware-protocol/wire"
	"edged/internal/edgetest/impair"
)

func realtimeConfig(hold bool) Config {
	cfg := pcmConfig()
	cfg.Mode = wire.ModeRealtime
	cfg.Capabilities = &wire.Capabilities{FullDuplex: true, AEC: true, Flush: true, Ack: true, Hold: hold}
	return cfg
}

// counting is sound whose n-th sample has the value n, from 1: loud enough to be
// told apart from silence, and each sample tells where it belongs.
func counting(d time.Duration) []int16 {
	samples := make([]int16, audio.Rate16k.Samples(d))
	for i := range samples {
		samples[i] = int16(i%30_000 + 1)
	}
	return samples
}

// F10: the user talks over a reply on an open microphone. Everything is measured
// from the onset of the speech: the hold after one packet, the flush after the 200
// ms that the fake server wants, and the speaker silent at the hold, or at the
// flush where the device cannot hold.
func TestTalkOver(t *testing.T) {
	reply := counting(1800 * ms)
	for _, hold := range []bool{false, true} {
		t.Run(fmt.Sprint("hold=", hold), func(t *testing.T) {
			lines := Converse(
				Line{Transcript: "a story", Pieces: []Sound{{"Once upon a time. ", reply[:16000]}, {"The end.", reply[16000:]}}},
				Line{Transcript: "thanks", Pieces: []Sound{{"Welcome.", reply[:3200]}}},
			)
			withDevice(t, realtimeConfig(hold), lines, func(ctx context.Context, d *Device, s *Server) {
				over := slices.Concat(make([]int16, 800), tone(audio.Rate16k, 500*ms)) // 50 ms of silence first
				answers, err := d.Talk(ctx, []Question{
					{PCM: tone(audio.Rate16k, 500*ms)},
					{PCM: over, BargeInAfter: 600 * ms, Onset: 800},
				})
				if err != nil || len(answers) != 2 {
					t.Fatalf("Talk = %v, %v", answers, err)
				}
				a := answers[0]
				// The packet with the onset goes on to 60 ms behind the beginning of the
				// question; the speech in it began 10 ms earlier. The one that makes it
				// 200 ms is the tenth.
				if want := 190 * ms; a.Seen.BargeIn != want || a.Cause != wire.CauseSpeech {
					t.Errorf("flushed by %q %v after the onset, want by speech after %v", a.Cause, a.Seen.BargeIn, want)
				}
				wantHeld, wantSilent, holds := time.Duration(-1), 190*ms, 0
				if hold {
					wantHeld, wantSilent, holds = 10*ms, 10*ms, 1
				}
				if a.Seen.Held != wantHeld || a.Seen.Silent != wantSilent || a.Holds != holds {
					t.Errorf("held %v and silent %v after the onset (%d holds), want %v and %v", a.Seen.Held, a.Seen.Silent, a.Holds, wantHeld, wantSilent)
				}
				if a.Played != a.Overlap.Played+wantSilent || a.Overlap.Sample == 0 || !slices.Equal(a.PCM, reply[:len(a.PCM)]) {
					t.Errorf("played %v with the onset at %+v", a.Played, a.Overlap)
				}
				if a.Heard+a.Unheard == "" || a.Heard == "" || a.Unheard == "" {
					t.Errorf("heard %q, unheard %q of %q", a.Heard, a.Unheard, a.Reply)
				}
				if b := answers[1]; b.Transcript != "thanks" || b.Heard != "Welcome." || b.Interrupted {
					t.Errorf("the question over it: %v", b)
				}
			})
		})
	}
}

// F16: a short sound holds the reply and lets it go on: no sample is lost or
// doubled.
func TestShortSoundReleases(t *testing.T) {
	reply := counting(1500 * ms)
	lines := Converse(Line{Transcript: "a story", Pieces: []Sound{{"Once upon a time.", reply}}})
	withDevice(t, realtimeConfig(true), lines, func(ctx context.Context, d *Device, s *Server) {
		m, err := d.OpenMicrophone(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, sound := range [][]int16{tone(audio.Rate16k, 500*ms), make([]int16, 16000), tone(audio.Rate16k, 100*ms)} {
			if _, _, err := m.Say(ctx, sound); err != nil {
				t.Fatal(err)
			}
		}
		a, err := d.Await(ctx, 1)
		if err != nil || a.Interrupted || a.Holds != 1 || a.Starved != 0 {
			t.Errorf("Await = %v, %v with %d holds, %d starvations", a, err, a.Holds, a.Starved)
		}
		if !slices.Equal(a.PCM, reply) {
			t.Errorf("played %d samples that differ from the %d of the reply", len(a.PCM), len(reply))
		}
		if err := m.Close(ctx); err != nil {
			t.Error(err)
		}
	})
}

// The wake word stops a reply.
func TestWake(t *testing.T) {
	lines := Converse(Line{Transcript: "a story", Pieces: []Sound{{"Once upon a time.", counting(1500 * ms)}}})
	withDevice(t, pcmConfig(), lines, func(ctx context.Context, d *Device, s *Server) {
		word := time.AfterFunc(1500*ms, func() {
			if err := d.Send(ctx, wire.Wake{Phrase: "hello lamp", AudioMS: 500}); err != nil {
				t.Errorf("Send: %v", err)
			}
		})
		defer word.Stop()
		a, err := d.Ask(ctx, Question{PCM: tone(audio.Rate16k, 500*ms)})
		if err != nil || !a.Interrupted || a.Cause != wire.CauseWake || a.Played != 600*ms {
			t.Errorf("Ask = %v, %v; want it stopped by the wake word after 600ms", a, err)
		}
	})
}

// The connection is cut before and behind every message of a conversation, in
// either direction: the caller comes back each time, and what left the speaker is
// the reply, once.
func TestComesBack(t *testing.T) {
	reply := counting(600 * ms)
	pieces := []Sound{{"Alpha bravo. ", reply[:4800]}, {"Charlie.", reply[4800:]}}
	cuts := 0
	for _, from := range []wire.Direction{wire.FromDevice, wire.FromServer} {
		for at, step := 2, 1; ; at += step { // the hellos are another story
			cut := Cut{From: from, At: at, Before: at%2 == 0}
			came, question := false, tone(audio.Rate16k, 300*ms)
			synctest.Test(t, func(t *testing.T) {
				// A question that was not understood in time is asked again.
				line := Line{Transcript: "go", Pieces: pieces}
				s := &Server{Script: Converse(line, line)}
				s.Resume = func(h wire.DeviceHello) *wire.Resumed {
					return &wire.Resumed{Turn: 1, Answering: h.Resume.Turn > 0 && h.Resume.Samples < uint32(len(reply))}
				}
				cfg := serve(t, s, pcmConfig())
				cfg.Comebacks, cfg.Cut = 3, cut
				c, err := Call(t.Context(), cfg)
				if err != nil {
					t.Fatalf("cut %+v: Call: %v", cut, err)
				}
				a, err := c.Ask(t.Context(), Question{PCM: question})
				if err != nil {
					t.Fatalf("cut %+v: Ask = %v, %v", cut, a, err)
				}
				if err := c.Close(t.Context()); err != nil && !errors.Is(err, ErrClosed) {
					t.Errorf("cut %+v: Close: %v", cut, err)
				}
				came = len(c.Comebacks()) > 0
				if last := c.Turns()[len(c.Turns())-1]; !slices.Equal(last.PCM, reply) {
					t.Errorf("cut %+v: %d samples left the speaker, want the %d of the reply", cut, len(last.PCM), len(reply))
				}
				for _, fault := range s.Faults() {
					t.Errorf("cut %+v: the device breaks the protocol: %v", cut, fault)
				}
			})
			if !came {
				break // the conversation has no more messages
			}
			cuts++
		}
	}
	if cuts < 50 {
		t.Errorf("%d cuts, the conversation has more messages", cuts)
	}
}

// A connection that is lost while the device has no leave to come back is an
// error, and Cut tells it as one.
func TestCut(t *testing.T) {
	withDevice(t, pcmConfig(), Converse(Line{Transcript: "x", Pieces: []Sound{{"y", counting(time.Second)}}}), func(ctx context.Context, d *Device, s *Server) {
		cut := time.AfterFunc(time.Second, d.Cut)
		defer cut.Stop()
		var lost *ServerError
		if _, err := d.Ask(ctx, Question{PCM: tone(audio.Rate16k, 400*ms)}); !errors.Is(err, ErrClosed) || !errors.As(d.Err(), &lost) || lost.CloseCode != -1 {
			t.Errorf("Ask: %v, Err: %v; want a lost connection", err, d.Err())
		}
	})
}

// A bad network both ways: packets are missing and late, the device conceals,
// keeps the reply's length, and every counter adds up.
func TestBadNetwork(t *testing.T) {
	for _, network := range []impair.Network{
		{Loss: 0.1, Seed: 1}, {Loss: 0.2, Burst: 3, Seed: 2}, {Jitter: 80 * ms, Seed: 3}, {Reorder: 0.2, Seed: 4}, {Duplicate: 0.2, Seed: 5},
		{Loss: 0.05, Jitter: 30 * ms, Reorder: 0.1, Duplicate: 0.1, Seed: 6},
	} {
		t.Run(fmt.Sprintf("%+v", network), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				reply := counting(1800 * ms)
				s := &Server{Lossy: true, Script: Converse(Line{Transcript: "go", Pieces: []Sound{{"A long reply.", reply}}})}
				cfg := serve(t, s, pcmConfig())
				cfg.Network = network
				d, err := Dial(t.Context(), cfg)
				if err != nil {
					t.Fatal(err)
				}
				a, err := d.Ask(t.Context(), Question{PCM: tone(audio.Rate16k, time.Second)})
				if err != nil || a.Heard != "A long reply." || a.Played != 1800*ms {
					t.Errorf("Ask = %v, %v", a, err)
				}
				if err := d.Close(t.Context()); err != nil {
					t.Errorf("Close: %v", err)
				}
				stats := d.Stats()
				if stats.Lost != stats.Down.Lost || stats.Concealed != stats.Lost || stats.Late != stats.Down.Duplicated {
					t.Errorf("device: lost %d, concealed %d, late %d; network: %+v", stats.Lost, stats.Concealed, stats.Late, stats.Down)
				}
				if network.Loss > 0 && stats.Down.Lost == 0 || network.Jitter > 0 && stats.Up.Delayed == 0 || network.Reorder > 0 && stats.Down.Reordered == 0 {
					t.Errorf("nothing happened: %+v and %+v", stats.Up, stats.Down)
				}
				if network.Loss == 0 && stats.Starved == 0 && !slices.Equal(a.PCM, reply) {
					t.Error("nothing was lost, and what was played is not the reply")
				}
				for _, fault := range append(s.Faults(), d.Faults()...) {
					t.Errorf("fault: %v", fault)
				}
			})
		})
	}
}

// A clock that is 200 ppm off captures and plays 10 minutes that much faster or
// slower, to the nanosecond.
func TestSkew(t *testing.T) {
	for _, clock := range []impair.Clock{200, -200} {
		s := newSpeaker(time.Hour)
		s.clock = clock
		reply, t0 := &turn{number: 1}, time.Unix(0, 0)
		for i := range 30_000 {
			s.push(t0, reply, uint32(i*320), nil, 320)
		}
		reply.closed = true
		for at := time.Duration(0); !reply.done; at += 100 * ms {
			s.advance(t0.Add(at))
		}
		want := clock.Real(10 * time.Minute)
		if got := reply.doneAt.Sub(t0); got < want || got > want+30_000 {
			t.Errorf("at %d ppm 10 minutes take %v, want %v", clock, got, want)
		}
	}
	cfg := pcmConfig()
	cfg.Mode, cfg.Clock = wire.ModeManual, 10_000
	lines := Converse(Line{Transcript: "go", Pieces: []Sound{{"Yes.", counting(1010 * ms)}}})
	withDevice(t, cfg, lines, func(ctx context.Context, d *Device, s *Server) {
		began := time.Now()
		a, err := d.Ask(ctx, Question{PCM: tone(audio.Rate16k, 2020*ms)})
		if err != nil {
			t.Fatalf("Ask: %v", err)
		}
		// 2.02 s captured and 1.02 s (whole packets) played, 1% faster.
		want := impair.Clock(10_000).Real(2020*ms) + impair.Clock(10_000).Real(1020*ms)
		if took := time.Since(began); took < want || took > want+ms || a.Starved != 0 {
			t.Errorf("the turn took %v, want %v; starved %d times", took, want, a.Starved)
		}
	})
}

// The microphone hears the reply 100 ms later and 20 dB weaker; and Monitor writes
// what the speaker plays.
func TestEchoAndMonitor(t *testing.T) {
	var heard []int16
	listen := func(ctx context.Context, p *Peer) {
		for {
			in, ok := p.Next(ctx)
			if !ok {
				return
			}
			switch m := in.Message.(type) {
			case nil:
				heard = append(heard, in.PCM...)
			case wire.Listen:
				if m.State != wire.ListenStart {
					continue
				}
				if err := p.Say(ctx, wire.ReplyBegin{Turn: 1}); err != nil {
					t.Errorf("Say: %v", err)
				}
				for i, packet := 0, tone(audio.Rate16k, 20*ms); i < 10; i++ {
					f := wire.Frame{Timestamp: uint32(320 * i)}
					if i == 0 {
						f.Flags = wire.FlagBOS
					}
					if err := p.Frame(ctx, f, packet); err != nil {
						t.Errorf("Frame: %v", err)
					}
				}
				if err := p.Say(ctx, wire.ReplyEnd{Turn: 1, DurationMS: 200}); err != nil {
					t.Errorf("Say: %v", err)
				}
			case wire.Bye:
				return
			}
		}
	}
	cfg := realtimeConfig(false)
	cfg.Echo, cfg.Monitor = &impair.Echo{Level: -20, Delay: 100 * ms}, true
	withDevice(t, cfg, listen, func(ctx context.Context, d *Device, s *Server) {
		var monitor samplesWriter
		listening, stop := context.WithCancel(ctx)
		done := make(chan error)
		go func() { done <- d.Monitor(listening, &monitor) }()
		m, err := d.OpenMicrophone(ctx)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(500 * ms)
		if err := m.Close(ctx); err != nil {
			t.Error(err)
		}
		stop()
		if err := <-done; err != nil {
			t.Errorf("Monitor: %v", err)
		}
		if a := d.Turns()[0]; pcm.RMS(monitor.samples) == 0 || !containsRun(monitor.samples, a.PCM) {
			t.Error("the monitor did not hear the reply")
		}
		if d.Stats().Echoed != 3200 {
			t.Errorf("%d samples of echo, want the 3200 of the reply", d.Stats().Echoed)
		}
	})
	onset := slices.IndexFunc(heard, func(s int16) bool { return s != 0 })
	reply := pcm.RMS(tone(audio.Rate16k, 200*ms))
	if onset < 1600 || onset > 1610 || len(heard) < onset+3200 {
		t.Fatalf("the echo begins at sample %d, want 1600", onset)
	}
	if got := pcm.RMS(heard[1600:4800]) / reply; got < 0.099 || got > 0.101 {
		t.Errorf("the echo has %.4f of the level, want 0.1", got)
	}
}

type samplesWriter struct{ samples []int16 }

func (w *samplesWriter) Write(b []byte) (int, error) {
	samples := make([]int16, len(b)/pcm.SampleBytes)
	pcm.Decode(samples, b)
	w.samples = append(w.samples, samples...)
	return len(b), nil
}

func containsRun(all, run []int16) bool {
	for i := range all {
		if len(all)-i >= len(run) && slices.Equal(all[i:i+len(run)], run) {
			return true
		}
	}
	return false
}

func TestHeardWords(t *testing.T) {
	words := []Word{{"one", 0, 300 * ms}, {"two", 350 * ms, 600 * ms}, {"three", 600 * ms, time.Second}}
	for _, tc := range []struct {
		played time.Duration
		heard  int
	}{{0, 0}, {299 * ms, 0}, {300 * ms, 1}, {599 * ms, 1}, {time.Second, 3}, {time.Hour, 3}} {
		heard, unheard := HeardWords(words, tc.played)
		if len(heard) != tc.heard || len(heard)+len(unheard) != 3 {
			t.Errorf("after %v %d words were heard and %d not, want %d", tc.played, len(heard), len(unheard), tc.heard)
		}
	}
}
