package ws

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"edged/edge"
	"edged/firmware-protocol/wire"
)

// echo is the null pipeline: every chunk of the microphone goes straight back as
// reply audio of turn 1.
func echo(ctx context.Context, leg *edge.Leg) error {
	var draining sync.WaitGroup
	defer draining.Wait()
	draining.Go(func() {
		for range leg.Events() {
		}
	})
	for {
		chunk, err := leg.Uplink().Next()
		if err != nil {
			return nil
		}
		if chunk.Part == nil {
			continue
		}
		if err := leg.Play(ctx, 1, chunk); errors.Is(err, edge.ErrClosed) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// loader is a device that allocates nothing per frame: it sends the same payload in
// real time over a raw socket and counts the frames that come back.
type loader struct {
	conn   net.Conn
	in     *bufio.Reader
	format wire.Format
	out    []byte // one masked frame; the mask is zero
	at     int    // where the wire frame begins in out
	seq    uint32
	back   int
}

func newLoader(url, device string, f wire.Format, payload []byte) (_ *loader, err error) {
	conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(url, "ws://"), wire.Path))
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = conn.Close()
		}
	}()
	l := &loader{conn: conn, in: bufio.NewReaderSize(conn, 4096), format: f}
	if _, err := io.WriteString(conn, "GET "+wire.Path+" HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: edged.v1\r\n\r\n"); err != nil {
		return nil, err
	}
	response, err := http.ReadResponse(l.in, nil)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusSwitchingProtocols {
		return nil, fmt.Errorf("status %d", response.StatusCode)
	}
	hello, err := wire.AppendMessage(nil, helloOf(device, f, f))
	if err != nil {
		return nil, err
	}
	if _, err := conn.Write(masked(1, hello)); err != nil {
		return nil, err
	}
	if _, err := l.message(); err != nil { // the server's hello
		return nil, err
	}
	frame, err := wire.AppendFrame(nil, wire.Frame{Type: wire.TypeAudio, Payload: payload})
	if err != nil {
		return nil, err
	}
	l.out = masked(2, frame)
	l.at = len(l.out) - len(frame)
	return l, nil
}

// listen opens a listening period.
func (l *loader) listen() error {
	_, err := l.conn.Write(masked(1, []byte(`{"type":"listen","state":"start","mode":"manual"}`)))
	return err
}

// send writes the next frame.
func (l *loader) send() error {
	binary.BigEndian.PutUint32(l.out[l.at+8:], l.seq)
	binary.BigEndian.PutUint32(l.out[l.at+12:], l.seq*uint32(l.format.Samples()))
	l.seq++
	_, err := l.conn.Write(l.out)
	return err
}

// message reads one message and returns its opcode.
func (l *loader) message() (opcode byte, err error) {
	opcode, err = l.in.ReadByte()
	if err != nil {
		return 0, err
	}
	size, err := l.in.ReadByte()
	if err != nil {
		return 0, err
	}
	n := int(size & 0x7f)
	if n == 126 {
		high, err := l.in.ReadByte()
		if err != nil {
			return 0, err
		}
		low, err := l.in.ReadByte()
		if err != nil {
			return 0, err
		}
		n = int(high)<<8 | int(low)
	}
	_, err = l.in.Discard(n)
	return opcode & 0x0f, err
}

// receive counts reply frames until there are n of them.
func (l *loader) receive(n int) error {
	for l.back < n {
		opcode, err := l.message()
		if err != nil {
			return err
		}
		if opcode == 2 {
			l.back++
		}
	}
	return nil
}

// run sends n frames in real time and waits for them to come back.
func (l *loader) run(n int) error {
	want := l.back + n
	received := make(chan error, 1)
	go func() { received <- l.receive(want) }()
	ptime := time.Duration(l.format.FrameMS) * ms
	start := time.Now()
	for i := range n {
		time.Sleep(time.Until(start.Add(time.Duration(i) * ptime)))
		if err := l.send(); err != nil {
			_ = l.conn.Close()
			<-received
			return err
		}
	}
	return <-received
}

// load runs devices at once, each through n frames.
func load(ls []*loader, n int) error {
	errs := make(chan error, len(ls))
	for _, l := range ls {
		go func() { errs <- l.run(n) }()
	}
	var all error
	for range ls {
		all = errors.Join(all, <-errs)
	}
	return all
}

// loaders connects devices that are listened to.
func loaders(url string, devices int, f wire.Format, payload []byte) ([]*loader, error) {
	ls := make([]*loader, 0, devices)
	for i := range devices {
		l, err := newLoader(url, fmt.Sprint("load", i), f, payload)
		if err != nil {
			return ls, err
		}
		ls = append(ls, l)
		if err := l.listen(); err != nil {
			return ls, err
		}
	}
	return ls, nil
}

func closeAll(ls []*loader) {
	for _, l := range ls {
		_ = l.conn.Close()
	}
}

// TestEchoKeepsPace: many devices at once get every frame back.
func TestEchoKeepsPace(t *testing.T) {
	r := newRig(t, edge.Config{Handler: echo}, Config{}, false)
	defer r.stop()
	ls, err := loaders(r.url, 10, opus20, tone(t, opus20))
	defer closeAll(ls)
	if err != nil {
		t.Fatal(err)
	}
	if err := load(ls, 25); err != nil {
		t.Error(err)
	}
}
