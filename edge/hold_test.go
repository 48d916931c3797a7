package edge

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"edged/audio"
	"edged/dialog"
)

func holdOffer(down audio.Format) Offer {
	o := offerOf(pcm16k20, down)
	o.Hello.Capabilities.Hold = true
	return o
}

// story with holds and releases.
func holds(records []record) []string {
	var lines []string
	for _, r := range records {
		switch c := r.control.(type) {
		case Hold:
			lines = append(lines, fmt.Sprintf("hold %d@%d", c.Turn, c.Samples))
		case Release:
			lines = append(lines, fmt.Sprintf("release %d", c.Turn))
		case Flush:
			lines = append(lines, fmt.Sprintf("flush %d", c.Turn))
		case ReplyBegin:
			lines = append(lines, fmt.Sprintf("begin %d", c.Turn))
		}
	}
	return lines
}

// playAll plays a reply in the background.
func (r *rig) playAll(turn dialog.Turn, length time.Duration) (done chan struct{}) {
	done = make(chan struct{})
	go func() {
		defer close(done)
		r.play(turn, begin())
		r.play(turn, speech(16000, length)...)
		r.play(turn, end())
	}()
	return done
}

// TestHold: a held reply pauses where it was told to, goes on without losing or
// doubling a sample, and is delayed by exactly the pause: no burst makes up for it.
func TestHold(t *testing.T) {
	const length = 3 * time.Second
	tests := []struct {
		name     string
		hold     time.Duration // when
		at       time.Duration // where
		release  time.Duration // when
		stops    time.Duration // where it stands
		delay    time.Duration // of the end
		latency  time.Duration
		acks     bool
		capacity time.Duration
	}{
		{name: "ahead", hold: 900 * ms, at: 1200 * ms, release: 2500 * ms, stops: 1200 * ms, delay: 1300 * ms},
		{name: "ahead, with acknowledgements", hold: 900 * ms, at: 1200 * ms, release: 2500 * ms, stops: 1200 * ms, delay: 1300 * ms, acks: true},
		{name: "inside a packet", hold: 900 * ms, at: 1017 * ms, release: 1500 * ms, stops: 1017 * ms, delay: 483 * ms},
		{name: "in the past: at once", hold: 900 * ms, at: 500 * ms, release: 2 * time.Second, stops: 900 * ms, delay: 1100 * ms},
		{name: "in the past, far away", hold: 900 * ms, at: 500 * ms, release: 2 * time.Second, stops: 900 * ms, delay: 1100 * ms, latency: 70 * ms, acks: true},
		{name: "released before it got there", hold: 900 * ms, at: 2 * time.Second, release: 1500 * ms, stops: 1500 * ms, delay: 0},
		{name: "for a long time", hold: 900 * ms, at: time.Second, release: 40 * time.Second, stops: time.Second, delay: 39 * time.Second, acks: true},
		{name: "at the very beginning", hold: 0, at: 0, release: 700 * ms, stops: 0, delay: 700 * ms},
		{name: "beyond the end", hold: 900 * ms, at: 10 * time.Second, release: 5 * time.Second, stops: length, delay: 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, holdOffer(pcm16k60), Limits{})
				defer r.close()
				d := newListener(16000)
				d.latency = tt.latency
				ack := r.follow(d)
				start := time.Now()
				if tt.acks {
					stop := make(chan struct{})
					var acking sync.WaitGroup
					acking.Go(func() {
						for {
							select {
							case <-stop:
								return
							case <-time.After(100 * ms):
								ack(1)
							}
						}
					})
					defer acking.Wait()
					defer close(stop)
				}
				done := r.playAll(1, length)
				time.Sleep(tt.hold)
				synctest.Wait()
				if err := r.leg.Hold(1, tt.at); err != nil {
					t.Fatal(err)
				}
				time.Sleep(tt.release - tt.hold)
				synctest.Wait()
				stands := d.rate.Duration(d.at(1, time.Now()))
				if off := (stands - tt.stops).Abs(); off > ms {
					t.Errorf("before the release the device is at %v, want %v", stands, tt.stops)
				}
				if got := r.leg.progress(1).Played; (got - tt.stops).Abs() > 100*ms+tt.latency {
					t.Errorf("before the release the leg believes that the device is at %v, want %v", got, tt.stops)
				}
				if err := r.leg.Release(1); err != nil {
					t.Fatal(err)
				}
				<-done
				time.Sleep(length + 2*time.Second)
				synctest.Wait()
				d.at(1, time.Now())
				if want := tone(16000, length, 440); !slices.Equal(d.heard[1], want) {
					t.Errorf("%d samples were heard, want %d, each exactly once", len(d.heard[1]), len(want))
				}
				lead := r.leg.Hello().Capabilities.Lead
				if d.most > lead+ms { // a sample is not played in parts
					t.Errorf("the device held %v at a time, the lead is %v (F04)", d.most, lead)
				}
				if d.starved > 0 {
					t.Errorf("the device ran dry %d times", d.starved)
				}
				var last time.Time
				var previous time.Time
				for _, rec := range r.transport.written() {
					if rec.control == nil && len(rec.packet.Payload) > 0 {
						if !previous.IsZero() && rec.at.Sub(previous) < 30*ms {
							t.Errorf("two packets %v apart: a burst", rec.at.Sub(previous))
						}
						previous, last = rec.at, rec.at
					}
				}
				// The last packet leaves the lead before its end is played.
				if got, want := last.Sub(start), length+tt.delay-lead; (got - want).Abs() > 60*ms {
					t.Errorf("the last packet left after %v, want %v: the reply is %v late", got, want, tt.delay)
				}
				if stats := r.leg.pacer.Stats(); stats.Underruns > 0 || stats.Lateness.Max() > 5*ms {
					t.Errorf("%d underruns, lateness %v: a pause is neither", stats.Underruns, stats.Lateness.Max())
				}
			})
		})
	}
}

// TestHoldMessages: what is sent to the device, and what the caller is told, in the
// less common orders.
func TestHoldMessages(t *testing.T) {
	tests := []struct {
		name string
		do   func(t *testing.T, r *rig)
		want []string
	}{
		{"a second hold takes the place of the first", func(t *testing.T, r *rig) {
			r.play(1, speech(16000, 300*ms)...)
			synctest.Wait()
			wants(t, "hold", r.leg.Hold(1, 200*ms), nil)
			wants(t, "hold", r.leg.Hold(1, 100*ms), nil)
			wants(t, "release", r.leg.Release(1), nil)
			wants(t, "release again", r.leg.Release(1), nil)
		}, []string{"begin 1", "hold 1@3200", "hold 1@1600", "release 1"}},
		{"before the reply has begun", func(t *testing.T, r *rig) {
			r.play(1, begin())
			wants(t, "hold", r.leg.Hold(1, 100*ms), nil)
			synctest.Wait()
			r.play(1, speech(16000, 300*ms)...)
			synctest.Wait()
		}, []string{"begin 1", "hold 1@1600"}},
		{"a newer reply undoes it", func(t *testing.T, r *rig) {
			r.play(1, speech(16000, 300*ms)...)
			synctest.Wait()
			wants(t, "hold", r.leg.Hold(1, 0), nil)
			time.Sleep(time.Second)
			r.play(2, begin())
			wants(t, "hold of the older one", r.leg.Hold(1, 0), ErrFlushed)
			wants(t, "release of the older one", r.leg.Release(1), ErrFlushed)
			r.play(2, speech(16000, 300*ms)...)
			time.Sleep(time.Second)
		}, []string{"begin 1", "hold 1@0", "release 1", "begin 2"}},
		{"a flush undoes it", func(t *testing.T, r *rig) {
			r.play(1, speech(16000, 300*ms)...)
			synctest.Wait()
			wants(t, "hold", r.leg.Hold(1, 0), nil)
			_, err := r.leg.Flush(t.Context(), 1, dialog.CauseSpeech)
			wants(t, "flush", err, nil)
			wants(t, "release", r.leg.Release(1), ErrFlushed)
			wants(t, "hold", r.leg.Hold(1, 0), ErrFlushed)
			r.play(2, speech(16000, 100*ms)...)
			time.Sleep(time.Second)
		}, []string{"begin 1", "hold 1@0", "flush 1", "begin 2"}},
		{"a flush in front of the writer", func(t *testing.T, r *rig) {
			r.play(1, speech(16000, 300*ms)...)
			synctest.Wait()
			wants(t, "hold", r.leg.Hold(1, 0), nil)
			synctest.Wait()
			r.transport.stall = make(chan struct{})
			wants(t, "an event", r.leg.Send(dialog.SpeechStarted{}), nil)
			go func() { _, _ = r.leg.Flush(r.ctx, 1, dialog.CauseSpeech) }()
			synctest.Wait()
			r.play(2, begin()) // nothing of turn 1 after its flush, no release either
			close(r.transport.stall)
			synctest.Wait()
		}, []string{"begin 1", "hold 1@0", "flush 1", "begin 2"}},
		{"no reply, another one", func(t *testing.T, r *rig) {
			wants(t, "hold of nothing", r.leg.Hold(1, 0), ErrFlushed)
			wants(t, "turn 0", r.leg.Hold(0, 0), ErrFlushed)
			r.play(3, begin())
			wants(t, "hold of an older turn", r.leg.Hold(2, 0), ErrFlushed)
			wants(t, "hold of a turn to come", r.leg.Hold(4, 0), ErrFlushed)
			wants(t, "release of what is not held", r.leg.Release(3), nil)
			synctest.Wait()
		}, []string{"begin 3"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, holdOffer(pcm16k60), Limits{})
				defer r.close()
				tt.do(t, r)
				synctest.Wait()
				got := holds(r.transport.written())
				if !slices.Equal(got, tt.want) {
					t.Errorf("written %q, want %q", got, tt.want)
				}
			})
		})
	}
}

func wants(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestHoldIsRefused where it cannot be done.
func TestHoldIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{})
		r.play(1, speech(16000, 300*ms)...)
		wants(t, "hold without the capability", r.leg.Hold(1, 0), ErrNoHold)
		wants(t, "release without the capability", r.leg.Release(1), ErrNoHold)
		_ = r.close()
		wants(t, "hold after the end", r.leg.Hold(1, 0), ErrClosed)
		wants(t, "release after the end", r.leg.Release(1), ErrClosed)
	})
}

// TestHoldRespectsPads: the place where a reply is held is told in the device's
// samples, which count the silence that was put in for a slow synthesiser.
func TestHoldRespectsPads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, holdOffer(pcm16k60), Limits{})
		defer r.close()
		r.play(1, begin())
		r.play(1, speech(16000, 100*ms)...) // filled up with 20 ms of silence
		time.Sleep(time.Second)
		r.play(1, speech(16000, 300*ms)...)
		synctest.Wait()
		for _, at := range []time.Duration{50 * ms, 100 * ms, 101 * ms, 150 * ms} {
			wants(t, "hold", r.leg.Hold(1, at), nil)
		}
		synctest.Wait()
		want := []string{"begin 1", "hold 1@800", "hold 1@1600", "hold 1@1936", "hold 1@2720"}
		if got := holds(r.transport.written()); !slices.Equal(got, want) {
			t.Errorf("written %q, want %q: 20 ms of silence lie behind the first 100 ms", got, want)
		}
		if got := r.leg.Locate(1, 1936); got != 101*ms {
			t.Errorf("sample 1936 is at %v, want 101ms", got)
		}
	})
}

// TestStalledInAHold: silence is not put in while nobody hears it, and the rest of
// a word leaves once the reply goes on.
func TestStalledInAHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, holdOffer(pcm16k60), Limits{})
		defer r.close()
		d := newListener(16000)
		r.follow(d)
		r.play(1, begin())
		r.play(1, speech(16000, 100*ms)...)
		synctest.Wait()
		wants(t, "hold", r.leg.Hold(1, 30*ms), nil)
		time.Sleep(5 * time.Second)
		r.play(1, speech(16000, 200*ms)...)
		time.Sleep(5 * time.Second)
		wants(t, "release", r.leg.Release(1), nil)
		r.play(1, end())
		time.Sleep(time.Second)
		synctest.Wait()
		d.at(1, time.Now())
		if want := slices.Concat(tone(16000, 100*ms, 440), tone(16000, 200*ms, 440)); !slices.Equal(d.heard[1], want) {
			t.Errorf("%d samples were heard, want %d without silence among them", len(d.heard[1]), len(want))
		}
		if n := r.leg.pacer.Stats().Underruns; n != 0 {
			t.Errorf("%d underruns counted in a hold", n)
		}
	})
}

// TestIdleInAHold: a held device stays connected as long as it answers pings.
func TestIdleInAHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, holdOffer(pcm16k60), Limits{})
		defer r.close()
		r.play(1, speech(16000, 300*ms)...)
		synctest.Wait()
		wants(t, "hold", r.leg.Hold(1, 0), nil)
		for range 20 {
			time.Sleep(20 * time.Second)
			r.do(func(in *Inlet) error { in.Alive(); return nil })
		}
		wants(t, "release after minutes", r.leg.Release(1), nil)
	})
}

// TestHoldOfADeviceThatDoesNotRead: a device that does not read loses its
// connection instead of a hold.
func TestHoldOfADeviceThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, holdOffer(pcm16k60), Limits{})
		r.play(1, begin())
		synctest.Wait()
		r.transport.stall = make(chan struct{})
		var err error
		for i := 0; i < 2*maxUrgent && err == nil; i++ {
			err = r.leg.Hold(1, time.Duration(i)*ms)
		}
		wants(t, "so many holds", err, ErrClosed)
		close(r.transport.stall)
		if told := (*Error)(nil); !errors.As(<-r.over, &told) || told.Code != dialog.ErrorTimeout {
			t.Errorf("the connection ended with %v, want a timeout", told)
		}
	})
}

// TestHoldInterleavings is the promise of an interruption with holds in between:
// whatever the order of plays, holds, releases, flushes, acknowledgements and the
// end of the connection, nothing of a turn leaves after its flush, the device never
// holds more than the lead, and hears of each reply a beginning without a hole.
func TestHoldInterleavings(t *testing.T) {
	for seed := range uint64(150) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { holdAtRandom(t, seed) })
		})
	}
}

func holdAtRandom(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 3))
	format := []audio.Format{pcm16k60, pcm16k20, {Codec: audio.CodecPCM, Rate: 16000, Channels: 1, Ptime: 40 * ms}}[seed%3]
	r := newRig(t, holdOffer(format), Limits{})
	d := newListener(16000)
	ack := r.follow(d)
	pause := func(most time.Duration) { time.Sleep(time.Duration(random.Int64N(int64(most)))) }
	var players sync.WaitGroup
	whole := tone(16000, 900*ms, 440)
	for turn := dialog.Turn(1); turn <= 6; turn++ {
		slow := time.Duration(random.Int64N(int64(25 * ms)))
		players.Go(func() {
			_ = r.leg.Play(r.ctx, turn, begin())
			for _, c := range speech(16000, 900*ms) {
				_ = r.leg.Play(r.ctx, turn, c)
				time.Sleep(slow)
			}
			_ = r.leg.Play(r.ctx, turn, end())
		})
		for range 1 + random.IntN(6) {
			pause(250 * ms)
			var err error
			switch random.IntN(4) {
			case 0, 1:
				err = r.leg.Hold(turn, time.Duration(random.Int64N(int64(900*ms))))
			case 2:
				err = r.leg.Release(turn)
			case 3:
				ack(turn)
			}
			if err != nil && !errors.Is(err, ErrFlushed) {
				t.Errorf("hold or release of turn %d: %v", turn, err)
			}
		}
		if random.IntN(4) > 0 {
			progress, err := r.leg.Flush(t.Context(), turn, dialog.CauseSpeech)
			if err != nil || progress.Played > progress.Sent {
				t.Errorf("flush of turn %d: %+v, %v", turn, progress, err)
			}
			wants(t, "release after the flush", r.leg.Release(turn), ErrFlushed)
			wants(t, "hold after the flush", r.leg.Hold(turn, 0), ErrFlushed)
		}
	}
	if random.IntN(2) == 0 {
		_ = r.leg.Release(6)
		pause(3 * time.Second)
	}
	r.transport.Kill()
	<-r.over
	players.Wait()

	d.at(6, time.Now().Add(time.Minute))                           // what it has, it plays
	if lead := r.leg.Hello().Capabilities.Lead; d.most > lead+ms { // a sample is not played in parts
		t.Errorf("the device held %v, the lead is %v", d.most, lead)
	}
	for turn, heard := range d.heard {
		// Silence that filled up a packet of a slow synthesiser is no part of the
		// reply: leave out what is not in it.
		if padded(heard, whole) {
			t.Errorf("of turn %d were heard %d samples that are not its beginning", turn, len(heard))
		}
	}
	var barrier, current dialog.Turn
	for i, rec := range r.transport.written() {
		turn := current
		switch c := rec.control.(type) {
		case Flush:
			barrier = max(barrier, c.Turn)
			continue
		case ReplyBegin:
			turn, current = c.Turn, c.Turn
		case ReplyEnd:
			turn = c.Turn
		case Hold:
			turn = c.Turn
		case Release:
			turn = c.Turn
		case nil:
		default:
			continue
		}
		if turn <= barrier {
			t.Fatalf("record %d: %T of turn %d after the flush of turn %d", i, rec.control, turn, barrier)
		}
	}
}

// padded reports whether heard is something else than a beginning of whole with
// silence put in between.
func padded(heard, whole []int16) bool {
	at := 0
	for _, s := range heard {
		switch {
		case at < len(whole) && s == whole[at]:
			at++
		case s != 0:
			return true
		}
	}
	return false
}
