package ws

import (
	"bufio"
	"bytes"
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

	"github.com/rs/zerolog"

	"edged/edge"
	"edged/firmware-protocol/wire"
)

// notices is a logger and what was written to it.
type notices struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (n *notices) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.buf.Write(p)
}

func (n *notices) logger() zerolog.Logger { return zerolog.New(n) }

// count returns how many lines hold all of the words, and forgets none of them.
func (n *notices) count(words ...string) (lines int) {
	n.mu.Lock()
	defer n.mu.Unlock()
next:
	for line := range strings.Lines(n.buf.String()) {
		for _, w := range words {
			if !strings.Contains(line, w) {
				continue next
			}
		}
		lines++
	}
	return lines
}

// rawPeer is a client without a WebSocket library: it sends any bytes.
type rawPeer struct {
	t    testing.TB
	conn net.Conn
	in   *bufio.Reader
}

// rawDial opens a connection and sends nothing.
func (r *rig) rawDial() *rawPeer {
	r.t.Helper()
	dial := r.client.Transport.(*http.Transport).DialContext
	real := dial == nil
	if real {
		dial = new(net.Dialer).DialContext
	}
	conn, err := dial(context.Background(), "tcp", strings.TrimSuffix(strings.TrimPrefix(r.url, "ws://"), wire.Path))
	if err != nil {
		r.t.Fatal(err)
	}
	if real { // a server that does not answer fails the test
		_ = conn.SetDeadline(time.Now().Add(time.Minute))
	}
	return &rawPeer{t: r.t, conn: conn, in: bufio.NewReader(conn)}
}

// upgrade is the request of a device, with these lines added or, when they have
// the name of one of its own, in its place.
func upgrade(lines ...string) string {
	request := []string{"Host: x", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
		"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Protocol: edged.v1"}
next:
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		for i, own := range request {
			if strings.HasPrefix(own, name+":") {
				request[i] = line
				if value == "" {
					request = append(request[:i], request[i+1:]...)
				}
				continue next
			}
		}
		request = append(request, line)
	}
	return "GET " + wire.Path + " HTTP/1.1\r\n" + strings.Join(request, "\r\n") + "\r\n\r\n"
}

// say writes bytes. A server that has closed in the meantime is no failure.
func (p *rawPeer) say(b []byte) error {
	_, err := p.conn.Write(b)
	return err
}

// response reads the answer to an HTTP request; nil when the server closed
// without one.
func (p *rawPeer) response() (*http.Response, string) {
	response, err := http.ReadResponse(p.in, nil)
	if err != nil {
		return nil, ""
	}
	if response.StatusCode == http.StatusSwitchingProtocols {
		return response, ""
	}
	body, _ := io.ReadAll(response.Body)
	return response, string(body)
}

// greet makes the connection one of a device with an open session.
func (p *rawPeer) greet(device string) {
	p.t.Helper()
	if err := p.say([]byte(upgrade())); err != nil {
		p.t.Fatal(err)
	}
	if response, body := p.response(); response == nil || response.StatusCode != http.StatusSwitchingProtocols {
		p.t.Fatalf("no upgrade: %+v %s", response, body)
	}
	hello, err := wire.AppendMessage(nil, helloOf(device, opus60, opus60))
	if err != nil {
		p.t.Fatal(err)
	}
	if err := p.say(masked(opText, hello)); err != nil {
		p.t.Fatal(err)
	}
	if op, answer, err := p.frame(); err != nil || op != opText || !bytes.Contains(answer, []byte(`"type":"hello"`)) {
		p.t.Fatalf("the hello is answered with opcode %d, %s, %v", op, answer, err)
	}
}

// Opcodes of RFC 6455 section 5.2, and the bit of the last fragment.
const (
	opContinuation = 0
	opText         = 1
	opBinary       = 2
	opClose        = 8
	opPing         = 9
	opPong         = 10
	finBit         = 0x80
)

// fragment is a frame of a client that is not the last one of its message.
func fragment(opcode byte, payload []byte) []byte {
	frame := masked(opcode, payload)
	frame[0] &^= finBit
	return frame
}

// closing is a close frame.
func closing(code uint16) []byte { return masked(opClose, binary.BigEndian.AppendUint16(nil, code)) }

// frame reads one frame of the server, which are short and whole.
func (p *rawPeer) frame() (opcode byte, payload []byte, err error) {
	var head [2]byte
	if _, err := io.ReadFull(p.in, head[:]); err != nil {
		return 0, nil, err
	}
	length := int(head[1])
	if length == 126 {
		var long [2]byte
		if _, err := io.ReadFull(p.in, long[:]); err != nil {
			return 0, nil, err
		}
		length = int(binary.BigEndian.Uint16(long[:]))
	}
	payload = make([]byte, length)
	if _, err := io.ReadFull(p.in, payload); err != nil {
		return 0, nil, err
	}
	if head[0]&finBit == 0 {
		return 0, nil, fmt.Errorf("the server fragments a message of %d bytes", length)
	}
	return head[0] & 0x0f, payload, nil
}

// await reads frames until one holds the text, and fails the test when the
// connection ends before.
func (p *rawPeer) await(text string) {
	p.t.Helper()
	for {
		_, payload, err := p.frame()
		if err != nil {
			p.t.Fatalf("the connection ended before %q came: %v", text, err)
		}
		if bytes.Contains(payload, []byte(text)) {
			return
		}
	}
}

// end reads up to the close frame and returns its code; 0 when the connection
// ends without one.
func (p *rawPeer) end() (code int) {
	for {
		opcode, payload, err := p.frame()
		if err != nil {
			return 0
		}
		if opcode == opClose && len(payload) >= 2 {
			return int(binary.BigEndian.Uint16(payload))
		}
	}
}

func (p *rawPeer) close() { _ = p.conn.Close() }

// endings is a handler that tells how its connection ended, unless the server did.
func endings() (edge.Handler, <-chan error) {
	over := make(chan error, 16)
	return func(ctx context.Context, leg *edge.Leg) error {
		<-ctx.Done()
		if errors.Is(context.Cause(ctx), edge.ErrShutdown) {
			return nil
		}
		for range leg.Events() { // closed when Err is known
		}
		over <- leg.Err()
		return nil
	}, over
}
