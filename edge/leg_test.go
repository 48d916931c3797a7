package edge

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"edged/dialog"
)

// TestHandlerEnds: what the handler returns decides what the device is told.
func TestHandlerEnds(t *testing.T) {
	tests := []struct {
		name    string
		result  error
		code    dialog.ErrorCode
		message string
		ordered bool // an ordinary end
	}{
		{"nil", nil, "", "", true},
		{"an error for the device", failure(dialog.ErrorBusy, "come back later"), dialog.ErrorBusy, "come back later", false},
		{"an error of its own", errors.New("the database at 10.0.0.3 is down"), dialog.ErrorInternal, "the session failed", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{})
				r.release <- tt.result
				err := <-r.over
				if (err == nil) != tt.ordered {
					t.Errorf("Serve returned %v", err)
				}
				if f := r.transport.told(); f == nil || f.Code != tt.code || f.Message != tt.message {
					t.Errorf("the device was told %+v, want code %q and %q: no inner details", f, tt.code, tt.message)
				}
				if _, open := <-r.leg.Events(); open {
					t.Error("Events is still open")
				}
				if err := r.leg.Send(dialog.SpeechStarted{}); !errors.Is(err, ErrClosed) {
					t.Errorf("Send after the end: %v, want ErrClosed", err)
				}
				if err := r.leg.Play(t.Context(), 1, begin()); !errors.Is(err, ErrClosed) {
					t.Errorf("Play after the end: %v, want ErrClosed", err)
				}
			})
		})
	}
}

// TestPanics end their connection and nothing else.
func TestPanics(t *testing.T) {
	tests := []struct {
		name  string
		panic func(*rig)
	}{
		{"in the reader", func(r *rig) {
			r.transport.input <- func(*Inlet) error { panic("boom") }
		}},
		{"in the writer", func(r *rig) {
			r.transport.mu.Lock()
			r.transport.onWrite = func(record) { panic("boom") }
			r.transport.mu.Unlock()
			_ = r.leg.Send(dialog.SpeechStarted{})
		}},
		{"in the handler", func(r *rig) { r.release <- nil }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport := newFakeTransport()
				r := &rig{t: t, transport: transport, release: make(chan error, 1), over: make(chan error, 1)}
				server, err := New(Config{Handler: func(ctx context.Context, _ *Leg) error {
					select {
					case <-r.release:
						panic("boom")
					case <-ctx.Done():
						return nil
					}
				}})
				if err != nil {
					t.Fatal(err)
				}
				admission, err := admit(server, Identity{})
				if err != nil {
					t.Fatal(err)
				}
				defer admission.Release()
				if r.leg, err = admission.Open(offerOf(pcm16k20, pcm16k60), transport); err != nil {
					t.Fatal(err)
				}
				go func() { r.over <- admission.Serve(t.Context(), r.leg) }()
				synctest.Wait()
				tt.panic(r)
				var told *Error
				if err := <-r.over; !errors.As(err, &told) || told.Code != dialog.ErrorInternal {
					t.Errorf("Serve returned %v, want an internal error", err)
				}
			})
		})
	}
}

// TestStalledDevice is F46: a device that does not read loses its connection after
// the write timeout; until then its memory is bounded and nobody else notices.
func TestStalledDevice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stalled := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{})
		other := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{})
		defer other.close()
		stalled.transport.mu.Lock()
		stalled.transport.stall = make(chan struct{})
		stalled.transport.mu.Unlock()

		began := time.Now()
		played := make(chan time.Duration, 1)
		go func() {
			var taken time.Duration
			for stalled.leg.Play(stalled.ctx, 1, speech(16000, 20*ms)[0]) == nil {
				taken += 20 * ms
			}
			played <- taken
		}()
		other.play(1, begin())
		other.play(1, speech(16000, 3*time.Second)...)
		other.play(1, end())
		time.Sleep(time.Second)
		if n := len(other.transport.packets()); n != 50 {
			t.Errorf("the other device got %d of 50 packets while one was stalled", n)
		}
		err := <-stalled.over
		if waited := time.Since(began); waited != 10*time.Second {
			t.Errorf("the stalled connection was closed after %v, want the write timeout of 10s", waited)
		}
		var told *Error
		if !errors.As(err, &told) || told.Code != dialog.ErrorTimeout {
			t.Errorf("Serve returned %v, want a timeout", err)
		}
		if taken := <-played; taken > time.Second {
			t.Errorf("%v of audio were taken in for a device that does not read", taken)
		}
	})
}

// TestSilentDevice is F43: without a sign of life the connection ends at its limit;
// any sign of life keeps it.
func TestSilentDevice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{})
		began := time.Now()
		time.Sleep(50 * time.Second)
		r.do(func(in *Inlet) error { in.Alive(); return nil })
		err := <-r.over
		if alive := time.Since(began); alive != 110*time.Second {
			t.Errorf("closed after %v, want 60s after the last sign of life at 50s", alive)
		}
		var told *Error
		if !errors.As(err, &told) || told.Code != dialog.ErrorTimeout {
			t.Errorf("Serve returned %v, want a timeout", err)
		}
		pings := 0
		for _, c := range r.transport.controls() {
			if _, ok := c.(Ping); ok {
				pings++
			}
		}
		if pings != 5 {
			t.Errorf("%d pings in 110 s, want one every 20 s", pings)
		}
	})
}

// TestLongStory is F44: five minutes of reply to a user who says nothing; the
// device answers pings, that is all.
func TestLongStory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{})
		defer r.close()
		r.transport.mu.Lock()
		r.transport.onWrite = func(rec record) {
			if _, ok := rec.control.(Ping); ok {
				r.transport.inlet.Alive()
			}
		}
		r.transport.mu.Unlock()
		go func() {
			for range r.leg.Events() {
			}
		}()
		second := speech(16000, time.Second)
		for range 300 {
			r.play(1, second...)
		}
		r.play(1, end())
		time.Sleep(time.Minute)
		if cause := r.leg.closed(); cause != nil {
			t.Errorf("the story ended with %v", cause)
		}
	})
}

// TestPingIsAnswered: the device's own ping comes back with its number.
func TestPingIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{})
		defer r.close()
		r.do(func(in *Inlet) error { return in.Ping(42) })
		synctest.Wait()
		if got := r.transport.controls(); !slices.Equal(got, []Control{Pong{ID: 42}}) {
			t.Errorf("written %v, want the pong", got)
		}
	})
}

// TestFaultsAreLimited: bad input is told at most once a second, all of it is
// counted, and too much of it ends the connection.
func TestFaultsAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{MaxFaults: 20})
		bad := func(in *Inlet) error { return in.Fault(dialog.ErrorMalformed, "what is this") }
		for range 5 {
			r.do(bad)
		}
		r.do(func(in *Inlet) error { return in.Fault(dialog.ErrorTooLarge, "too much") })
		time.Sleep(time.Second)
		r.do(bad)
		synctest.Wait()
		told := 0
		for _, e := range r.events() {
			if _, ok := e.(dialog.Fault); ok {
				told++
			}
		}
		if told != 3 || len(r.transport.controls()) != 3 {
			t.Errorf("told the session %d times and the device %d times, want 3: one a second for each code", told, len(r.transport.controls()))
		}
		if n := r.leg.Stats().Faults[dialog.ErrorMalformed]; n != 6 {
			t.Errorf("%d counted, want 6", n)
		}
		for range 13 {
			r.do(bad)
		}
		if cause := r.leg.closed(); cause != nil {
			t.Fatalf("ended after 20 faults: %v", cause)
		}
		r.do(bad)
		err := <-r.over
		if f := r.transport.told(); err == nil || f.Code != dialog.ErrorMalformed || !strings.Contains(f.Message, "more than 20 faults") {
			t.Errorf("after 21 faults: %v, told %+v", err, f)
		}
	})
}

// TestEventsAreMerged: progress never crowds out what happens once.
func TestEventsAreMerged(t *testing.T) {
	q := newEvents()
	position := func(turn dialog.Turn, d time.Duration) dialog.Position { return dialog.Position{Turn: turn, Offset: d} }
	for i := range 10_000 {
		at := time.Duration(i) * ms
		if !q.push(dialog.Sent{Position: position(1, at)}) || !q.push(dialog.Played{Position: position(1, at)}) {
			t.Fatal("progress overflowed")
		}
	}
	if !q.push(dialog.Abort{}) || !q.push(dialog.Sent{Position: position(1, time.Hour)}) || !q.push(dialog.Delivered{Position: position(1, time.Hour)}) {
		t.Fatal("overflowed")
	}
	for range 3 {
		q.push(dialog.Played{Position: position(2, time.Hour)})
	}
	var got []dialog.Uplink
	for q.waiting() || len(q.out) > 0 {
		got = append(got, <-q.out)
	}
	tail := got[eventBuffer:]
	want := []dialog.Uplink{
		dialog.Sent{Position: position(1, 9999*ms)}, dialog.Played{Position: position(1, 9999*ms)},
		dialog.Abort{}, dialog.Sent{Position: position(1, time.Hour)}, dialog.Delivered{Position: position(1, time.Hour)},
		dialog.Played{Position: position(2, time.Hour)},
	}
	if !slices.Equal(tail, want) {
		t.Errorf("after what fitted into the channel came\n %v, want\n %v", tail, want)
	}
	played := time.Duration(-1)
	sent := time.Duration(-1)
	for _, e := range got {
		switch e := e.(type) {
		case dialog.Sent:
			sent = e.Offset
		case dialog.Played:
			if e.Turn == 1 && e.Offset > sent {
				t.Errorf("played %v was told before sent (%v)", e.Offset, sent)
			}
			played = max(played, e.Offset)
		}
	}
	q.close()
	q.close()
	if !q.push(dialog.Abort{}) {
		t.Error("a push after the close overflowed")
	}
	if _, open := <-q.out; open {
		t.Error("the channel is open after close")
	}
}

// TestEventOverflow: a session that takes nothing loses the connection rather than
// an event.
func TestEventOverflow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{})
		for range eventBuffer + eventBacklog {
			r.do(func(in *Inlet) error { in.Abort(dialog.Abort{}); return nil })
		}
		if cause := r.leg.closed(); cause != nil {
			t.Fatalf("ended too early: %v", cause)
		}
		r.do(func(in *Inlet) error { in.Abort(dialog.Abort{}); return nil })
		var told *Error
		if err := <-r.over; !errors.As(err, &told) || told.Code != dialog.ErrorInternal {
			t.Errorf("ended with %v, want an internal error", err)
		}
	})
}

// TestEventsCatchUp: what waits behind a full channel is delivered once there is
// room, without anything else happening.
func TestEventsCatchUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{})
		defer r.close()
		for range eventBuffer + 3 {
			r.do(func(in *Inlet) error { in.Abort(dialog.Abort{}); return nil })
		}
		r.leg.wake()
		got := 0
		for range eventBuffer {
			<-r.leg.Events()
			got++
		}
		for range 3 {
			select {
			case <-r.leg.Events():
				got++
			case <-time.After(100 * ms):
			}
		}
		if got != eventBuffer+3 {
			t.Errorf("%d of %d events arrived", got, eventBuffer+3)
		}
	})
}

// TestControlOverflow: control never drops; a device that does not take it is cut.
func TestControlOverflow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{})
		r.transport.mu.Lock()
		r.transport.stall = make(chan struct{})
		r.transport.mu.Unlock()
		var err error
		sent := 0
		for ; err == nil && sent < 1000; sent++ {
			err = r.leg.Send(dialog.SpeechStarted{})
		}
		if !errors.Is(err, ErrClosed) || sent > maxUrgent+3 {
			t.Errorf("%d messages were taken, then %v", sent, err)
		}
		var told *Error
		if err := <-r.over; !errors.As(err, &told) || told.Code != dialog.ErrorTimeout {
			t.Errorf("ended with %v, want a timeout", err)
		}
	})
}

// TestGoroutines: a connection has two of its own besides the handler's: the
// reader, on whose stack Serve was called, and the writer.
func TestGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Stacks of other tests may still be unwinding.
		count := func() int {
			synctest.Wait()
			buf := make([]byte, 1<<20)
			n := 0
			for stack := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
				if strings.Contains(stack, "edge.(*Leg).") && strings.Contains(stack, "synctest bubble") {
					n++
				}
			}
			return n
		}
		r := newRig(t, offerOf(opus16k20, opus16k60), Limits{})
		if n := count(); n != 3 {
			t.Errorf("%d goroutines, want the reader, the writer and the handler", n)
		}
		s := &stream{r: r, format: opus16k20}
		s.listen(dialog.ModeManual)
		r.play(1, begin())
		r.play(1, speech(16000, 500*ms)...)
		if n := count(); n != 3 {
			t.Errorf("%d goroutines in a turn, want the same 3", n)
		}
		_ = r.close()
	})
}

// TestMicClosesWithTheSession: a session that has stopped listening is no error for
// the device.
func TestMicClosesWithTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{})
		defer r.close()
		_ = r.leg.Uplink().CloseWithError(errors.New("session over"))
		s := &stream{r: r, format: pcm16k20}
		s.listen(dialog.ModeManual)
		s.send(s.next(bytesOf(tone(16000, 20*ms, 440))))
		s.stop()
		if cause := r.leg.closed(); cause != nil {
			t.Errorf("the connection ended: %v", cause)
		}
	})
}
