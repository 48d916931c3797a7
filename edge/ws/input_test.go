package ws

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"

	"edged/dialog"
	"edged/edge"
	"edged/firmware-protocol/wire"
)

// frameBytes is a good frame that tests break.
func frameBytes(t *testing.T, f wire.Frame) []byte {
	t.Helper()
	f.Type = wire.TypeAudio
	b, err := wire.AppendFrame(nil, f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestBadInput walks the rows of "Bad input" on a connection that is in use: each
// is told or counted as the protocol says, and the session lives.
func TestBadInput(t *testing.T) {
	packet := tone(t, opus60)
	good := frameBytes(t, wire.Frame{Payload: packet})
	edited := func(at int, b byte) []byte { c := bytes.Clone(good); c[at] = b; return c }
	tests := []struct {
		name string
		typ  websocket.MessageType
		b    []byte
		code wire.ErrorCode // of the error; empty: counted only
		says string
		drop edge.DropReason // when counted only
	}{
		{"malformed JSON", websocket.MessageText, []byte(`{"type":"abort"`), wire.CodeMalformed, "", ""},
		{"no JSON at all", websocket.MessageText, []byte("\x00\x01\x02"), wire.CodeMalformed, "", ""},
		{"empty text", websocket.MessageText, nil, wire.CodeMalformed, "", ""},
		{"a number as text", websocket.MessageText, []byte(`{"type":"played","turn":"1","samples":1}`), wire.CodeMalformed, "turn", ""},
		{"out of range", websocket.MessageText, []byte(`{"type":"played","turn":1,"samples":-1}`), wire.CodeMalformed, "samples", ""},
		{"a missing member", websocket.MessageText, []byte(`{"type":"tool_result"}`), wire.CodeMalformed, "id", ""},
		{"a message of the server", websocket.MessageText, []byte(`{"type":"flush","turn":1,"cause":"abort"}`), wire.CodeProtocol, "flush", ""},
		{"a second hello", websocket.MessageText, []byte(asJSON(t, helloOf("lamp", opus60, opus60))), wire.CodeProtocol, "hello", ""},
		{"an unknown type", websocket.MessageText, []byte(`{"type":"dance"}`), "", "", edge.DropUnknownMessage},
		{"text above its limit", websocket.MessageText, []byte(`{"type":"abort","reason":"` + strings.Repeat("x", wire.MaxControl) + `"}`), wire.CodeTooLarge, "", ""},
		{"a member above its limit", websocket.MessageText, []byte(`{"type":"abort","reason":"` + strings.Repeat("x", 200) + `"}`), wire.CodeTooLarge, "reason", ""},
		{"binary for text", websocket.MessageBinary, []byte(`{"type":"abort"}`), wire.CodeMalformed, "as text", ""},
		{"a raw packet without a header", websocket.MessageBinary, packet, wire.CodeVersion, "version", ""},
		{"empty binary", websocket.MessageBinary, nil, wire.CodeMalformed, "", ""},
		{"half a header", websocket.MessageBinary, good[:9], wire.CodeMalformed, "header", ""},
		{"half a payload", websocket.MessageBinary, good[:len(good)-1], wire.CodeMalformed, "payload", ""},
		{"stray bytes", websocket.MessageBinary, append(bytes.Clone(good), 0), wire.CodeMalformed, "stray", ""},
		{"another version", websocket.MessageBinary, edited(0, 2), wire.CodeVersion, "", ""},
		{"a header that is too short", websocket.MessageBinary, edited(1, 12), wire.CodeMalformed, "header length", ""},
		{"a payload above its limit", websocket.MessageBinary, edited(6, 0xff), wire.CodeTooLarge, "payload length", ""},
		{"an unknown frame type", websocket.MessageBinary, edited(2, 9), "", "", edge.DropUnknownFrame},
		{"an unknown track", websocket.MessageBinary, edited(4, 3), "", "", edge.DropUnknownFrame},
		{"garbage Opus", websocket.MessageBinary, frameBytes(t, wire.Frame{Payload: []byte{0xff, 0, 1, 2}}), wire.CodeAudio, "does not decode", ""},
		{"zero-length Opus", websocket.MessageBinary, frameBytes(t, wire.Frame{}), wire.CodeAudio, "empty", ""},
		{"a ptime other than announced", websocket.MessageBinary, frameBytes(t, wire.Frame{Payload: tone(t, opus20)}), wire.CodeAudio, "packets of 20ms", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			legs := make(chan *edge.Leg, 1)
			faults := make(chan dialog.Fault, 16)
			r := newRig(t, edge.Config{Handler: func(_ context.Context, leg *edge.Leg) error {
				legs <- leg
				for e := range leg.Events() {
					if f, ok := e.(dialog.Fault); ok {
						faults <- f
					}
				}
				return nil
			}}, Config{}, false)
			defer r.stop()
			p := r.connect(helloOf("lamp", opus60, opus60))
			defer p.drop()
			leg := <-legs
			p.send(wire.Listen{State: wire.ListenStart, Mode: wire.ModeManual})
			p.raw(tt.typ, tt.b)
			if tt.code != "" {
				failure, ok := p.next().(wire.Failure)
				if !ok || failure.Code != tt.code || failure.Fatal || !strings.Contains(failure.Message, tt.says) {
					t.Errorf("told %+v, want a %s that is not fatal and says %q", failure, tt.code, tt.says)
				}
				if f := <-faults; string(f.Code) != string(tt.code) || f.Message != failure.Message {
					t.Errorf("the session was told %+v, the device %+v", f, failure)
				}
				if n := leg.Stats().Faults[dialog.ErrorCode(tt.code)]; n != 1 {
					t.Errorf("%d faults counted, want 1", n)
				}
			}
			// The session lives: it answers, and what is said now is heard.
			p.alive()
			if tt.drop != "" && leg.Stats().Drops[tt.drop] != 1 {
				t.Errorf("counted %v, want one %s", leg.Stats().Drops, tt.drop)
			}
			p.frame(wire.Frame{Seq: 1, Timestamp: 960, Payload: packet})
			p.send(wire.Listen{State: wire.ListenStop})
			for {
				chunk, err := leg.Uplink().Next()
				if err != nil {
					t.Fatalf("nothing was heard: %v", err)
				}
				if chunk.IsEndOfStream() {
					break
				}
			}
			if heard := leg.Stats().Jitter.MediaTime; heard < 60*ms {
				t.Errorf("%v were heard after the bad message, want 60ms", heard)
			}
		})
	}
}

// TestFatalInput: what the connection does not survive ends it with words.
func TestFatalInput(t *testing.T) {
	ogg := []byte("OggS\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00")
	tests := []struct {
		name   string
		send   func(*peer)
		status int
		code   wire.ErrorCode // of the fatal error; empty: the close code says it all
	}{
		{"Ogg pages in frames", func(p *peer) { p.frame(wire.Frame{Payload: ogg}) }, wire.CloseAudio, wire.CodeAudio},
		{"Ogg pages instead of frames", func(p *peer) { p.raw(websocket.MessageBinary, ogg) }, wire.CloseAudio, wire.CodeAudio},
		{"a message above twice the limit", func(p *peer) {
			p.raw(websocket.MessageBinary, make([]byte, readLimit+10))
		}, int(websocket.StatusMessageTooBig), ""},
		{"the same fault again and again", func(p *peer) {
			for range 101 {
				_ = p.conn.Write(context.Background(), websocket.MessageText, []byte("what"))
			}
		}, wire.CloseMalformed, wire.CodeMalformed},
	}
	r := newRig(t, edge.Config{Handler: parrot}, Config{}, false)
	defer r.stop()
	bystander := r.connect(helloOf("bystander", opus60, opus60))
	defer bystander.drop()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := r.connect(helloOf("lamp", opus60, opus60))
			defer p.drop()
			p.t = t
			p.send(wire.Listen{State: wire.ListenStart, Mode: wire.ModeAuto})
			tt.send(p)
			status, failure := p.closed()
			if int(status) != tt.status {
				t.Errorf("closed with %d, want %d", status, tt.status)
			}
			if tt.code != "" && (failure == nil || failure.Code != tt.code || !failure.Fatal) {
				t.Errorf("told %+v, want a fatal %s", failure, tt.code)
			}
		})
	}
	bystander.alive()
}

// TestTwoDevices do not disturb each other: one talks while the other does
// everything wrong.
func TestTwoDevices(t *testing.T) {
	r := newRig(t, edge.Config{Handler: parrot}, Config{}, false)
	defer r.stop()
	stop := make(chan struct{})
	var vandal sync.WaitGroup
	vandal.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			p, _, err := r.dial("")
			if err != nil {
				t.Errorf("the vandal was refused: %v", err)
				return
			}
			ctx := context.Background()
			_ = p.conn.Write(ctx, websocket.MessageText, []byte(asJSON(t, helloOf("vandal", opus60, opus60))))
			switch i % 4 {
			case 0:
				_ = p.conn.Write(ctx, websocket.MessageBinary, []byte("OggS\x00"))
			case 1:
				for range 50 {
					_ = p.conn.Write(ctx, websocket.MessageText, []byte("{"))
				}
			case 2:
				_ = p.conn.Write(ctx, websocket.MessageText, []byte(`{"type":"listen","state":"start","mode":"auto"}`))
				for j := range 50 {
					_ = p.conn.Write(ctx, websocket.MessageBinary, frameBytes(t, wire.Frame{Seq: uint32(j), Payload: []byte{0xff, 0}}))
				}
			case 3:
				_ = p.conn.Write(ctx, websocket.MessageBinary, make([]byte, 100<<10))
			}
			p.drop()
		}
	})
	p := r.connect(helloOf("lamp", opus20, pcm20))
	defer p.drop()
	for turn := uint32(1); turn <= 5; turn++ {
		p.say(opus20, (turn-1)*10, 10)
		got, text, frames := p.reply(pcm20)
		if got != turn || text != "You said 10 things." || len(frames) != 10 {
			t.Errorf("turn %d: %q, %d frames", got, text, len(frames))
		}
	}
	close(stop)
	vandal.Wait()
}
