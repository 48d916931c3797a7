package edge

import (
	"slices"
	"sync"
	"time"

	"edged/audio"
	"edged/dialog"
)

// listener is a device with a speaker: it takes in what the transport writes,
// plays it sample by sample in real time, honours hold, release and flush as
// SPEC.md says, and keeps what was heard. It is made of the records, so it knows
// when everything was written to the nanosecond.
type listener struct {
	rate    audio.SampleRate
	latency time.Duration // of everything on its way to the device
	ppm     float64       // how much faster than ours its clock runs
	deaf    bool          // what was heard is not kept

	mu       sync.Mutex // guards what follows
	now      time.Time
	turn     dialog.Turn // of the last reply begin
	flushed  dialog.Turn
	queue    []part
	pos      map[dialog.Turn]int // the counter of each reply
	heard    map[dialog.Turn][]int16
	held     dialog.Turn
	pause    int
	carry    float64 // fraction of a sample that is due
	most     time.Duration
	starved  int
	standing bool // the queue ran dry inside a reply
	ended    map[dialog.Turn]bool
}

// part is a packet in the queue of a listener.
type part struct {
	turn  dialog.Turn
	at, n int
	pcm   []int16 // nil: not kept
}

func newListener(rate audio.SampleRate) *listener {
	return &listener{rate: rate, pos: map[dialog.Turn]int{}, heard: map[dialog.Turn][]int16{}, ended: map[dialog.Turn]bool{}}
}

// at lets the device play until now and returns its counter of the turn.
func (d *listener) at(turn dialog.Turn, now time.Time) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.advance(now)
	return d.pos[turn]
}

// advance plays until now. It needs mu.
func (d *listener) advance(now time.Time) {
	if d.now.IsZero() {
		d.now = now
	}
	if !now.After(d.now) {
		return
	}
	due := now.Sub(d.now).Seconds()*float64(d.rate)*(1+d.ppm/1e6) + d.carry
	n := int(due)
	d.carry, d.now = due-float64(n), now
	for n > 0 && len(d.queue) > 0 {
		p := &d.queue[0]
		take := min(n, p.n)
		if d.held == p.turn {
			take = min(take, max(0, d.pause-p.at))
		}
		if take == 0 {
			d.carry = 0
			return // it stands at a hold
		}
		if !d.deaf {
			d.heard[p.turn] = append(d.heard[p.turn], p.pcm[:take]...)
			p.pcm = p.pcm[take:]
		}
		p.at, p.n = p.at+take, p.n-take
		d.pos[p.turn] = p.at
		n -= take
		if p.n == 0 {
			d.queue = d.queue[1:]
		}
	}
	if len(d.queue) == 0 {
		d.standing, d.carry = true, 0
	}
}

// take takes in one thing that was written, in the order of writing.
func (d *listener) take(r record) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.advance(r.at.Add(d.latency))
	switch c := r.control.(type) {
	case nil:
		if d.turn == 0 || len(r.packet.Payload) == 0 {
			return
		}
		if d.standing && d.pos[d.turn] > 0 && d.held != d.turn {
			d.starved++
		}
		d.standing = false
		if r.packet.Begin {
			d.pos[d.turn] = int(r.packet.Timestamp)
		}
		p := part{turn: d.turn, at: int(r.packet.Timestamp), n: len(r.packet.Payload) / 2}
		if !d.deaf {
			p.pcm = samplesOf(r.packet.Payload)
		}
		d.queue = append(d.queue, p)
		waiting := 0
		for _, p := range d.queue {
			waiting += p.n
		}
		d.most = max(d.most, d.rate.Duration(waiting))
	case ReplyBegin:
		if c.Turn > d.flushed {
			d.turn = c.Turn
			if d.held < c.Turn {
				d.held = 0
			}
		}
	case ReplyEnd:
		d.ended[c.Turn] = true
		d.turn = 0
	case Hold:
		d.held, d.pause = c.Turn, max(int(c.Samples), d.pos[c.Turn])
	case Release:
		if d.held == c.Turn {
			d.held = 0
		}
	case Flush:
		d.flushed = max(d.flushed, c.Turn)
		d.queue = slices.DeleteFunc(d.queue, func(p part) bool { return p.turn <= d.flushed })
		if d.turn <= d.flushed {
			d.turn = 0
		}
		if d.held <= d.flushed {
			d.held = 0
		}
	}
}

// follow makes the device listen to what is written from now on. The returned
// function acknowledges what it has played.
func (r *rig) follow(d *listener) (ack func(dialog.Turn)) {
	r.transport.mu.Lock()
	defer r.transport.mu.Unlock()
	r.transport.onWrite = d.take
	return func(turn dialog.Turn) {
		samples := d.at(turn, time.Now())
		r.do(func(in *Inlet) error { in.Played(turn, uint32(samples)); return nil })
	}
}
