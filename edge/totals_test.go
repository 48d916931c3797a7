package edge

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"edged/dialog"
)

// crowd is a server that many devices come to and leave.
type crowd struct {
	t      *testing.T
	server *Server
}

func newCrowd(t *testing.T) *crowd {
	t.Helper()
	server, err := New(Config{ReconnectsPerMinute: -1, Handler: func(ctx context.Context, leg *Leg) error {
		<-ctx.Done()
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return &crowd{t, server}
}

// visit serves a device and returns when its connection is over and counted.
func (c *crowd) visit(device string, story func(*rig)) {
	c.t.Helper()
	admission, err := admit(c.server, Identity{})
	if err != nil {
		c.t.Error(err)
		return
	}
	defer admission.Release()
	offer := offerOf(pcm16k20, pcm16k20)
	offer.Hello.Device = device
	r := &rig{t: c.t, transport: newFakeTransport(), over: make(chan error, 1)}
	if r.leg, err = admission.Open(offer, r.transport); err != nil {
		c.t.Error(err)
		return
	}
	go func() { r.over <- admission.Serve(context.Background(), r.leg) }()
	story(r)
	<-r.over
}

// counts flattens whatever is a count in the value, by path.
func counts(prefix string, v reflect.Value, into map[string]uint64) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			counts(prefix+"."+v.Type().Field(i).Name, v.Field(i), into)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			counts(prefix+"."+key.String(), v.MapIndex(key), into)
		}
	case reflect.Array:
		for i := range v.Len() {
			counts(fmt.Sprint(prefix, ".", i), v.Index(i), into)
		}
	case reflect.Uint64:
		into[prefix] = v.Uint()
	case reflect.Int64:
		into[prefix] = uint64(v.Int())
	}
}

func countsOf(totals Totals) map[string]uint64 {
	all := make(map[string]uint64)
	counts("Totals", reflect.ValueOf(totals), all)
	for _, now := range []string{"Uplink.Chunks", "Uplink.Bytes", "Jitter.Held"} {
		delete(all, "Totals.Stats."+now) // what is held now may become less
	}
	return all
}

// No sum goes back while connections come, count and go and somebody looks all
// the time; at the end each thing that happened was counted exactly once.
func TestTotalsNeverGoBack(t *testing.T) {
	const devices, visits, packets = 8, 40, 20
	c := newCrowd(t)
	gone := make(chan struct{})
	var looking, coming sync.WaitGroup
	for range 2 {
		looking.Go(func() {
			before := countsOf(c.server.Totals())
			for looks := 1; ; looks++ {
				now := countsOf(c.server.Totals())
				for name, n := range before {
					if now[name] < n {
						t.Errorf("%s went from %d back to %d", name, n, now[name])
						return
					}
				}
				before = now
				select {
				case <-gone:
					t.Logf("looked %d times", looks)
					return
				default:
				}
			}
		})
	}
	frame := bytesOf(tone(16000, 20*ms, 440))
	for d := range devices {
		coming.Go(func() {
			for range visits {
				c.visit(fmt.Sprint("device ", d), func(r *rig) {
					s := &stream{r: r, format: pcm16k20}
					s.listen(dialog.ModeManual)
					for i := range packets {
						if i%5 == 4 {
							s.next(nil) // lost
						}
						s.send(s.next(frame))
					}
					s.stop()
					s.send(s.next(frame)) // outside
					r.do(func(in *Inlet) error { in.Played(9, 1); return nil })
					r.do(func(in *Inlet) error { return in.Fault(dialog.ErrorMalformed, "no JSON") })
					r.transport.input <- func(*Inlet) error { return errByeBye }
				})
			}
		})
	}
	coming.Wait()
	close(gone)
	looking.Wait()

	const all = devices * visits
	sum := c.server.Totals()
	if sum.Begun != all || sum.Live != 0 || !maps.Equal(sum.Ended, map[EndReason]uint64{EndBye: all}) {
		t.Errorf("%d begun, %d live, ended %v; want %d that said goodbye", sum.Begun, sum.Live, sum.Ended, all)
	}
	if sum.PacketsIn != all*(packets+1) || sum.BytesIn != sum.PacketsIn*uint64(len(frame)) || sum.Jitter.Lost != all*packets/5 {
		t.Errorf("%d packets of %d bytes, %d lost; want %d and %d", sum.PacketsIn, sum.BytesIn, sum.Jitter.Lost, all*(packets+1), all*packets/5)
	}
	if want := map[DropReason]uint64{DropOutsideListening: all, DropStaleAck: all}; !maps.Equal(sum.Drops, want) {
		t.Errorf("drops %v, want %v", sum.Drops, want)
	}
	if want := map[dialog.ErrorCode]uint64{dialog.ErrorMalformed: all}; !maps.Equal(sum.Faults, want) {
		t.Errorf("faults %v, want %v", sum.Faults, want)
	}
}

// How connections end is told apart, and what is counted of the way to the
// device outlives the connection as well.
func TestTotalsOfReplies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t)
		c.visit("lost", func(r *rig) {
			r.play(1, begin())
			r.play(1, speech(16000, 500*ms)...)
			r.play(1, end())
			time.Sleep(time.Second)
			r.transport.once.Do(func() { close(r.transport.cut) })
		})
		before := c.server.Totals()
		if before.PacketsOut != 25 || before.Pacer.Packets != 25 || before.Pacer.Lateness.Count() != 25 {
			t.Errorf("%d packets, %d paced, %d late or not; want 500 ms in packets of 20 ms", before.PacketsOut, before.Pacer.Packets, before.Pacer.Lateness.Count())
		}
		// 240 ms are written in 120, then 400 wait behind the lead when the
		// user interrupts. The device takes no message for 70 ms.
		var leg *Leg
		c.visit("flushed", func(r *rig) {
			leg = r.leg
			r.play(1, begin())
			playing := make(chan struct{})
			go func() {
				defer close(playing)
				for _, chunk := range speech(16000, 2*time.Second) {
					if r.leg.Play(t.Context(), 1, chunk) != nil {
						return
					}
				}
			}()
			time.Sleep(time.Second)
			r.transport.mu.Lock()
			r.transport.onWrite = func(rec record) {
				if _, ok := rec.control.(Flush); ok {
					time.Sleep(70 * ms)
				}
			}
			r.transport.mu.Unlock()
			if _, err := r.leg.Flush(t.Context(), 1, dialog.CauseAbort); err != nil {
				t.Error(err)
			}
			<-playing
			r.transport.once.Do(func() { close(r.transport.cut) })
		})
		now := c.server.Totals()
		if f := now.Flushes; f.Count() != 1 || f.Sum() != 70*ms {
			t.Errorf("%d flushes that took %v, want one of 70ms", f.Count(), f.Sum())
		}
		if now.Flushed < DefaultLookahead-40*ms || now.Flushed > DefaultLookahead+20*ms {
			t.Errorf("%v were given up, want about the look-ahead of %v", now.Flushed, DefaultLookahead)
		}
		if want := before.PacketsOut + leg.Stats().PacketsOut; now.PacketsOut != want {
			t.Errorf("%d packets after both, want %d", now.PacketsOut, want)
		}
		c.visit("busy", func(r *rig) { r.leg.end(&Error{Code: dialog.ErrorBusy, Message: "later"}) })
		c.server.CountRefusal(dialog.ErrorUnauthorized)
		c.server.CountRefusal(dialog.ErrorUnauthorized)
		last := c.server.Totals()
		if want := map[EndReason]uint64{EndLost: 2, EndReason(dialog.ErrorBusy): 1}; !maps.Equal(last.Ended, want) {
			t.Errorf("ended %v, want %v", last.Ended, want)
		}
		if want := map[dialog.ErrorCode]uint64{dialog.ErrorUnauthorized: 2}; !maps.Equal(last.Refused, want) {
			t.Errorf("refused %v, want %v", last.Refused, want)
		}
	})
}

// What makes a connection end because nobody takes its messages is counted.
func TestTotalsOfOverflow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t)
		c.visit("chatty", func(r *rig) {
			for range eventBuffer + eventBacklog + 1 { // nobody reads Events
				r.do(func(in *Inlet) error { in.Abort(dialog.Abort{}); return nil })
			}
		})
		c.visit("deaf", func(r *rig) {
			r.transport.stall = make(chan struct{})
			var err error
			for range maxUrgent + 2 { // one is being written
				synctest.Wait()
				err = r.leg.Send(dialog.Transcript{})
			}
			if !errors.Is(err, ErrClosed) {
				t.Errorf("%d messages that the device does not take: %v", maxUrgent+2, err)
			}
		})
		if sum := c.server.Totals(); sum.Untaken != 1 || sum.Unread != 1 {
			t.Errorf("%d events untaken, %d messages unread; want one each", sum.Untaken, sum.Unread)
		}
	})
}

// The jitter of arrivals is the difference between two times: that between the
// arrivals and that between the first samples.
func TestInterarrival(t *testing.T) {
	start := time.Now()
	var a interarrival
	for _, p := range []struct {
		at        time.Duration
		timestamp uint32
	}{
		{0, 0}, {20 * ms, 320}, // in time
		{75 * ms, 640},      // 35 ms late
		{80 * ms, 960},      // 15 ms early, behind it
		{140 * ms, 1920},    // one was lost: 60 ms in 60
		{150 * ms, 1600},    // overtaken: -20 ms in 10
		{160 * ms, 1 << 30}, // nonsense
	} {
		a.arrived(start.Add(p.at), p.timestamp, 16000)
	}
	if a.jitter.Count() != 5 || a.jitter.Sum() != (35+15+30)*ms || a.jitter.Max() != 35*ms {
		t.Errorf("%d differences, sum %v, greatest %v; want 5, 80ms, 35ms", a.jitter.Count(), a.jitter.Sum(), a.jitter.Max())
	}
	a.restart()
	a.arrived(start.Add(time.Hour), 0, 16000)
	if a.jitter.Count() != 5 {
		t.Error("the first packet of a period is compared with the one before")
	}
}

// What is merged is what would have been added, and what the octaves tell is what
// was below them.
func TestHistogramMerge(t *testing.T) {
	var whole, a, b Histogram
	for n := range 1000 {
		d := time.Duration(n*n) * 20 * time.Microsecond
		whole.Add(d)
		if n%3 == 0 {
			a.Add(d)
		} else {
			b.Add(d)
		}
	}
	a.Merge(&b)
	if a != whole {
		t.Error("a merged histogram is another than the whole one")
	}
	octaves := 0
	for edge, below := range whole.Octaves() {
		octaves++
		var want uint64
		for n := range 1000 {
			if time.Duration(n*n)*20*time.Microsecond < edge {
				want++
			}
		}
		if below != want {
			t.Errorf("%d below %v, want %d", below, edge, want)
		}
	}
	if octaves != 20 {
		t.Errorf("%d octaves, want those from 2^14 to 2^33 ns", octaves)
	}
}
