package edge

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"edged/audio"
	"edged/dialog"
	"edged/realtime"
)

// beginAt begins a reply in the middle.
func beginAt(at time.Duration) *realtime.MessageChunk {
	c := begin()
	c.Ctrl.Timestamp = 1 + at.Milliseconds()
	return c
}

// TestResumedReply: the rest of a reply has its first sample where it goes on, to
// the sample, and everything that is told about it counts from its true beginning.
func TestResumedReply(t *testing.T) {
	for _, rate := range []audio.SampleRate{16000, 24000, 48000} {
		for _, ptime := range []time.Duration{20 * ms, 40 * ms, 60 * ms} {
			for _, at := range []time.Duration{ms, 333 * ms, 1500 * ms, 10 * time.Minute} {
				format := audio.Format{Codec: audio.CodecPCM, Rate: rate, Channels: 1, Ptime: ptime}
				t.Run(fmt.Sprint(format, " at ", at), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { resumeAt(t, format, at) })
				})
			}
		}
	}
}

func resumeAt(t *testing.T, format audio.Format, at time.Duration) {
	const rest = 500 * ms
	r := newRig(t, offerOf(pcm16k20, format), Limits{})
	defer r.close()
	first := format.Rate.Samples(at)
	whole := tone(format.Rate, rest, 440)
	r.play(5, beginAt(at), text("and so on"))
	for part := range slices.Chunk(whole, format.Rate.Samples(20*ms)) {
		r.play(5, blob(format.Rate, bytesOf(part)))
	}
	r.play(5, text("."), end())
	time.Sleep(2 * time.Second)
	synctest.Wait()

	written := r.transport.written()
	if b, ok := written[0].control.(ReplyBegin); !ok || !b.Resumed || b.Turn != 5 {
		t.Errorf("the reply begins with %+v, want a resumed one", written[0].control)
	}
	if c, ok := written[1].control.(ReplyText); !ok || c.Offset != at {
		t.Errorf("then comes %+v, want its text at %v", written[1].control, at)
	}
	var sent []int16
	for i, p := range r.transport.packets() {
		if want := uint32(first + i*format.FrameSamples()); p.packet.Timestamp != want || p.packet.Begin != (i == 0) {
			t.Fatalf("packet %d has timestamp %d, begin %v; want %d", i, p.packet.Timestamp, p.packet.Begin, want)
		}
		sent = append(sent, samplesOf(p.packet.Payload)...)
	}
	if len(sent) < len(whole) || !slices.Equal(sent[:len(whole)], whole) {
		t.Errorf("%d samples were sent, want exactly the rest", len(sent))
	}
	if e, ok := written[len(written)-1].control.(ReplyEnd); !ok || e.Offset != at+rest {
		t.Errorf("the reply ends with %+v, want its whole duration %v", written[len(written)-1].control, at+rest)
	}
	for _, e := range r.events() {
		switch e := e.(type) {
		case dialog.Sent:
			if e.Offset <= at || e.Offset > at+rest {
				t.Errorf("sent up to %v, want more than %v", e.Offset, at)
			}
		case dialog.Delivered:
			if e.Offset != at+rest {
				t.Errorf("delivered up to %v, want %v", e.Offset, at+rest)
			}
		}
	}
	// Without news the estimate is the end; the device says better, and a count from
	// before the resumption is none of this connection's.
	if got := r.leg.progress(5); got.Played != at+rest || got.Acknowledged {
		t.Errorf("progress %+v, want an estimate of %v", got, at+rest)
	}
	if first > 0 {
		r.do(func(in *Inlet) error { in.Played(5, uint32(first-1)); return nil })
	}
	r.do(func(in *Inlet) error { in.Played(5, uint32(first)); return nil })
	r.do(func(in *Inlet) error { in.Played(5, uint32(first+format.Rate.Samples(120*ms))); return nil })
	want := []dialog.Uplink{
		dialog.Played{Position: dialog.Position{Turn: 5, Offset: at}},
		dialog.Played{Position: dialog.Position{Turn: 5, Offset: at + 120*ms}},
	}
	if got := r.events(); !slices.Equal(got, want) {
		t.Errorf("told %v, want %v", got, want)
	}
	got, err := r.leg.Flush(t.Context(), 5, dialog.CauseSpeech)
	if want := (dialog.Progress{Turn: 5, Sent: at + rest, Played: at + 120*ms, Acknowledged: true}); err != nil || got != want {
		t.Errorf("flushed at %+v, %v; want %+v", got, err, want)
	}
}

// TestResumedReplyIsHeld at a position that counts from its true beginning.
func TestResumedReplyIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, holdOffer(pcm16k60), Limits{})
		defer r.close()
		d := newListener(16000)
		r.follow(d)
		r.play(2, beginAt(time.Second))
		r.play(2, speech(16000, 600*ms)...)
		synctest.Wait()
		wants(t, "hold", r.leg.Hold(2, 1200*ms), nil)
		time.Sleep(3 * time.Second)
		if at := d.at(2, time.Now()); at != 1200*16 {
			t.Errorf("the device stands at %d, want %d", at, 1200*16)
		}
		if got := r.leg.progress(2).Played; got != 1200*ms {
			t.Errorf("the leg believes %v, want 1.2s", got)
		}
		wants(t, "hold before what was resumed", r.leg.Hold(2, 0), nil)
		wants(t, "release", r.leg.Release(2), nil)
		synctest.Wait()
		if got, want := holds(r.transport.written()), []string{"begin 2", "hold 2@19200", "hold 2@16000", "release 2"}; !slices.Equal(got, want) {
			t.Errorf("written %q, want %q", got, want)
		}
	})
}

// TestReplyFromTheBeginning: a timestamp of 0 or 1 begins at the beginning, which is
// no resumption.
func TestReplyFromTheBeginning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{})
		defer r.close()
		r.play(1, beginAt(0), speech(16000, 20*ms)[0], end())
		synctest.Wait()
		if b := r.transport.controls()[0].(ReplyBegin); b.Resumed || r.transport.packets()[0].packet.Timestamp != 0 {
			t.Errorf("begins as %+v", b)
		}
	})
}

// TestLocate: a device that comes back says how much has left its speaker; what
// that was in the reply is known after the connection has ended, silence left out.
func TestLocate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{})
		r.play(1, speech(16000, 300*ms)...)
		r.play(1, end())
		time.Sleep(time.Second)
		r.play(2, begin())
		r.play(2, speech(16000, 100*ms)...) // and 20 ms of silence
		time.Sleep(time.Second)
		r.play(2, speech(16000, 60*ms)...)
		synctest.Wait()
		_ = r.close()
		for _, tt := range []struct {
			turn    dialog.Turn
			samples uint32
			want    time.Duration
		}{
			{2, 0, 0}, {2, 800, 50 * ms}, {2, 1600, 100 * ms}, {2, 1920, 100 * ms}, {2, 2400, 130 * ms},
			{2, 1 << 31, 160 * ms}, // more than was sent
			{1, 1600, 100 * ms}, {1, 1 << 31, 300 * ms},
			{0, 100, 0}, {3, 100, 0}, // not remembered
		} {
			if got := r.leg.Locate(tt.turn, tt.samples); got != tt.want {
				t.Errorf("sample %d of turn %d is at %v, want %v", tt.samples, tt.turn, got, tt.want)
			}
		}
	})
}

// TestWhyItEnded: the session tells a lost connection, after which the device may
// come back, from a goodbye.
func TestWhyItEnded(t *testing.T) {
	tests := []struct {
		name string
		end  func(r *rig)
		want []error // nil: an ordinary end
	}{
		{"a bye", func(r *rig) { r.transport.input <- func(*Inlet) error { return errByeBye } }, nil},
		{"the handler is done", func(r *rig) { r.release <- nil }, nil},
		{"cut", func(r *rig) { r.transport.Kill() }, []error{ErrClosed, errCut}},
		{"replaced", func(r *rig) { r.leg.end(ErrReplaced) }, []error{ErrClosed, ErrReplaced}},
		{"shutdown", func(r *rig) { r.leg.end(ErrShutdown) }, []error{ErrClosed, ErrShutdown, dialog.ErrShutdown}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{})
				if err := r.leg.Err(); err != nil {
					t.Errorf("a living connection ended with %v", err)
				}
				tt.end(r)
				for range r.leg.Events() {
				}
				err := r.leg.Err()
				if tt.want == nil && err != nil {
					t.Errorf("%v, want nil", err)
				}
				for _, want := range tt.want {
					wants(t, "end", err, want)
				}
				<-r.over
			})
		})
	}
}

// TestComeBack: who may go on with which session, and what the others get: a
// session of their own, and no word about the one that they named.
func TestComeBack(t *testing.T) {
	home := func(hello dialog.Hello) (dialog.Resumed, bool) {
		// As a host does: a session is for its own device only.
		if hello.Device != "lamp" || hello.Resume.Session != "s-1" {
			return dialog.Resumed{}, false
		}
		return dialog.Resumed{Turn: 7, Answering: true}, true
	}
	tests := []struct {
		name    string
		device  string
		resume  *dialog.Resume
		host    func(dialog.Hello) (dialog.Resumed, bool)
		down    audio.Format
		granted bool
	}{
		{"its own session", "lamp", &dialog.Resume{Session: "s-1", Turn: 7, Samples: 480}, home, pcm16k60, true},
		{"in other formats", "lamp", &dialog.Resume{Session: "s-1", Turn: 7, Samples: 480}, home, audio.Format{Codec: audio.CodecOpus, Rate: 48000, Channels: 1, Ptime: 20 * ms}, true},
		{"an unknown session", "lamp", &dialog.Resume{Session: "s-2"}, home, pcm16k60, false},
		{"the session of another device", "toy", &dialog.Resume{Session: "s-1"}, home, pcm16k60, false},
		{"a server that keeps none", "lamp", &dialog.Resume{Session: "s-1"}, nil, pcm16k60, false},
		{"not asked for", "lamp", nil, func(dialog.Hello) (dialog.Resumed, bool) { panic("nobody asked") }, pcm16k60, false},
	}
	told := map[bool][]string{}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, Config{Resume: tt.host})
			a, err := admit(s, Identity{Device: tt.device})
			if err != nil {
				t.Fatal(err)
			}
			defer a.Release()
			offer := offerOf(pcm16k20, tt.down)
			offer.Hello.Device, offer.Hello.Resume = tt.device, tt.resume
			leg, err := a.Open(offer, newFakeTransport())
			if err != nil {
				t.Fatal(err)
			}
			defer leg.up.close()
			got := leg.Hello()
			if !tt.granted {
				if got.Resume != nil || got.Session == "" || tt.resume != nil && got.Session == tt.resume.Session || leg.Resumed() != (dialog.Resumed{}) {
					t.Errorf("session %q, resume %+v, %+v; want a session of its own", got.Session, got.Resume, leg.Resumed())
				}
				told[tt.resume != nil] = append(told[tt.resume != nil], fmt.Sprintf("%+v %d", leg.Resumed(), len(got.Session)))
				return
			}
			if got.Session != "s-1" || got.Resume == nil || *got.Resume != *tt.resume || leg.Resumed() != (dialog.Resumed{Turn: 7, Answering: true}) {
				t.Errorf("session %q, resume %+v, %+v; want that it goes on", got.Session, got.Resume, leg.Resumed())
			}
		})
	}
	// Nothing tells a foreign session from one that does not exist.
	if refused := slices.Compact(told[true]); len(refused) != 1 {
		t.Errorf("refusals differ: %s", strings.Join(refused, "; "))
	}
}

// TestOldConnectionEndsFirst: a device may be back before its loss was noticed. Its
// old connection is over before anybody is asked whether the session goes on, also
// where the name comes only with the hello.
func TestOldConnectionEndsFirst(t *testing.T) {
	for _, claimed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var old *connection
			asked := 0
			s := newServer(t, Config{Resume: func(hello dialog.Hello) (dialog.Resumed, bool) {
				asked++
				if err := old.leg.closed(); !errors.Is(err, ErrReplaced) {
					t.Errorf("asked while the old connection lives (%v)", err)
				}
				return dialog.Resumed{Turn: 1}, true
			}})
			var err error
			if old, err = connect(t, s, "lamp", claimed); err != nil {
				t.Fatal(err)
			}
			id := Identity{Device: "lamp"}
			if claimed {
				id.Device = ""
			}
			a, err := admit(s, id)
			if err != nil {
				t.Fatal(err)
			}
			defer a.Release()
			offer := offerOf(pcm16k20, pcm16k60)
			offer.Hello.Resume = &dialog.Resume{Session: old.leg.Hello().Session}
			leg, err := a.Open(offer, newFakeTransport())
			if err != nil {
				t.Fatal(err)
			}
			defer leg.up.close()
			if leg.Hello().Session != old.leg.Hello().Session || asked != 1 {
				t.Errorf("session %q after %d questions, want that of the old connection", leg.Hello().Session, asked)
			}
			wants(t, "the old connection", <-old.over, ErrReplaced)
		})
	}
}

// TestReplacedConnectionTakesNothing: a hello that was overtaken by a newer
// connection of the device does not take the session away from it.
func TestReplacedConnectionTakesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		s := newServer(t, Config{Resume: func(dialog.Hello) (dialog.Resumed, bool) { asked++; return dialog.Resumed{}, true }})
		slow, err := admit(s, Identity{Device: "lamp"})
		if err != nil {
			t.Fatal(err)
		}
		defer slow.Release()
		newer, err := connect(t, s, "lamp", false)
		if err != nil {
			t.Fatal(err)
		}
		offer := offerOf(pcm16k20, pcm16k60)
		offer.Hello.Resume = &dialog.Resume{Session: "s-1"}
		leg, err := slow.Open(offer, newFakeTransport())
		if err != nil {
			t.Fatal(err)
		}
		if asked != 0 || leg.Hello().Resume != nil {
			t.Errorf("asked %d times, resumed %v; want neither", asked, leg.Hello().Resume)
		}
		wants(t, "the slow one", slow.Serve(t.Context(), leg), ErrReplaced)
		if err := newer.leg.closed(); err != nil {
			t.Errorf("the newer connection ended with %v", err)
		}
		newer.transport.Kill()
		<-newer.over
	})
}
