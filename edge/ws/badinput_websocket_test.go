package ws

import (
	"bytes"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"edged/dialog"
	"edged/edge"
	"edged/firmware-protocol/wire"
)

// "Bad input" below the messages: fragments are allowed and mean nothing, and what
// RFC 6455 forbids ends the connection, whose session is told that it was lost.
func TestBadWebSocket(t *testing.T) {
	listen := []byte(`{"type":"listen","state":"start","mode":"auto"}`)
	ping := masked(opText, []byte(`{"type":"ping","id":7}`))
	bytewise := func(opcode byte, message []byte) []byte {
		var all []byte
		for i, b := range message {
			frame := fragment(opContinuation, []byte{b})
			if i == 0 {
				frame = fragment(opcode, []byte{b})
			}
			if i == len(message)-1 {
				frame[0] |= finBit
			}
			all = append(all, frame...)
		}
		return all
	}
	edited := func(frame []byte, at int, b byte) []byte {
		frame = bytes.Clone(frame)
		frame[at] = b
		return frame
	}
	// long claims a payload of n bytes and has none.
	long := func(opcode byte, n uint64) []byte {
		return append(binary.BigEndian.AppendUint64([]byte{finBit | opcode, 0x80 | 127}, n), 0, 0, 0, 0)
	}
	tests := []struct {
		name  string
		sent  []byte
		lives bool
		code  int // of the close frame; 0: none
		fine  bool
	}{
		{name: "a message in fragments of a byte", sent: bytewise(opText, listen), lives: true},
		{name: "10,000 empty fragments", sent: slices.Concat(fragment(opText, nil), bytes.Repeat(fragment(opContinuation, nil), 10_000), masked(opContinuation, listen)), lives: true},
		{name: "a ping between fragments", sent: slices.Concat(fragment(opText, listen[:9]), masked(opPing, []byte("x")), masked(opContinuation, listen[9:])), lives: true},
		{name: "an unasked pong", sent: masked(opPong, []byte("never asked")), lives: true},
		{name: "90 pings at once", sent: bytes.Repeat(masked(opPing, bytes.Repeat([]byte("p"), 125)), 90), lives: true},
		{name: "a continuation of nothing", sent: masked(opContinuation, listen), code: 1002},
		{name: "a message inside another", sent: slices.Concat(fragment(opText, listen[:9]), masked(opText, listen)), code: 1002},
		{name: "a frame without a mask", sent: append([]byte{finBit | opText, byte(len(listen))}, listen...), code: 1000},
		{name: "an opcode that is reserved", sent: masked(3, listen), code: 1002},
		{name: "a compressed message", sent: edited(masked(opText, listen), 0, finBit|0x40|opText), code: 1002},
		{name: "reserved bits", sent: edited(masked(opText, listen), 0, finBit|0x30|opText), code: 1002},
		{name: "a ping of 126 bytes", sent: masked(opPing, make([]byte, 126)), code: 1002},
		{name: "a ping in fragments", sent: fragment(opPing, []byte("x")), code: 1002},
		{name: "a frame that claims 2^62 bytes", sent: append(long(opBinary, 1<<62), make([]byte, readLimit+1)...), code: 1009},
		{name: "a frame that claims 2^63 bytes", sent: long(opBinary, 1<<63), code: 1000},
		{name: "fragments without end", sent: slices.Concat(fragment(opBinary, make([]byte, 4096)), bytes.Repeat(fragment(opContinuation, make([]byte, 4096)), 9)), code: 1009},
		{name: "a close with a code that cannot be sent", sent: closing(1005), code: 1002},
		{name: "a close of one byte", sent: masked(opClose, []byte{3}), code: 1002},
		{name: "a close with 1000", sent: closing(1000), code: 1000, fine: true},
		{name: "a close with 1001", sent: closing(1001), code: 1001, fine: true},
		{name: "a close without a code", sent: masked(opClose, nil)},
		{name: "a close with 1011", sent: closing(1011), code: 1011},
		{name: "a close with a code of its own", sent: closing(4321), code: 4321},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			handler, over := endings()
			r := newRig(t, edge.Config{Handler: handler}, Config{}, false)
			defer r.stop()
			bystander := r.connect(helloOf("bystander", opus60, opus60))
			defer bystander.drop()
			p := r.rawDial()
			defer p.close()
			p.greet("lamp")
			var talking sync.WaitGroup
			talking.Go(func() { _ = p.say(append(bytes.Clone(tt.sent), ping...)) }) // the answers are read meanwhile
			defer talking.Wait()
			if tt.lives {
				p.await(`"type":"pong","id":7`)
			} else {
				if code := p.end(); code != tt.code {
					t.Errorf("closed with %d, want %d", code, tt.code)
				}
				p.close()
				if err := <-over; (err == nil) != tt.fine || err != nil && !errors.Is(err, edge.ErrClosed) {
					t.Errorf("the session is told %v; want an ordinary end: %v", err, tt.fine)
				}
			}
			bystander.t = t
			bystander.alive()
			if tt.lives {
				return
			}
			bystander.send(wire.Bye{})
			bystander.closed()
			r.stop() // everything is counted then
			counted := map[edge.EndReason]uint64{edge.EndBye: 1, edge.EndLost: 1}
			switch {
			case tt.fine:
				counted = map[edge.EndReason]uint64{edge.EndBye: 2}
			case tt.code == int(websocket.StatusMessageTooBig):
				counted = map[edge.EndReason]uint64{edge.EndBye: 1, edge.EndReason(dialog.ErrorTooLarge): 1}
			}
			if got := r.server.Totals().Ended; !maps.Equal(got, counted) {
				t.Errorf("counted %v, want %v", got, counted)
			}
		})
	}
}

// "Bad input" that comes in pieces: a frame, a hello or a message that breaks off or
// never ends is given up at its limit.
func TestBrokenOff(t *testing.T) {
	hello, err := wire.AppendMessage(nil, helloOf("lamp", opus60, opus60))
	if err != nil {
		t.Fatal(err)
	}
	frame := masked(opBinary, make([]byte, 100))
	tests := []struct {
		name string
		// say is what the peer does after its hello, or instead of it.
		greets bool
		say    func(*rawPeer)
		after  time.Duration
		cause  string
		code   int
	}{
		{"cut inside a frame", true, func(p *rawPeer) { _ = p.say(frame[:10]); p.close() }, 0, "receive", 0},
		{"cut inside the header of a frame", true, func(p *rawPeer) { _ = p.say(frame[:1]); p.close() }, 0, "receive", 0},
		{"a frame that stops in the middle", true, func(p *rawPeer) { _ = p.say(frame[:10]) }, 60 * time.Second, "nothing arrived", wire.CloseTimeout},
		{"a message of a byte a second", true, func(p *rawPeer) {
			for _, b := range masked(opText, []byte(`{"type":"abort","reason":"`+strings.Repeat("x", 100)+`"}`))[:100] {
				if p.say([]byte{b}) != nil {
					return
				}
				time.Sleep(time.Second)
			}
		}, 60 * time.Second, "nothing arrived", wire.CloseTimeout},
		{"a hello of a byte a second", false, func(p *rawPeer) {
			for _, b := range masked(opText, hello)[:100] {
				if p.say([]byte{b}) != nil {
					return
				}
				time.Sleep(time.Second)
			}
		}, 10 * time.Second, "", wire.CloseTimeout},
		{"a hello cut in the middle", false, func(p *rawPeer) { _ = p.say(masked(opText, hello)[:50]); p.close() }, 0, "", 0},
		{"pings instead of a hello", false, func(p *rawPeer) {
			for range 100 {
				if p.say(masked(opPing, nil)) != nil {
					return
				}
				time.Sleep(time.Second)
			}
		}, 10 * time.Second, "", wire.CloseTimeout},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				handler, over := endings()
				r := newRig(t, edge.Config{Handler: handler}, Config{}, true)
				defer r.stop()
				p := r.rawDial()
				p.t = t
				defer p.close()
				if tt.greets {
					p.greet("lamp")
				} else {
					if err := p.say([]byte(upgrade())); err != nil {
						t.Fatal(err)
					}
					p.response()
				}
				begin := time.Now()
				var talking sync.WaitGroup
				talking.Go(func() { tt.say(p) })
				if code := p.end(); code != tt.code {
					t.Errorf("closed with %d, want %d", code, tt.code)
				}
				took := time.Since(begin)
				p.close()
				if tt.greets {
					if err := <-over; err == nil || !strings.Contains(err.Error(), tt.cause) {
						t.Errorf("the session is told %v, want %q", err, tt.cause)
					}
				}
				if took != tt.after {
					t.Errorf("given up after %v, want %v", took, tt.after)
				}
				talking.Wait()
				synctest.Wait()
				totals := r.server.Totals()
				ended, refused := map[edge.EndReason]uint64{}, map[dialog.ErrorCode]uint64{}
				switch {
				case tt.greets && tt.code == wire.CloseTimeout:
					ended[edge.EndReason(dialog.ErrorTimeout)] = 1
				case tt.greets:
					ended[edge.EndLost] = 1
				case tt.code == wire.CloseTimeout:
					refused[dialog.ErrorTimeout] = 1
				}
				if !maps.Equal(totals.Ended, ended) || !maps.Equal(totals.Refused, refused) {
					t.Errorf("counted %v and %v, want %v and %v", totals.Ended, totals.Refused, ended, refused)
				}
				if n := r.server.Sessions(); n != 0 {
					t.Errorf("%d sessions are open", n)
				}
			})
		})
	}
}

// "Bad input" by the mass: who floods the connection with pings and takes no answer
// loses it at the write limit, before more than the pipe holds was read of it.
func TestPingFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler, over := endings()
		r := newRig(t, edge.Config{Handler: handler}, Config{}, true)
		defer r.stop()
		p := r.rawDial()
		defer p.close()
		p.greet("lamp")
		begin, taken := time.Now(), 0
		for p.say(masked(opPing, []byte("are you there"))) == nil {
			taken++
		}
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("given up after %v, want the 10 s of the write limit at most", took)
		}
		if err := <-over; !errors.Is(err, edge.ErrClosed) {
			t.Errorf("the session is told %v", err)
		}
		synctest.Wait()
		if got, want := r.server.Totals().Ended, (map[edge.EndReason]uint64{edge.EndLost: 1}); !maps.Equal(got, want) {
			t.Errorf("counted %v, want %v", got, want)
		}
		if most := 4096/19 + 2; taken > most { // net/http reads by 4 KiB
			t.Errorf("%d pings were read of a peer that takes no answers, want %d at most", taken, most)
		}
	})
}
