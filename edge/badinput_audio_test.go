package edge

import (
	"math/bits"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"edged/audio"
	"edged/audio/opus"
	"edged/dialog"
	"edged/realtime"
)

// "Bad input" of a microphone, F50, F51 and F52: numbers and clocks that are wrong.
// Every period lasts a second of 50 packets, of which those from the 20th on are
// changed. What is heard is a second again, of which few packets are missing; only
// what says nothing of its place is dropped for good. Control is never delayed.
func TestBadClock(t *testing.T) {
	const packets, from = 50, 20
	hour := uint32(3600 * 16000)
	tests := []struct {
		name   string
		change func(i int, p *Packet) // of packets from on
		only   bool                   // the first of them only
		twice  bool                   // it is sent, too, unchanged
		heard  time.Duration          // audio and gaps together
		longer time.Duration          // by which the period may be longer than a second
		lost   int                    // packets whose sound is missing, at most
		check  func(Stats) bool
	}{
		{name: "sequence numbers jump by 1000", change: func(_ int, p *Packet) { p.Seq += 1000 }, heard: time.Second, lost: 2,
			check: func(s Stats) bool { return s.Jitter.Restarts == 1 && s.Jitter.Implausible == 2 }},
		{name: "one sequence number jumps by 1000", only: true, change: func(_ int, p *Packet) { p.Seq += 1000 }, heard: time.Second, lost: 1,
			check: func(s Stats) bool { return s.Jitter.Implausible == 1 }},
		{name: "sequence numbers wrap", change: func(int, *Packet) {}, heard: time.Second,
			check: func(s Stats) bool { return s.Jitter.Lost == 0 && s.Jitter.Restarts == 0 }},
		{name: "sequence numbers stand still", change: func(_ int, p *Packet) { p.Seq = from - 1 }, heard: 400 * ms, lost: 30,
			check: func(s Stats) bool { return s.Jitter.Duplicate+s.Jitter.Implausible >= 28 }},
		{name: "a packet twice", only: true, twice: true, change: func(int, *Packet) {}, heard: time.Second,
			check: func(s Stats) bool { return s.Jitter.Duplicate == 1 && s.Jitter.Lost == 0 }},
		{name: "an old packet again", only: true, twice: true, change: func(_ int, p *Packet) { p.Seq, p.Timestamp = p.Seq-10, p.Timestamp-10*320 }, heard: time.Second,
			check: func(s Stats) bool { return s.Jitter.Duplicate == 1 && s.Jitter.Lost == 0 }},
		{name: "a timestamp 24 hours ahead", only: true, change: func(_ int, p *Packet) { p.Timestamp += 24 * hour }, heard: time.Second, lost: 1,
			check: func(s Stats) bool { return s.Jitter.Implausible == 1 }},
		{name: "a clock that jumps 24 hours ahead and stays there", change: func(_ int, p *Packet) { p.Timestamp += 24 * hour }, heard: time.Second, lost: 2,
			check: func(s Stats) bool { return s.Jitter.Implausible == 2 && s.Jitter.Restarts == 1 }},
		{name: "a clock that jumps 2 s ahead", change: func(_ int, p *Packet) { p.Timestamp += 2 * 16000 }, heard: time.Second, lost: 2,
			check: func(s Stats) bool { return s.Jitter.Implausible == 2 && s.Jitter.Restarts == 1 }},
		{name: "a clock that jumps 2 s back", change: func(_ int, p *Packet) { p.Timestamp -= 2 * 16000 }, heard: time.Second, lost: 2,
			check: func(s Stats) bool { return s.Jitter.Implausible == 2 && s.Jitter.Restarts == 1 }},
		{name: "a clock that stands still", change: func(_ int, p *Packet) { p.Timestamp = from * 320 }, heard: time.Second, lost: 30,
			check: func(s Stats) bool { return s.Jitter.Received == packets }},
		{name: "a clock that goes backwards", change: func(i int, p *Packet) { p.Timestamp = uint32((2*from - i) * 320) }, heard: 400 * ms, lost: 30,
			check: func(s Stats) bool {
				return s.Jitter.Implausible >= 28 && s.Faults[dialog.ErrorAudio] == s.Jitter.Implausible
			}},
		{name: "timestamps at 48 kHz", change: func(i int, p *Packet) { p.Timestamp = uint32(from*320 + (i-from)*960) }, heard: time.Second, longer: 29 * 40 * ms,
			check: func(s Stats) bool { return s.Jitter.SilenceTime == 29*40*ms }},
		{name: "timestamps in milliseconds", change: func(i int, p *Packet) { p.Timestamp = uint32(20 * i) }, heard: time.Second, lost: 2,
			check: func(s Stats) bool { return s.Jitter.Implausible == 2 && s.Jitter.Restarts == 1 }},
		{name: "timestamps with their bytes turned round", change: func(i int, p *Packet) { p.Timestamp = bits.ReverseBytes32(p.Timestamp) }, heard: 400 * ms, lost: 30,
			check: func(s Stats) bool { return s.Jitter.Implausible == 30 && s.Faults[dialog.ErrorAudio] == 30 }},
		{name: "a clock at half the speed", change: func(i int, p *Packet) { p.Timestamp = uint32((from + (i-from)/2) * 320) }, heard: time.Second, lost: 30,
			check: func(s Stats) bool { return s.Jitter.Received == packets }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, offerOf(pcm16k20, opus16k60), Limits{})
				defer r.close()
				s := &stream{r: r, format: pcm16k20}
				if tt.name == "sequence numbers wrap" {
					s.seq -= from // the 20th is number 0
				}
				frame := bytesOf(tone(16000, 20*ms, 440))
				s.listen(dialog.ModeManual)
				for i := range packets {
					p := s.next(frame)
					if i >= from && (!tt.only || i == from) {
						if tt.twice {
							s.send(p)
						}
						tt.change(i, &p)
					}
					s.send(p)
					begin := time.Now()
					r.do(func(in *Inlet) error { return in.Ping(uint32(i)) })
					if waited := time.Since(begin); waited > 0 {
						t.Fatalf("control waited %v behind packet %d", waited, i)
					}
					time.Sleep(20 * ms)
				}
				s.stop()
				var heard, sound time.Duration
				last := int64(0)
				for _, c := range r.heard() {
					if c.Ctrl.Timestamp < last {
						t.Errorf("media time goes back from %d to %d ms", last, c.Ctrl.Timestamp)
					}
					last = c.Ctrl.Timestamp
					d := realtime.MediaDuration(c.Part)
					heard += d
					if _, blob := c.Part.(*realtime.Blob); blob {
						sound += d
					}
				}
				stats := r.leg.Stats()
				t.Logf("heard %v, of it sound %v; %+v", heard, sound, stats.Jitter)
				if heard < tt.heard || heard > time.Second+20*ms+tt.longer {
					t.Errorf("the period lasts %v of media time, want %v", heard, tt.heard)
				}
				if missing := packets - int((sound-tt.longer)/(20*ms)); missing > tt.lost {
					t.Errorf("%d packets are not heard, want %d at most", missing, tt.lost)
				}
				if !tt.check(stats) {
					t.Errorf("counted %+v", stats.Jitter)
				}
				if cause := r.leg.closed(); cause != nil {
					t.Errorf("the connection ended: %v", cause)
				}
			})
		})
	}
}

// "Bad input" of a microphone, F50: sound that is not what the hello announced. It is
// played as what it is, or becomes silence of its length; the difference is counted
// and told once.
func TestForeignAudio(t *testing.T) {
	encoded := func(t *testing.T, cfg opus.EncoderConfig, d time.Duration) []byte {
		t.Helper()
		encoder, err := opus.NewEncoder(cfg)
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, opus.MaxPacket)
		n, err := encoder.Encode(buf, tone(cfg.Rate, d, 440))
		if err != nil {
			t.Fatal(err)
		}
		return buf[:n]
	}
	tests := []struct {
		name    string
		format  audio.Format
		payload func(*testing.T) []byte
		samples uint32 // by which the timestamp grows
		heard   string
		fault   string
		check   func(Stats) bool
	}{
		{name: "Opus made at 48 kHz where 16 was announced", format: opus16k20, samples: 320,
			payload: func(t *testing.T) []byte { return encoded(t, opus.EncoderConfig{Rate: 48000}, 20*ms) },
			heard:   "audio 200ms", check: func(s Stats) bool { return s.UnevenPackets == 0 }},
		{name: "Opus in stereo", format: opus16k20, samples: 320,
			// The stereo bit of the first byte (RFC 6716 section 3.1).
			payload: func(t *testing.T) []byte { return []byte{0x4c, 0, 0, 0, 0} },
			heard:   "audio 200ms", check: func(s Stats) bool { return s.UnevenPackets == 0 && s.Drops[DropUndecodable] == 0 }},
		{name: "Opus of 40 ms where 20 were announced", format: opus16k20, samples: 640,
			payload: func(t *testing.T) []byte { return encoded(t, opus.EncoderConfig{Rate: 16000}, 40*ms) },
			heard:   "audio 400ms", fault: "packets of 40ms arrive", check: func(s Stats) bool { return s.UnevenPackets == 10 }},
		{name: "Opus where PCM was announced", format: pcm16k20, samples: 320,
			payload: func(t *testing.T) []byte { return []byte{0x48, 1, 2, 3} },
			// Two samples in each, and what the timestamps leave out between them.
			heard: "audio 180.125ms", fault: "packets of 125µs arrive", check: func(s Stats) bool { return s.UnevenPackets == 10 }},
		{name: "PCM where Opus was announced", format: opus16k20, samples: 320,
			payload: func(t *testing.T) []byte { return bytesOf(tone(16000, 20*ms, 440)) },
			// The first sample is 0, which is a packet of 10 ms (RFC 6716 section 3.1).
			heard: "audio 190ms", fault: "packets of 10ms arrive", check: func(s Stats) bool { return s.UnevenPackets == 10 }},
		{name: "PCM at 48 kHz where 16 was announced", format: pcm16k20, samples: 320,
			payload: func(t *testing.T) []byte { return bytesOf(tone(48000, 20*ms, 440)) },
			heard:   "audio 600ms", fault: "packets of 60ms arrive", check: func(s Stats) bool { return s.UnevenPackets == 10 }},
		{name: "PCM of an odd number of bytes", format: pcm16k20, samples: 320,
			payload: func(t *testing.T) []byte { return make([]byte, 639) },
			heard:   "audio 200ms", fault: "no whole number of 16-bit samples", check: func(s Stats) bool { return s.Drops[DropUndecodable] == 10 }},
		{name: "PCM of one byte", format: pcm16k20, samples: 320,
			payload: func(t *testing.T) []byte { return []byte{1} },
			heard:   "audio 200ms", fault: "no whole number of 16-bit samples", check: func(s Stats) bool { return s.Drops[DropUndecodable] == 10 }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, offerOf(tt.format, opus16k60), Limits{})
				defer r.close()
				payload := tt.payload(t)
				s := &stream{r: r, format: tt.format}
				s.listen(dialog.ModeManual)
				for i := range uint32(10) {
					s.send(Packet{Seq: i, Timestamp: i * tt.samples, Payload: payload})
				}
				s.stop()
				synctest.Wait()
				want := []string{"begin mic/1 listen.manual", tt.heard, "end mic/1"}
				if got := describe(r.heard()); !slices.Equal(got, want) {
					t.Errorf("heard %q, want %q", got, want)
				}
				checkFault(t, r, dialog.ErrorAudio, tt.fault) // none, when it is empty
				if stats := r.leg.Stats(); !tt.check(stats) {
					t.Errorf("counted %+v", stats)
				}
				if cause := r.leg.closed(); cause != nil {
					t.Errorf("the connection ended: %v", cause)
				}
			})
		})
	}
}

// "Bad input" of a microphone, F50: marks where none belong. Only the messages open and
// close a period; sound counts where it comes, and nothing is told.
func TestStrayMarks(t *testing.T) {
	tests := []struct {
		name  string
		marks func(i int, p *Packet)
	}{
		{"every packet is the first", func(_ int, p *Packet) { p.Begin = true }},
		{"every packet is the last", func(_ int, p *Packet) { p.End = true }},
		{"the last one in the middle", func(i int, p *Packet) { p.End = i == 4 }},
		{"first and last at once", func(_ int, p *Packet) { p.Begin, p.End = true, true }},
		{"no mark at all", func(int, *Packet) {}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, offerOf(pcm16k20, opus16k60), Limits{})
				defer r.close()
				s := &stream{r: r, format: pcm16k20}
				s.listen(dialog.ModeManual)
				for i := range 10 {
					p := s.next(bytesOf(tone(16000, 20*ms, 440)))
					tt.marks(i, &p)
					s.send(p)
				}
				s.stop()
				synctest.Wait()
				want := []string{"begin mic/1 listen.manual", "audio 200ms", "end mic/1"}
				if got := describe(r.heard()); !slices.Equal(got, want) {
					t.Errorf("heard %q, want %q", got, want)
				}
				checkFault(t, r, "", "")
			})
		})
	}
}
