package edgetest

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/coder/websocket"

	"edged/firmware-protocol/wire"
)

// maxFaults bounds how many faults of the server are kept in words.
const maxFaults = 100

// inbound is one message of the server, or the end of the connection.
type inbound struct {
	typ  websocket.MessageType
	data []byte
	err  error
}

// read takes what the server sends until the connection ends. On a network that
// is not perfect, deliver has its hands on it first.
func (d *Device) read() {
	direct := d.cfg.Network.Perfect()
	for {
		typ, b, err := d.readMessage(context.Background())
		in := inbound{typ, b, err}
		if direct {
			d.arrive(in)
		} else {
			d.in <- in // deliver takes everything up to the end
		}
		if err != nil {
			return
		}
	}
}

// arrive handles what has come.
func (d *Device) arrive(in inbound) {
	now := time.Now()
	switch {
	case in.err != nil:
		d.mu.Lock()
		d.speaker.advance(now)
		d.err = d.ended(in.err)
		d.change()
		d.mu.Unlock()
		close(d.gone)
		_ = d.conn.CloseNow() // ended already; this unblocks the writer
	case in.typ == websocket.MessageBinary:
		d.frame(now, in.data)
	default:
		d.message(now, in.data)
	}
}

// message handles one text message. What it wants to say goes out after mu was
// released.
func (d *Device) message(now time.Time, b []byte) {
	m, err := wire.DecodeMessage(wire.FromServer, b)
	d.mu.Lock()
	d.speaker.advance(now)
	if err != nil {
		d.fault(err)
		d.mu.Unlock()
		return
	}
	d.remember(Event{At: now, From: wire.FromServer, Message: m})
	d.apply(now, m)
	d.change()
	d.mu.Unlock()
	d.wake()
	d.answer(m)
}

// fault counts what cannot be used. It needs mu.
func (d *Device) fault(err error) {
	if errors.Is(err, wire.ErrUnknownMessage) || errors.Is(err, wire.ErrUnknownType) {
		d.stats.Skipped++
		return
	}
	d.stats.Faults++
	if len(d.faults) < maxFaults {
		d.faults = append(d.faults, err)
	}
}

// apply changes the state of the device. It needs mu.
func (d *Device) apply(now time.Time, m wire.Message) {
	switch m := m.(type) {
	case wire.Speech:
		if m.State == wire.SpeechStopped {
			d.endPeriod(now)
		}
	case wire.Transcript:
		d.transcript(now, m)
	case wire.ReplyBegin:
		d.replyBegin(now, m)
	case wire.ReplyText:
		d.replyText(now, m)
	case wire.ReplyEnd:
		d.replyEnd(now, m)
	case wire.Hold:
		d.hold(now, m)
	case wire.Release:
		if h := d.speaker.hold.turn; h != nil && h.number == m.Turn {
			d.speaker.resume(now)
		}
	case wire.Flush:
		d.flush(now, m)
	case wire.Timing:
		d.turn(m.Turn).timing = &m
	case wire.Failure:
		d.fail(m)
	case wire.ServerHello:
		d.fault(errors.New("edgetest: a second hello of the server"))
	}
}

// answer sends what a message asks for.
func (d *Device) answer(m wire.Message) {
	switch m := m.(type) {
	case wire.Ping:
		d.reply(wire.Pong(m))
	case wire.ToolCall:
		d.call(m)
	case wire.Bye:
		// The close handshake is the answer; the next Read reports its end.
		_ = d.conn.Close(websocket.StatusNormalClosure, "bye")
	}
}

// errStalled: the socket takes nothing, the answer would come too late anyway.
var errStalled = errors.New("edgetest: no room for an answer: the socket is stalled")

// reply sends without waiting for room.
func (d *Device) reply(m wire.Message) {
	b, err := wire.AppendMessage(nil, m)
	if err == nil {
		select {
		case d.out <- outbound{typ: websocket.MessageText, data: b}:
		default:
			err = errStalled
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.fault(err)
		return
	}
	d.remember(Event{At: time.Now(), From: wire.FromDevice, Message: m})
}

// turn returns the state of a turn, made when it is new. It needs mu.
func (d *Device) turn(number uint32) *turn {
	i, ok := slices.BinarySearchFunc(d.turns, number, func(t *turn, n uint32) int { return int(int64(t.number) - int64(n)) })
	if !ok {
		d.turns = slices.Insert(d.turns, i, &turn{number: number, keep: !d.cfg.Forget})
	}
	return d.turns[i]
}

func (d *Device) transcript(now time.Time, m wire.Transcript) {
	if m.Final {
		defer d.endPeriod(now)
	}
	if m.Turn == 0 {
		return
	}
	t := d.turn(m.Turn)
	if m.Final {
		t.transcript, t.finalAt = m.Text, now
	} else {
		t.partials = append(t.partials, m.Text)
	}
	d.becomes(m.Turn)
}

func (d *Device) replyBegin(now time.Time, m wire.ReplyBegin) {
	number := m.Turn
	if number <= d.flushed {
		d.stats.Stale++
		return
	}
	if h := d.speaker.hold.turn; h != nil && h.number < number {
		d.speaker.resume(now)
	}
	d.current = d.turn(number)
	d.current.begun, d.current.begunAt = true, now
	d.current.resumed, d.current.audible = m.Resumed, false
	p := d.period
	if p == nil || number <= p.base {
		return
	}
	if p.open && p.turn == 0 {
		p.spokenOver = true
	} else {
		// Nothing was understood, and this says so.
		d.becomes(number)
	}
	d.endPeriod(now)
}

func (d *Device) replyText(now time.Time, m wire.ReplyText) {
	if m.Turn <= d.flushed || d.current == nil || d.current.number != m.Turn {
		d.stats.Stale++
		return
	}
	t := d.current
	if t.firstText.IsZero() {
		t.firstText = now
	}
	at := time.Duration(m.AtMS) * time.Millisecond
	if t.resumed {
		// What comes now takes the place of what was held from there on.
		t.resumed = false
		t.pieces = slices.DeleteFunc(t.pieces, func(p piece) bool { return p.at >= at })
	}
	t.pieces = append(t.pieces, piece{text: m.Text, at: at})
}

func (d *Device) replyEnd(now time.Time, m wire.ReplyEnd) {
	t := d.current
	if m.Turn <= d.flushed || t == nil || t.number != m.Turn {
		d.stats.Stale++
		return
	}
	d.current = nil
	t.closed = true
	t.duration = time.Duration(m.DurationMS) * time.Millisecond
	t.settle(now)
}

func (d *Device) hold(now time.Time, m wire.Hold) {
	if !d.cfg.Capabilities.Hold {
		d.fault(errors.New("edgetest: a hold for a device that cannot"))
		return
	}
	if m.Turn <= d.flushed {
		d.stats.Stale++
		return
	}
	t := d.turn(m.Turn)
	t.holds++
	if t.heldAt.IsZero() {
		t.heldAt = now
	}
	d.speaker.pause(now, t, m.Samples)
}

func (d *Device) flush(now time.Time, m wire.Flush) {
	d.flushes++
	d.flushed = max(d.flushed, m.Turn)
	// A flush with cause listen is about the turn before the present period. Any
	// other ends it: it answers an abort, or the utterance's turn has failed.
	if p := d.period; p != nil && m.Cause != wire.CauseListen && p.turn == 0 {
		if m.Turn > p.base {
			d.becomes(d.turn(m.Turn).number)
		} else {
			p.aborted = true
		}
	}
	if m.Cause != wire.CauseListen {
		d.endPeriod(now)
	}
	if !d.cfg.Capabilities.Flush {
		return
	}
	d.speaker.flush(now, m.Turn)
	if d.current != nil && d.current.number <= m.Turn {
		d.current = nil
	}
	for _, t := range d.turns {
		if t.number <= m.Turn && !t.done {
			t.done, t.doneAt, t.interrupted, t.cause, t.flushedAt = true, now, true, m.Cause, now
		}
	}
}

// fail keeps an error message and gives it to the turn that it is about, as far
// as that can be told: the one that is being worked on.
func (d *Device) fail(m wire.Failure) {
	if m.Fatal {
		d.failure = &m
	}
	if len(d.failures) < maxFaults {
		d.failures = append(d.failures, m)
	}
	switch m.Code {
	case wire.CodeASR, wire.CodeGenerate, wire.CodeTTS:
		if n := len(d.turns); n > 0 && !d.turns[n-1].done {
			d.turns[n-1].failure = &m
		} else if d.period != nil {
			d.period.failure = &m
		}
	}
}
