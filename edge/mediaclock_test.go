package edge

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"edged/audio/opus"
	"edged/dialog"
)

// TestExcessKeepsItsPlace: audio that was dropped leaves a gap of its length where
// the clock says that there was time for it, so that what follows is where it was.
func TestExcessKeepsItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, opus16k60), Limits{AudioRate: 1.5, IdleTimeout: time.Hour})
		defer r.close()
		s := &stream{r: r, format: pcm16k20}
		time.Sleep(time.Minute) // there is time on the clock
		s.listen(dialog.ModeManual)
		frame := bytesOf(tone(16000, 20*ms, 440))
		time.Sleep(20 * time.Second)
		for range 700 { // 14 s at once, of which 10 s are taken
			s.send(s.next(frame))
		}
		s.stop()
		stats := r.leg.Stats()
		if n := stats.Drops[DropAudioRate]; n == 0 || stats.Jitter.Lost != 0 {
			t.Errorf("%d packets dropped, %d lost", n, stats.Jitter.Lost)
		}
		sound, gaps := r.heardOf()
		if gaps != time.Duration(stats.Drops[DropAudioRate])*20*ms || sound+gaps != 14*time.Second {
			t.Errorf("%v of sound, %v of gaps; %d packets were dropped", sound, gaps, stats.Drops[DropAudioRate])
		}
		for _, e := range r.events() {
			if g, ok := e.(dialog.Gap); ok {
				t.Errorf("the session is told of a gap: %+v", g)
			}
		}
	})
}

// TestPreRollIsNoFlood: the longest wake word, what was recorded before a button was
// pressed and the backlog of a stalled network come at once and are heard.
func TestPreRollIsNoFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(opus16k60, opus16k60), Limits{})
		defer r.close()
		s := &stream{r: r, format: opus16k60}
		packet := opusPackets(t, opus16k60, 60*ms, opus.EncoderConfig{})[0]
		const rounds = 4
		for range rounds {
			s.r.do(func(in *Inlet) error { in.Wake(dialog.Wake{}, maxWake); return nil })
			s.listen(dialog.ModeAuto)
			burst := int((maxWake + 500*ms + 2*time.Second) / (60 * ms))
			for range burst {
				s.send(s.next(packet))
			}
			for range 30 {
				time.Sleep(60 * ms)
				s.send(s.next(packet))
			}
			s.stop()
			sound, gaps := r.heardOf()
			if want := time.Duration(burst+30) * 60 * ms; sound != want || gaps != 0 {
				t.Errorf("%v heard and %v of gaps, want %v", sound, gaps, want)
			}
			time.Sleep(time.Second)
		}
		if stats := r.leg.Stats(); len(stats.Drops) != 0 || len(stats.Faults) != 0 {
			t.Errorf("counted %v, %v", stats.Drops, stats.Faults)
		}
	})
}

// TestSilenceKeepsToTheClock: a few bytes that stand for hours of silence do not
// make the session listen to them, whether they are gaps, jumps of the timestamp or
// losses, in one listening period or in many.
func TestSilenceKeepsToTheClock(t *testing.T) {
	frame := bytesOf(tone(16000, 20*ms, 440))
	tests := []struct {
		name string
		send func(*stream, *Inlet) error
	}{
		{"gaps", func(s *stream, in *Inlet) error {
			p := s.next(nil)
			p.Gap = 60 * 16000
			s.ts = p.Timestamp + p.Gap
			return in.Audio(p)
		}},
		{"jumps", func(s *stream, in *Inlet) error {
			s.ts += 16000 * 9 / 10
			return in.Audio(s.next(frame))
		}},
		{"losses", func(s *stream, in *Inlet) error {
			s.seq += 5
			s.ts += 5 * 320
			return in.Audio(s.next(frame))
		}},
		{"a gap in each of many periods", func(s *stream, in *Inlet) error {
			if err := in.Control(); err != nil {
				return err
			}
			s.ts = 0
			p := s.next(nil)
			p.Gap = 60 * 16000
			return errors.Join(in.Listen(dialog.ModeManual), in.Audio(p))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, offerOf(pcm16k20, opus16k60), Limits{})
				defer r.close()
				s := &stream{r: r, format: pcm16k20}
				s.listen(dialog.ModeManual)
				var sound, gaps time.Duration
				begin := time.Now()
				for time.Since(begin) < 3*time.Second {
					if _, err := r.flood(100*ms, func(in *Inlet) error { return tt.send(s, in) }); err != nil {
						t.Fatal(err)
					}
					a, b := r.heardOf()
					sound, gaps = sound+a, gaps+b
					r.events()
				}
				stats := r.leg.Stats()
				taken := time.Duration(stats.PacketsIn-stats.Drops[DropAudioRate]) * 20 * ms
				if most := taken + time.Since(begin) + audioCredit + time.Second; sound+gaps > most {
					t.Errorf("%v of sound and %v of gaps in %v, want at most %v", sound, gaps, time.Since(begin), most)
				}
				if stats.Faults[dialog.ErrorAudio] != stats.Drops[DropAhead] {
					t.Errorf("told %d times that the clock is left behind, counted %d", stats.Faults[dialog.ErrorAudio], stats.Drops[DropAhead])
				}
				if stats.Drops[DropAhead] == 0 {
					t.Errorf("nothing was counted as ahead of the clock: %v", stats.Drops)
				}
			})
		})
	}
}

// TestLongSilenceIsBelieved: a device that sent nothing for minutes, because nobody
// spoke, says so afterwards in one burst of gaps.
func TestLongSilenceIsBelieved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, opus16k60), Limits{IdleTimeout: time.Hour})
		defer r.close()
		s := &stream{r: r, format: pcm16k20}
		s.listen(dialog.ModeManual)
		time.Sleep(10 * time.Minute)
		for range 10 {
			p := s.next(nil)
			p.Gap = 60 * 16000
			s.ts = p.Timestamp + p.Gap
			s.send(p)
		}
		s.stop()
		sound, gaps := r.heardOf()
		if sound+gaps != 10*time.Minute {
			t.Errorf("%v of silence and %v of gaps, want ten minutes", sound, gaps)
		}
		if stats := r.leg.Stats(); len(stats.Drops) != 0 {
			t.Errorf("dropped %v", stats.Drops)
		}
	})
}
