package edge

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"edged/audio/opus"
	"edged/dialog"
	"edged/realtime"
)

// TestUplinkOrderAndLoss is F52 for a transport that reorders and loses: order is
// restored within the window, losses are recovered or concealed, long ones become
// gaps, and a stop never overtakes audio that waits.
func TestUplinkOrderAndLoss(t *testing.T) {
	fec := opus.EncoderConfig{FEC: true, ExpectedLoss: 30, Bitrate: 32000}
	tests := []struct {
		name  string
		order []int // indexes of the packets that arrive, 20 ms apart
		heard []string
		check func(Stats) bool
	}{
		{"reordered", []int{0, 2, 1, 3, 4}, []string{"audio 100ms"},
			func(s Stats) bool { return s.Jitter.Reordered == 1 && s.Jitter.Lost == 0 }},
		{"duplicated", []int{0, 1, 1, 2}, []string{"audio 60ms"},
			func(s Stats) bool { return s.Jitter.Duplicate == 1 }},
		{"one lost, recovered from its successor", []int{0, 1, 2, 3, 5, 6, 7, 8, 9}, []string{"audio 200ms"},
			func(s Stats) bool { return s.Jitter.Lost == 1 && s.Recovered == 20*ms && s.Concealed == 0 }},
		{"two lost, one recovered and one concealed", []int{0, 1, 2, 3, 6, 7, 8, 9}, []string{"audio 200ms"},
			func(s Stats) bool { return s.Jitter.Lost == 2 && s.Recovered == 20*ms && s.Concealed == 20*ms }},
		{"more lost than can be hidden", []int{0, 1, 9, 10}, []string{"audio 40ms", "gap 140ms", "audio 40ms"},
			func(s Stats) bool { return s.Jitter.Lost == 7 && s.Missing == 140*ms }},
		{"lost at the end, found by the stop", []int{0, 1, 3}, []string{"audio 80ms"},
			func(s Stats) bool { return s.Jitter.Lost == 1 }},
		{"too late", []int{0, 1, 3, 4, 5, 6, 7, 2, 8}, []string{"audio 180ms"},
			func(s Stats) bool { return s.Jitter.Lost == 1 && s.Jitter.Late == 1 }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				offer := offerOf(opus16k20, opus16k60)
				offer.Reorder = 60 * ms
				r := newRig(t, offer, Limits{})
				defer r.close()
				s := &stream{r: r, format: opus16k20}
				payloads := opusPackets(t, opus16k20, 300*ms, fec)
				s.listen(dialog.ModeManual)
				for _, i := range tt.order {
					s.send(Packet{Seq: uint32(i), Timestamp: uint32(i * 320), Payload: payloads[i]})
					time.Sleep(20 * ms)
				}
				s.stop()
				want := slices.Concat([]string{"begin mic/1 listen.manual"}, tt.heard, []string{"end mic/1"})
				if got := describe(r.heard()); !slices.Equal(got, want) {
					t.Errorf("heard %q, want %q", got, want)
				}
				if stats := r.leg.Stats(); !tt.check(stats) {
					t.Errorf("counted %+v, recovered %v, concealed %v, missing %v", stats.Jitter, stats.Recovered, stats.Concealed, stats.Missing)
				}
			})
		})
	}
}

// TestHoleIsGivenUpAtItsDeadline: audio behind a hole is heard after the window,
// without another packet having to come.
func TestHoleIsGivenUpAtItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		offer := offerOf(opus16k20, opus16k60)
		offer.Reorder = 60 * ms
		r := newRig(t, offer, Limits{})
		defer r.close()
		payloads := opusPackets(t, opus16k20, 100*ms, opus.EncoderConfig{})
		s := &stream{r: r, format: opus16k20}
		s.listen(dialog.ModeManual)
		s.send(Packet{Seq: 0, Payload: payloads[0]})
		s.send(Packet{Seq: 2, Timestamp: 640, Payload: payloads[2]})
		time.Sleep(59 * ms)
		synctest.Wait()
		if got := describe(r.heard()); !slices.Equal(got, []string{"begin mic/1 listen.manual", "audio 20ms"}) {
			t.Errorf("before the deadline %q was heard, want the first packet only", got)
		}
		time.Sleep(2 * ms)
		synctest.Wait()
		if got := describe(r.heard()); !slices.Equal(got, []string{"audio 40ms"}) {
			t.Errorf("after the deadline %q was heard, want the loss concealed and the packet behind it", got)
		}
		if events := r.events(); !slices.Equal(events, []dialog.Uplink{dialog.Gap{Duration: 20 * ms, Reason: gapLost}}) {
			t.Errorf("events %v, want one gap of 20 ms", events)
		}
	})
}

// TestHolesInOrder: over a transport that keeps the order a hole is a packet that
// the device dropped; nothing waits for it.
func TestHolesInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, opus16k60), Limits{})
		defer r.close()
		s := &stream{r: r, format: pcm16k20}
		frame := bytesOf(tone(16000, 20*ms, 440))
		s.listen(dialog.ModeManual)
		s.send(s.next(frame))
		s.next(nil)
		s.next(nil)
		s.send(s.next(frame))
		declared := s.next(nil)
		declared.Gap = 16000 // a second
		s.ts = declared.Timestamp + 16000
		s.send(declared)
		s.send(s.next(frame))
		// What the device left out is silence, up to a point.
		pause := s.next(nil)
		pause.Gap = 10 * 16000
		time.Sleep(10 * time.Second)
		s.ts = pause.Timestamp + 10*16000
		s.send(pause)
		s.stop()
		synctest.Wait()
		want := []string{"begin mic/1 listen.manual", "audio 20ms", "gap 40ms", "audio 3.04s", "gap 8s", "end mic/1"}
		if got := describe(r.heard()); !slices.Equal(got, want) {
			t.Errorf("heard %q, want %q", got, want)
		}
		gaps := []dialog.Uplink{dialog.Gap{Duration: 40 * ms, Reason: gapLost}, dialog.Gap{Duration: time.Second, Reason: gapDeclared}, dialog.Gap{Duration: 10 * time.Second, Reason: gapDeclared}}
		if got := r.events(); !slices.Equal(got, gaps) {
			t.Errorf("events %v, want %v", got, gaps)
		}
	})
}

// TestDiscontinuousTransmission: a device that sends nothing while nobody speaks is
// heard to be silent, so that its utterances end.
func TestDiscontinuousTransmission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(opus16k60, opus16k60), Limits{})
		defer r.close()
		s := &stream{r: r, format: opus16k60}
		packet := opusPackets(t, opus16k60, 60*ms, opus.EncoderConfig{})[0]
		s.listen(dialog.ModeAuto)
		s.send(s.next(packet))
		time.Sleep(900 * ms)
		s.ts += 16000 * 9 / 10
		s.send(s.next(packet))
		s.stop()
		if got, want := describe(r.heard()), []string{"begin mic/1 listen.auto", "audio 1.02s", "end mic/1"}; !slices.Equal(got, want) {
			t.Errorf("heard %q, want %q", got, want)
		}
		if n := len(r.events()); n != 0 {
			t.Errorf("%d events: nothing was lost", n)
		}
	})
}

// TestImplausibleTimestamps is F51: a packet from far in the future neither moves
// the time line nor keeps what follows from being heard.
func TestImplausibleTimestamps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, opus16k60), Limits{})
		defer r.close()
		s := &stream{r: r, format: pcm16k20}
		frame := bytesOf(tone(16000, 20*ms, 440))
		s.listen(dialog.ModeManual)
		for i := range 50 {
			p := s.next(frame)
			if i == 20 {
				p.Timestamp += 24 * 3600 * 16000
			}
			s.send(p)
			time.Sleep(20 * ms)
		}
		s.stop()
		chunks := r.heard()
		last := chunks[len(chunks)-1].Ctrl.Timestamp
		if last > 1100 {
			t.Errorf("the period of 1 s ends at media time %d ms: the jump was believed", last)
		}
		var blobs int
		for _, c := range chunks {
			if _, ok := c.Part.(*realtime.Blob); ok {
				blobs++
			}
		}
		if blobs < 49 {
			t.Errorf("%d packets were heard, want all but the one that jumps", blobs)
		}
	})
}

// TestNobodyListens is F53: without a consumer memory stays bounded, what is lost
// is counted, and the boundaries survive.
func TestNobodyListens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, opus16k60), Limits{AudioRate: -1})
		s := &stream{r: r, format: pcm16k20}
		frame := bytesOf(tone(16000, 20*ms, 440))
		frames := 200_000
		if raceEnabled {
			frames = 20_000
		}
		r.do(func(in *Inlet) error {
			if err := in.Listen(dialog.ModeManual); err != nil {
				return err
			}
			for range frames {
				if err := in.Audio(s.next(frame)); err != nil {
					return err
				}
			}
			return in.StopListening()
		})
		stats := r.leg.Stats().Uplink
		if stats.Bytes > 1<<20 || stats.Chunks > 4096 {
			t.Errorf("%d chunks with %d bytes are held for a session that does not read", stats.Chunks, stats.Bytes)
		}
		var dropped uint64
		for _, d := range stats.Dropped {
			dropped += d.Chunks
		}
		chunks := r.heard()
		var audible time.Duration
		for _, c := range chunks {
			audible += realtime.MediaDuration(c.Part)
		}
		if audible != time.Duration(frames)*20*ms {
			t.Errorf("media time %v came out, %v went in: dropped audio must leave a gap of its length", audible, time.Duration(frames)*20*ms)
		}
		if dropped == 0 || !chunks[0].IsBeginOfStream() || !chunks[len(chunks)-1].IsEndOfStream() {
			t.Errorf("%d chunks counted as dropped; boundaries kept: %v, %v", dropped, chunks[0].IsBeginOfStream(), chunks[len(chunks)-1].IsEndOfStream())
		}
		_ = r.close()
	})
}
