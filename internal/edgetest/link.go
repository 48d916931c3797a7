package edgetest

import (
	"context"
	"fmt"
	"time"

	"github.com/coder/websocket"

	"edged/firmware-protocol/wire"
	"edged/internal/edgetest/impair"
)

// Bounds of the device's link.
const (
	// outbox is how many messages may wait for a stalled socket: 2 s of packets
	// of 20 ms, and some control.
	outbox = 128
	// writeDeadline ends a connection whose socket takes nothing.
	writeDeadline = 10 * time.Second
	// byeDeadline is how long Close waits for the server to close.
	byeDeadline = 2 * time.Second
)

// outbound is one message for the writer.
type outbound struct {
	typ  websocket.MessageType
	data []byte
}

// Send sends a control message behind what waits already. It returns when the
// writer has taken it: ctx's error, ErrClosed, or that of an invalid message.
func (d *Device) Send(ctx context.Context, m wire.Message) error {
	b, err := wire.AppendMessage(nil, m)
	if err != nil {
		return fmt.Errorf("edgetest: send %s: %w", m.Kind(), err)
	}
	if err := d.push(ctx, outbound{typ: websocket.MessageText, data: b}); err != nil {
		return fmt.Errorf("edgetest: send %s: %w", m.Kind(), err)
	}
	d.mu.Lock()
	d.remember(Event{At: time.Now(), From: wire.FromDevice, Message: m})
	d.mu.Unlock()
	return nil
}

// SendRaw sends bytes as they are, as a text or binary message: for tests of
// bad input.
func (d *Device) SendRaw(ctx context.Context, text bool, data []byte) error {
	o := outbound{typ: websocket.MessageBinary, data: data}
	if text {
		o.typ = websocket.MessageText
	}
	if err := d.push(ctx, o); err != nil {
		return fmt.Errorf("edgetest: send raw: %w", err)
	}
	return nil
}

func (d *Device) push(ctx context.Context, o outbound) error {
	select {
	case <-d.gone:
		return ErrClosed
	default:
	}
	select {
	case d.out <- o:
		return nil
	case <-d.gone:
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// write is the one writer of the socket.
func (d *Device) write() {
	line := impair.NewLine[outbound](d.cfg.Network, up)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	timer.Stop()
	for {
		select {
		case o := <-d.out:
			line.Push(time.Now(), o, kindOf(o.typ, o.data))
			d.account(up, line.Counts())
		case <-timer.C:
		case <-d.gone:
			return
		}
		for o, due := line.Pop(time.Now()); due; o, due = line.Pop(time.Now()) {
			ctx, cancel := context.WithTimeout(context.Background(), writeDeadline)
			err := d.writeMessage(ctx, o)
			cancel()
			if err != nil {
				_ = d.conn.CloseNow() // the reader reports the end
				return
			}
		}
		timer.Stop()
		if due, ok := line.Next(); ok {
			timer.Reset(time.Until(due))
		}
	}
}
