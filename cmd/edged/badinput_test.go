package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"edged/audio/opus"
	"edged/audio/pcm"
	"edged/dialog"
	"edged/firmware-protocol/wire"
	"edged/internal/edgetest"
	"edged/session/log"
)

// "Bad input" and F50 through the whole server: a device whose conversation is full
// of what makes no sense, in packets of each length, is told each kind of it, has it
// in the log, and every one of its questions is answered.
func TestBadInputInConversation(t *testing.T) {
	frame, err := wire.AppendFrame(nil, wire.Frame{Type: wire.TypeAudio, Seq: 9, Payload: []byte{1, 2, 3}})
	if err != nil {
		t.Fatal(err)
	}
	another := slices.Clone(frame)
	another[0] = 2
	unknown := slices.Clone(frame)
	unknown[2], unknown[4] = 9, 3
	tests := []struct {
		name string
		text bool
		sent []byte
		code wire.ErrorCode // empty: counted only
	}{
		{"malformed JSON", true, []byte(`{"type":"abort"`), wire.CodeMalformed},
		{"a wrong type of member", true, []byte(`{"type":"played","turn":{},"samples":[]}`), wire.CodeMalformed},
		{"an unknown message", true, []byte(`{"type":"dance","tempo":120}`), ""},
		{"a message above the limit", true, []byte(`{"type":"abort","x":"` + strings.Repeat("x", wire.MaxControl) + `"}`), wire.CodeTooLarge},
		{"a second hello", true, []byte(`{"type":"hello","protocol":"edged.v1","device":"sim-1","audio":{"up":{"codec":"opus","sample_rate":16000,"frame_ms":60},"down":{"codec":"opus","sample_rate":16000,"frame_ms":60}}}`), wire.CodeProtocol},
		{"half a header", false, frame[:7], wire.CodeMalformed},
		{"half a payload", false, frame[:len(frame)-1], wire.CodeMalformed},
		{"another version of frame", false, another, wire.CodeVersion},
		{"an unknown type and track", false, unknown, ""},
		{"an empty frame", false, nil, wire.CodeMalformed},
	}
	question := recording(t, "what time is it")
	for _, ptime := range []uint32{20, 40, 60} {
		converse(t, "It is half past nine.", func(t *testing.T, h *house) {
			format := wire.Format{Codec: wire.CodecOpus, SampleRate: 16000, Channels: 1, FrameMS: ptime}
			d := h.dial(func(cfg *edgetest.Config) { cfg.Up, cfg.Down = format, format })
			var want []wire.ErrorCode
			for _, tt := range tests {
				for range 3 { // told once a second of each code
					if err := d.SendRaw(context.Background(), tt.text, tt.sent); err != nil {
						t.Fatal(err)
					}
				}
				if a := h.ask(d, question); a.Reply != "It is half past nine." {
					t.Errorf("%d ms, after %s: answered %q", ptime, tt.name, a.Reply)
				}
				if tt.code != "" {
					want = append(want, tt.code)
				}
			}
			var told []wire.ErrorCode
			for _, f := range d.Failures() {
				told = append(told, f.Code)
			}
			if !slices.Equal(told, want) {
				t.Errorf("%d ms: told %q, want %q", ptime, told, want)
			}
			h.hangUp(d)
			time.Sleep(time.Second)
			counted, logged := make(map[string]int), 0
			for _, rec := range h.log.events(t) {
				switch e := rec.Event.(type) {
				case log.Drop:
					counted[e.Reason] += e.Packets
				case log.Error:
					if e.Stage == "device" {
						logged++
					}
				}
			}
			if logged != len(want) || counted["unknown_message"] != 3 || counted["unknown_frame"] != 3 {
				t.Errorf("%d ms: %d errors of the device in the log, want %d; counted %v, want 3 unknown messages and frames", ptime, logged, len(want), counted)
			}
		})
	}
}

// "Bad input", an abort in every phase: each is answered by a flush at once, and the
// next question by its answer.
func TestAbortInEveryPhase(t *testing.T) {
	question := recording(t, "what time is it")
	phases := []struct {
		name string
		// until waits for the phase; the device has asked a question or opened its
		// microphone.
		asks  bool
		ready func(d *edgetest.Device) bool
		turns bool // the flush names a turn
	}{
		{"idle", false, func(*edgetest.Device) bool { return true }, false},
		{"the user speaks", true, func(d *edgetest.Device) bool { return happenedTo[wire.Speech](d, 1) }, true},
		{"the server thinks", true, func(d *edgetest.Device) bool { return happenedTo[wire.Transcript](d, 1) }, true},
		{"the server speaks", true, func(d *edgetest.Device) bool { return happenedTo[wire.ReplyText](d, 1) }, true},
		{"the reply is over", true, func(d *edgetest.Device) bool { return happenedTo[wire.ReplyEnd](d, 1) }, true},
	}
	for _, tt := range phases {
		t.Run(tt.name, func(t *testing.T) {
			engines, err := scripted("what time is it", "It is half past nine, and all is well.", counted)
			if err != nil {
				t.Fatal(err)
			}
			engines.Generator = slowly{engines.Generator, 2 * time.Second} // so that it is seen thinking
			converseWith(t, engines, func(t *testing.T, h *house) {
				d := h.dial(nil)
				ctx, cancel := context.WithCancel(context.Background())
				asked := make(chan struct{})
				go func() {
					defer close(asked)
					if tt.asks {
						_, _ = d.Ask(ctx, edgetest.Question{PCM: question}) // it is left in the middle
					}
				}()
				for !tt.ready(d) {
					time.Sleep(10 * time.Millisecond)
				}
				begin := time.Now()
				for range 3 { // impatience
					if err := d.Abort(context.Background(), 0, "button"); err != nil {
						t.Fatal(err)
					}
				}
				for !happenedTo[wire.Flush](d, 3) {
					if time.Since(begin) > time.Second {
						t.Fatalf("three aborts are answered by %d flushes", len(receivedBy[wire.Flush](d)))
					}
					time.Sleep(time.Millisecond)
				}
				if took := time.Since(begin); took > 10*time.Millisecond {
					t.Errorf("answered after %v, want at once", took)
				}
				for _, f := range receivedBy[wire.Flush](d) {
					if f.Cause != wire.CauseAbort || (f.Turn > 0) != tt.turns {
						t.Errorf("flush %+v, want one because of the abort that names a turn: %v", f, tt.turns)
					}
				}
				cancel()
				<-asked
				if a := h.ask(d, question); a.Turn == 0 || !strings.HasPrefix(a.Reply, "It is half past nine") {
					t.Errorf("the next question is answered with %v", a)
				}
				h.hangUp(d)
			})
		})
	}
}

// receivedBy returns the messages of one type that the device was sent.
func receivedBy[M wire.Message](d *edgetest.Device) (all []M) {
	for _, e := range d.Events() {
		if m, ok := e.Message.(M); ok && e.From == wire.FromServer {
			all = append(all, m)
		}
	}
	return all
}

// happenedTo reports whether there have been n of them.
func happenedTo[M wire.Message](d *edgetest.Device, n int) bool { return len(receivedBy[M](d)) >= n }

// "Bad input", a device that never acknowledges: the reply is over by the clock, and
// the next question is answered.
func TestNeverAcknowledged(t *testing.T) {
	question := recording(t, "what time is it")
	tests := []struct {
		name  string
		hold  bool
		noise bool // the user makes a sound during the reply, which holds it
	}{
		{"played is never sent", false, false},
		{"a hold is never acknowledged", true, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			engines, err := scripted("", strings.Repeat("Alpha bravo charlie. ", 6), counted)
			if err != nil {
				t.Fatal(err)
			}
			engines.ASR = brief("what time is it")
			converseWith(t, engines, func(t *testing.T, h *house) {
				d := h.dial(func(cfg *edgetest.Config) {
					openly(tt.hold)(cfg)
					cfg.AckInterval = time.Hour // but it says that it acknowledges
				})
				ctx := context.Background()
				mic, err := d.OpenMicrophone(ctx)
				if err != nil {
					t.Fatal(err)
				}
				for turn := range 2 {
					if _, _, err := mic.Say(ctx, question); err != nil {
						t.Fatal(err)
					}
					time.Sleep(3 * time.Second)
					if tt.noise {
						if _, _, err := mic.Say(ctx, hum(120*time.Millisecond)); err != nil {
							t.Fatal(err)
						}
					}
					time.Sleep(20 * time.Second)
					turns := d.Turns()
					if tt.noise && turns[turn].Holds == 0 {
						t.Errorf("the reply %d was not held", turn+1)
					}
					if len(turns) != turn+1 || turns[turn].Received < 4*time.Second {
						t.Fatalf("after question %d: %v\n%s", turn+1, turns, h.log.String())
					}
				}
				if err := mic.Close(ctx); err != nil {
					t.Fatal(err)
				}
				h.hangUp(d)
			})
		})
	}
}

// "Bad input", a resume: of a session that never was, of another device's, and of
// turns and samples that never were. It begins anew, or goes on from what is true.
func TestForeignResume(t *testing.T) {
	question := recording(t, "what time is it")
	tests := []struct {
		name    string
		resume  func(own, foreign string) wire.Resume
		resumed bool
	}{
		{"a session that never was", func(_, _ string) wire.Resume { return wire.Resume{Session: "0000", Turn: 1, Samples: 5} }, false},
		{"a session of another device", func(_, foreign string) wire.Resume { return wire.Resume{Session: foreign, Turn: 1, Samples: 5} }, false},
		{"a turn that never was", func(own, _ string) wire.Resume { return wire.Resume{Session: own, Turn: 4294967295, Samples: 5} }, true},
		{"samples that never were", func(own, _ string) wire.Resume { return wire.Resume{Session: own, Turn: 1, Samples: 4294967295} }, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			converse(t, "It is half past nine.", func(t *testing.T, h *house) {
				other := h.dial(func(cfg *edgetest.Config) { cfg.Device = "other" })
				h.ask(other, question)
				d := h.dial(nil)
				h.ask(d, question)
				d.Drop()
				time.Sleep(pause)
				p := h.stranger()
				hello := p.greet(fmt.Sprintf(`"resume":%s`, encoded(t, tt.resume(d.Hello().Session, other.Hello().Session))))
				if (hello.Resumed != nil) != tt.resumed || hello.Resumed != nil && (hello.Resumed.Turn != 1 || hello.Resumed.Answering) {
					t.Errorf("answered %+v (%+v), want the session to go on: %v", hello, hello.Resumed, tt.resumed)
				}
				if tt.resumed != (hello.Session == d.Hello().Session) || hello.Session == other.Hello().Session {
					t.Errorf("session %s, it was in %s, the other device is in %s", hello.Session, d.Hello().Session, other.Hello().Session)
				}
				p.close()
				// The other device notices nothing.
				if a := h.ask(other, question); a.Turn != 2 {
					t.Errorf("the other device's second question is turn %d", a.Turn)
				}
				h.hangUp(other)
				time.Sleep(pause)
				again := h.dial(nil)
				h.ask(again, question)
				h.hangUp(again)
			})
		})
	}
}

// ended returns why each session of the log ended.
func (b *logBuffer) ended(t *testing.T) (reasons []dialog.Cause) {
	t.Helper()
	for _, rec := range b.events(t) {
		if e, ok := rec.Event.(log.SessionEnd); ok {
			reasons = append(reasons, e.Reason)
		}
	}
	return reasons
}

// "Bad input" and F50 in the middle of a question: a fifth of its packets makes no
// sense. It is answered, every one is counted, and the device is told once a second.
func TestBadSoundInConversation(t *testing.T) {
	question := recording(t, "what time is it")
	frameOf := func(t *testing.T, f wire.Frame) []byte {
		f.Type = wire.TypeAudio
		b, err := wire.AppendFrame(nil, f)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, ptime := range []int{20, 40, 60} {
		for _, codec := range []string{"opus", "pcm"} {
			converse(t, "It is half past nine.", func(t *testing.T, h *house) {
				p := h.stranger()
				defer p.close()
				p.offer(codec, ptime)
				p.say(`{"type":"listen","state":"start","mode":"manual"}`)
				encoder, err := opus.NewEncoder(opus.EncoderConfig{Rate: 16000})
				if err != nil {
					t.Fatal(err)
				}
				size, bad, seq := 16*ptime, 0, uint32(0)
				for part := range slices.Chunk(question[:len(question)/size*size], size) {
					payload := pcm.Append(nil, part)
					if codec == "opus" {
						payload = make([]byte, opus.MaxPacket)
						n, err := encoder.Encode(payload, part)
						if err != nil {
							t.Fatal(err)
						}
						payload = payload[:n]
					}
					if seq%5 == 4 {
						// A code that contradicts itself (RFC 6716 section 3.2.5), or half
						// a sample more.
						payload = map[string][]byte{"opus": {0xff, 0, 1}, "pcm": append(payload, 1)}[codec]
						bad++
					}
					if err := p.conn.Write(context.Background(), websocket.MessageBinary, frameOf(t, wire.Frame{Seq: seq, Timestamp: seq * uint32(size), Payload: payload})); err != nil {
						t.Fatal(err)
					}
					seq++
					time.Sleep(time.Duration(ptime) * time.Millisecond)
				}
				p.say(`{"type":"listen","state":"stop"}`)
				told := 0
				for answered := false; !answered; {
					switch m := p.hear().(type) {
					case nil:
						t.Fatalf("%s in %d ms: the connection ended", codec, ptime)
					case wire.Failure:
						if m.Code != wire.CodeAudio || m.Fatal {
							t.Errorf("told %+v", m)
						}
						told++
					case wire.ReplyText:
						answered = m.Text == "It is half past nine."
					}
				}
				if told < 1 || told > 3 {
					t.Errorf("%s in %d ms: told %d times in %d ms, want once a second", codec, ptime, told, int(seq)*ptime)
				}
				p.say(`{"type":"bye"}`)
				p.closed()
				time.Sleep(time.Second)
				counted := 0
				for _, rec := range h.log.events(t) {
					if e, ok := rec.Event.(log.Drop); ok && e.Reason == "undecodable" {
						counted += e.Packets
					}
				}
				if counted != bad {
					t.Errorf("%s in %d ms: %d packets counted as undecodable, %d were sent", codec, ptime, counted, bad)
				}
			})
		}
	}
}
