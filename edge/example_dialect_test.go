package edge_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"edged/audio"
	"edged/dialog"
	"edged/edge"
	"edged/realtime"
)

// toy is a dialect for devices that can do little more than open a socket: each
// message is a letter, a length of two bytes, and so many bytes. Audio is 16 kHz
// PCM in packets of 20 ms, both ways.
type toy struct {
	conn net.Conn
	in   *bufio.Reader
}

// serve is one connection, from its first byte to its last.
func (t *toy) serve(ctx context.Context, server *edge.Server, remote string) error {
	admission, err := server.Arrive(remote)
	if err != nil {
		return t.turnAway(err)
	}
	defer admission.Release()
	leg, err := t.greet(ctx, server, admission, remote)
	if err != nil {
		return t.turnAway(err)
	}
	if err := t.write('W', []byte(leg.Hello().Session)); err != nil {
		return err
	}
	return admission.Serve(ctx, leg)
}

// greet waits for the device to say who it is, and lets it in.
func (t *toy) greet(ctx context.Context, server *edge.Server, admission *edge.Admission, remote string) (*edge.Leg, error) {
	if err := admission.Await(); err != nil {
		return nil, err
	}
	if err := t.conn.SetReadDeadline(time.Now().Add(server.Limits().HelloTimeout)); err != nil {
		return nil, err
	}
	letter, name, err := t.read()
	if err != nil {
		return nil, err
	}
	if letter != 'H' {
		return nil, &edge.Error{Code: dialog.ErrorProtocol, Message: "the first message must be H and the device's name"}
	}
	if err := t.conn.SetReadDeadline(time.Time{}); err != nil {
		return nil, err
	}
	id, err := server.Authenticate(ctx, edge.Credentials{Remote: remote, Device: string(name)})
	if err != nil {
		return nil, err
	}
	if err := admission.Admit(id); err != nil {
		return nil, err
	}
	pcm := audio.Format{Codec: audio.CodecPCM, Rate: audio.Rate16k, Channels: 1, Ptime: 20 * time.Millisecond}
	return admission.Open(edge.Offer{
		Hello: dialog.Hello{
			Device: string(name), Remote: remote,
			Capabilities: dialog.Capabilities{Flush: true, QueueCap: time.Second},
		},
		Up: pcm, Down: pcm,
	}, t)
}

// turnAway tells a device why it is not served.
func (t *toy) turnAway(err error) error {
	var told *edge.Error
	if !errors.As(err, &told) {
		t.Kill() // it has gone
		return err
	}
	_ = t.conn.SetWriteDeadline(time.Now().Add(3 * time.Second))
	return errors.Join(err, t.Close(edge.Farewell{Code: told.Code, Message: told.Message}))
}

// Receive implements edge.Transport.
func (t *toy) Receive(in *edge.Inlet) error {
	packet := edge.Packet{}
	for {
		letter, data, err := t.read()
		if err != nil {
			return err
		}
		if letter != 'A' {
			if err := in.Control(); err != nil { // a device that floods waits here
				return err
			}
		}
		switch letter {
		case 'L':
			packet = edge.Packet{Seq: packet.Seq}
			err = in.Listen(dialog.ModeManual)
		case 'A':
			packet.Payload = data
			err = in.Audio(packet)
			packet.Seq++
			packet.Timestamp += uint32(len(data) / 2)
		case 'S':
			err = in.StopListening()
		case 'X':
			in.Abort(dialog.Abort{Reason: "button"})
		case 'Q':
			return nil // the device says goodbye
		default:
			in.Skip(edge.DropUnknownMessage)
		}
		if err != nil {
			return err
		}
	}
}

// WriteAudio implements edge.Transport.
func (t *toy) WriteAudio(p edge.Packet) error { return t.write('A', p.Payload) }

// WriteControl implements edge.Transport. What the dialect has no word for, its
// devices do without.
func (t *toy) WriteControl(c edge.Control) error {
	switch c := c.(type) {
	case edge.ReplyBegin:
		return t.write('R', nil)
	case edge.ReplyText:
		return t.write('T', []byte(c.Text))
	case edge.ReplyEnd:
		return t.write('E', nil)
	case edge.Flush:
		return t.write('F', nil)
	case edge.Ping:
		return t.write('P', nil)
	}
	return nil
}

// Close implements edge.Transport.
func (t *toy) Close(f edge.Farewell) error {
	return errors.Join(t.write('Q', []byte(f.Message)), t.conn.Close())
}

// Kill implements edge.Transport.
func (t *toy) Kill() { _ = t.conn.Close() }

func (t *toy) read() (letter byte, data []byte, err error) {
	var head [3]byte
	if _, err := io.ReadFull(t.in, head[:]); err != nil {
		return 0, nil, err
	}
	data = make([]byte, binary.BigEndian.Uint16(head[1:]))
	_, err = io.ReadFull(t.in, data)
	return head[0], data, err
}

func (t *toy) write(letter byte, data []byte) error {
	head := binary.BigEndian.AppendUint16([]byte{letter}, uint16(len(data)))
	_, err := t.conn.Write(append(head, data...))
	return err
}

// repeat answers each question with the question's own sound.
func repeat(ctx context.Context, leg *edge.Leg) error {
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		for range leg.Events() {
		}
	}()
	defer func() { <-drained }()
	reply := []*realtime.MessageChunk{{Ctrl: &realtime.StreamCtrl{BeginOfStream: true}}, {Part: realtime.Text("You said:")}}
	for {
		chunk, err := leg.Uplink().Next()
		if err != nil {
			return nil // the device has gone
		}
		if _, ok := chunk.Part.(*realtime.Blob); ok {
			reply = append(reply, &realtime.MessageChunk{Part: chunk.Part})
		}
		if !chunk.IsEndOfStream() {
			continue
		}
		for _, c := range append(reply, &realtime.MessageChunk{Ctrl: &realtime.StreamCtrl{EndOfStream: true}}) {
			if err := leg.Play(ctx, 1, c); err != nil {
				return err
			}
		}
	}
}

func Example_dialect() {
	server, err := edge.New(edge.Config{Handler: repeat})
	if err != nil {
		fmt.Println(err)
		return
	}
	device, remote := net.Pipe()
	over := make(chan error, 1)
	go func() {
		t := &toy{conn: remote, in: bufio.NewReader(remote)}
		over <- t.serve(context.Background(), server, "127.0.0.1:5000")
	}()

	d := &toy{conn: device, in: bufio.NewReader(device)}
	say := func(letter byte, data []byte) {
		if err := d.write(letter, data); err != nil {
			fmt.Println(err)
		}
	}
	say('H', []byte("lamp"))
	if letter, session, err := d.read(); err != nil || letter != 'W' || len(session) == 0 {
		fmt.Println("not let in:", err)
		return
	}
	say('L', nil)
	for range 5 {
		say('A', make([]byte, 640))
	}
	say('S', nil)
	heard := 0
	for letter := byte(0); letter != 'E'; {
		var data []byte
		if letter, data, err = d.read(); err != nil {
			fmt.Println(err)
			return
		}
		switch letter {
		case 'T':
			fmt.Printf("%q\n", data)
		case 'A':
			heard += len(data)
		}
	}
	fmt.Println(heard/32, "ms")
	say('Q', nil)
	_, _, _ = d.read() // its goodbye
	fmt.Println("over:", <-over)
	// Output:
	// "You said:"
	// 100 ms
	// over: <nil>
}
