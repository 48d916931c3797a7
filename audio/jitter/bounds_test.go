package jitter

import (
	"slices"
	"testing"
	"time"
)

// What is dropped for want of a consumer keeps its place in media time, also when
// silence follows it or the source restarts in between.
func TestOverflow(t *testing.T) {
	push := func(b *Buffer, want Drop, packets ...Packet) {
		t.Helper()
		for _, p := range packets {
			if drop := b.Push(p, start); drop != want {
				t.Fatalf("Push(seq %d) = %q, want %q", p.Seq, drop, want)
			}
		}
	}
	t.Run("the oldest goes", func(t *testing.T) {
		b := New(Config{Rate: rate, Packets: 3})
		push(b, Accepted, media(0), media(1), media(2), media(3), media(4))
		play(t, b, []step{look(0, "lost40/2 p2 p3 p4"), refused(0, media(1), Duplicate, "")})
	})
	t.Run("older than the oldest is refused", func(t *testing.T) {
		b := New(Config{Rate: rate, Packets: 3})
		push(b, Accepted, media(0))
		b.Pop(start)
		push(b, Accepted, media(2), media(3), media(4))
		push(b, Overflow, media(1))
		play(t, b, []step{look(0, "lost20/1 p2 p3 p4")})
	})
	t.Run("silence behind the dropped packets is silence", func(t *testing.T) {
		b := New(Config{Rate: rate, Packets: 3})
		push(b, Accepted, media(0), media(1))
		for i := range 3 {
			push(b, Accepted, with(media(10+i), func(p *Packet) { p.Seq = uint32(2 + i) }))
		}
		play(t, b, []step{look(0, "lost40/2 silence160 p10 p11 p12")})
	})
	t.Run("a restart that is dropped itself", func(t *testing.T) {
		fresh := func(i int) Packet {
			return with(media(i), func(p *Packet) { p.Seq += 4_000_000; p.Timestamp += 3_000_000_000 })
		}
		b := New(Config{Rate: rate, Packets: 3, Confirm: 2})
		push(b, Accepted, media(500), media(501), media(502))
		push(b, Implausible, fresh(0))
		push(b, Accepted, fresh(1), fresh(2), fresh(3), fresh(4))
		play(t, b, []step{look(0, "lost100/5 p2 p3 p4")})
	})
}

// The caller's buffer is free after Push, and an item's payload lives until the
// next Push.
func TestPayloadOwnership(t *testing.T) {
	b := New(Config{Rate: rate})
	p := media(0)
	b.Push(p, start)
	copy(p.Payload, "XX")
	item, _ := b.Pop(start)
	if string(item.Payload) != "p0" {
		t.Errorf("payload %q after the caller reused its buffer, want p0: Push must copy", item.Payload)
	}
	b.Pop(start)
	if string(item.Payload) != "p0" {
		t.Errorf("payload %q after another Pop, want p0", item.Payload)
	}
}

// Drain gives up what is held now, and nothing that comes later.
func TestDrain(t *testing.T) {
	b := New(Config{Rate: rate})
	b.Drain() // nothing held: no effect
	play(t, b, []step{in(0, media(0), "p0"), in(40*ms, media(2), ""), in(80*ms, media(4), "")})
	b.Drain()
	play(t, b, []step{
		look(80*ms, "lost20/1 p2 lost20/1 p4"),
		in(120*ms, media(6), ""), look(180*ms, "lost20/1 p6"),
	})
}

func TestReset(t *testing.T) {
	b := New(Config{Rate: rate})
	play(t, b, []step{in(0, media(0), "p0"), in(40*ms, media(2), ""), in(60*ms, media(3), "")})
	b.Reset()
	if s := b.Stats(); s.Cleared != 2 || s.Held != 0 || s.Received != 3 {
		t.Errorf("after Reset: %+v, want 2 cleared, none held, 3 received", s)
	}
	play(t, b, []step{in(70*ms, media(1), "p1"), in(90*ms, media(2), "p2")})
	if s := b.Stats(); s.Late+s.Duplicate+s.Lost+s.Restarts != 0 {
		t.Errorf("after Reset: %+v, want nothing held against the new stream", s)
	}
}

func TestStats(t *testing.T) {
	b := New(Config{Rate: rate})
	play(t, b, []step{
		in(0, media(0), "p0"), in(40*ms, media(2), ""), in(41*ms, media(1), "p1 p2"),
		in(100*ms, media(5), ""), look(160*ms, "lost40/2 p5"), refused(161*ms, media(3), Late, ""), refused(162*ms, media(5), Duplicate, ""),
		in(170*ms, with(media(8), func(p *Packet) { p.Seq = 6 }), "silence40 p8"),
		in(180*ms, Packet{Seq: 7, Timestamp: 9 * ticks, Duration: ptime, Gap: true}, "gap20"),
	})
	want := Stats{
		Received: 8, Delivered: 6, Late: 1, Duplicate: 1, Reordered: 1, Lost: 2,
		MediaTime: 5 * ptime, LostTime: 2 * ptime, GapTime: ptime, SilenceTime: 2 * ptime,
	}
	if got := b.Stats(); got != want {
		t.Errorf("Stats\n got %+v\nwant %+v", got, want)
	}
}

// F53: 200,000 packets with no consumer: memory stays bounded, the drops are
// counted, and what comes out afterwards still adds up to the media time.
func TestNoConsumer(t *testing.T) {
	const packets = 200_000
	b := New(Config{Rate: rate, Packets: 16})
	p := media(0)
	p.Payload = make([]byte, 200)
	for i := range packets {
		p.Seq, p.Timestamp = uint32(i), uint32(i*ticks)
		if drop := b.Push(p, start.Add(time.Duration(i)*ptime)); drop != Accepted {
			t.Fatalf("packet %d dropped as %q: the oldest must make room", i, drop)
		}
	}
	memory := 0 // of the payloads, whatever is held
	for _, s := range slices.Concat(b.held, b.free) {
		memory += cap(s.payload[:cap(s.payload)])
	}
	if limit := 16 * 512; memory > limit {
		t.Errorf("%d bytes of payload held, want at most %d", memory, limit)
	}
	if s := b.Stats(); s.Overflow != packets-16 || s.Held != 16 {
		t.Errorf("%d dropped and %d held, want %d and 16", s.Overflow, s.Held, packets-16)
	}
	now := start.Add(packets * ptime)
	item, _ := b.Pop(now)
	if item.Kind != Lost || item.Packets != packets-16 || item.Duration != (packets-16)*ptime {
		t.Errorf("first item %s of %v for %d packets, want the whole loss", item.Kind, item.Duration, item.Packets)
	}
	for range 16 {
		item, _ = b.Pop(now)
	}
	if end := item.Timestamp + item.Duration; item.Kind != Media || end != packets*ptime {
		t.Errorf("the last item is %s and ends at %v, want media at %v", item.Kind, end, packets*ptime)
	}
	accounted(t, b)
}
