package edge

import (
	"time"

	"edged/dialog"
)

// eventRetry is how soon the writer looks again for room in a full event channel.
const eventRetry = 20 * time.Millisecond

// write is the writer: the one goroutine that writes to the transport. Each round
// takes the most urgent thing that may be written now: control, then the next
// item of the reply if its time has come; it sleeps when there is neither.
func (l *Leg) write() {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	clock := keepalive{limits: l.terms.Limits, pinged: l.began}
	for {
		now := time.Now()
		until, over := l.round(now, &clock)
		if over {
			return
		}
		if until.IsZero() {
			continue
		}
		timer.Reset(until.Sub(now))
		select {
		case <-l.wakeup:
		case <-timer.C:
		}
	}
}

// round does one thing, or returns until when there is nothing to do.
func (l *Leg) round(now time.Time, clock *keepalive) (until time.Time, over bool) {
	l.mu.Lock()
	if l.down.urgent.len() > 0 {
		u := l.down.urgent.pop()
		l.mu.Unlock()
		l.writeUrgent(u)
		return time.Time{}, false
	}
	if l.cause != nil {
		farewell := l.farewell
		l.mu.Unlock()
		_ = l.transport.Close(farewell)
		return time.Time{}, true
	}
	step := l.plan(now)
	l.mu.Unlock()
	if step.do != stepSleep {
		l.take(step)
		return time.Time{}, false
	}
	until, ping, dead := clock.next(now, l.began.Add(time.Duration(l.heard.Load())))
	switch {
	case dead:
		l.end(failure(dialog.ErrorTimeout, "nothing arrived from the device for %s", l.terms.IdleTimeout))
		return time.Time{}, false
	case ping:
		l.writeControl(Ping{ID: clock.pings})
		return time.Time{}, false
	}
	if step.until.Before(until) && !step.until.IsZero() {
		until = step.until
	}
	if retry := now.Add(eventRetry); l.events.waiting() && retry.Before(until) {
		until = retry
	}
	return until, false
}

// stepKind is what the writer does next with the reply.
type stepKind uint8

const (
	stepSleep   stepKind = iota
	stepItem             // a begin, a text or an end
	stepFeed             // audio for the next packet
	stepPrepare          // encode the next packet, before it is due
	stepPacket           // write it
	stepFinish           // write the end of the reply
)

// step is what the writer does next with the reply.
type step struct {
	do    stepKind
	until time.Time // stepSleep: when to look again; zero: when woken
	item  item
	due   time.Time // stepPacket: when the packet was due
}

// plan decides what to do with the reply at the time now. It needs mu.
func (l *Leg) plan(now time.Time) step {
	r, d := l.render, &l.down
	if r.turn != 0 && r.turn <= d.epoch {
		r.drop()
	}
	var next item
	if d.items.len() > 0 {
		next = *d.items.at(0)
	}
	switch {
	case r.finished():
		return step{do: stepFinish}
	case next.kind == itemEnd && !r.ending:
		// Taken as early as it can be: the last packet is marked as such.
		return l.takeItem(next)
	case r.full():
		return step{do: stepPrepare}
	case !r.prepared && next.kind == itemAudio:
		return l.takeItem(next)
	case !r.prepared && next.turn == 0:
		return l.starved(now)
	}
	due := l.pacer.Due(now, l.terms.down.Ptime)
	switch {
	case due.After(now):
		return step{until: due}
	case r.prepared:
		return step{do: stepPacket, due: due}
	default:
		// A begin or a text: it goes out with the packet that comes after it.
		return l.takeItem(next)
	}
}

// starved decides what to do when a packet is not full and nothing more has come.
// Shortly before the device has played everything, and when nothing has come for
// as long as a packet lasts, the packet is filled up with silence: the end of a
// word must not wait for the next sentence. It needs mu.
func (l *Leg) starved(now time.Time) step {
	if !l.render.partial() || len(l.current.pads) >= maxPads || l.pacer.Held() {
		return step{}
	}
	ptime := l.terms.down.Ptime
	at := l.pacer.Drained().Add(-ptime / 2)
	if patience := l.render.since.Add(ptime); patience.After(at) {
		at = patience
	}
	if at.After(now) {
		return step{until: at}
	}
	return step{do: stepPrepare}
}

// feedsPerSecond bounds how much audio is resampled at once: 20 ms.
const feedsPerSecond = 50

// takeItem takes the next item, or the next bit of an audio item, off the queue.
// It needs mu.
func (l *Leg) takeItem(next item) step {
	d := &l.down
	if next.kind != itemAudio {
		d.items.pop()
		d.makeRoom()
		l.begin(next)
		return step{do: stepItem, item: next}
	}
	whole := next.duration()
	if most := 2 * int(next.rate) / feedsPerSecond; len(next.data) > most {
		head := d.items.at(0)
		head.data = next.data[most:]
		next.data = next.data[:most]
		d.queued -= whole - head.duration()
	} else {
		d.items.pop()
		d.queued -= whole
	}
	d.makeRoom()
	return step{do: stepFeed, item: next}
}

// begin opens or closes the account of a reply. It needs mu.
func (l *Leg) begin(it item) {
	switch it.kind {
	case itemBegin:
		l.previous = l.current
		l.current = newPlayback(it.turn, l.terms.down.Rate, it.from, l.pacer.Total())
		l.pacer.Begin()
		l.render.begin(it.turn, it.from)
		if l.down.hold.Turn == it.turn {
			l.holdNow(l.down.hold) // there is room: the writer has just written all urgent messages
		}
		l.down.hold = dialog.Position{}
	case itemEnd:
		l.current.total = l.render.consumed()
	}
}

// take carries out a step of the reply.
func (l *Leg) take(s step) {
	switch s.do {
	case stepItem:
		l.writeItem(s.item)
	case stepFeed:
		if err := l.render.feed(s.item); err != nil {
			l.broken("resample", err)
		}
	case stepPrepare:
		if err := l.render.prepare(); err != nil {
			l.broken("encode", err)
		}
	case stepPacket:
		l.writePacket(s.due)
	case stepFinish:
		l.finish()
	}
}

// writeItem writes a begin or a text; an end is only noted until the audio before
// it has been written.
func (l *Leg) writeItem(it item) {
	switch it.kind {
	case itemBegin:
		l.writeReply(it.turn, ReplyBegin{Turn: it.turn, Resumed: it.from > 0})
	case itemText:
		at := dialog.Position{Turn: it.turn, Offset: l.render.position()}
		l.writeReply(it.turn, ReplyText{Position: at, Text: it.text})
	case itemEnd:
		if err := l.render.end(); err != nil {
			l.broken("resample", err)
		}
	}
}

// writePacket writes the prepared packet of the reply.
func (l *Leg) writePacket(due time.Time) {
	r := l.render
	packet, padding := r.take()
	if !l.writeAudio(packet) {
		return
	}
	at, ptime := time.Now(), l.terms.down.Ptime
	if l.echo != nil {
		l.echo.sent(r.turn, r.written-r.frameSamples, r.sound, at)
	}
	l.mu.Lock()
	l.pacer.Written(at, due, r.since, ptime)
	l.counters.packetsOut++
	l.counters.bytesOut += uint64(len(packet.Payload))
	l.current.wrote(at, r.frameSamples, padding)
	l.mu.Unlock()
	l.tellSent()
}

// finish writes the end of the reply, all of whose audio was written. The session
// is told first: a device that has the end may say goodbye before anything else is
// done here, and nothing is told after that.
func (l *Leg) finish() {
	r := l.render
	turn, length := r.turn, r.length()
	if packet, needed := r.boundary(); needed && !l.writeAudio(packet) {
		return
	}
	l.mu.Lock()
	l.current.finish()
	end := dialog.Position{Turn: turn, Offset: l.current.total}
	l.mu.Unlock()
	if l.flushed(turn) {
		return
	}
	l.tellSent()
	l.raise(dialog.Delivered{Position: end})
	if l.writeReply(turn, ReplyEnd{dialog.Position{Turn: turn, Offset: length}}) {
		r.drop()
	}
}

// tellSent reports progress to the session when it is due.
func (l *Leg) tellSent() {
	l.mu.Lock()
	p := &l.current
	due := p.tell(l.terms.down.Ptime)
	sent := dialog.Sent{Position: dialog.Position{Turn: p.turn, Offset: p.sent}, At: p.at}
	l.mu.Unlock()
	if due {
		l.raise(sent)
	}
}

// writeUrgent writes a control message that overtakes the reply.
func (l *Leg) writeUrgent(u urgent) {
	flush, ok := u.control.(Flush)
	if !l.writeControl(u.control) || !ok {
		return
	}
	now := time.Now()
	l.mu.Lock()
	l.counters.flushes.Add(now.Sub(u.flush.began))
	progress := l.progressNow(flush.Turn, now)
	if l.current.turn <= flush.Turn {
		l.pacer.Flush()
	}
	if l.render.turn <= flush.Turn {
		l.render.drop()
	}
	l.mu.Unlock()
	if l.echo != nil {
		l.echo.stopped(flush.Turn, now)
	}
	u.flush.written <- progress
}

// writeReply writes a control message that belongs to the reply of turn, unless
// that was flushed in the meantime.
func (l *Leg) writeReply(turn dialog.Turn, c Control) bool {
	if l.flushed(turn) {
		return false
	}
	return l.writeControl(c)
}

// writeAudio writes a packet of the reply, unless that was flushed in the
// meantime.
func (l *Leg) writeAudio(p Packet) bool {
	if l.flushed(l.render.turn) {
		return false
	}
	l.guard.Reset(l.terms.WriteTimeout)
	err := l.transport.WriteAudio(p)
	l.guard.Stop()
	return l.wrote(err)
}

func (l *Leg) writeControl(c Control) bool {
	l.guard.Reset(l.terms.WriteTimeout)
	err := l.transport.WriteControl(c)
	l.guard.Stop()
	return l.wrote(err)
}

// wrote ends the connection after a failed write.
func (l *Leg) wrote(err error) bool {
	if err != nil {
		l.end(err)
	}
	return err == nil
}

// flushed compares a turn with the epoch.
func (l *Leg) flushed(turn dialog.Turn) bool { return uint32(turn) <= l.epoch.Load() }

// broken ends the connection over a fault of our own on the way of a reply.
func (l *Leg) broken(operation string, err error) {
	l.log.Error().Err(err).Str("operation", operation).Msg("reply audio failed")
	l.end(&Error{Code: dialog.ErrorInternal, Message: "the reply could not be " + operation + "d", Err: err})
}

// keepalive decides when to ask for a sign of life and when to give up.
type keepalive struct {
	limits Limits
	pings  uint32
	pinged time.Time // or when the connection began
}

// next returns when to look again; ping asks to send one now, dead says that the
// device has been silent for too long. heard is when something last arrived. Pings
// are regular: the device takes them as the server's own sign of life.
func (k *keepalive) next(now, heard time.Time) (until time.Time, ping, dead bool) {
	giveUp := heard.Add(k.limits.IdleTimeout)
	ask := k.pinged.Add(k.limits.PingInterval)
	switch {
	case !giveUp.After(now):
		return time.Time{}, false, true
	case !ask.After(now):
		k.pings++
		k.pinged = now
		return time.Time{}, true, false
	case ask.Before(giveUp):
		return ask, false, false
	default:
		return giveUp, false, false
	}
}
