package ws

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"

	"github.com/coder/websocket"
	"github.com/rs/zerolog"

	"edged/dialog"
	"edged/edge"
	"edged/firmware-protocol/wire"
)

// keptBuffer is how much memory for incoming messages a connection keeps between
// messages: any frame of Opus and any PCM frame fits.
const keptBuffer = 8 << 10

// transport is a connection that has been upgraded. Reads belong to one goroutine
// and writes to another; Kill is for everybody.
type transport struct {
	conn *websocket.Conn
	net  net.Conn
	log  *zerolog.Logger
	// up and down are the formats in force.
	up, down wire.Format

	inlet atomic.Pointer[edge.Inlet] // nil before the session

	in    []byte // the reader's
	early int    // pings before the session; the reader's
	bye   atomic.Bool

	out []byte // the writer's
	seq uint32
}

// noContext is what the path of frames uses: the WebSocket library arms and
// disarms a timer for each message with a deadline, at 8 to 11 allocations. The
// leg's watchdog and keepalive bound reads and writes instead.
var noContext = context.Background()

// earlyPongs is how many WebSocket pings are answered before the session.
const earlyPongs = 10

// pinged and ponged note the control frames of WebSocket as signs of life. They
// count as control messages; a false return of pinged answers nothing.
func (t *transport) pinged(context.Context, []byte) bool {
	if in := t.inlet.Load(); in != nil {
		return in.Control() == nil
	}
	t.early++
	return t.early <= earlyPongs
}

func (t *transport) ponged(context.Context, []byte) {
	if in := t.inlet.Load(); in != nil {
		_ = in.Control() // it has ended the connection by itself
	}
}

// read returns the next message, which is valid until the next read.
func (t *transport) read() (websocket.MessageType, []byte, error) {
	if cap(t.in) > keptBuffer {
		t.in = nil
	}
	typ, r, err := t.conn.Reader(noContext)
	if err != nil {
		return 0, nil, err
	}
	message := t.in[:0]
	for {
		if len(message) == cap(message) {
			message = append(message, make([]byte, max(512, cap(message)))...)[:len(message)]
		}
		n, err := r.Read(message[len(message):cap(message)])
		message = message[:len(message)+n]
		if err == io.EOF {
			t.in = message
			return typ, message, nil
		}
		if err != nil {
			return 0, nil, err
		}
	}
}

// Receive implements edge.Transport.
func (t *transport) Receive(in *edge.Inlet) error {
	t.inlet.Store(in)
	for {
		typ, message, err := t.read()
		if err != nil {
			return ended(err)
		}
		in.Alive()
		if typ == websocket.MessageBinary {
			err = receiveFrame(in, message)
		} else if err = in.Control(); err == nil {
			err = receiveMessage(in, message)
		}
		if errors.Is(err, errBye) {
			t.bye.Store(true)
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// ended tells an ordinary end of the connection from a broken one.
func ended(err error) error {
	switch websocket.CloseStatus(err) {
	case websocket.StatusNormalClosure, websocket.StatusGoingAway:
		return nil
	}
	if errors.Is(err, websocket.ErrMessageTooBig) {
		return &edge.Error{Code: dialog.ErrorTooLarge, Message: fmt.Sprintf("a message has more than %d bytes", readLimit), Err: err}
	}
	return fmt.Errorf("ws: receive: %w", err)
}

// errBye: the device says goodbye.
var errBye = errors.New("ws: bye")

// receiveFrame takes a binary message.
func receiveFrame(in *edge.Inlet, message []byte) error {
	f, err := wire.ParseFrame(message)
	switch {
	case errors.Is(err, wire.ErrUnknownType) && f.Track != wire.TrackVoice:
		return in.Strange()
	case errors.Is(err, wire.ErrUnknownType):
		in.Skip(edge.DropUnknownFrame)
		return in.Audio(edge.Packet{Seq: f.Seq, Timestamp: f.Timestamp, Void: true})
	case bytes.HasPrefix(message, []byte("OggS")):
		return &edge.Error{Code: dialog.ErrorAudio, Message: "Ogg pages arrive instead of frames: send each Opus packet in a frame of its own, without its container", Err: err}
	case err != nil && bytes.HasPrefix(message, []byte("{")):
		return in.Fault(dialog.ErrorMalformed, "JSON arrived in a binary message: send control as text")
	case err != nil:
		fault := faultOf(err)
		return in.Fault(fault.Code, fault.Message)
	case f.Track != wire.TrackVoice:
		return in.Strange()
	}
	return in.Audio(edge.Packet{
		Seq: f.Seq, Timestamp: f.Timestamp, Gap: f.Gap,
		Begin: f.Flags.Has(wire.FlagBOS), End: f.Flags.Has(wire.FlagEOS), Payload: f.Payload,
	})
}

// WriteAudio implements edge.Transport.
func (t *transport) WriteAudio(p edge.Packet) error {
	f := wire.Frame{Type: wire.TypeAudio, Track: wire.TrackVoice, Seq: t.seq, Timestamp: p.Timestamp, Payload: p.Payload}
	if p.Begin {
		f.Flags |= wire.FlagBOS
	}
	if p.End {
		f.Flags |= wire.FlagEOS
	}
	frame, err := wire.AppendFrame(t.out[:0], f)
	if err != nil {
		return fmt.Errorf("ws: write audio: %w", err)
	}
	t.out = frame
	t.seq++
	if err := t.conn.Write(noContext, websocket.MessageBinary, frame); err != nil {
		return fmt.Errorf("ws: write audio: %w", err)
	}
	return nil
}

// WriteControl implements edge.Transport.
func (t *transport) WriteControl(c edge.Control) error {
	if text, ok := c.(edge.ReplyText); ok {
		return t.writeText(text)
	}
	m, err := messageOf(c)
	if err != nil {
		return fmt.Errorf("ws: write control: %w", err)
	}
	return t.write(m)
}

// write encodes and writes one message. What cannot be encoded is a fault of the
// server and is logged, not a reason to lose the device.
func (t *transport) write(m wire.Message) error {
	out, err := wire.AppendMessage(t.out[:0], m)
	if err != nil {
		t.log.Error().Err(err).Str("type", string(m.Kind())).Msg("control message cannot be sent")
		if call, ok := m.(wire.ToolCall); ok {
			t.failCall(call, err)
		}
		return nil
	}
	if cap(out) <= keptBuffer {
		t.out = out
	}
	if err := t.conn.Write(noContext, websocket.MessageText, out); err != nil {
		return fmt.Errorf("ws: write %s: %w", m.Kind(), err)
	}
	return nil
}

// failCall answers a tool call that the device never gets to see.
func (t *transport) failCall(call wire.ToolCall, err error) {
	if in := t.inlet.Load(); in != nil {
		in.ToolResult(dialog.ToolResult{Call: call.ID, Error: "the call could not be sent to the device: " + err.Error()})
	}
}

// Close implements edge.Transport.
func (t *transport) Close(f edge.Farewell) error {
	if f.Code == "" {
		if !t.bye.Load() {
			_ = t.write(wire.Bye{}) // who has gone needs no goodbye
		}
		return t.conn.Close(websocket.StatusNormalClosure, "")
	}
	failure := failureOf(f, true)
	_ = t.write(failure)
	return t.conn.Close(websocket.StatusCode(failure.Code.CloseCode()), cut(failure.Message, maxCloseReason))
}

// maxCloseReason is the room for a reason in a close frame (RFC 6455 section 5.5:
// 125 bytes, of which the code takes two).
const maxCloseReason = 123

// Kill implements edge.Transport.
func (t *transport) Kill() { _ = t.net.Close() }
