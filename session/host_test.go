package session

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"edged/audio"
	"edged/dialog"
	"edged/session/log"
)

// house is a host with one device that may come and go.
type house struct {
	*testDevice
	t      *testing.T
	host   *Host
	cfg    Config
	log    *sessionLog
	served chan error
}

// inhabit runs a host in virtual time.
func inhabit(t *testing.T, s *script, profile Profile, prepare func(*testDevice), story func(h *house)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		if s.answer == nil {
			s.answer = echo
		}
		profile.ASR, profile.Generator, profile.TTS = "asr", "generator", "tts"
		h := &house{t: t, host: NewHost(0), log: &sessionLog{}, served: make(chan error, 8)}
		h.cfg = Config{Engines: s.engines(t), Profile: profile, Log: h.log.recorder(true), Phrases: phrasebook(t, profile)}
		d := newTestDevice(t)
		if prepare != nil {
			prepare(d)
		}
		h.connect(d)
		story(h)
		h.disconnect()
		h.host.Close()
		time.Sleep(time.Minute)
	})
}

func (h *house) connect(d *testDevice) {
	h.testDevice = d
	go func() { h.served <- h.host.Serve(context.Background(), d, h.cfg) }()
}

// lost breaks the connection and returns what the device had played.
func (h *house) lost(turn dialog.Turn) time.Duration {
	h.lose()
	return h.position(turn)
}

// back comes back as the edge would let it. The device has played so much of the
// reply of the turn.
func (h *house) back(turn dialog.Turn, played time.Duration) (dialog.Resumed, bool) {
	d := newTestDevice(h.t)
	d.hello = h.hello
	d.hello.Resume = &dialog.Resume{Session: "s1", Turn: turn, Samples: uint32(audio.Rate16k.Samples(played))}
	standing, ok := h.host.Resume(context.Background(), d.hello)
	if !ok {
		d.hello.Resume = nil
		d.hello.Session = "s2"
	}
	h.connect(d)
	synctest.Wait()
	return standing, ok
}

const resumable = 30 * time.Second

// The connection is lost in the middle of a reply: it goes on where the device
// has heard it, to the sample, and nothing of it is lost or doubled.
func TestResumeReply(t *testing.T) {
	for _, after := range []time.Duration{50, 700, 2000, 5000, 9000, 10700} {
		t.Run(fmt.Sprint(after*time.Millisecond), func(t *testing.T) {
			inhabit(t, &script{heard: []string{"story"}, answer: story}, Profile{ResumeFor: resumable}, nil, func(h *house) {
				h.ask()
				for h.position(1) < after*time.Millisecond {
					time.Sleep(speakerTick)
				}
				played := h.lost(1)
				time.Sleep(5 * time.Second)
				standing, ok := h.back(1, played)
				if !ok || standing != (dialog.Resumed{Turn: 1, Answering: true}) {
					h.t.Fatalf("the device is told %+v, %v; want its reply to go on", standing, ok)
				}
				time.Sleep(11 * time.Second)
				if begin := h.speaker.begin; begin > played || begin <= played-time.Millisecond {
					h.t.Errorf("the reply goes on at %v, the device had played %v", begin, played)
				}
				done := logged[log.ReplyDone](h.t, h.log)
				if len(done) != 1 || time.Duration(done[0].AudioMS) != h.position(1) || done[0].Text != log.Text(strings.Repeat("alpha bravo charlie delta. ", 8)) {
					h.t.Errorf("reply.done %+v, the device played %v", done, h.position(1))
				}
				if cuts := logged[log.Interrupt](h.t, h.log); len(cuts) != 0 {
					h.t.Errorf("interrupted %+v", cuts)
				}
			})
		})
	}
}

// Lost in every phase; what was answered is not asked again, what was not is.
func TestResumeInEveryPhase(t *testing.T) {
	for _, tt := range []struct {
		name      string
		after     time.Duration // since the question began
		answering bool
		turn      dialog.Turn
	}{
		{"listening", 100 * time.Millisecond, false, 0},
		{"the user speaks", 700 * time.Millisecond, false, 1},
		{"recognised", 1900 * time.Millisecond, true, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &script{heard: []string{"one", "one"}, recognizing: func(context.Context) error { time.Sleep(300 * time.Millisecond); return nil }}
			inhabit(t, s, Profile{ResumeFor: resumable}, nil, func(h *house) {
				go h.ask()
				time.Sleep(tt.after)
				h.lost(0)
				time.Sleep(2 * time.Second)
				standing, ok := h.back(0, 0)
				if want := (dialog.Resumed{Turn: tt.turn, Answering: tt.answering}); !ok || standing != want {
					h.t.Fatalf("the device is told %+v, %v; want %+v", standing, ok, want)
				}
				if !standing.Answering {
					h.ask()
				}
				time.Sleep(5 * time.Second)
				if got := h.replyOf(standing.Turn + dialog.Turn(map[bool]int{true: 0, false: 1}[standing.Answering])); got != "You said one." {
					h.t.Errorf("reply %q, want the answer once", got)
				}
				if done := logged[log.ReplyDone](h.t, h.log); len(done) != 1 {
					h.t.Errorf("%d replies were played, want one", len(done))
				}
			})
		})
	}
}

// Nobody comes back: the session ends, and the reply is remembered as heard.
func TestNobodyComesBack(t *testing.T) {
	inhabit(t, &script{heard: []string{"story"}, answer: story}, Profile{ResumeFor: resumable}, nil, func(h *house) {
		h.ask()
		time.Sleep(4 * time.Second)
		played := h.lost(1)
		synctest.Wait()
		if err := <-h.served; err != nil {
			h.t.Errorf("Serve: %v", err)
		}
		time.Sleep(resumable - time.Second)
		if ends := logged[log.SessionEnd](h.t, h.log); len(ends) != 0 {
			h.t.Errorf("the session did not wait: %+v", ends)
		}
		time.Sleep(2 * time.Second)
		ends, cuts := logged[log.SessionEnd](h.t, h.log), logged[log.Interrupt](h.t, h.log)
		if len(ends) != 1 || ends[0].Reason != dialog.CauseDisconnect {
			h.t.Errorf("session.end %+v", ends)
		}
		if len(cuts) != 1 || time.Duration(cuts[0].PlayedMS) != played {
			h.t.Errorf("interrupt %+v, the device played %v", cuts, played)
		}
		if _, ok := h.host.Resume(context.Background(), dialog.Hello{Device: "d1", Resume: &dialog.Resume{Session: "s1"}}); ok {
			h.t.Error("a session that has ended can be resumed")
		}
	})
}

// F45: a device that begins anew ends its old session; another device cannot
// take it.
func TestBeginAnew(t *testing.T) {
	inhabit(t, &script{heard: []string{"story"}, answer: story}, Profile{ResumeFor: resumable}, nil, func(h *house) {
		h.ask()
		time.Sleep(3 * time.Second)
		h.lost(1)
		synctest.Wait()
		thief := dialog.Hello{Device: "d2", Session: "s3", Resume: &dialog.Resume{Session: "s1", Turn: 1}}
		if _, ok := h.host.Resume(context.Background(), thief); ok {
			h.t.Error("another device may resume the session")
		}
		again := newTestDevice(h.t)
		again.hello.Session = "s2"
		h.connect(again)
		time.Sleep(time.Second)
		if ends := logged[log.SessionEnd](h.t, h.log); len(ends) != 1 {
			h.t.Errorf("session.end %+v, want the old one ended", ends)
		}
	})
}
