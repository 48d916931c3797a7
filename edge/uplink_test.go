package edge

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"edged/audio"
	"edged/audio/opus"
	"edged/dialog"
	"edged/realtime"
)

// stream sends packets in order, as a device does.
type stream struct {
	r      *rig
	format audio.Format
	seq    uint32
	ts     uint32
}

func (s *stream) next(payload []byte) Packet {
	p := Packet{Seq: s.seq, Timestamp: s.ts, Payload: payload}
	s.seq++
	s.ts += uint32(s.format.FrameSamples())
	return p
}

func (s *stream) send(p Packet) {
	s.r.do(func(in *Inlet) error { return in.Audio(p) })
}

func (s *stream) listen(mode dialog.Mode) {
	s.ts = 0
	s.r.do(func(in *Inlet) error { return in.Listen(mode) })
}

func (s *stream) stop() { s.r.do(func(in *Inlet) error { return in.StopListening() }) }

// TestUplinkDecodes: what a device says arrives as 16 kHz samples between the
// boundaries of its listening period, on a time line that never goes back.
func TestUplinkDecodes(t *testing.T) {
	formats := []audio.Format{
		opus16k20, opus16k60,
		{Codec: audio.CodecOpus, Rate: 48000, Channels: 1, Ptime: 40 * ms},
		{Codec: audio.CodecOpus, Rate: 8000, Channels: 1, Ptime: 20 * ms},
		pcm16k20,
		{Codec: audio.CodecPCM, Rate: 24000, Channels: 1, Ptime: 60 * ms},
		{Codec: audio.CodecPCM, Rate: 8000, Channels: 1, Ptime: 40 * ms},
		{Codec: audio.CodecPCM, Rate: 12000, Channels: 1, Ptime: 20 * ms},
		{Codec: audio.CodecPCM, Rate: 48000, Channels: 1, Ptime: 20 * ms},
	}
	for _, format := range formats {
		t.Run(format.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, offerOf(format, opus16k60), Limits{})
				defer r.close()
				s := &stream{r: r, format: format}
				const spoken = 600 * ms
				var packets [][]byte
				if format.Codec == audio.CodecOpus {
					packets = opusPackets(t, format, spoken, opus.EncoderConfig{})
				} else {
					for part := range slices.Chunk(tone(format.Rate, spoken, 440), format.FrameSamples()) {
						packets = append(packets, bytesOf(part))
					}
				}
				s.listen(dialog.ModeManual)
				for _, p := range packets {
					s.send(s.next(p))
					time.Sleep(format.Ptime)
				}
				s.stop()
				s.listen(dialog.ModeAuto)
				s.send(s.next(packets[0]))
				s.stop()

				chunks := r.heard()
				want := []string{
					"begin mic/1 listen.manual", fmt.Sprintf("audio %v", spoken), "end mic/1",
					"begin mic/2 listen.auto", fmt.Sprintf("audio %v", format.Ptime), "end mic/2",
				}
				if got := describe(chunks); !slices.Equal(got, want) {
					t.Errorf("heard %q, want %q", got, want)
				}
				var last int64
				var first []int16
				for _, c := range chunks {
					if c.Ctrl.Timestamp < 1 || c.Ctrl.Timestamp < last {
						t.Errorf("timestamp %d after %d: media time starts at 1 and only grows", c.Ctrl.Timestamp, last)
					}
					last = c.Ctrl.Timestamp
					if b, ok := c.Part.(*realtime.Blob); ok && c.Route() == "mic/1" {
						if b.MIMEType != "audio/pcm;rate=16000" || c.Role != realtime.RoleUser {
							t.Errorf("audio is %q of %q", b.MIMEType, c.Role)
						}
						first = append(first, samplesOf(b.Data)...)
					}
				}
				// The first 100 ms are the codec settling.
				if level, want := rms(first[1600:]), rms(tone(16000, spoken, 440)[1600:]); level < want*0.9 || level > want*1.1 {
					t.Errorf("the tone arrives with level %.0f, it was sent with %.0f", level, want)
				}
				if got := len(r.events()); got != 0 {
					t.Errorf("%d events for sound input", got)
				}
			})
		})
	}
}

// TestBadUplinkAudio walks "Bad input" as far as audio goes, and F50: each is
// counted and told, and what follows is heard.
func TestBadUplinkAudio(t *testing.T) {
	good := func(t *testing.T, f audio.Format) []byte {
		return opusPackets(t, f, f.Ptime, opus.EncoderConfig{})[0]
	}
	tests := []struct {
		name   string
		format audio.Format
		send   func(t *testing.T, s *stream)
		heard  string // between the boundaries
		fault  string // part of the one message; empty: none
		check  func(Stats) bool
	}{
		{
			name: "garbage Opus", format: opus16k60,
			send: func(t *testing.T, s *stream) {
				s.send(s.next(good(t, opus16k60)))
				for range 10 { // code 3 with a frame count of 0
					s.send(s.next([]byte{0xff, 0x00, 0x13, 0x37}))
				}
				s.send(s.next(good(t, opus16k60)))
			},
			heard: "audio 720ms", fault: "does not decode",
			check: func(s Stats) bool { return s.Drops[DropUndecodable] == 10 && s.Faults[dialog.ErrorAudio] == 10 },
		},
		{
			name: "zero-length Opus", format: opus16k60,
			send: func(t *testing.T, s *stream) {
				s.send(s.next(good(t, opus16k60)))
				s.send(s.next(nil))
				s.send(s.next(good(t, opus16k60)))
			},
			heard: "audio 180ms", fault: "empty packet",
			check: func(s Stats) bool { return s.Drops[DropUndecodable] == 1 && s.Concealed == 60*ms },
		},
		{
			name: "DTX packets are ordinary", format: opus16k60,
			send: func(t *testing.T, s *stream) {
				s.send(s.next(good(t, opus16k60)))
				s.send(s.next(good(t, opus16k60)[:1]))
				s.send(s.next(good(t, opus16k60)))
			},
			heard: "audio 180ms",
			check: func(s Stats) bool { return s.Drops[DropUndecodable] == 0 },
		},
		{
			name: "20 ms packets where 60 were announced", format: opus16k60,
			send: func(t *testing.T, s *stream) {
				for range 3 {
					p := s.next(good(t, opus16k20))
					s.ts = p.Timestamp + 320
					s.send(p)
				}
			},
			heard: "audio 60ms", fault: "packets of 20ms arrive, the hello announced 60ms",
			check: func(s Stats) bool { return s.UnevenPackets == 3 && s.Faults[dialog.ErrorAudio] == 1 },
		},
		{
			name: "60 ms packets where 20 were announced", format: opus16k20,
			send: func(t *testing.T, s *stream) {
				for range 3 {
					p := s.next(good(t, opus16k60))
					s.ts = p.Timestamp + 960
					s.send(p)
				}
			},
			heard: "audio 180ms", fault: "packets of 60ms arrive, the hello announced 20ms",
			check: func(s Stats) bool { return s.UnevenPackets == 3 },
		},
		{
			name: "odd PCM", format: pcm16k20,
			send: func(t *testing.T, s *stream) {
				frame := bytesOf(tone(16000, 20*ms, 440))
				s.send(s.next(frame))
				s.send(s.next(frame[:len(frame)-1]))
				s.send(s.next(frame))
			},
			heard: "audio 60ms", fault: "no whole number of 16-bit samples",
			check: func(s Stats) bool { return s.Drops[DropUndecodable] == 1 },
		},
		{
			name: "short PCM", format: pcm16k20,
			send: func(t *testing.T, s *stream) {
				s.send(s.next(bytesOf(tone(16000, 10*ms, 440))))
			},
			heard: "audio 10ms", fault: "packets of 10ms arrive",
			check: func(s Stats) bool { return s.UnevenPackets == 1 },
		},
		{
			name: "a frame of an unknown kind", format: opus16k60,
			send: func(t *testing.T, s *stream) {
				s.send(s.next(good(t, opus16k60)))
				p := s.next(nil)
				p.Void = true
				s.ts = p.Timestamp
				s.send(p)
				s.send(s.next(good(t, opus16k60)))
			},
			heard: "audio 120ms",
			check: func(s Stats) bool { return s.Jitter.Lost == 0 },
		},
		{
			name: "boundaries without audio", format: opus16k60,
			send: func(t *testing.T, s *stream) {
				first := s.next(good(t, opus16k60))
				first.Begin = true
				s.send(first)
				last := s.next(nil)
				last.End = true
				s.send(last)
			},
			heard: "audio 60ms",
			check: func(s Stats) bool { return s.Drops[DropUndecodable] == 0 },
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, offerOf(tt.format, opus16k60), Limits{})
				defer r.close()
				s := &stream{r: r, format: tt.format}
				s.listen(dialog.ModeManual)
				tt.send(t, s)
				s.stop()
				synctest.Wait()
				want := []string{"begin mic/1 listen.manual", tt.heard, "end mic/1"}
				if got := describe(r.heard()); !slices.Equal(got, want) {
					t.Errorf("heard %q, want %q", got, want)
				}
				checkFault(t, r, dialog.ErrorAudio, tt.fault)
				if stats := r.leg.Stats(); !tt.check(stats) {
					t.Errorf("counted %+v", stats)
				}
			})
		})
	}
}

// checkFault fails unless exactly one fault of this code was told, to the session
// and to the device; none for an empty message.
func checkFault(t *testing.T, r *rig, code dialog.ErrorCode, message string) {
	t.Helper()
	var told []dialog.Fault
	for _, e := range r.events() {
		if f, ok := e.(dialog.Fault); ok {
			told = append(told, f)
		}
	}
	var sent []dialog.Failure
	for _, c := range r.transport.controls() {
		if e, ok := c.(Event); ok {
			sent = append(sent, e.Downlink.(dialog.Failure))
		}
	}
	if message == "" {
		if len(told)+len(sent) > 0 {
			t.Errorf("told of faults %v, %v: there is none", told, sent)
		}
		return
	}
	if len(told) != 1 || told[0].Code != code || !strings.Contains(told[0].Message, message) {
		t.Errorf("the session was told %+v, want one %s that says %q", told, code, message)
	}
	if len(sent) != 1 || sent[0].Code != code || !strings.Contains(sent[0].Message, message) {
		t.Errorf("the device was told %+v, want one %s that says %q", sent, code, message)
	}
}

// TestOggPagesAreRefused: nothing useful ever follows, so the connection ends
// with words.
func TestOggPagesAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(opus16k60, opus16k60), Limits{})
		s := &stream{r: r, format: opus16k60}
		s.listen(dialog.ModeAuto)
		s.send(s.next([]byte("OggS\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00")))
		err := <-r.over
		var told *Error
		if !errors.As(err, &told) || told.Code != dialog.ErrorAudio || !errors.Is(err, opus.ErrOggPage) {
			t.Errorf("the connection ended with %v, want bad_audio over an Ogg page", err)
		}
		if f := r.transport.told(); f == nil || f.Code != dialog.ErrorAudio || !strings.Contains(f.Message, "container") {
			t.Errorf("the device was told %+v, want bad_audio and what to do", f)
		}
	})
}

// TestAudioOutsideListening is dropped and counted, silently: after the end of a
// period it is the normal case.
func TestAudioOutsideListening(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, opus16k60), Limits{})
		defer r.close()
		s := &stream{r: r, format: pcm16k20}
		frame := bytesOf(tone(16000, 20*ms, 440))
		s.send(s.next(frame))
		s.listen(dialog.ModeManual)
		s.send(s.next(frame))
		s.stop()
		s.send(s.next(frame))
		s.stop() // once more: harmless
		if got, want := describe(r.heard()), []string{"begin mic/1 listen.manual", "audio 20ms", "end mic/1"}; !slices.Equal(got, want) {
			t.Errorf("heard %q, want %q", got, want)
		}
		if n := r.leg.Stats().Drops[DropOutsideListening]; n != 2 {
			t.Errorf("%d packets counted, want 2", n)
		}
		checkFault(t, r, "", "")
	})
}

// TestServerEndsAutoPeriod: in ModeAuto the period is the server's to end, when
// the user has finished or when the server speaks; in ModeManual it is not.
func TestServerEndsAutoPeriod(t *testing.T) {
	stopped := func(r *rig) { _ = r.leg.Send(dialog.SpeechStopped{}) }
	speaks := func(r *rig) { r.play(1, begin()) }
	tests := []struct {
		name string
		mode dialog.Mode
		act  func(*rig)
		ends bool
	}{
		{"auto, speech stopped", dialog.ModeAuto, stopped, true},
		{"auto, reply begins", dialog.ModeAuto, speaks, true},
		{"manual, speech stopped", dialog.ModeManual, stopped, false},
		{"manual, reply begins", dialog.ModeManual, speaks, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, offerOf(pcm16k20, opus16k60), Limits{})
				defer r.close()
				s := &stream{r: r, format: pcm16k20}
				s.listen(tt.mode)
				tt.act(r)
				s.send(s.next(bytesOf(tone(16000, 20*ms, 440))))
				got := describe(r.heard())
				ended := slices.Contains(got, "end mic/1")
				if ended != tt.ends || slices.Contains(got, "audio 20ms") == tt.ends {
					t.Errorf("heard %q, want the period ended: %v", got, tt.ends)
				}
			})
		})
	}
}

// TestListenAgain: a new start ends the period before it.
func TestListenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, opus16k60), Limits{})
		defer r.close()
		s := &stream{r: r, format: pcm16k20}
		s.listen(dialog.ModeAuto)
		s.listen(dialog.ModeManual)
		want := []string{"begin mic/1 listen.auto", "end mic/1", "begin mic/2 listen.manual"}
		if got := describe(r.heard()); !slices.Equal(got, want) {
			t.Errorf("heard %q, want %q", got, want)
		}
	})
}

// TestSpeechTimes: the session speaks of speech on the time line of the stream, the
// device is told when in its listening period.
func TestSpeechTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, opus16k60), Limits{})
		defer r.close()
		s := &stream{r: r, format: pcm16k20}
		var begins []time.Duration
		for range 2 {
			time.Sleep(3 * time.Second)
			s.listen(dialog.ModeManual)
			begins = append(begins, time.Duration(r.heard()[0].Ctrl.Timestamp)*ms)
			s.send(s.next(bytesOf(tone(16000, 20*ms, 440))))
			s.stop()
			r.heard()
		}
		for _, e := range []dialog.Downlink{
			dialog.SpeechStarted{At: begins[1] + 320*ms}, dialog.SpeechStopped{At: begins[1] + 900*ms},
			dialog.SpeechStopped{At: begins[0] + 15*ms}, // of the period before
			dialog.SpeechStarted{At: begins[1]},
		} {
			if err := r.leg.Send(e); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		want := []Control{
			Event{dialog.SpeechStarted{At: 320 * ms}}, Event{dialog.SpeechStopped{At: 900 * ms}},
			Event{dialog.SpeechStopped{At: 15 * ms}}, Event{dialog.SpeechStarted{At: 0}},
		}
		if got := r.transport.controls(); !slices.Equal(got, want) {
			t.Errorf("the device was told %v, want %v", got, want)
		}
	})
}

// TestUplinkEnds: a bye is an ordinary end of the stream, a broken connection is
// not.
func TestUplinkEnds(t *testing.T) {
	for _, bye := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, offerOf(pcm16k20, opus16k60), Limits{})
			if bye {
				r.do(func(*Inlet) error { return errByeBye })
			} else {
				r.transport.Kill()
			}
			<-r.over
			_, err := r.leg.Uplink().Next()
			if bye && err != io.EOF {
				t.Errorf("after a bye the stream ends with %v, want io.EOF", err)
			}
			if !bye && (!errors.Is(err, ErrClosed) || !errors.Is(err, errCut)) {
				t.Errorf("after a break the stream ends with %v, want ErrClosed and the cause", err)
			}
		})
	}
}
