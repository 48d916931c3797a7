package edgetest

import (
	"context"
	"errors"

	"github.com/coder/websocket"

	"edged/firmware-protocol/wire"
)

// Cut says at which message a device loses its connection: all bytes before it
// have passed, nothing after it does. The hello of each side is its message 1.
type Cut struct {
	// From is the side whose messages are counted; 0 cuts nowhere.
	From wire.Direction
	// At is the number of the message, from 1.
	At int
	// Before: the message itself does not pass any more.
	Before bool
}

// errCut is why the connection ended.
var errCut = errors.New("edgetest: the connection was cut")

// pass counts a message of one side and tells whether the connection is to be cut
// before or behind it.
func (d *Device) pass(from wire.Direction) (before, behind bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.passed[from]++
	c := d.cfg.Cut
	here := c.From == from && c.At == d.passed[from]
	return here && c.Before, here && !c.Before
}

// writeMessage is all that goes into the socket.
func (d *Device) writeMessage(ctx context.Context, o outbound) error {
	before, behind := d.pass(wire.FromDevice)
	if before {
		_ = d.conn.CloseNow() // a cut tells nobody
		return errCut
	}
	err := d.conn.Write(ctx, o.typ, o.data)
	if err == nil && behind {
		_ = d.conn.CloseNow()
		return errCut
	}
	return err
}

// readMessage is all that comes out of the socket.
func (d *Device) readMessage(ctx context.Context) (websocket.MessageType, []byte, error) {
	typ, b, err := d.conn.Read(ctx)
	if err != nil {
		return typ, b, err
	}
	before, behind := d.pass(wire.FromServer)
	if before || behind {
		_ = d.conn.CloseNow()
	}
	if before {
		return typ, nil, errCut
	}
	return typ, b, nil // the next read reports the end
}
