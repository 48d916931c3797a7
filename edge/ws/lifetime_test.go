package ws

import (
	"context"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"edged/edge"
	"edged/firmware-protocol/wire"
	"edged/realtime"
)

// TestHalfOpenSocket is F43: a peer that has vanished without a word is given up
// at the idle limit, whether it is idle or in a reply that it does not take.
func TestHalfOpenSocket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over := make(chan error, 1)
		r := newRig(t, edge.Config{Handler: func(ctx context.Context, _ *edge.Leg) error {
			<-ctx.Done()
			over <- context.Cause(ctx)
			return nil
		}}, Config{}, true)
		defer r.stop()
		p := r.connect(helloOf("lamp", opus60, opus60))
		began := time.Now()
		// The peer reads no more: pings go nowhere. A pipe has no buffer, so the
		// first ping at 20 s is stuck for the write timeout of 10 s.
		err := <-over
		if took := time.Since(began); took != 30*time.Second {
			t.Errorf("given up after %v, want 20s to the first ping and 10s of waiting for its write", took)
		}
		if !strings.Contains(err.Error(), "timeout") {
			t.Errorf("given up with %v, want a timeout", err)
		}
		p.drop()
	})
}

// TestSilentStory is F44 on the wire: the device answers pings and says nothing for
// five minutes.
func TestSilentStory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, edge.Config{Handler: waits}, Config{}, true)
		defer r.stop()
		p := r.connect(helloOf("lamp", opus60, opus60))
		defer p.drop()
		began, pings := time.Now(), 0
		for time.Since(began) < 5*time.Minute {
			_, b, err := p.conn.Read(t.Context())
			if err != nil {
				t.Fatalf("the connection ended after %v: %v", time.Since(began), err)
			}
			m, err := wire.DecodeMessage(wire.FromServer, b)
			if err != nil {
				t.Fatal(err)
			}
			if ping, ok := m.(wire.Ping); ok {
				pings++
				p.send(wire.Pong(ping))
			}
		}
		if pings != 15 {
			t.Errorf("%d pings in five minutes, want one every 20 s", pings)
		}
	})
}

// TestControlFramesAreSignsOfLife: a device that only sends WebSocket pings stays.
func TestControlFramesAreSignsOfLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, edge.Config{Handler: waits, Limits: edge.Limits{PingInterval: time.Hour}}, Config{}, true)
		defer r.stop()
		p := r.connect(helloOf("lamp", opus60, opus60))
		defer p.drop()
		go func() {
			for {
				if _, err := p.receive(); err != nil {
					return
				}
			}
		}()
		for range 10 {
			time.Sleep(25 * time.Second)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if err := p.conn.Ping(ctx); err != nil {
				t.Fatalf("the connection is gone: %v", err)
			}
			cancel()
		}
	})
}

// TestStalledSocket is F46 over a real socket: the peer stops reading, the kernel's
// buffers fill up, and the watchdog cuts the connection.
func TestStalledSocket(t *testing.T) {
	over := make(chan error, 1)
	r := newRig(t, edge.Config{
		Limits: edge.Limits{WriteTimeout: 300 * ms},
		Handler: func(ctx context.Context, leg *edge.Leg) error {
			long := strings.Repeat("x", 4000)
			for {
				if err := leg.Play(ctx, 1, &realtime.MessageChunk{Part: realtime.Text(long)}); err != nil {
					over <- err
					return nil
				}
			}
		},
	}, Config{}, false)
	defer r.stop()
	p := r.connect(helloOf("lamp", opus60, opus60))
	defer p.drop()
	if err := <-over; !strings.Contains(err.Error(), "took nothing") {
		t.Errorf("ended with %v, want the write watchdog", err)
	}
}

// TestAbruptDrops is F40: five hundred connections that are cut in all kinds of
// phases leave no goroutine, no place and no noteworthy memory behind.
func TestAbruptDrops(t *testing.T) {
	r := newRig(t, edge.Config{Handler: parrot, MaxSessions: 1000}, Config{}, false)
	defer r.stop()
	drop := func(i int) {
		raw, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(r.url, "ws://"), wire.Path))
		if err != nil {
			t.Error(err)
			return
		}
		defer raw.Close()
		_ = raw.(*net.TCPConn).SetLinger(0) // a reset, not a goodbye
		request := "GET " + wire.Path + " HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
			"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: edged.v1\r\n\r\n"
		if i%5 == 0 {
			request = request[:40]
		}
		_, _ = io.WriteString(raw, request)
		if i%5 < 2 {
			return
		}
		buf := make([]byte, 4096)
		_, _ = raw.Read(buf) // the upgrade
		_, _ = raw.Write(masked(1, []byte(asJSON(t, helloOf(fmt.Sprint("d", i), opus60, opus60)))))
		if i%5 < 3 {
			return
		}
		_, _ = raw.Read(buf) // the hello
		_, _ = raw.Write(masked(1, []byte(`{"type":"listen","state":"start","mode":"manual"}`)))
		for j := range 3 {
			_, _ = raw.Write(masked(2, frameBytes(t, wire.Frame{Seq: uint32(j), Timestamp: uint32(j * 960), Payload: []byte{0x18, 1, 2, 3}})))
		}
		if i%5 == 4 {
			_, _ = raw.Write(masked(1, []byte(`{"type":"listen","state":"stop"}`)))
			_, _ = raw.Read(buf) // the reply begins
		}
	}
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapInuse
	}
	drop(3) // the server is up, its first connection came
	others, before := goleak.IgnoreCurrent(), heap()
	var dropping sync.WaitGroup
	for worker := range 10 {
		dropping.Go(func() {
			for i := range 50 {
				drop(worker*50 + i)
			}
		})
	}
	dropping.Wait()
	err := goleak.Find(others)
	for range 10 { // each waits a while by itself; a loaded machine needs more
		if err == nil {
			break
		}
		err = goleak.Find(others)
	}
	if err != nil {
		t.Errorf("500 drops left something behind: %v", err)
	}
	if n := r.server.Sessions(); n != 0 {
		t.Errorf("%d places are still taken", n)
	}
	if after := heap(); after > before+8<<20 {
		t.Errorf("the heap grew from %d to %d KiB over 500 drops", before>>10, after>>10)
	}
}

// masked is one WebSocket frame of a client, with a mask of zeroes.
func masked(opcode byte, payload []byte) []byte {
	frame := []byte{0x80 | opcode}
	if n := len(payload); n < 126 {
		frame = append(frame, 0x80|byte(n))
	} else {
		frame = append(frame, 0x80|126, byte(n>>8), byte(n))
	}
	frame = append(frame, 0, 0, 0, 0)
	return append(frame, payload...)
}

// TestSlowCloseDelaysNobody is F41: while sessions take their time to end, hellos
// are answered at once. A second of virtual time would show if anything waited.
func TestSlowCloseDelaysNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, edge.Config{DrainTimeout: time.Minute, Handler: func(ctx context.Context, _ *edge.Leg) error {
			<-ctx.Done()
			time.Sleep(30 * time.Second) // saves its history
			return nil
		}}, Config{}, true)
		defer r.stop()
		for i := range 20 {
			r.connect(helloOf(fmt.Sprint("d", i), opus60, opus60)).drop()
		}
		began := time.Now()
		for i := range 20 {
			defer r.connect(helloOf(fmt.Sprint("d", i), opus60, opus60)).drop()
		}
		if took := time.Since(began); took > 0 {
			t.Errorf("20 hellos took %v while others were closing", took)
		}
	})
}
