package edge

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"edged/audio"
)

// TestSkewedClocks is the clock row of the numbers to hold, with the whole leg: a
// reply of ten minutes to devices whose clocks are 200 ppm off, with queues of 5 and
// 40 packets, with and without acknowledgements, over a network of 30 ms; and with
// a hold of two seconds in each minute. The queue never runs dry and never
// overflows.
//
// Without acknowledgements the edge cannot know the device's clock: the queue of a
// device drifts by 120 ms in ten minutes of unbroken reply. A slow one's grows from
// the lead (240 ms) to 360 ms, which is the five waiting packets and the one that
// is played of the smallest device; a fast one's shrinks to 120 ms. Every new reply,
// and every stall of a synthesiser, begins with the lead again.
func TestSkewedClocks(t *testing.T) {
	const length = 10 * time.Minute
	for _, queue := range []int{5, 40} {
		for _, ppm := range []float64{-200, 200} {
			for _, acks := range []bool{false, true} {
				for _, holding := range []bool{false, true} {
					t.Run(fmt.Sprintf("%d packets, %+v ppm, acknowledged %v, held %v", queue, ppm, acks, holding), func(t *testing.T) {
						t.Parallel()
						synctest.Test(t, func(t *testing.T) {
							d := newListener(16000)
							d.ppm, d.latency, d.deaf = ppm, 30*ms, true
							skewed(t, d, queue, length, acks, holding)
						})
					})
				}
			}
		}
	}
}

func skewed(t *testing.T, d *listener, queue int, length time.Duration, acks, holding bool) {
	offer := holdOffer(pcm16k60)
	offer.Hello.Capabilities.QueueCap = time.Duration(queue) * 60 * ms
	r := newRig(t, offer, Limits{})
	defer r.close()
	ack := r.follow(d)
	var players sync.WaitGroup
	over := make(chan struct{})
	players.Go(func() {
		for {
			select {
			case <-over:
				return
			case <-time.After(200 * ms):
				if acks {
					ack(1)
				} else {
					r.do(func(in *Inlet) error { in.Alive(); return nil })
				}
			}
		}
	})
	players.Go(func() {
		for range r.leg.Events() {
		}
	})
	start := time.Now()
	if holding {
		players.Go(func() {
			for range 9 {
				time.Sleep(58 * time.Second)
				wants(t, "hold", r.leg.Hold(1, d.rate.Duration(d.at(1, time.Now()))+77*ms), nil)
				time.Sleep(2 * time.Second)
				wants(t, "release", r.leg.Release(1), nil)
			}
		})
	}
	r.play(1, begin())
	chunk := speech(16000, 20*ms)[0]
	for range length / (20 * ms) {
		r.play(1, chunk)
	}
	r.play(1, end())
	time.Sleep(2 * time.Second)
	close(over)
	pos := d.at(1, time.Now().Add(time.Second))
	starved, most := d.starved, d.most
	var last time.Duration
	for _, rec := range r.transport.written() {
		if rec.control == nil {
			last = rec.at.Sub(start)
		}
	}
	_ = r.close()
	r.over <- nil // for the deferred close
	players.Wait()

	if pos != d.rate.Samples(length) {
		t.Errorf("the device played %d samples, want all %d", pos, d.rate.Samples(length))
	}
	if starved > 0 {
		t.Errorf("the device ran dry %d times although audio was at hand", starved)
	}
	// One packet is being played, the others wait.
	if room := time.Duration(queue+1) * 60 * ms; most > room+ms {
		t.Errorf("the device held up to %v, its queue of %d packets and the one being played have %v", most, queue, room)
	}
	if acks && most > r.leg.Hello().Capabilities.Lead+60*ms {
		t.Errorf("the device held up to %v although it said where it was", most)
	}
	if holding {
		return // how long the device stood depends on where it was
	}
	// F06: the end is in time, by the device's clock where that is known.
	want := length
	if acks {
		want -= time.Duration(float64(length) * d.ppm / 1e6)
	}
	if off := (last - want + r.leg.Hello().Capabilities.Lead).Abs(); off > 60*ms {
		t.Errorf("the end was sent %v away from real time, more than a packet", off)
	}
}

// TestPacerWithoutAcknowledgements: how long a device whose clock is 200 ppm off
// can be played to without a word from it, before the drift has used up what its
// queue has to spare: a slow one overflows when the room above the lead is used up,
// a fast one runs dry when the lead is, all but the packet that is to come.
func TestPacerWithoutAcknowledgements(t *testing.T) {
	const ptime, lead, drift = 60 * ms, 240 * ms, 200e-6
	tests := []struct {
		name     string
		capacity int
		ppm      float64
		reserve  time.Duration
	}{
		{"5 packets, slow", 5, -200, 6*ptime - lead},
		{"5 packets, fast", 5, 200, lead - ptime},
		{"40 packets, slow", 40, -200, 41*ptime - lead},
		{"40 packets, fast", 40, 200, lead - ptime},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bound := time.Duration(float64(tt.reserve) / drift)
			if bound < 10*time.Minute {
				t.Errorf("the bound is %v, want at least ten minutes of unbroken reply", bound)
			}
			p := NewPacer(lead)
			d := &device{ptime: ptime, capacity: tt.capacity, ppm: tt.ppm, expecting: true}
			start := time.Unix(1000, 0)
			now := start
			for d.overflows+d.underruns == 0 && now.Sub(start) < 4*time.Hour {
				due := p.Due(now, ptime)
				if due.After(now) {
					now = due
				}
				p.Written(now, due, start, ptime)
				d.receive(now)
			}
			went := now.Sub(start)
			if (went - bound).Abs() > bound/100 {
				t.Errorf("after %v %d overflows and %d underruns, want the first after %v", went, d.overflows, d.underruns, bound)
			}
			t.Logf("it goes well for %v, the bound is %v", went.Round(time.Second), bound)
			// A new reply after a moment of silence begins with the lead again.
			p.Begin()
			now = now.Add(time.Second)
			d.expecting = false
			d.advance(now)
			before := d.overflows + d.underruns
			d.expecting = true
			for range int(5 * time.Minute / ptime) {
				due := p.Due(now, ptime)
				if due.After(now) {
					now = due
				}
				p.Written(now, due, start, ptime)
				d.receive(now)
			}
			if d.overflows+d.underruns != before {
				t.Errorf("the next reply is damaged: %d overflows, %d underruns, before it %d", d.overflows, d.underruns, before)
			}
		})
	}
}

// TestHeldReplyEndsInTime: ten minutes of reply end within one packet of real time,
// in each packet duration, also when they were held on the way (F06).
func TestHeldReplyEndsInTime(t *testing.T) {
	for _, ptime := range []time.Duration{20 * ms, 40 * ms, 60 * ms} {
		format := audio.Format{Codec: audio.CodecPCM, Rate: 16000, Channels: 1, Ptime: ptime}
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, holdOffer(format), Limits{IdleTimeout: time.Hour})
			defer r.close()
			go func() {
				for range r.leg.Events() {
				}
			}()
			start := time.Now()
			const length, pause = 10 * time.Minute, 3 * time.Second
			go func() {
				time.Sleep(5 * time.Minute)
				_ = r.leg.Hold(1, 0)
				time.Sleep(pause)
				_ = r.leg.Release(1)
			}()
			chunk := speech(16000, 20*ms)[0]
			for range length / (20 * ms) {
				r.play(1, chunk)
			}
			r.play(1, end())
			time.Sleep(2 * time.Second)
			packets := r.transport.packets()
			want := length + pause - r.leg.Hello().Capabilities.Lead
			if got := packets[len(packets)-1].at.Sub(start); (got - want).Abs() > ptime {
				t.Errorf("%v packets: the last one left after %v, want %v", ptime, got, want)
			}
		})
	}
}
