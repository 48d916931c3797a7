package ws

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
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

// listens is a handler that takes what comes until the connection is gone, and
// hands out its leg.
func listens(legs chan<- *edge.Leg) edge.Handler {
	return func(_ context.Context, leg *edge.Leg) error {
		legs <- leg
		go func() {
			for _, err := leg.Uplink().Next(); err == nil; _, err = leg.Uplink().Next() {
			}
		}()
		for range leg.Events() {
		}
		return nil
	}
}

// TestFloodOnTheWire: what a device gets that sends too fast, in whatever way: first
// told, then closed with a code of its own; and what is counted. Until then it is
// read at its limit.
func TestFloodOnTheWire(t *testing.T) {
	audio := masked(2, frameBytes(t, wire.Frame{Payload: tone(t, opus60)}))
	strange := bytes.Clone(audio)
	strange[len(strange)-len(tone(t, opus60))-wire.HeaderLen+4] = 3 // the track
	tests := []struct {
		name    string
		message []byte
		says    string
		drop    edge.DropReason
		begin   int     // how many are read at once
		each    float64 // and then a second
	}{
		{"pings", masked(1, []byte(`{"type":"ping","id":1}`)), "50 control messages a second", "", 100, 50},
		{"aborts", masked(1, []byte(`{"type":"abort"}`)), "50 control messages a second", "", 100, 50},
		{"what the server does not know", masked(1, []byte(`{"type":"dance"}`)), "50 control messages a second", edge.DropUnknownMessage, 100, 50},
		{"listening periods", masked(1, []byte(`{"type":"listen","state":"start","mode":"manual"}`)), "50 control messages a second", "", 100, 50},
		{"pings of WebSocket", masked(9, []byte("x")), "50 control messages a second", "", 100, 50},
		{"pongs of WebSocket", masked(10, []byte("x")), "50 control messages a second", "", 100, 50},
		{"audio", audio, "faster than 4 times real time", edge.DropAudioRate, 10_000 / 60, 4*1000/60. + 100},
		{"unknown tracks", strange, "faster than 4 times real time", edge.DropAudioRate, 10_000 / 10, 4*1000/10. + 100},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				legs := make(chan *edge.Leg, 1)
				r := newRig(t, edge.Config{Handler: listens(legs)}, Config{}, true)
				defer r.stop()
				conn, messages := r.flooder(t)
				defer conn.Close()
				leg := <-legs
				_, _ = conn.Write(masked(1, []byte(`{"type":"listen","state":"start","mode":"manual"}`)))
				begin, sent, last := time.Now(), 0, time.Duration(0)
				for {
					if _, err := conn.Write(tt.message); err != nil {
						break
					}
					took := time.Since(begin)
					// What lies in buffers on the way was written, but not read. Only
					// the last instant does not count: what comes behind the end is
					// thrown away.
					buffered := 2*4096/len(tt.message) + 5
					if most := tt.begin + int(tt.each*last.Seconds()) + buffered; took > last && sent > most {
						t.Fatalf("%d messages were taken in %v, want at most %d", sent, last, most)
					}
					sent, last = sent+1, took
				}
				if took := time.Since(begin); took < 9*time.Second || took > 15*time.Second {
					t.Errorf("closed after %v", took)
				}
				var told []wire.Failure
				for m := range messages {
					if f, ok := m.(wire.Failure); ok {
						told = append(told, f)
					}
				}
				if len(told) < 9 || len(told) > 16 {
					t.Fatalf("told %d times: %+v", len(told), told)
				}
				for i, f := range told {
					if f.Code != wire.CodeTooFast || f.Fatal != (i == len(told)-1) || !strings.Contains(f.Message, tt.says) {
						t.Errorf("told %+v at last: %v", f, i == len(told)-1)
					}
				}
				stats := leg.Stats()
				if n := stats.Faults[dialog.ErrorTooFast]; n < 400 {
					t.Errorf("%d faults counted", n)
				}
				if tt.drop != "" && stats.Drops[tt.drop] < 400 {
					t.Errorf("dropped %v", stats.Drops)
				}
			})
		})
	}
}

// flooder connects a device that writes bytes to the connection, and whose messages
// are read meanwhile. The channel is closed with the connection, after the code of
// its close was checked.
func (r *rig) flooder(t *testing.T) (net.Conn, <-chan wire.Message) {
	t.Helper()
	var raw net.Conn
	transport := r.client.Transport.(*http.Transport)
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		raw = conn
		return conn, err
	}
	p := r.connect(helloOf("flooder", opus60, opus60))
	transport.DialContext = dial
	messages := make(chan wire.Message, 1<<16)
	go func() {
		defer close(messages)
		for {
			m, err := p.receive()
			if err != nil {
				if code := websocket.CloseStatus(err); code != wire.CloseTooFast {
					t.Errorf("closed with %v, want %d", err, wire.CloseTooFast)
				}
				return
			}
			if m, ok := m.(wire.Message); ok {
				messages <- m
			}
		}
	}()
	return raw, messages
}

// TestEmptyFragmentsAreMetered: bytes that are no message, and so are not counted as
// one, are read no faster than those of messages could be.
func TestEmptyFragmentsAreMetered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		legs := make(chan *edge.Leg, 1)
		r := newRig(t, edge.Config{Handler: listens(legs)}, Config{}, true)
		defer r.stop()
		conn, messages := r.flooder(t)
		<-legs
		begun := time.Now()
		_, _ = conn.Write([]byte{0x01, 0x80, 0, 0, 0, 0}) // the first fragment of a text
		fragments := bytes.Repeat([]byte{0x00, 0x80, 0, 0, 0, 0}, 1000)
		written := 0
		for time.Since(begun) < 5*time.Second {
			n, err := conn.Write(fragments)
			if err != nil {
				t.Fatal(err)
			}
			written += n
		}
		const perSecond = 4*128<<10 + 50*4<<10
		if most := 6*perSecond + len(fragments) + 8192; written > most || written < 4*perSecond {
			t.Errorf("%d bytes of empty fragments were read in 5s, want about %d", written, 6*perSecond)
		}
		// The connection is still in order.
		_, _ = conn.Write(append([]byte{0x80, 0x80 | 22, 0, 0, 0, 0}, `{"type":"ping","id":7}`...))
		if m, ok := (<-messages).(wire.Pong); !ok || m.ID != 7 {
			t.Errorf("answered %+v", m)
		}
		_, _ = conn.Write(masked(8, []byte{4006 >> 8, 4006 & 0xff})) // what the flooder is to be closed with
		for range messages {
		}
		conn.Close()
	})
}

// TestPingsBeforeTheHello: only a few are answered.
func TestPingsBeforeTheHello(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, edge.Config{Handler: waits}, Config{}, true)
		defer r.stop()
		conn, err := r.client.Transport.(*http.Transport).DialContext(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		go func() {
			_, _ = io.WriteString(conn, "GET "+wire.Path+" HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
				"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: edged.v1\r\n\r\n")
			for range 1000 {
				if _, err := conn.Write(masked(9, []byte("early"))); err != nil {
					return
				}
			}
		}()
		all, _ := io.ReadAll(conn)
		if n := bytes.Count(all, []byte("early")); n != earlyPongs {
			t.Errorf("%d pings were answered before the hello, want %d", n, earlyPongs)
		}
		if !bytes.Contains(all, []byte(`"code":"timeout"`)) {
			t.Errorf("not told of the hello timeout")
		}
	})
}

// TestAdmissionOnTheWire: what a device gets that finds no place, by which limit,
// and what is counted.
func TestAdmissionOnTheWire(t *testing.T) {
	lamp := helloOf("lamp", opus60, opus60)
	tests := []struct {
		name   string
		cfg    edge.Config
		before int // connections of devices of their own that stay
		device string
		https  bool // refused before the upgrade
		says   string
		why    edge.Refusal
	}{
		{"all sessions", edge.Config{MaxSessions: 3}, 3, "lamp", false, "all 3 sessions are taken", edge.RefusedSessions},
		{"sessions of an address", edge.Config{SessionsPerAddress: 3}, 3, "lamp", false, "3 sessions of this address", edge.RefusedAddressSessions},
		{"connections of an address", edge.Config{ConnectsPerMinute: 3}, 3, "lamp", true, "more than 3 connections a minute", edge.RefusedAddressRate},
		{"connections of a device", edge.Config{ReconnectsPerMinute: 1}, 1, "d0", false, "this device connects more than 1 times a minute", edge.RefusedDeviceRate},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt.cfg.Handler = waits
				r := newRig(t, tt.cfg, Config{}, true)
				defer r.stop()
				var others []*peer
				for i := range tt.before {
					p := r.connect(helloOf(fmt.Sprint("d", i), opus60, opus60))
					defer p.drop()
					others = append(others, p)
				}
				p, response, err := r.dial("")
				if tt.https {
					if err == nil {
						t.Fatal("it was let in")
					}
					checkRefusal(t, response, http.StatusServiceUnavailable, wire.CodeBusy)
				} else {
					if err != nil {
						t.Fatal(err)
					}
					defer p.drop()
					hello := lamp
					hello.Device = tt.device
					p.send(hello)
					status, failure := p.closed()
					if int(status) != wire.CloseBusy || failure == nil || failure.Code != wire.CodeBusy || !failure.Fatal ||
						failure.RetryAfterMS < 1000 || !strings.Contains(failure.Message, tt.says) {
						t.Errorf("closed with %d, told %+v", status, failure)
					}
				}
				for _, p := range others {
					p.alive()
				}
				stats := r.server.Admissions()
				if stats.Refused[tt.why] != 1 || len(stats.Refused) != 1 || stats.Sessions != tt.before {
					t.Errorf("counted %+v, want one refused by %s", stats, tt.why)
				}
			})
		})
	}
}

// TestRefusalsAreLoggedWithinBounds: a flood of connections is no flood of lines.
func TestRefusalsAreLoggedWithinBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines notices
		r := newRig(t, edge.Config{Handler: waits, ConnectsPerMinute: 1, Log: lines.logger()}, Config{}, true)
		defer r.stop()
		const attempts = 500
		begun := time.Now()
		var dialing sync.WaitGroup
		for range attempts {
			dialing.Go(func() {
				if p, _, err := r.dial(""); err == nil {
					defer p.drop()
				}
			})
		}
		dialing.Wait()
		if took := time.Since(begun); took != refusalRest {
			t.Errorf("the last refusal came after %v, want %v", took, refusalRest)
		}
		// The sampler loses count by one now and then.
		if n := lines.count("connection refused"); n > refusalLines || n < refusalLines-2 {
			t.Errorf("%d lines for %d refusals in no time, want %d", n, attempts-1, refusalLines)
		}
		if n := r.server.Admissions().Refused[edge.RefusedAddressRate]; n != attempts-1 {
			t.Errorf("%d refusals counted, want %d", n, attempts-1)
		}
	})
}
