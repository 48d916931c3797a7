package edge

import (
	"testing"
	"time"
)

// heldPacer has written packets of 60 ms from start to now.
func heldPacer(packets int) (p Pacer, start, now time.Time) {
	p = NewPacer(240 * ms)
	start = time.Unix(1000, 0)
	written := run(&p, 60*ms, steady(packets))
	return p, start, written[len(written)-1]
}

// TestPacerHoldFollowsTheDevice: a device that was told late to stop at once says
// where it stopped; nobody believes more of it than real time allows.
func TestPacerHoldFollowsTheDevice(t *testing.T) {
	for _, tt := range []struct {
		name          string
		claims, wants time.Duration
	}{
		{"where it was thought to be", time.Second, time.Second},
		{"a bit farther", 1060 * ms, 1060 * ms},
		{"before that", 900 * ms, time.Second},
		{"farther than it can be", 1200 * ms, 1100 * ms},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, start, _ := heldPacer(40)
			p.Hold(start.Add(time.Second), 0)
			p.Acknowledge(start.Add(1100*ms), tt.claims)
			if got := p.Playing(start.Add(5 * time.Second)); got != tt.wants {
				t.Errorf("it stands at %v, want %v", got, tt.wants)
			}
			p.Release(start.Add(5 * time.Second))
			if got := p.Playing(start.Add(5300 * ms)); got != tt.wants+300*ms {
				t.Errorf("300 ms after the release it is at %v, want %v", got, tt.wants+300*ms)
			}
		})
	}
}

// TestPacerHoldIsNoUnderrun: a device that stands at the end of what it has is not
// one that ran dry.
func TestPacerHoldIsNoUnderrun(t *testing.T) {
	p, start, now := heldPacer(40)
	p.Hold(now, 2400*ms) // where what was written ends
	now = start.Add(5 * time.Second)
	for i := range 4 { // the lead behind the pause
		due := p.Due(now, 60*ms)
		if due.After(now.Add(time.Second)) {
			t.Fatalf("packet %d does not leave although the queue is empty", i)
		}
		if due.After(now) {
			now = due
		}
		p.Written(now, due, now, 60*ms)
		now = now.Add(time.Second)
	}
	if due := p.Due(now, 60*ms); !due.After(now.Add(time.Minute)) {
		t.Errorf("another packet may leave after %v, behind the hold is the lead already", due.Sub(now))
	}
	if n := p.Stats().Underruns; n != 0 {
		t.Errorf("%d underruns in a hold", n)
	}
	p.Release(now)
	if due := p.Due(now, 60*ms); due.Sub(now) != 60*ms {
		t.Errorf("after the release the next packet leaves after %v, want when one was played", due.Sub(now))
	}
}

// TestPacerHoldIsNoNewsOfTheClock: a counter that creeps towards a hold, or comes
// late, does not make the device's clock a slow one.
func TestPacerHoldIsNoNewsOfTheClock(t *testing.T) {
	p, start, now := heldPacer(40)
	p.Acknowledge(start.Add(60*ms), 60*ms)
	p.Acknowledge(start.Add(2100*ms), 2090*ms) // the clocks have been compared
	p.Hold(now, 2300*ms)
	for i := range 5 {
		now = now.Add(time.Second)
		p.Acknowledge(now, 2100*ms+time.Duration(i)*ms)
	}
	p.Release(now)
	if shift := p.Stats().Shift; shift != 0 {
		t.Errorf("a correction of %v because of a hold", shift)
	}
	p.Acknowledge(now.Add(110*ms), 2400*ms)
	if shift := p.Stats().Shift; shift != 0 {
		t.Errorf("a correction of %v with the first word after it", shift)
	}
}
