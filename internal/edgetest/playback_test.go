package edgetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"edged/audio"
	"edged/firmware-protocol/wire"
)

// Stale is whatever still comes of a turn after its flush.
func TestStaleIsCounted(t *testing.T) {
	packet := tone(audio.Rate16k, 20*ms)
	script := func(ctx context.Context, p *Peer) {
		say := func(m wire.Message) {
			if err := p.Say(ctx, m); err != nil {
				t.Errorf("Say: %v", err)
			}
		}
		frame := func(flags wire.Flags, at uint32) {
			if err := p.Frame(ctx, wire.Frame{Flags: flags, Timestamp: at}, packet); err != nil {
				t.Errorf("Frame: %v", err)
			}
		}
		frame(0, 0) // before any reply
		say(wire.ReplyBegin{Turn: 3})
		frame(0, 0) // before BOS
		frame(wire.FlagBOS, 0)
		say(wire.Flush{Turn: 3, Cause: wire.CauseAbort})
		frame(0, 320)
		say(wire.ReplyText{Turn: 3, Text: "late", AtMS: 0})
		say(wire.ReplyBegin{Turn: 2})
		frame(wire.FlagBOS, 0)
		say(wire.ReplyEnd{Turn: 3})
		say(wire.ReplyBegin{Turn: 4})
		say(wire.ReplyText{Turn: 4, Text: "right", AtMS: 0})
		p.Skip(2)
		frame(wire.FlagBOS|wire.FlagEOS, 0)
		say(wire.ReplyEnd{Turn: 4, DurationMS: 20})
		for {
			if in, ok := p.Next(ctx); !ok || in.Message == (wire.Bye{Reason: "done"}) {
				return
			}
		}
	}
	withDevice(t, pcmConfig(), script, func(ctx context.Context, d *Device, s *Server) {
		a, err := d.NextReply(ctx, 3)
		if err != nil || a.Turn != 4 || a.Heard != "right" || a.Played != 20*ms {
			t.Fatalf("NextReply = %v, %v; want turn 4 whole", a, err)
		}
		stats := d.Stats()
		if stats.Stale != 7 {
			t.Errorf("%d stale, want 7: a packet without a reply, one before BOS, and five things of flushed turns", stats.Stale)
		}
		if stats.Lost != 2 || stats.Received != 6 {
			t.Errorf("lost %d of %d, want 2 holes in the sequence of 6", stats.Lost, stats.Received)
		}
	})
}

// F02, F04: a server that does not pace overruns a small queue; the device drops
// and counts, and its counter still tells the media position.
func TestQueueOverflow(t *testing.T) {
	script := func(ctx context.Context, p *Peer) {
		if err := p.Say(ctx, wire.ReplyBegin{Turn: 1}); err != nil {
			t.Errorf("Say: %v", err)
		}
		for i := range 50 {
			f := wire.Frame{Timestamp: uint32(i * 320)}
			if i == 0 {
				f.Flags = wire.FlagBOS
			}
			if err := p.Frame(ctx, f, tone(audio.Rate16k, 20*ms)); err != nil {
				t.Errorf("Frame: %v", err)
			}
		}
		if err := p.Say(ctx, wire.ReplyEnd{Turn: 1, DurationMS: 1000}); err != nil {
			t.Errorf("Say: %v", err)
		}
		for ok := true; ok; {
			var in Inbound
			in, ok = p.Next(ctx)
			_, bye := in.Message.(wire.Bye)
			ok = ok && !bye
		}
	}
	cfg := pcmConfig()
	cfg.Buffer = 300 * ms
	withDevice(t, cfg, script, func(ctx context.Context, d *Device, s *Server) {
		a, err := d.NextReply(ctx, 0)
		if err != nil || a.Overflowed != 35 || len(a.PCM) != 15*320 {
			t.Errorf("overflowed %d, played %d samples (%v); want 35 of 50 packets dropped", a.Overflowed, len(a.PCM), err)
		}
		if d.Stats().Overflowed != 35 {
			t.Errorf("stats count %d, want 35", d.Stats().Overflowed)
		}
	})
}

// F03: a stalled server is heard as silence, counted, and no media is lost.
func TestStarvation(t *testing.T) {
	sound := tone(audio.Rate16k, 400*ms)
	script := func(ctx context.Context, p *Peer) {
		if err := p.Say(ctx, wire.ReplyBegin{Turn: 1}); err != nil {
			t.Errorf("Say: %v", err)
		}
		for i := range 20 {
			if i == 10 {
				time.Sleep(700 * ms) // virtual: 500 ms longer than the queue lasts
			}
			f := wire.Frame{Timestamp: uint32(i * 320)}
			if i == 0 {
				f.Flags = wire.FlagBOS
			}
			if err := p.Frame(ctx, f, sound[i*320:(i+1)*320]); err != nil {
				t.Errorf("Frame: %v", err)
			}
		}
		if err := p.Say(ctx, wire.ReplyEnd{Turn: 1, DurationMS: 400}); err != nil {
			t.Errorf("Say: %v", err)
		}
		for ok := true; ok; {
			var in Inbound
			in, ok = p.Next(ctx)
			_, bye := in.Message.(wire.Bye)
			ok = ok && !bye
		}
	}
	withDevice(t, pcmConfig(), script, func(ctx context.Context, d *Device, s *Server) {
		a, err := d.NextReply(ctx, 0)
		if err != nil {
			t.Fatalf("NextReply: %v", err)
		}
		if want := slices.Concat(sound[:3200], make([]int16, 8000), sound[3200:]); !slices.Equal(a.PCM, want) {
			t.Errorf("played %d samples, want both halves with 8000 of silence between", len(a.PCM))
		}
		stats := d.Stats()
		if a.Starved != 1 || stats.Starved != 1 || stats.StarvedFor != 500*ms || a.Played != 400*ms {
			t.Errorf("starved %d times for %v, played %v; want once for 500ms and all 400ms", stats.Starved, stats.StarvedFor, a.Played)
		}
		if gaps := d.Gaps(); len(gaps) != 19 || slices.Max(gaps) != 700*ms {
			t.Errorf("gaps %v, want 19 with one of 700ms", gaps)
		}
	})
}
