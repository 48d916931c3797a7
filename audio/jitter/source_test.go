package jitter

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// F51: a packet stamped 24 hours ahead, or by a clock that is 2 s off, neither
// moves the stream nor delays the packets around it.
func TestJumpIsRejected(t *testing.T) {
	stamped := func(i int, off time.Duration) Packet {
		return with(media(i), func(p *Packet) { p.Timestamp += uint32(int64(off/ms) * 16) })
	}
	for _, off := range []time.Duration{24 * time.Hour, 2 * time.Second, -2 * time.Second, -24 * time.Hour} {
		t.Run(fmt.Sprint("stamped ", off), func(t *testing.T) {
			play(t, New(Config{Rate: rate}), []step{
				in(0, media(0), "p0"), in(20*ms, media(1), "p1"),
				refused(40*ms, stamped(2, off), Implausible, ""),
				in(60*ms, media(3), "lost20/1 p3"),
				in(80*ms, media(4), "p4"),
			})
		})
		t.Run(fmt.Sprint("stamped ", off, " while packets wait behind a hole"), func(t *testing.T) {
			play(t, New(Config{Rate: rate}), []step{
				in(0, media(0), "p0"), in(40*ms, media(2), ""),
				refused(60*ms, stamped(3, off), Implausible, ""),
				in(70*ms, media(1), "p1 p2"),
				in(80*ms, media(4), "lost20/1 p4"),
			})
		})
		t.Run(fmt.Sprint("the right packet of that number comes after one stamped ", off), func(t *testing.T) {
			play(t, New(Config{Rate: rate}), []step{
				in(0, media(0), "p0"), in(40*ms, media(2), ""),
				refused(60*ms, stamped(3, off), Implausible, ""),
				in(65*ms, media(3), ""),
				in(70*ms, media(1), "p1 p2 p3"),
			})
		})
		t.Run(fmt.Sprint("a clock that stays ", off, " is believed at the third packet"), func(t *testing.T) {
			play(t, New(Config{Rate: rate}), []step{
				in(0, media(0), "p0"), in(20*ms, media(1), "p1"),
				refused(40*ms, stamped(2, off), Implausible, ""),
				refused(60*ms, stamped(3, off), Implausible, ""),
				in(80*ms, stamped(4, off), "lost40/2 p4!"),
				in(100*ms, stamped(5, off), "p5"),
				in(140*ms, stamped(7, off), ""), look(200*ms, "lost20/1 p7"),
			})
		})
	}
	t.Run("a timestamp later than that of the next number", func(t *testing.T) {
		play(t, New(Config{Rate: rate}), []step{
			in(0, media(0), "p0"), in(40*ms, media(2), ""),
			refused(41*ms, stamped(1, 500*ms), Implausible, "lost20/1 p2"),
			in(60*ms, media(3), "p3"),
		})
	})
	t.Run("a timestamp earlier than that of the number before, with a rejected one between", func(t *testing.T) {
		play(t, New(Config{Rate: rate}), []step{
			in(0, media(0), "p0"), in(40*ms, media(2), ""),
			refused(60*ms, stamped(3, 24*time.Hour), Implausible, ""),
			refused(80*ms, stamped(4, -60*ms), Implausible, ""),
			in(81*ms, media(1), "p1 p2"), in(100*ms, media(5), "lost40/2 p5"),
		})
	})
	t.Run("many of them do not push out what waits behind a hole", func(t *testing.T) {
		b := New(Config{Rate: rate, Packets: 4})
		play(t, b, []step{in(0, media(0), "p0"), in(40*ms, media(2), "")})
		for i := range 3 {
			off := 24 * time.Hour * time.Duration(1+i%2)
			play(t, b, []step{refused(41*ms, stamped(3+i, off), Implausible, "")})
		}
		play(t, b, []step{in(50*ms, media(1), "p1 p2")})
	})
	t.Run("one alone leaves nothing to wait for", func(t *testing.T) {
		b := New(Config{Rate: rate})
		play(t, b, []step{in(0, media(0), "p0")})
		b.Push(stamped(1, 24*time.Hour), start)
		if at, ok := b.Deadline(); ok {
			t.Errorf("Deadline = %v, want none", at)
		}
		b.Push(with(media(1), func(p *Packet) { p.Seq = 2 }), start)
		if next, ok := b.PeekNext(); !ok || next.Seq != 2 {
			t.Errorf("PeekNext = %+v, %v, want the packet behind it", next, ok)
		}
	})
	t.Run("a clock that jumps while an old packet is still to come", func(t *testing.T) {
		play(t, New(Config{Rate: rate}), []step{
			in(0, media(0), "p0"), in(40*ms, media(2), ""),
			refused(60*ms, stamped(3, 2*time.Second), Implausible, ""),
			refused(80*ms, stamped(4, 2*time.Second), Implausible, ""),
			in(90*ms, stamped(5, 2*time.Second), ""),
			in(95*ms, media(1), "p1 p2 lost40/2 p5!"),
		})
	})
	t.Run("a jump is seen after hours of a clock that is slow by 500 ppm", func(t *testing.T) {
		b := New(Config{Rate: rate})
		long := func(i int) (Packet, time.Time) {
			p := media(3 * i)
			p.Seq, p.Duration = uint32(i), 60*ms
			return p, start.Add(time.Duration(i) * 60030 * time.Microsecond)
		}
		const packets = 2 * 60 * 60 * 1000 / 60
		for i := range packets {
			p, now := long(i)
			if drop := b.Push(p, now); drop != Accepted {
				t.Fatalf("packet %d dropped as %q", i, drop)
			}
			b.Pop(now)
		}
		p, now := long(packets)
		p.Timestamp += 2 * 16000
		if drop := b.Push(p, now); drop != Implausible {
			t.Errorf("a packet stamped 2 s ahead after two hours: %q, want implausible", drop)
		}
	})
	t.Run("a number far ahead", func(t *testing.T) {
		play(t, New(Config{Rate: rate}), []step{
			in(0, media(0), "p0"),
			refused(20*ms, with(media(1), func(p *Packet) { p.Seq = 70_000 }), Implausible, ""),
			in(20*ms, media(1), "p1"), in(40*ms, media(2), "p2"),
		})
	})
}

// A source that begins anew is believed after Confirm packets that agree; what
// came of it before is one loss, and media time goes on without a step.
func TestRestart(t *testing.T) {
	fresh := func(i int) Packet {
		return with(media(i), func(p *Packet) { p.Seq += 4_000_000; p.Timestamp += 3_000_000_000 })
	}
	t.Run("after everything of the old source came out", func(t *testing.T) {
		play(t, New(Config{Rate: rate}), []step{
			in(0, media(500), "p500"),
			refused(20*ms, fresh(0), Implausible, ""), refused(40*ms, fresh(1), Implausible, ""),
			in(60*ms, fresh(2), "lost40/2 p2!"), in(80*ms, fresh(3), "p3"),
		})
	})
	t.Run("duplicated packets confirm too", func(t *testing.T) {
		play(t, New(Config{Rate: rate}), []step{
			in(0, media(500), "p500"),
			refused(20*ms, fresh(0), Implausible, ""), refused(20*ms, fresh(0), Implausible, ""),
			refused(40*ms, fresh(1), Implausible, ""), refused(40*ms, fresh(1), Implausible, ""),
			in(60*ms, fresh(2), "lost40/2 p2!"), refused(60*ms, fresh(2), Duplicate, ""), in(80*ms, fresh(3), "p3"),
		})
	})
	t.Run("while the old source waits behind a hole", func(t *testing.T) {
		play(t, New(Config{Rate: rate}), []step{
			in(0, media(500), "p500"), in(40*ms, media(502), ""),
			refused(41*ms, fresh(0), Implausible, ""), refused(42*ms, fresh(1), Implausible, ""),
			in(43*ms, fresh(2), ""),
			in(50*ms, fresh(3), ""),
			look(100*ms, "lost20/1 p502 lost40/2 p2! p3"),
		})
	})
	t.Run("single strays between good packets never confirm", func(t *testing.T) {
		var steps []step
		for i := range 50 {
			at := time.Duration(i) * ptime
			steps = append(steps, in(at, media(i), fmt.Sprint("p", i)), refused(at+ms, fresh(i), Implausible, ""))
		}
		play(t, New(Config{Rate: rate}), steps)
	})
	t.Run("the count is the configured one", func(t *testing.T) {
		play(t, New(Config{Rate: rate, Confirm: 1}), []step{
			in(0, media(500), "p500"), in(20*ms, fresh(0), "p0!"),
		})
	})
}

// Numbers and timestamps wrap without a seam.
func TestWrap(t *testing.T) {
	tests := []struct {
		name   string
		bits   int
		seq    uint32
		ts     uint32
		modulo uint64
	}{
		{name: "16 bit numbers (RTP)", bits: 16, seq: 65533, ts: 0, modulo: 1 << 16},
		{name: "32 bit numbers", bits: 32, seq: 1<<32 - 3, ts: 0, modulo: 1 << 32},
		{name: "timestamps", bits: 32, seq: 7, ts: 1<<32 - 2*ticks - 5, modulo: 1 << 32},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := New(Config{Rate: rate, SeqBits: tt.bits})
			p := func(i int) Packet {
				return with(media(i), func(p *Packet) {
					p.Seq = uint32((uint64(tt.seq) + uint64(i)) % tt.modulo)
					p.Timestamp = tt.ts + uint32(i*ticks)
				})
			}
			play(t, b, []step{
				in(0, p(0), "p0"), in(20*ms, p(1), "p1"),
				in(60*ms, p(4), ""), in(70*ms, p(3), ""), in(80*ms, p(2), "p2 p3 p4"),
				in(120*ms, p(6), ""), look(180*ms, "lost20/1 p6"), refused(181*ms, p(5), Late, ""), refused(181*ms, p(6), Duplicate, ""),
			})
		})
	}
}

// A sender whose stamps fall behind its own sound is played in full, and media
// time never runs backwards.
func TestOverlap(t *testing.T) {
	b := New(Config{Rate: rate})
	var last time.Duration
	for i := range 100 {
		p := media(i)
		p.Timestamp = uint32(i * ticks / 4)
		now := start.Add(time.Duration(i) * ptime)
		if drop := b.Push(p, now); drop != Accepted {
			t.Fatalf("packet %d dropped as %q", i, drop)
		}
		item, ok := b.Pop(now)
		if !ok || item.Kind != Media || item.Timestamp != last {
			t.Fatalf("packet %d came out as %+v, want media at %v", i, item, last)
		}
		last = item.Timestamp + item.Duration
	}
	if last != 100*ptime {
		t.Errorf("media time %v after 100 packets, want 2s", last)
	}
	// 15 ms fall behind with each packet: more than a second is, with the 68th.
	if got := b.Stats().Overlaps; got != 1 {
		t.Errorf("%d overlaps counted, want 1", got)
	}
}

// Timestamps that tremble by more than the tolerance do not stretch media time
// beyond their own error, and losses are still seen.
func TestTremblingTimestamps(t *testing.T) {
	b := New(Config{Rate: rate})
	rng := rand.New(rand.NewPCG(3, 4))
	var end time.Duration
	const packets = 5000
	for i := range packets {
		p := media(i)
		if i > 0 {
			p.Timestamp += uint32(rng.IntN(2*240) - 240) // +-15 ms
		}
		now := start.Add(time.Duration(i) * ptime)
		if i%100 == 50 {
			continue // lost
		}
		if drop := b.Push(p, now); drop != Accepted {
			t.Fatalf("packet %d dropped as %q", i, drop)
		}
		for {
			item, ok := b.Pop(now)
			if !ok {
				break
			}
			end = item.Timestamp + item.Duration
		}
	}
	if off := end - packets*ptime; off < -15*ms || off > 15*ms {
		t.Errorf("media time is off by %v after %d packets, want at most the 15 ms of one stamp", off, packets)
	}
	if got := b.Stats().Lost; got != packets/100 {
		t.Errorf("%d packets lost, want the %d that were", got, packets/100)
	}
}
