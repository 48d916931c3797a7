package edge

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"edged/dialog"
	"edged/realtime"
)

// duplexOffer is a device that listens while it speaks and does not hear itself.
func duplexOffer() Offer {
	o := holdOffer(pcm16k60)
	o.Hello.Capabilities.FullDuplex, o.Hello.Capabilities.AEC = true, true
	return o
}

// loud is a packet of the microphone without a silent sample.
func loud() []byte { return bytesOf(slices.Repeat([]int16{5000}, 320)) }

// TestRealtime: one listening period hears everything, through many turns and their
// replies, until the device ends it.
func TestRealtime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, duplexOffer(), Limits{})
		defer r.close()
		s := &stream{r: r, format: pcm16k20}
		s.listen(dialog.ModeRealtime)
		const turns = 20
		packets := 0
		for turn := dialog.Turn(1); turn <= turns; turn++ {
			for i := range 50 {
				s.send(s.next(loud()))
				packets++
				time.Sleep(20 * ms)
				switch i {
				case 5:
					wants(t, "speech started", r.leg.Send(dialog.SpeechStarted{At: 100 * ms}), nil)
				case 10:
					wants(t, "speech stopped", r.leg.Send(dialog.SpeechStopped{At: 200 * ms}), nil)
				case 15:
					r.play(turn, begin(), text("reply"))
					r.play(turn, speech(16000, 400*ms)...)
					r.play(turn, end())
				}
			}
		}
		s.stop()
		s.send(s.next(loud())) // outside
		want := []string{"begin mic/1 listen.realtime", fmt.Sprintf("audio %v", time.Duration(packets)*20*ms), "end mic/1"}
		if got := describe(r.heard()); !slices.Equal(got, want) {
			t.Errorf("heard %q, want %q", got, want)
		}
		if n := r.leg.Stats().Drops[DropOutsideListening]; n != 1 {
			t.Errorf("%d packets fell outside the period, want the last one", n)
		}
		if n := len(r.transport.packets()); n != turns*7 {
			t.Errorf("%d packets of replies, want %d", n, turns*7)
		}
	})
}

// TestRealtimeNeedsFullDuplex: else the period is refused, and the connection goes on.
func TestRealtimeNeedsFullDuplex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{})
		defer r.close()
		s := &stream{r: r, format: pcm16k20}
		s.listen(dialog.ModeRealtime)
		s.send(s.next(loud()))
		synctest.Wait()
		if got := describe(r.heard()); len(got) > 0 {
			t.Errorf("heard %q of a period that was refused", got)
		}
		e, ok := r.transport.controls()[0].(Event)
		if f, is := e.Downlink.(dialog.Failure); !ok || !is || f.Code != dialog.ErrorProtocol {
			t.Errorf("the device was told %+v, want an error of the protocol", e.Downlink)
		}
		s.listen(dialog.ModeAuto)
		s.send(s.next(loud()))
		s.stop()
		if got, want := describe(r.heard()), []string{"begin mic/1 listen.auto", "audio 20ms", "end mic/1"}; !slices.Equal(got, want) {
			t.Errorf("heard %q, want %q", got, want)
		}
	})
}

// silentFor returns for how long the first route of the chunks begins with silence,
// and how long it is.
func silentFor(chunks []*realtime.MessageChunk) (silent, length time.Duration) {
	n, sounding := 0, false
	for _, c := range chunks {
		b, ok := c.Part.(*realtime.Blob)
		if !ok {
			continue
		}
		for _, s := range samplesOf(b.Data) {
			if sounding = sounding || s != 0; !sounding {
				n++
			}
		}
		length += micRate.Duration(len(b.Data) / 2)
	}
	return micRate.Duration(n), length
}

// TestWake: the wake word at the beginning of a listening period is heard as
// silence, in whichever order it is told, and media time goes on.
func TestWake(t *testing.T) {
	wake := func(r *rig, audio time.Duration) {
		r.do(func(in *Inlet) error { in.Wake(dialog.Wake{Phrase: "hello lamp"}, audio); return nil })
	}
	talk := func(s *stream, packets int) {
		for range packets {
			s.send(s.next(loud()))
		}
	}
	tests := []struct {
		name   string
		do     func(r *rig, s *stream)
		silent time.Duration
	}{
		{"before the period", func(r *rig, s *stream) {
			wake(r, 330*ms)
			s.listen(dialog.ModeAuto)
			talk(s, 50)
		}, 330 * ms},
		{"in the period, before its audio", func(r *rig, s *stream) {
			s.listen(dialog.ModeAuto)
			wake(r, 330*ms)
			talk(s, 50)
		}, 330 * ms},
		{"well before the period", func(r *rig, s *stream) {
			wake(r, 330*ms)
			time.Sleep(1900 * ms)
			s.listen(dialog.ModeManual)
			talk(s, 50)
		}, 330 * ms},
		{"too long before the period", func(r *rig, s *stream) {
			wake(r, 330*ms)
			time.Sleep(2 * time.Second)
			s.listen(dialog.ModeAuto)
			talk(s, 50)
		}, 0},
		{"without a wake word in the audio", func(r *rig, s *stream) {
			wake(r, 0)
			s.listen(dialog.ModeAuto)
			talk(s, 50)
		}, 0},
		{"at the end of a period, for the next one", func(r *rig, s *stream) {
			s.listen(dialog.ModeAuto)
			talk(s, 50)
			r.heard()
			wake(r, 330*ms)
			s.listen(dialog.ModeAuto)
			talk(s, 50)
		}, 330 * ms},
		{"it counts once", func(r *rig, s *stream) {
			wake(r, 330*ms)
			s.listen(dialog.ModeAuto)
			talk(s, 50)
			s.stop()
			r.heard()
			s.listen(dialog.ModeAuto)
			talk(s, 50)
		}, 0},
		{"longer than any wake word", func(r *rig, s *stream) {
			wake(r, time.Hour)
			s.listen(dialog.ModeAuto)
			talk(s, 300)
		}, 5 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, duplexOffer(), Limits{})
				defer r.close()
				s := &stream{r: r, format: pcm16k20}
				tt.do(r, s)
				silent, length := silentFor(r.heard())
				if silent != tt.silent || length < time.Second {
					t.Errorf("the first %v of %v are silent, want %v", silent, length, tt.silent)
				}
				events := r.events()
				if !slices.Contains(events, dialog.Uplink(dialog.Wake{Phrase: "hello lamp"})) {
					t.Errorf("events %v, want the wake word", events)
				}
			})
		})
	}
}

// TestWakeBurst: the audio of a wake word comes all at once, faster than real time;
// none of it is lost, and the time line does not go back when the next period
// begins before real time has caught up.
func TestWakeBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, duplexOffer(), Limits{})
		defer r.close()
		s := &stream{r: r, format: pcm16k20}
		r.do(func(in *Inlet) error { in.Wake(dialog.Wake{}, 2*time.Second); return nil })
		for range 2 {
			s.listen(dialog.ModeRealtime)
			for range 150 { // 3 s in no time
				s.send(s.next(loud()))
			}
			s.stop()
		}
		chunks := r.heard()
		want := []string{
			"begin mic/1 listen.realtime", "audio 3s", "end mic/1",
			"begin mic/2 listen.realtime", "audio 3s", "end mic/2",
		}
		if got := describe(chunks); !slices.Equal(got, want) {
			t.Errorf("heard %q, want %q", got, want)
		}
		if silent, _ := silentFor(chunks); silent != 2*time.Second {
			t.Errorf("the wake word is silent for %v, want 2s", silent)
		}
		var last int64
		for _, c := range chunks {
			if c.Ctrl.Timestamp < last {
				t.Fatalf("media time goes back from %d to %d", last, c.Ctrl.Timestamp)
			}
			last = c.Ctrl.Timestamp
		}
	})
}

// guardLog is an echoGuard that notes what it is told, and silences what it hears.
type guardLog struct {
	lines []string
	sound []int16
	heard int
}

func (g *guardLog) sent(turn dialog.Turn, from int, pcm []int16, at time.Time) {
	g.lines = append(g.lines, fmt.Sprintf("sent %d@%d", turn, from))
	g.sound = append(g.sound, pcm...)
}

func (g *guardLog) played(turn dialog.Turn, samples int, _ time.Time) {
	g.lines = append(g.lines, fmt.Sprintf("played %d@%d", turn, samples))
}

func (g *guardLog) stopped(turn dialog.Turn, _ time.Time) {
	g.lines = append(g.lines, fmt.Sprintf("stopped %d", turn))
}

func (g *guardLog) hear(samples []int16, missing int, _ time.Time) {
	g.heard += len(samples) + missing
	clear(samples)
}

// TestEchoGuard: what is in each packet of a reply, where it lies, what was played
// and what was dropped is told to the guard, which sees the microphone first.
func TestEchoGuard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, duplexOffer(), Limits{})
		defer r.close()
		guard := &guardLog{}
		synctest.Wait() // writer and reader sleep: they see the guard with the next token
		r.leg.echo, r.leg.render.keep = guard, true
		r.play(1, beginAt(time.Second))
		r.play(1, speech(16000, 120*ms)...)
		time.Sleep(time.Second)
		r.do(func(in *Inlet) error { in.Played(1, 16000+480); return nil })
		if _, err := r.leg.Flush(t.Context(), 1, dialog.CauseSpeech); err != nil {
			t.Fatal(err)
		}
		s := &stream{r: r, format: pcm16k20}
		s.listen(dialog.ModeRealtime)
		for range 10 {
			s.send(s.next(loud()))
		}
		synctest.Wait()
		if want := []string{"sent 1@16000", "sent 1@16960", "played 1@16480", "stopped 1"}; !slices.Equal(guard.lines, want) {
			t.Errorf("told %q, want %q", guard.lines, want)
		}
		if !slices.Equal(guard.sound, tone(16000, 120*ms, 440)) {
			t.Error("the sound that it was told is not what was sent")
		}
		if silent, length := silentFor(r.heard()); silent != length || length != 200*ms || guard.heard != 3200 {
			t.Errorf("%v of %v are silent, it heard %d samples; want that it changes all of 200 ms", silent, length, guard.heard)
		}
	})
}
