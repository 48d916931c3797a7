package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"edged/firmware-protocol/wire"
	"edged/internal/edgetest"
	"edged/session/log"
)

// counted is a voice whose samples tell where they belong: the n-th sample of a
// sentence has the value n, from 1.
func counted(sentence string) []int16 {
	samples := make([]int16, len(sentence)*640) // 40 ms a character
	for i := range samples {
		samples[i] = int16(i%30000 + 1)
	}
	return samples
}

// The connection is cut at every message boundary of a conversation, in either
// direction, and the device comes back each time: what leaves its speaker is the
// reply, once, to the sample.
func TestCutAtEveryMessage(t *testing.T) {
	question := recording(t, "what time is it")
	const answer = "Alpha bravo. Charlie delta echo. Foxtrot."
	want := slices.Concat(counted("Alpha bravo. "), counted("Charlie delta echo. "), counted("Foxtrot."))
	cuts := 0
	for _, direction := range []string{"to the device", "from the device"} {
		for n := 1; ; n++ {
			converse(t, answer, func(t *testing.T, h *house) {
				cutter := &cutter{dial: h.pipe.Dial, inbound: direction == "to the device", at: n}
				played, cut := cutter.visit(t, h, question)
				if !cut {
					n = -1 // the conversation has fewer messages
					return
				}
				cuts++
				if !slices.Equal(played, want) {
					t.Errorf("cut at message %d %s: %d samples left the speaker, want %d; they differ from sample %d on\n%s",
						n, direction, len(played), len(want), firstDifference(played, want), h.log.String())
				}
				for _, rec := range h.log.events(t) {
					if e, ok := rec.Event.(log.Interrupt); ok {
						t.Errorf("cut at message %d %s: a reply was interrupted: %+v", n, direction, e)
					}
				}
			})
			if n < 0 {
				break
			}
		}
	}
	t.Logf("%d cuts", cuts)
	if cuts < 80 {
		t.Errorf("%d cuts: a conversation has more messages", cuts)
	}
}

func firstDifference(a, b []int16) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// converse is visit with engines of a script.
func converse(t *testing.T, answer string, story func(t *testing.T, h *house)) {
	t.Helper()
	engines, err := scripted("what time is it", answer, counted)
	if err != nil {
		t.Fatal(err)
	}
	converseWith(t, engines, story)
}

// cutter cuts the first connection behind its at-th message of one direction.
type cutter struct {
	dial    func(ctx context.Context, network, address string) (net.Conn, error)
	inbound bool
	at      int

	mu  sync.Mutex
	cut bool
}

// visit has one question answered, over as many connections as it takes. It
// returns what left the speaker.
func (c *cutter) visit(t *testing.T, h *house, question []int16) (played []int16, cut bool) {
	t.Helper()
	pcm := wire.Format{Codec: wire.CodecPCM, SampleRate: 16000, Channels: 1, FrameMS: 60}
	cfg := edgetest.Config{URL: "ws://edged" + wire.Path, Dial: c.connect, Up: pcm, Down: pcm}
	ctx := context.Background()
	d, err := edgetest.Dial(ctx, cfg)
	for err != nil { // cut in the handshake: there was no session
		time.Sleep(pause)
		d, err = edgetest.Dial(ctx, cfg)
	}
	for attempt := 0; ; attempt++ {
		if attempt > 3 {
			t.Fatalf("no answer after %d connections\n%s", attempt, h.log.String())
		}
		resumed := d.Hello().Resumed
		if resumed != nil && resumed.Answering {
			_, err = d.Await(ctx, resumed.Turn)
		} else if answered(d) {
			err = nil
		} else {
			_, err = d.Ask(ctx, edgetest.Question{PCM: question})
		}
		if err == nil {
			break
		}
		if !errors.Is(err, edgetest.ErrClosed) {
			t.Fatalf("%v\n%s", err, h.log.String())
		}
		d.Drop()
		time.Sleep(pause)
		if d, err = d.Return(ctx); err != nil {
			t.Fatalf("coming back: %v", err)
		}
	}
	for _, a := range d.Turns() {
		played = append(played, a.PCM...)
	}
	for n := len(played); n > 0 && played[n-1] == 0; n-- {
		played = played[:n-1] // what fills up the last packet
	}
	_ = d.Close(ctx) // the cut may come only now
	c.mu.Lock()
	defer c.mu.Unlock()
	return played, c.cut
}

// answered reports whether a reply has begun on the device: then it was not asking
// when the connection broke, and does not ask again.
func answered(d *edgetest.Device) bool {
	return slices.ContainsFunc(d.Turns(), func(a edgetest.Answer) bool { return a.Played > 0 })
}

func (c *cutter) connect(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := c.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cut {
		return conn, nil
	}
	return &cutConn{Conn: conn, cutter: c}, nil
}

var errCut = fmt.Errorf("cut: %w", net.ErrClosed)

// cutConn counts the WebSocket messages of one direction, the HTTP upgrade as the
// first, and closes behind the one that it waits for.
type cutConn struct {
	net.Conn
	*cutter
	frames framing
}

func (c *cutConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if !c.inbound || err != nil {
		return n, err
	}
	return c.pass(p[:n])
}

func (c *cutConn) Write(p []byte) (int, error) {
	if c.inbound {
		return c.Conn.Write(p)
	}
	n, cut := c.pass(p)
	if _, err := c.Conn.Write(p[:n]); err != nil {
		return 0, err
	}
	if cut != nil {
		time.Sleep(time.Millisecond) // the other side has read it
		c.Conn.Close()
		return n, errCut
	}
	return n, nil
}

// pass returns how many bytes may pass; with an error the connection is cut
// behind them.
func (c *cutConn) pass(p []byte) (int, error) {
	for i := range p {
		if !c.frames.ends(p[i]) {
			continue
		}
		if c.at--; c.at > 0 {
			continue
		}
		c.mu.Lock()
		c.cut = true
		c.mu.Unlock()
		if c.inbound {
			c.Conn.Close()
		}
		return i + 1, errCut
	}
	return len(p), nil
}

// framing finds the ends of the messages in the bytes of a WebSocket connection.
type framing struct {
	upgraded bool
	tail     []byte // of the HTTP head, or the frame header so far
	left     int    // of the payload
}

// ends reports whether the byte is the last one of a message.
func (f *framing) ends(b byte) bool {
	if !f.upgraded {
		f.tail = append(f.tail, b)
		if n := len(f.tail); n < 4 || string(f.tail[n-4:]) != "\r\n\r\n" {
			return false
		}
		f.upgraded, f.tail = true, nil
		return true
	}
	if f.left > 0 {
		f.left--
		return f.left == 0
	}
	f.tail = append(f.tail, b)
	h := f.tail
	if len(h) < 2 {
		return false
	}
	need, length := 2, int(h[1]&0x7f)
	switch length {
	case 126:
		need = 4
	case 127:
		need = 10
	}
	if h[1]&0x80 != 0 {
		need += 4
	}
	if len(h) < need {
		return false
	}
	switch length {
	case 126:
		length = int(binary.BigEndian.Uint16(h[2:]))
	case 127:
		length = int(binary.BigEndian.Uint64(h[2:]))
	}
	f.tail, f.left = nil, length
	return length == 0
}
