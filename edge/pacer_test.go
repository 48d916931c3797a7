package edge

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

const ms = time.Millisecond

// device is a playback queue as hardware has it: it holds whole packets, begins
// to play when the first one arrives, and plays by its own clock.
type device struct {
	ptime    time.Duration
	capacity int     // packets that wait, besides the one being played; 0: no bound
	ppm      float64 // how much faster than ours its clock runs

	waiting   int
	playing   bool
	until     time.Time // when the packet being played ends
	played    time.Duration
	highest   int
	overflows int
	underruns int
	expecting bool // more packets are to come
}

// advance lets the device play until now and returns how much it has played.
func (d *device) advance(now time.Time) time.Duration {
	slot := time.Duration(float64(d.ptime) / (1 + d.ppm/1e6))
	for d.playing && !d.until.After(now) {
		d.played += d.ptime
		if d.waiting == 0 {
			d.playing = false
			if d.expecting {
				d.underruns++
			}
			break
		}
		d.waiting--
		d.until = d.until.Add(slot)
	}
	return d.played
}

// receive takes a packet at now.
func (d *device) receive(now time.Time) {
	d.advance(now)
	if !d.playing {
		d.playing = true
		d.until = now.Add(time.Duration(float64(d.ptime) / (1 + d.ppm/1e6)))
		return
	}
	if d.capacity > 0 && d.waiting == d.capacity {
		d.overflows++
		return
	}
	d.waiting++
	d.highest = max(d.highest, d.waiting)
}

// link carries packets to a device in order with a varying delay.
type link struct {
	delay   func() time.Duration
	arrival time.Time
	flying  []time.Time
}

func (l *link) send(now time.Time) {
	at := now.Add(l.delay())
	if at.Before(l.arrival) {
		at = l.arrival // TCP does not reorder
	}
	l.arrival = at
	l.flying = append(l.flying, at)
}

func (l *link) deliver(now time.Time, d *device) {
	for len(l.flying) > 0 && !l.flying[0].After(now) {
		d.receive(l.flying[0])
		l.flying = l.flying[1:]
	}
}

func noDelay() time.Duration { return 0 }

// jitterOf returns delays that are uniform between 0 and most.
func jitterOf(most time.Duration) func() time.Duration {
	r := rand.New(rand.NewPCG(1, 2))
	return func() time.Duration { return time.Duration(r.Int64N(int64(most) + 1)) }
}

// TestPacerKeepsDeviceQueueWithinBounds is F02 and the clock rows of the numbers
// to hold: whole replies into real queues over real networks, by simulated time.
func TestPacerKeepsDeviceQueueWithinBounds(t *testing.T) {
	tests := []struct {
		name     string
		reply    time.Duration
		ptime    time.Duration
		capacity int // packets
		ppm      float64
		ack      time.Duration // how often the device acknowledges; 0: never
		delay    func() time.Duration
		back     time.Duration // delay of an acknowledgement
	}{
		{"5 packets of 60 ms, equal clocks", 5 * time.Minute, 60 * ms, 5, 0, 0, noDelay, 0},
		{"5 packets, device 200 ppm slow, no acks", 5 * time.Minute, 60 * ms, 5, -200, 0, noDelay, 0},
		{"5 packets, device 200 ppm fast, no acks", 5 * time.Minute, 60 * ms, 5, 200, 0, noDelay, 0},
		{"5 packets, device 200 ppm slow, 10 minutes", 10 * time.Minute, 60 * ms, 5, -200, 200 * ms, noDelay, 0},
		{"5 packets, device 200 ppm fast, 10 minutes", 10 * time.Minute, 60 * ms, 5, 200, 200 * ms, noDelay, 0},
		{"5 packets, device 200 ppm slow, 10 minutes, jitter", 10 * time.Minute, 60 * ms, 5, -200, 100 * ms, jitterOf(50 * ms), 30 * ms},
		{"5 packets, device 200 ppm fast, 10 minutes, jitter", 10 * time.Minute, 60 * ms, 5, 200, 100 * ms, jitterOf(50 * ms), 30 * ms},
		{"40 packets, device 200 ppm slow, 10 minutes, jitter", 10 * time.Minute, 60 * ms, 40, -200, 200 * ms, jitterOf(150 * ms), 50 * ms},
		{"40 packets, device 200 ppm fast, 10 minutes, jitter", 10 * time.Minute, 60 * ms, 40, 200, 200 * ms, jitterOf(150 * ms), 50 * ms},
		{"15 packets of 20 ms", 5 * time.Minute, 20 * ms, 15, -100, 200 * ms, jitterOf(30 * ms), 10 * ms},
		{"an hour, device 500 ppm slow", time.Hour, 60 * ms, 5, -500, 200 * ms, noDelay, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			queue := time.Duration(tt.capacity) * tt.ptime
			p := NewPacer(LeadFor(queue, tt.ptime))
			d := &device{ptime: tt.ptime, capacity: tt.capacity, ppm: tt.ppm, expecting: true}
			l := &link{delay: tt.delay}
			start := time.Unix(1000, 0)
			now, nextAck := start, start.Add(tt.ack)
			type ack struct {
				at     time.Time
				played time.Duration
			}
			var acks []ack
			for sent := time.Duration(0); sent < tt.reply; {
				due := p.Due(now, tt.ptime)
				// Walk to the deadline in steps of the acknowledgements.
				for tt.ack > 0 && !nextAck.After(due) {
					l.deliver(nextAck, d)
					acks = append(acks, ack{nextAck.Add(tt.back), d.advance(nextAck)})
					nextAck = nextAck.Add(tt.ack)
				}
				for len(acks) > 0 && !acks[0].at.After(due) {
					p.Acknowledge(acks[0].at, acks[0].played)
					acks = acks[1:]
				}
				now = due
				l.deliver(now, d)
				p.Written(now, due, start, tt.ptime)
				l.send(now)
				sent += tt.ptime
			}
			d.expecting = false
			l.deliver(now.Add(time.Minute), d)
			if d.overflows > 0 || d.highest > tt.capacity {
				t.Errorf("%d packets overflowed the queue of %d (it held up to %d): they are cut out of the reply", d.overflows, tt.capacity, d.highest)
			}
			if d.underruns > 0 {
				t.Errorf("the device ran dry %d times although audio was at hand", d.underruns)
			}
			t.Logf("queue held at most %d of %d, correction %v", d.highest, tt.capacity, p.Stats().Shift)
		})
	}
}

// run sends packets whose audio is at hand at the times ready and returns when
// each was written, by an ideal writer.
func run(p *Pacer, ptime time.Duration, ready []time.Time) []time.Time {
	written := make([]time.Time, len(ready))
	now := ready[0]
	for i, at := range ready {
		if at.After(now) {
			now = at
		}
		due := p.Due(now, ptime)
		if due.After(now) {
			now = due
		}
		p.Written(now, due, at, ptime)
		written[i] = now
	}
	return written
}

// steady returns n times, all the same: everything is at hand from the start.
func steady(n int) []time.Time {
	return slices.Repeat([]time.Time{time.Unix(1000, 0)}, n)
}

// checkLead fails when what was written is more than lead ahead of a listener who
// plays it in real time.
func checkLead(t *testing.T, written []time.Time, ptime, lead time.Duration) {
	t.Helper()
	// The listener begins with the first packet; whenever it has heard everything
	// it begins anew with the next one.
	end := time.Time{}
	for i, at := range written {
		if end.Before(at) {
			end = at
		}
		end = end.Add(ptime)
		if ahead := end.Sub(at); ahead > lead {
			t.Fatalf("packet %d puts the device %v ahead of real time, the lead is %v (F04)", i, ahead, lead)
		}
	}
}

// TestPacerDoesNotDrift is F06.
func TestPacerDoesNotDrift(t *testing.T) {
	for _, ptime := range []time.Duration{20 * ms, 40 * ms, 60 * ms} {
		p := NewPacer(240 * ms)
		n := int(10 * time.Minute / ptime)
		written := run(&p, ptime, steady(n))
		checkLead(t, written, ptime, 240*ms)
		// The last packet is sent lead-ptime before its playback begins.
		want := written[0].Add(10*time.Minute - 240*ms)
		if off := written[n-1].Sub(want).Abs(); off > ptime {
			t.Errorf("%v packets: 10 minutes end %v away from real time, more than a packet", ptime, off)
		}
	}
}

// TestPacerNeverBursts is F03 and F04: whatever the synthesiser does, packets keep
// a distance and the lead holds.
func TestPacerNeverBursts(t *testing.T) {
	start := time.Unix(1000, 0)
	// Segments of 20 packets, each 200 ms before the one before it has been
	// heard, but every other one late.
	late := func(by time.Duration) []time.Time {
		ready := make([]time.Time, 500)
		for i := range ready {
			segment := i / 20
			ready[i] = start.Add(max(0, time.Duration(segment)*20*60*ms-200*ms) + time.Duration(segment%2)*by)
		}
		return ready
	}
	random := func(seed uint64) []time.Time {
		r := rand.New(rand.NewPCG(seed, 0))
		ready := make([]time.Time, 500)
		at := start
		for i := range ready {
			at = at.Add(time.Duration(r.Int64N(int64(140 * ms))))
			ready[i] = at
		}
		return ready
	}
	tests := []struct {
		name      string
		ready     []time.Time
		underruns bool
	}{
		{"everything at once", steady(500), false},
		{"stalls of 150 ms, within the lead", late(150 * ms), false},
		{"stalls of 700 ms", late(700 * ms), true},
		{"a slow, irregular synthesiser", random(1), true},
		{"another one", random(2), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			const ptime, lead = 60 * ms, 240 * ms
			p := NewPacer(lead)
			written := run(&p, ptime, tt.ready)
			checkLead(t, written, ptime, lead)
			for i := 1; i < len(written); i++ {
				if gap := written[i].Sub(written[i-1]); gap < ptime/2 {
					t.Fatalf("packets %d and %d are %v apart: a burst", i-1, i, gap)
				}
				// With data at hand in time, no pause is longer than a packet.
				if gap := written[i].Sub(written[i-1]); gap > ptime+5*ms && !tt.ready[i].After(written[i-1].Add(ptime)) {
					t.Fatalf("packets %d and %d are %v apart although the audio was at hand", i-1, i, gap)
				}
			}
			if got := p.Stats().Underruns > 0; got != tt.underruns {
				t.Errorf("underruns counted: %d, wanted some: %v", p.Stats().Underruns, tt.underruns)
			}
			if late := p.Stats().Lateness.Max(); late != 0 {
				t.Errorf("lateness %v from an ideal writer: waiting for audio is not lateness", late)
			}
		})
	}
}

// TestPacerCatchesUp: a writer that was late keeps to the absolute deadlines.
func TestPacerCatchesUp(t *testing.T) {
	const ptime, lead = 20 * ms, 200 * ms
	p := NewPacer(lead)
	start := time.Unix(1000, 0)
	now := start
	written := make([]time.Time, 0, 100)
	for i := range 100 {
		due := p.Due(now, ptime)
		if due.After(now) {
			now = due
		}
		if i == 50 {
			now = now.Add(110 * ms) // the host was busy
		}
		p.Written(now, due, start, ptime)
		written = append(written, now)
	}
	checkLead(t, written, ptime, lead)
	if got, want := written[99], start.Add(100*ptime-lead); !got.Equal(want) {
		t.Errorf("the last packet left at %v, its absolute deadline is %v", got.Sub(start), want.Sub(start))
	}
	stats := p.Stats()
	if stats.Underruns != 0 {
		t.Errorf("%d underruns: 110 ms late with a lead of 200 ms is none", stats.Underruns)
	}
	if stats.Lateness.Max() != 110*ms {
		t.Errorf("greatest lateness %v, the writer was 110 ms late once", stats.Lateness.Max())
	}
}

// TestPacerBetweenReplies: a reply right behind another one counts what the device
// still holds, one after a pause does not, and neither is an underrun.
func TestPacerBetweenReplies(t *testing.T) {
	const ptime, lead = 60 * ms, 240 * ms
	p := NewPacer(lead)
	written := run(&p, ptime, steady(20))
	last := written[len(written)-1]
	p.Begin()
	if due := p.Due(last, ptime); due.Sub(last) != ptime {
		t.Errorf("the next reply may begin after %v: the device still holds the lead, so one packet later", due.Sub(last))
	}
	later := last.Add(10 * time.Second)
	if due := p.Due(later, ptime); due.After(later) {
		t.Errorf("after a pause the first packet is held back by %v", due.Sub(later))
	}
	p.Written(later, later, later, ptime)
	if n := p.Stats().Underruns; n != 0 {
		t.Errorf("%d underruns between replies", n)
	}
}

// TestPacerFlush: the device's queue is empty, so the next reply starts at once.
func TestPacerFlush(t *testing.T) {
	p := NewPacer(240 * ms)
	written := run(&p, 60*ms, steady(20))
	now := written[len(written)-1].Add(ms)
	p.Flush()
	if due := p.Due(now, 60*ms); due.After(now) {
		t.Errorf("after a flush the first packet is held back by %v", due.Sub(now))
	}
}

// TestPacerPlaying: without acknowledgements the estimate is real time since the
// first packet, never more than was sent.
func TestPacerPlaying(t *testing.T) {
	p := NewPacer(240 * ms)
	start := time.Unix(1000, 0)
	if got := p.Playing(start); got != 0 {
		t.Errorf("playing at %v before anything was sent", got)
	}
	run(&p, 60*ms, steady(10)) // 600 ms
	for _, tt := range []struct{ after, want time.Duration }{
		{0, 0}, {100 * ms, 100 * ms}, {599 * ms, 599 * ms}, {5 * time.Second, 600 * ms},
	} {
		if got := p.Playing(start.Add(tt.after)); got != tt.want {
			t.Errorf("%v after the first packet the estimate is %v, want %v", tt.after, got, tt.want)
		}
	}
}

// TestPacerIgnoresFalseAcks: a device that claims to play faster than any clock
// gains nothing by it.
func TestPacerIgnoresFalseAcks(t *testing.T) {
	const ptime, lead = 60 * ms, 240 * ms
	p := NewPacer(lead)
	start := time.Unix(1000, 0)
	now := start
	for range 1000 {
		due := p.Due(now, ptime)
		if due.After(now) {
			now = due
		}
		p.Written(now, due, start, ptime)
		p.Acknowledge(now, p.Total()) // all of it, at once
	}
	elapsed := now.Sub(start)
	if ahead := p.Total() - elapsed; ahead > lead+elapsed/1000 {
		t.Errorf("after %v the device was talked %v ahead, the lead is %v", elapsed, ahead, lead)
	}
}

// TestLeadFor: the lead fits the queue and never exceeds it.
func TestLeadFor(t *testing.T) {
	tests := []struct{ queue, ptime, want time.Duration }{
		{0, 60 * ms, 180 * ms},               // unknown: little
		{300 * ms, 60 * ms, 240 * ms},        // five packets, the smallest in the field
		{2400 * ms, 60 * ms, 240 * ms},       // forty packets
		{200 * ms, 60 * ms, 140 * ms},        // one packet free
		{200 * ms, 20 * ms, 160 * ms},        // a fifth free
		{60 * ms, 60 * ms, 60 * ms},          // less than a packet cannot be sent
		{10 * time.Minute, 20 * ms, MaxLead}, // more makes interruptions dear
	}
	for _, tt := range tests {
		if got := LeadFor(tt.queue, tt.ptime); got != tt.want {
			t.Errorf("queue of %v, packets of %v: lead %v, want %v", tt.queue, tt.ptime, got, tt.want)
		}
	}
}

func TestHistogram(t *testing.T) {
	var h Histogram
	for i := 1; i <= 1000; i++ {
		h.Add(time.Duration(i) * ms)
	}
	for _, tt := range []struct {
		q    float64
		want time.Duration
	}{{0.5, 500 * ms}, {0.99, 990 * ms}, {1, 1000 * ms}} {
		got := h.Quantile(tt.q)
		if got < tt.want || got > tt.want*5/4 {
			t.Errorf("quantile %v is %v, want %v and at most a quarter more", tt.q, got, tt.want)
		}
	}
	if h.Max() != time.Second || h.Count() != 1000 {
		t.Errorf("max %v and count %d, want 1s and 1000", h.Max(), h.Count())
	}
	var empty Histogram
	if empty.Quantile(0.99) != 0 {
		t.Error("an empty histogram has a quantile")
	}
	h.Add(time.Hour) // beyond the last bucket
	h.Add(-time.Second)
	if h.Max() != time.Hour {
		t.Errorf("max %v, want 1h", h.Max())
	}
}
