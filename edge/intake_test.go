package edge

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"edged/audio"
	"edged/audio/opus"
	"edged/dialog"
	"edged/realtime"
)

// flood runs send as fast as the reader lets it, until the connection ends or the
// time is over, and returns how often it was run and why it ended.
func (r *rig) flood(d time.Duration, send func(*Inlet) error) (sent int, err error) {
	r.t.Helper()
	r.do(func(in *Inlet) error {
		for begin := time.Now(); time.Since(begin) < d && err == nil; {
			if err = send(in); err == nil {
				sent++
			}
		}
		return err
	})
	return sent, err
}

// tooFast fails the test unless err ends the connection for being too fast.
func tooFast(t *testing.T, err error) {
	t.Helper()
	var told *Error
	if !errors.As(err, &told) || told.Code != dialog.ErrorTooFast {
		t.Errorf("ended with %v, want too_fast", err)
	}
}

// complaints counts what the device was told of being too fast, and checks that it
// is once a second at most and says what to do.
func complaints(t *testing.T, records []record, says string) (n int) {
	t.Helper()
	var last time.Time
	for _, r := range records {
		e, ok := r.control.(Event)
		if !ok {
			continue
		}
		f, ok := e.Downlink.(dialog.Failure)
		if !ok || f.Code != dialog.ErrorTooFast {
			continue
		}
		if !strings.Contains(f.Message, says) {
			t.Errorf("told %q, want %q in it", f.Message, says)
		}
		if n > 0 && r.at.Sub(last) < time.Second {
			t.Errorf("told again after %v", r.at.Sub(last))
		}
		last = r.at
		n++
	}
	return n
}

// TestControlFlood: a device that sends control as fast as it can is read at its
// limit, loses nothing of it, is told, and loses its connection after a stated
// number.
func TestControlFlood(t *testing.T) {
	for _, d := range []time.Duration{100 * ms, time.Second, 5 * time.Second, time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, offerOf(pcm16k20, opus16k60), Limits{})
			begin := time.Now()
			id := uint32(0)
			sent, err := r.flood(d+1, func(in *Inlet) error {
				if err := in.Control(); err != nil {
					return err
				}
				id++
				return in.Ping(id)
			})
			took := time.Since(begin)
			if most := 101 + int(took/(20*ms)); sent > most {
				t.Errorf("%d messages were read in %v, want at most %d", sent, took, most)
			}
			if d < 10*time.Second {
				if err != nil || sent < 100+int(d/(20*ms)) {
					t.Errorf("%d messages were read in %v, then %v", sent, took, err)
				}
				synctest.Wait()
				pongs := 0
				for _, c := range r.transport.controls() {
					if p, ok := c.(Pong); ok {
						if pongs++; p.ID != uint32(pongs) {
							t.Fatalf("pong %d is of ping %d", pongs, p.ID)
						}
					}
				}
				if pongs != sent {
					t.Errorf("%d of %d messages were worked on: control is never dropped", pongs, sent)
				}
				r.close()
			} else {
				tooFast(t, err)
				if took < 10*time.Second || took > 10*time.Second+100*ms || sent < 100+maxExcessControl || sent > 105+maxExcessControl {
					t.Errorf("ended after %v and %d messages, want 10s and %d", took, sent, 100+maxExcessControl)
				}
				tooFast(t, <-r.over)
				if f := r.transport.told(); f == nil || f.Code != dialog.ErrorTooFast || f.RetryAfter <= 0 || !strings.Contains(f.Message, "500 times in a row") {
					t.Errorf("told %+v", f)
				}
			}
			// While the first hundred are answered there is time for a few more.
			if n := int(r.leg.Stats().Faults[dialog.ErrorTooFast]); n > max(0, sent-100) || n < sent-105 {
				t.Errorf("%d faults counted for %d excess messages", n, sent-100)
			}
			if n := complaints(t, r.transport.written(), "more than 50 control messages a second"); n < int(took/time.Second) {
				t.Errorf("told %d times in %v", n, took)
			}
		})
	}
}

// TestControlBursts: bursts that a pause makes up for are no flood, however often
// they come; neither is what a device says after ten seconds in a dead spot.
func TestControlBursts(t *testing.T) {
	tests := []struct {
		name         string
		burst        int
		pause        time.Duration
		told, rested bool
	}{
		{"a dead spot of ten seconds", 100, 10 * time.Second, false, false},
		{"three times a dead spot", 300, 10 * time.Second, true, true},
		{"twice its limit at once, once a second", 50, time.Second, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, offerOf(pcm16k20, opus16k60), Limits{})
				defer r.close()
				rested := false
				for range 10 {
					begin := time.Now()
					r.do(func(in *Inlet) (err error) {
						for i := 0; i < tt.burst && err == nil; i++ {
							err = errors.Join(in.Control(), in.Ping(1))
						}
						return err
					})
					rested = rested || time.Since(begin) > 100*ms // answers take some time
					time.Sleep(tt.pause - time.Since(begin))
				}
				if cause := r.leg.closed(); cause != nil {
					t.Errorf("the connection ended: %v", cause)
				}
				if told := complaints(t, r.transport.written(), "control") > 0; told != tt.told || rested != tt.rested {
					t.Errorf("told: %v, read more slowly: %v; want %v and %v", told, rested, tt.told, tt.rested)
				}
			})
		})
	}
}

// TestFloodEndsWithItsConnection: a reader that rests does not keep a connection
// that ends.
func TestFloodEndsWithItsConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, opus16k60), Limits{ControlPerSecond: 1})
		flooded := make(chan error, 1)
		go func() {
			_, err := r.flood(time.Hour, func(in *Inlet) error { return in.Control() })
			flooded <- err
		}()
		time.Sleep(100 * ms)
		r.release <- nil // the session is over
		if err := <-r.over; err != nil {
			t.Errorf("ended with %v", err)
		}
		if err := <-flooded; !errors.Is(err, ErrClosed) {
			t.Errorf("the reader ended with %v, want ErrClosed", err)
		}
	})
}

// heardOf adds up what is on the microphone's stream, sound and gaps apart.
func (r *rig) heardOf() (sound, gaps time.Duration) {
	for _, c := range r.heard() {
		d := realtime.MediaDuration(c.Part)
		if _, ok := c.Part.(*realtime.Blob); ok {
			sound += d
		} else {
			gaps += d
		}
	}
	return sound, gaps
}

// TestAudioFlood: of a device that sends audio as fast as it can a bounded amount is
// decoded, the rest is dropped before, counted and told, and the reader rests. The
// time line of the microphone keeps to the clock.
func TestAudioFlood(t *testing.T) {
	formats := []struct {
		name string
		offer
	}{
		{"PCM, 20 ms", offer{pcm16k20, bytesOf(tone(16000, 20*ms, 440)), 20 * ms}},
		{"Opus, 60 ms", offer{opus16k60, opusPackets(t, opus16k60, 60*ms, opus.EncoderConfig{})[0], 60 * ms}},
		// Shorter than 10 ms counts as 10 ms: it is no less work.
		{"PCM, one sample", offer{pcm16k20, []byte{1, 2}, 10 * ms}},
	}
	for _, f := range formats {
		t.Run(f.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, offerOf(f.format, opus16k60), Limits{})
				s := &stream{r: r, format: f.format}
				s.listen(dialog.ModeManual)
				begin := time.Now()
				sent, err := r.flood(5*time.Second, func(in *Inlet) error { return in.Audio(s.next(f.payload)) })
				took := time.Since(begin)
				if err != nil {
					t.Fatal(err)
				}
				stats := r.leg.Stats()
				dropped := int(stats.Drops[DropAudioRate])
				if most := 1 + int((10*time.Second+4*took)/f.counts); sent-dropped > most || sent-dropped < most*99/100 {
					t.Errorf("%d packets were taken in %v, want %d", sent-dropped, took, most)
				}
				if most := 1 + int(took/excessRest); dropped > most {
					t.Errorf("%d packets were dropped in %v, want at most %d: the reader does not rest", dropped, took, most)
				}
				if n := stats.Faults[dialog.ErrorTooFast]; int(n) != dropped {
					t.Errorf("%d faults counted for %d drops", n, dropped)
				}
				// Control is as near as ever, and the device may go on as it should.
				r.do(func(in *Inlet) error { return in.Ping(1) })
				time.Sleep(10 * time.Second)
				before := r.leg.Stats().Drops[DropAudioRate]
				for range 100 {
					time.Sleep(f.format.Ptime)
					s.send(s.next(f.payload))
				}
				if n := r.leg.Stats().Drops[DropAudioRate]; n != before {
					t.Errorf("%d packets in real time were dropped after a pause", n-before)
				}
				s.stop()
				sound, gaps := r.heardOf()
				if total, most := sound+gaps, 10*time.Second+5*took+12*time.Second; total > most {
					t.Errorf("%v of sound and %v of gaps are on the time line, want at most %v", sound, gaps, most)
				}
				if n := complaints(t, r.transport.written(), "faster than 4 times real time"); n < 4 || n > 6 {
					t.Errorf("told %d times", n)
				}
				if f.counts == f.format.Ptime { // a flood that does not end
					sent, err := r.flood(time.Hour, func(in *Inlet) error { return in.Audio(s.next(f.payload)) })
					tooFast(t, err)
					tooFast(t, <-r.over)
					if f := r.transport.told(); f == nil || f.Code != dialog.ErrorTooFast || !strings.Contains(f.Message, "1000 times in a row") {
						t.Errorf("told %+v after %d packets", f, sent)
					}
					return
				}
				r.close()
			})
		})
	}
}

// offer is a device that floods: counts is what a packet counts for.
type offer struct {
	format  audio.Format
	payload []byte
	counts  time.Duration
}

// TestStrangePacketsAreMetered: a flood of what means nothing here, and of audio
// that nobody listens to, is read no faster than any other.
func TestStrangePacketsAreMetered(t *testing.T) {
	tests := []struct {
		name   string
		counts time.Duration
		send   func(*Inlet) error
		drop   DropReason
	}{
		{"unknown packets", 10 * ms, func(in *Inlet) error { return in.Strange() }, DropUnknownFrame},
		{"void packets", 20 * ms, func(in *Inlet) error { return in.Audio(Packet{Void: true}) }, DropOutsideListening},
		{"audio outside of a period", 20 * ms, func(in *Inlet) error { return in.Audio(Packet{Payload: []byte{1, 2}}) }, DropOutsideListening},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, offerOf(pcm16k20, opus16k60), Limits{})
				sent, err := r.flood(5*time.Second, tt.send)
				if err != nil {
					t.Fatal(err)
				}
				taken := int(30 * time.Second / tt.counts)
				if most := taken + 502; sent > most || sent < taken {
					t.Errorf("%d packets were read in 5s, want from %d to %d", sent, taken, most)
				}
				if n := r.leg.Stats().Drops[tt.drop]; n != uint64(sent) {
					t.Errorf("%d of %d packets counted as %s", n, sent, tt.drop)
				}
				_, err = r.flood(time.Hour, tt.send)
				tooFast(t, err)
				tooFast(t, <-r.over)
			})
		})
	}
}

// TestWithoutLimits: negative limits set no bound.
func TestWithoutLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, opus16k60), Limits{ControlPerSecond: -1, AudioRate: -1})
		defer r.close()
		s := &stream{r: r, format: pcm16k20}
		s.listen(dialog.ModeManual)
		frame := bytesOf(tone(16000, 20*ms, 440))
		begin := time.Now()
		r.do(func(in *Inlet) error {
			for range 5000 {
				if err := errors.Join(in.Control(), in.Audio(s.next(frame))); err != nil {
					return err
				}
			}
			return nil
		})
		if took, stats := time.Since(begin), r.leg.Stats(); took != 0 || len(stats.Drops)+len(stats.Faults) != 0 {
			t.Errorf("it took %v; dropped %v, faults %v", took, stats.Drops, stats.Faults)
		}
		client, server := net.Pipe()
		defer client.Close()
		defer server.Close()
		if conn := r.leg.terms.Meter(server); conn != server {
			t.Error("the bytes are metered")
		}
	})
}

// TestBytesAreMetered: whatever the bytes are, no more of them are read than the
// limits of control and audio can need.
func TestBytesAreMetered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limits := Limits{ControlPerSecond: 50, AudioRate: 4}
		client, server := net.Pipe()
		conn := limits.Meter(server)
		go func() {
			for chunk := make([]byte, 4096); ; {
				if _, err := client.Write(chunk); err != nil {
					return
				}
			}
		}()
		begin, read := time.Now(), 0
		buf := make([]byte, 8192)
		for time.Since(begin) < 10*time.Second {
			n, err := conn.Read(buf)
			if err != nil {
				t.Fatal(err)
			}
			read += n
		}
		const perSecond = 4*128<<10 + 50*4<<10
		if most := 11*perSecond + len(buf); read > most || read < 11*perSecond-len(buf) {
			t.Errorf("%d bytes were read in 10s, want %d", read, 11*perSecond)
		}
		client.Close()
		if _, err := conn.Read(buf); !errors.Is(err, io.EOF) {
			t.Errorf("the end reads as %v", err)
		}
		server.Close()
	})
}
