package edgetest

import (
	"context"
	"errors"
	"slices"
	"time"

	"edged/firmware-protocol/wire"
)

// errConnected is a fault of the test.
var errConnected = errors.New("edgetest: the connection is not lost")

// Return comes back after the connection was lost (Drop): it dials anew, asks to
// go on with the session, and takes along what the device knows of its turns. What
// waited in the playback queue is thrown away. The server's hello tells whether
// the session goes on (Hello().Resumed); if not, the turns are forgotten.
func (d *Device) Return(ctx context.Context) (*Device, error) {
	select {
	case <-d.done:
	default:
		return nil, errConnected
	}
	cfg := d.cfg
	cfg.past, cfg.Cut = d, Cut{}
	return Dial(ctx, cfg)
}

// resumption is what the device says of the session that it was in; nil for a
// device that begins anew.
func (cfg Config) resumption() *wire.Resume {
	d := cfg.past
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.speaker.advance(time.Now())
	resume := wire.Resume{Session: d.hello.Session}
	for _, t := range d.turns {
		if t.begun { // the last one, also if all of it was played
			resume.Turn, resume.Samples = t.number, t.played
		}
	}
	return &resume
}

// inherit takes over what the device knew before it lost its connection. Nothing
// else knows of d yet.
func (d *Device) inherit(past *Device) {
	past.mu.Lock()
	defer past.mu.Unlock()
	d.flushed, d.flushes = past.flushed, past.flushes
	d.gaps, d.events = slices.Clone(past.gaps), slices.Clone(past.events)
	for _, t := range past.turns {
		again := *t
		again.pending, again.playing, again.audible, again.closed = 0, false, false, t.done
		d.turns = append(d.turns, &again)
	}
}

// Await waits until the reply of a turn has been played or was stopped, for a
// device that came back to it. The errors are those of Ask.
func (d *Device) Await(ctx context.Context, number uint32) (Answer, error) {
	d.mu.Lock()
	t := d.turn(number)
	t.lastPacket = time.Now() // patience begins anew
	d.mu.Unlock()
	err := d.listenTo(ctx, t, 0)
	return d.answerOf(t, nil, time.Time{}), err
}
