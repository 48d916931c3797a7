package edge

import (
	"fmt"
	"time"

	"edged/dialog"
)

// Inlet is where a Transport puts what arrives from the device. Its methods may be
// called from any goroutine, Audio from one at a time. Control, Audio and Strange
// make a device wait that sends faster than its limits allow, by resting for some
// milliseconds; the others never block. An error ends the connection:
// Transport.Receive returns it.
type Inlet struct{ leg *Leg }

// Alive notes that something arrived. All other methods imply it except Skip and
// Fault, which a transport calls for a message that it has noted already.
func (in *Inlet) Alive() {
	in.leg.heard.Store(int64(time.Since(in.leg.began)))
}

// Control is called for each control message that arrives, whatever its kind,
// before it is looked at. It returns when there is time for it; see
// Limits.ControlPerSecond.
func (in *Inlet) Control() error {
	in.Alive()
	if err := in.leg.intake.message(); err != nil {
		in.leg.end(err) // also where a transport cannot return it
		return err
	}
	return in.leg.keepUp()
}

// Listen begins a listening period.
func (in *Inlet) Listen(mode dialog.Mode) error {
	in.Alive()
	if mode == dialog.ModeRealtime && !in.leg.terms.hello.Capabilities.FullDuplex {
		return in.Fault(dialog.ErrorProtocol, "a realtime listening period needs the capability full_duplex in the hello")
	}
	return in.leg.up.listen(mode)
}

// Wake reports the wake word, of which so much audio is at the beginning of the
// listening period that is open or comes next.
func (in *Inlet) Wake(w dialog.Wake, audio time.Duration) {
	in.Alive()
	in.leg.up.wake(audio)
	in.leg.raise(w)
}

// StopListening ends the listening period behind the audio that came before.
func (in *Inlet) StopListening() error {
	in.Alive()
	return in.leg.up.stop()
}

// Audio takes one packet. The payload is not retained. What is beyond
// Limits.AudioRate is dropped.
func (in *Inlet) Audio(p Packet) error {
	in.Alive()
	return in.metered(in.leg.up.packet(p))
}

// Strange counts a packet of a kind or track that is not known here. It counts
// towards Limits.AudioRate as the shortest packet does.
func (in *Inlet) Strange() error {
	in.Skip(DropUnknownFrame)
	return in.metered(in.leg.intake.packet(time.Now(), 0), nil)
}

// metered rests after a packet that there was no room for.
func (in *Inlet) metered(ok bool, err error) error {
	if ok || err != nil {
		return err
	}
	in.Skip(DropAudioRate)
	return in.leg.intake.dropped()
}

// Played takes the device's count of samples that left its speaker for the reply
// of turn. What is no news, or of a reply that nobody remembers, is counted and
// dropped; more than was sent counts as all that was sent.
func (in *Inlet) Played(turn dialog.Turn, samples uint32) {
	in.Alive()
	l := in.leg
	now := time.Now()
	l.mu.Lock()
	p := &l.current
	if p.turn != turn {
		p = &l.previous
	}
	if p.turn != turn || turn == 0 {
		l.counters.drop(DropStaleAck)
		l.mu.Unlock()
		return
	}
	if int64(samples) > int64(p.samples) {
		l.counters.drop(DropExcessAck)
	}
	if !p.acknowledge(int(min(int64(samples), int64(p.samples)))) {
		l.mu.Unlock()
		return
	}
	played := p.playedSamples
	l.pacer.Acknowledge(now, p.pacing(played))
	event := dialog.Played{Position: dialog.Position{Turn: turn, Offset: p.played}}
	l.mu.Unlock()
	if l.echo != nil {
		l.echo.played(turn, played, now)
	}
	l.raise(event)
}

// Abort asks the session to stop.
func (in *Inlet) Abort(a dialog.Abort) {
	in.Alive()
	in.leg.raise(a)
}

// ToolResult answers a tool call.
func (in *Inlet) ToolResult(r dialog.ToolResult) {
	in.Alive()
	in.leg.raise(r)
}

// Ping is answered with a Pong of the same id.
func (in *Inlet) Ping(id uint32) error {
	in.Alive()
	return in.leg.post(urgent{control: Pong{ID: id}})
}

// Skip counts something that the device sent and that is not used.
func (in *Inlet) Skip(reason DropReason) {
	in.leg.mu.Lock()
	defer in.leg.mu.Unlock()
	in.leg.counters.drop(reason)
}

// Fault reports bad input that the connection survives: it is counted, and told
// to the device and to the session at most once a second for each code. The
// error is not nil when there has been too much of it.
func (in *Inlet) Fault(code dialog.ErrorCode, message string) error {
	return in.leg.fault(code, message, true)
}

// fault counts bad input and tells about it. abuse counts it among those that a
// connection survives only so many of.
func (l *Leg) fault(code dialog.ErrorCode, message string, abuse bool) error {
	now := time.Now()
	l.mu.Lock()
	tell, total := l.counters.fault(code, now, abuse)
	l.mu.Unlock()
	if total > l.terms.MaxFaults {
		return &Error{Code: code, Message: fmt.Sprintf("%s (one of more than %d faults)", message, l.terms.MaxFaults)}
	}
	if !tell {
		return nil
	}
	l.raise(dialog.Fault{Code: code, Message: message})
	return l.post(urgent{control: Event{dialog.Failure{Code: code, Message: message}}})
}
