package edgetest

import (
	"errors"
	"fmt"
	"time"

	"github.com/coder/websocket"

	"edged/firmware-protocol/wire"
	"edged/internal/edgetest/impair"
)

// The two directions of the network.
const (
	up   = 0
	down = 1
)

// inbox is how many messages of the server may wait for deliver.
const inbox = 128

// echoMemory is what the tape keeps beyond the delay of the echo.
const echoMemory = 2 * time.Second

// checkSurroundings returns what is wrong with the network, the clock or the room.
func (cfg Config) checkSurroundings() error {
	err := errors.Join(cfg.Network.Check(), cfg.Clock.Check())
	if cfg.Echo != nil {
		err = errors.Join(err, cfg.Echo.Check())
	}
	if err != nil {
		return fmt.Errorf("edgetest: %w", err)
	}
	return nil
}

// tape is what the speaker is recorded on, if anybody will listen to it.
func (cfg Config) tape() *impair.Tape {
	memory := echoMemory
	if cfg.Echo != nil {
		memory += cfg.Echo.Delay
	} else if !cfg.Monitor {
		return nil
	}
	return impair.NewTape(rateOf(cfg.Down), cfg.Clock, memory)
}

// kindOf tells what a message is to the network.
func kindOf(typ websocket.MessageType, data []byte) impair.Kind {
	const flags = 3 // of the frame header
	edges := byte(wire.FlagBOS | wire.FlagEOS)
	if typ != websocket.MessageBinary || len(data) <= flags || data[flags]&edges != 0 {
		return impair.Control
	}
	return impair.Audio
}

// account keeps what the network has done in one direction.
func (d *Device) account(direction int, c impair.Counts) {
	if d.cfg.Network.Perfect() {
		return
	}
	d.mu.Lock()
	d.network[direction] = c
	d.mu.Unlock()
}

// deliver lets what the server sent arrive as the network does.
func (d *Device) deliver() {
	line := impair.NewLine[inbound](d.cfg.Network, down)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	timer.Stop()
	var order sequencer
	for {
		select {
		case in := <-d.in:
			kind := impair.Control
			if in.err == nil {
				kind = kindOf(in.typ, in.data)
			}
			line.Push(time.Now(), in, kind)
			d.account(down, line.Counts())
		case <-timer.C:
		}
		for in, due := line.Pop(time.Now()); due; in, due = line.Pop(time.Now()) {
			for _, in := range order.pass(in) {
				d.arrive(in)
			}
			if in.err != nil {
				return
			}
		}
		timer.Stop()
		if due, ok := line.Next(); ok {
			timer.Reset(time.Until(due))
		}
	}
}

// sequencer puts frames into order again: one that comes too early waits for the
// next message.
type sequencer struct {
	early []inbound // at most one, with the sequence number waits
	waits uint32
	next  uint32
	known bool
}

// pass returns what can be played now, in order.
func (s *sequencer) pass(in inbound) (out []inbound) {
	f, err := wire.ParseFrame(in.data)
	if in.err != nil || in.typ != websocket.MessageBinary || err != nil {
		out, s.early = append(s.early, in), nil
		return out
	}
	if len(s.early) > 0 {
		early := s.early
		s.early, s.next = nil, s.waits+1
		if int32(f.Seq-s.waits) < 0 {
			return append([]inbound{in}, early...)
		}
		out = early
	}
	ahead := int32(f.Seq - s.next)
	if s.known && ahead > 0 {
		s.early, s.waits = []inbound{in}, f.Seq
		return out
	}
	if !s.known || ahead == 0 {
		s.next, s.known = f.Seq+1, true
	}
	return append(out, in)
}
