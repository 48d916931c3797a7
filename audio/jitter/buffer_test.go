package jitter

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"edged/audio"
)

const (
	ms    = time.Millisecond
	ptime = 20 * ms
	rate  = audio.Rate16k
	ticks = 320 // of one packet
)

// start is an arbitrary wall time: only differences count.
var start = time.Date(2031, 5, 4, 3, 2, 1, 0, time.UTC)

// media is packet number i of a steady stream of 20 ms packets.
func media(i int) Packet {
	return Packet{
		Seq: uint32(i), Timestamp: uint32(i * ticks), Duration: ptime,
		Tag: uint32(i), Payload: fmt.Append(nil, "p", i),
	}
}

// popAll pops until nothing is due and writes the items as one line:
// "p3" media, "lost40/2" with duration in ms and packets, "silence20", "mark7"
// and "gap20".
func popAll(t *testing.T, b *Buffer, now time.Time) string {
	t.Helper()
	var out []string
	for range 1000 {
		item, ok := b.Pop(now)
		if !ok {
			if deadline, waiting := b.Deadline(); waiting && !deadline.After(now) {
				t.Fatalf("Pop has nothing at %v, but Deadline said it would at %v", now.Sub(start), deadline.Sub(start))
			}
			return strings.Join(out, " ")
		}
		out = append(out, show(item))
	}
	t.Fatal("Pop does not come to an end")
	return ""
}

func show(item Item) string {
	text := string(item.Kind)
	switch item.Kind {
	case Media:
		text = string(item.Payload)
	case Mark:
		text = fmt.Sprint("mark", item.Tag)
	case Lost:
		text = fmt.Sprintf("lost%d/%d", item.Duration/ms, item.Packets)
	case Gap, Silence:
		text = fmt.Sprint(item.Kind, int64(item.Duration/ms))
	}
	if item.Restart {
		text += "!"
	}
	return text
}

// step is one push, or only a look at a later time, and what must come out.
type step struct {
	at   time.Duration
	push *Packet
	drop Drop
	want string
}

func in(at time.Duration, p Packet, want string) step { return step{at: at, push: &p, want: want} }

func refused(at time.Duration, p Packet, drop Drop, want string) step {
	return step{at: at, push: &p, drop: drop, want: want}
}

func look(at time.Duration, want string) step { return step{at: at, want: want} }

// with returns p changed.
func with(p Packet, change func(*Packet)) Packet {
	change(&p)
	return p
}

func TestOrder(t *testing.T) {
	mark := func(i int) Packet {
		return with(media(i), func(p *Packet) { p.Duration, p.Payload = 0, nil })
	}
	tests := []struct {
		name  string
		cfg   Config
		steps []step
	}{
		{
			name: "in order: every packet passes at the moment it arrives",
			steps: []step{
				in(0, media(0), "p0"), in(20*ms, media(1), "p1"), in(40*ms, media(2), "p2"),
			},
		},
		{
			name: "F52: a late packet fills its hole within the window",
			steps: []step{
				in(0, media(0), "p0"), in(20*ms, media(2), ""), in(40*ms, media(3), ""),
				in(79*ms, media(1), "p1 p2 p3"),
			},
		},
		{
			name: "F52: the hole is given up at its deadline, counted from the first packet behind it",
			steps: []step{
				in(0, media(0), "p0"), in(40*ms, media(2), ""), in(60*ms, media(3), ""),
				look(99*ms, ""), look(100*ms, "lost20/1 p2 p3"),
				refused(101*ms, media(1), Late, ""),
				in(102*ms, media(4), "p4"),
			},
		},
		{
			name: "neighbouring losses are one item of their whole duration",
			steps: []step{
				in(0, media(0), "p0"), in(80*ms, media(4), ""), look(140*ms, "lost60/3 p4"),
			},
		},
		{
			name: "two holes have deadlines of their own, and no delay adds up",
			steps: []step{
				in(0, media(0), "p0"), in(40*ms, media(2), ""), in(80*ms, media(4), ""),
				look(100*ms, "lost20/1 p2"), look(139*ms, ""), look(140*ms, "lost20/1 p4"),
			},
		},
		{
			name: "a hole filled in part keeps its deadline for the rest",
			steps: []step{
				in(0, media(0), "p0"), in(60*ms, media(3), ""), in(110*ms, media(2), ""),
				look(119*ms, ""), look(120*ms, "lost20/1 p2 p3"),
			},
		},
		{
			name: "without delay (TCP) a hole comes out with the packet behind it",
			cfg:  Config{Delay: NoDelay},
			steps: []step{
				in(0, media(0), "p0"), in(40*ms, media(2), "lost20/1 p2"), refused(41*ms, media(1), Late, ""),
			},
		},
		{
			name: "F52: duplicates are told from late packets, held or handed out",
			steps: []step{
				in(0, media(0), "p0"), refused(1*ms, media(0), Duplicate, ""),
				in(40*ms, media(2), ""), refused(41*ms, media(2), Duplicate, ""),
				look(100*ms, "lost20/1 p2"), refused(101*ms, media(2), Duplicate, ""), refused(102*ms, media(1), Late, ""),
			},
		},
		{
			name: "DTX: time without a missing number is silence, at once",
			steps: []step{
				in(0, media(0), "p0"),
				in(400*ms, with(media(20), func(p *Packet) { p.Seq = 1 }), "silence380 p20"),
			},
		},
		{
			name: "DTX of an hour is believed when an hour has passed",
			steps: []step{
				in(0, media(0), "p0"),
				in(time.Hour, with(media(180_000), func(p *Packet) { p.Seq = 1 }), "silence3599980 p180000"),
			},
		},
		{
			name: "a loss inside DTX accounts for its own packets, the rest is silence",
			steps: []step{
				in(0, media(0), "p0"), in(20*ms, media(1), "p1"),
				in(400*ms, with(media(20), func(p *Packet) { p.Seq = 3 }), ""),
				look(460*ms, "lost20/1 silence340 p20"),
			},
		},
		{
			name: "a number that is missing where no time is missing is not waited for",
			steps: []step{
				in(0, media(0), "p0"),
				in(20*ms, with(media(1), func(p *Packet) { p.Seq = 4 }), "p1"),
			},
		},
		{
			name: "an outage of a minute is one loss",
			steps: []step{
				in(0, media(0), "p0"), in(time.Minute, media(3000), ""), look(time.Minute+60*ms, "lost59980/2999 p3000"),
			},
		},
		{
			name: "timestamps of a millisecond clock that are a little off do not tear the stream",
			steps: []step{
				in(0, media(0), "p0"),
				in(20*ms, with(media(1), func(p *Packet) { p.Timestamp += 9 * 16 }), "p1"),
				in(40*ms, with(media(2), func(p *Packet) { p.Timestamp -= 9 * 16 }), "p2"),
				in(60*ms, media(3), "p3"),
			},
		},
		{
			name: "a stamp too late, made good by the next, does not hide the hole behind them",
			steps: []step{
				in(0, media(0), "p0"),
				in(20*ms, with(media(1), func(p *Packet) { p.Timestamp += 12 * 16 }), "silence12 p1"),
				in(40*ms, media(2), "p2"),
				in(80*ms, media(4), ""), in(90*ms, media(3), "p3 p4"),
			},
		},
		{
			name: "duplicates are known far back, also beyond an outage",
			steps: slices.Concat(
				[]step{in(0, media(0), "p0"), in(20*ms, media(1), "p1")},
				[]step{in(840*ms, media(42), ""), look(900*ms, "lost800/40 p42"), refused(901*ms, media(1), Duplicate, ""), refused(901*ms, media(2), Late, "")},
			),
		},
		{
			name: "far behind is a stray, and late only on the time line of this source",
			steps: []step{
				in(0, media(500), "p500"),
				refused(20*ms, media(499), Late, ""), refused(20*ms, media(401), Late, ""), refused(20*ms, media(100), Implausible, ""),
				refused(20*ms, with(media(499), func(p *Packet) { p.Timestamp += 64000 }), Implausible, ""),
				refused(20*ms, with(media(499), func(p *Packet) { p.Timestamp -= 64000 }), Implausible, ""),
			},
		},
		{
			name: "marks keep their place and last no time",
			steps: []step{
				in(0, mark(0), "mark0"),
				in(0, with(media(0), func(p *Packet) { p.Seq = 1 }), "p0"),
				in(60*ms, with(mark(2), func(p *Packet) { p.Seq = 3 }), ""),
				look(120*ms, "lost20/1 mark2"),
			},
		},
		{
			name: "a gap that the sender declares passes like a packet",
			steps: []step{
				in(0, media(0), "p0"),
				in(20*ms, Packet{Seq: 1, Timestamp: ticks, Duration: 3 * time.Second, Gap: true}, "gap3000"),
				in(3020*ms, with(media(151), func(p *Packet) { p.Seq = 2 }), "p151"),
			},
		},
		{
			name: "a payload above the limit is a loss that nothing waits for",
			cfg:  Config{MaxPayload: 4},
			steps: []step{
				in(0, media(0), "p0"),
				refused(20*ms, with(media(1), func(p *Packet) { p.Payload = []byte("large") }), Oversize, "lost20/1"),
				in(40*ms, media(2), "p2"),
			},
		},
		{
			name: "F50: what contradicts itself is refused",
			steps: []step{
				in(0, media(0), "p0"),
				refused(20*ms, with(media(1), func(p *Packet) { p.Payload = nil }), Invalid, ""),
				refused(20*ms, with(media(1), func(p *Packet) { p.Duration = 0 }), Invalid, ""),
				refused(20*ms, with(media(1), func(p *Packet) { p.Duration = -ptime }), Invalid, ""),
				refused(20*ms, with(media(1), func(p *Packet) { p.Duration = 1 }), Invalid, ""),
				refused(20*ms, with(media(1), func(p *Packet) { p.Duration = time.Hour }), Invalid, ""),
				refused(20*ms, with(media(1), func(p *Packet) { p.Gap = true }), Invalid, ""),
				in(20*ms, media(1), "p1"),
			},
		},
		{
			name: "packets of changing duration",
			steps: []step{
				in(0, media(0), "p0"),
				in(20*ms, with(media(1), func(p *Packet) { p.Duration = 60 * ms }), "p1"),
				in(80*ms, with(media(4), func(p *Packet) { p.Seq = 2 }), "p4"),
			},
		},
		{
			name: "a full buffer gives up the hole rather than a packet",
			cfg:  Config{Packets: 3},
			steps: []step{
				in(0, media(0), "p0"), in(1*ms, media(2), ""), in(2*ms, media(3), ""), in(3*ms, media(4), "lost20/1 p2 p3 p4"),
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.cfg.Rate == 0 {
				tt.cfg.Rate = rate
			}
			play(t, New(tt.cfg), tt.steps)
		})
	}
}

func play(t *testing.T, b *Buffer, steps []step) {
	t.Helper()
	for i, step := range steps {
		now := start.Add(step.at)
		if step.push != nil {
			if drop := b.Push(*step.push, now); drop != step.drop {
				t.Fatalf("step %d at %v: Push(seq %d, ts %d) = %q, want %q", i, step.at, step.push.Seq, step.push.Timestamp, drop, step.drop)
			}
		}
		if got := popAll(t, b, now); got != step.want {
			t.Fatalf("step %d at %v: popped %q, want %q", i, step.at, got, step.want)
		}
	}
	accounted(t, b)
}

// accounted checks that every packet received is in exactly one counter.
func accounted(t *testing.T, b *Buffer) {
	t.Helper()
	s := b.Stats()
	sum := s.Delivered + s.Late + s.Duplicate + s.Overflow + s.Oversize + s.Implausible + s.Invalid + s.Cleared + uint64(s.Held)
	if s.Received != sum {
		t.Fatalf("%d packets received, %d accounted for: %+v", s.Received, sum, s)
	}
}

func TestItemFields(t *testing.T) {
	b := New(Config{Rate: rate, Delay: NoDelay})
	first := with(media(0), func(p *Packet) { p.Seq, p.Timestamp, p.Tag = 900, 123_456, 77 })
	b.Push(first, start)
	item, _ := b.Pop(start)
	want := Item{Kind: Media, Timestamp: 0, Duration: ptime, Payload: []byte("p0"), Tag: 77, Seq: 900}
	if fmt.Sprint(item) != fmt.Sprint(want) {
		t.Errorf("first item %+v, want %+v: media time begins at 0 with the first packet", item, want)
	}
	b.Push(with(first, func(p *Packet) { p.Seq += 2; p.Timestamp += 2 * ticks }), start)
	item, _ = b.Pop(start)
	if item.Timestamp != ptime || item.Duration != ptime || item.Packets != 1 || item.Payload != nil {
		t.Errorf("lost item %+v, want 20 ms at 20 ms for 1 packet without payload", item)
	}
}

// After a loss the next packet can be looked at for its redundancy, only when it
// follows the loss directly.
func TestPeekNext(t *testing.T) {
	b := New(Config{Rate: rate})
	push := func(p Packet) { b.Push(p, start) }
	if _, ok := b.PeekNext(); ok {
		t.Error("an empty buffer has no next packet")
	}
	push(media(0))
	b.Pop(start)
	push(media(3))
	if next, ok := b.PeekNext(); ok {
		t.Errorf("PeekNext = %+v in front of an open hole: its redundancy does not belong here yet", next)
	}
	later := start.Add(60 * ms)
	if item, _ := b.Pop(later); show(item) != "lost40/2" {
		t.Fatalf("popped %s, want lost40/2", show(item))
	}
	next, ok := b.PeekNext()
	if !ok || string(next.Payload) != "p3" || next.Duration != ptime || next.Seq != 3 || next.Timestamp != 3*ticks || next.Tag != 3 {
		t.Errorf("PeekNext = %+v, %v, want packet 3", next, ok)
	}
	if item, _ := b.Pop(later); show(item) != "p3" {
		t.Errorf("popped %s after PeekNext, want p3: looking must not take", show(item))
	}

	push(with(media(40), func(p *Packet) { p.Seq = 5 }))
	if item, _ := b.Pop(later.Add(time.Second)); show(item) != "lost20/1" {
		t.Fatalf("popped %s, want lost20/1", show(item))
	}
	if next, ok := b.PeekNext(); ok {
		t.Errorf("PeekNext = %+v, but silence lies between the loss and it", next)
	}
}

func TestDeadline(t *testing.T) {
	b := New(Config{Rate: rate, Delay: 100 * ms})
	if _, ok := b.Deadline(); ok {
		t.Error("an empty buffer has no deadline")
	}
	b.Push(media(0), start)
	if at, ok := b.Deadline(); !ok || at.After(start) {
		t.Errorf("Deadline = %v, %v with a packet ready, want a time that has come", at, ok)
	}
	b.Pop(start)
	b.Push(media(2), start.Add(30*ms))
	b.Push(media(3), start.Add(50*ms))
	if at, ok := b.Deadline(); !ok || !at.Equal(start.Add(130*ms)) {
		t.Errorf("Deadline = %v, %v, want 130 ms: 100 ms after the first packet behind the hole", at.Sub(start), ok)
	}
}
