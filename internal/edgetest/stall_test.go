package edgetest

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"edged/audio"
	"edged/firmware-protocol/wire"
)

// A socket that takes nothing for 5 s does not stop the microphone. What found no
// room is told as a gap, so that the server's media time stays right: sequence
// numbers have no hole and every timestamp follows from the one before.
func TestStalledSocket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var frames []wire.Frame
		cfg := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{wire.Protocol}})
			if err != nil {
				t.Errorf("Accept: %v", err)
				return
			}
			defer func() { _ = conn.CloseNow() }()
			ctx := context.Background()
			if _, _, err := conn.Read(ctx); err != nil {
				t.Errorf("Read: %v", err)
				return
			}
			say(t, conn, wire.ServerHello{Protocol: wire.Protocol, Session: "s", Device: "sim-1", Audio: wire.Audio{Up: pcm16k20, Down: pcm16k20}})
			time.Sleep(5 * time.Second) // virtual: nobody reads
			for {
				typ, b, err := conn.Read(ctx)
				if err != nil {
					return
				}
				if typ == websocket.MessageBinary {
					f, err := wire.ParseFrame(b)
					if err != nil {
						t.Errorf("ParseFrame: %v", err)
					}
					frames = append(frames, f)
					continue
				}
				m, err := wire.DecodeMessage(wire.FromDevice, b)
				if err != nil {
					t.Errorf("DecodeMessage: %v", err)
				}
				switch m := m.(type) {
				case wire.Bye:
					return
				case wire.Listen:
					if m.State == wire.ListenStop {
						say(t, conn, wire.ReplyBegin{Turn: 1})
						say(t, conn, wire.ReplyEnd{Turn: 1})
					}
				}
			}
		}), Config{Up: pcm16k20, Down: pcm16k20, Mode: wire.ModeManual})
		d, err := Dial(t.Context(), cfg)
		if err != nil {
			t.Fatalf("Dial: %v", err)
		}
		began := time.Now()
		if _, err := d.Ask(t.Context(), Question{PCM: tone(audio.Rate16k, 8*time.Second)}); err != nil {
			t.Errorf("Ask: %v", err)
		}
		if took := time.Since(began); took != 8*time.Second {
			t.Errorf("the question took %v, want 8s: the microphone does not wait", took)
		}
		stats := d.Stats()
		if err := d.Close(t.Context()); err != nil {
			t.Errorf("Close: %v", err)
		}
		// 250 packets of 20 ms in 5 s; 128 wait in the outbox, and some are in the
		// socket.
		if stats.Unsent < 110 || stats.Unsent > 130 || stats.Sent+stats.Unsent != 400 {
			t.Errorf("%d packets sent, %d unsent; want 400 in all, about 120 of them unsent", stats.Sent, stats.Unsent)
		}
		var at, gaps uint32
		for i, f := range frames {
			if f.Seq != uint32(i) || f.Timestamp != at {
				t.Fatalf("frame %d has sequence %d and timestamp %d, want %d and %d", i, f.Seq, f.Timestamp, i, at)
			}
			at += f.Gap + uint32(len(f.Payload)/2)
			gaps += f.Gap
		}
		if at != 8*16000 || gaps != uint32(stats.Unsent)*320 {
			t.Errorf("media of %d samples with gaps of %d, want %d and %d", at, gaps, 8*16000, stats.Unsent*320)
		}
	})
}

func say(t *testing.T, conn *websocket.Conn, m wire.Message) {
	b, err := wire.AppendMessage(nil, m)
	if err == nil {
		err = conn.Write(context.Background(), websocket.MessageText, b)
	}
	if err != nil {
		t.Errorf("%s: %v", m.Kind(), err)
	}
}
