package edge

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"edged/audio"
	"edged/audio/opus"
	"edged/dialog"
	"edged/realtime"
)

// FuzzLeg: whatever a device sends and whatever the session asks for meanwhile, in
// any order, nothing panics, memory stays bounded, every packet is accounted for,
// the microphone is heard in well-formed periods on a time line without holes, and
// nothing of a reply is sent after its flush.
//
// The first byte says what was agreed on, every two after it are something that
// happens; a packet of arbitrary bytes takes its bytes from those that follow.
func FuzzLeg(f *testing.F) {
	formats := []audio.Format{pcm16k20, opus16k60, opus16k20, {Codec: audio.CodecPCM, Rate: 48000, Channels: 1, Ptime: 60 * ms}}
	packets := make([][]byte, len(formats))
	for i, format := range formats {
		if format.Codec == audio.CodecPCM {
			packets[i] = bytesOf(tone(format.Rate, format.Ptime, 440))
		} else {
			packets[i] = opusPackets(f, format, format.Ptime, opus.EncoderConfig{})[0]
		}
	}
	f.Fuzz(func(t *testing.T, program []byte) {
		if len(program) == 0 || len(program) > 600 {
			return
		}
		synctest.Test(t, func(t *testing.T) {
			how := program[0]
			offer := offerOf(formats[how&3], formats[how>>2&3])
			offer.Hello.Capabilities.FullDuplex, offer.Hello.Capabilities.AEC = how&16 != 0, how&32 != 0
			offer.Hello.Capabilities.Hold = how&64 != 0
			if how&128 != 0 {
				offer.Reorder = 60 * ms
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			c := &chaos{rig: newRig(t, offer, Limits{}), format: offer.Up, packet: packets[how&3], flushes: make(map[dialog.Turn]time.Time)}
			c.run(program[1:])
			c.check()
			runtime.ReadMemStats(&after)
			if spent := after.TotalAlloc - before.TotalAlloc; spent > 32<<20+uint64(len(program))*256<<10 {
				t.Errorf("%d bytes of program took %d bytes of memory", len(program), spent)
			}
		})
	})
}

// chaos is a device and a session that do anything.
type chaos struct {
	*rig
	format  audio.Format
	packet  []byte // a good one
	seq, ts uint32
	sent    uint64 // packets handed over
	away    bool   // the session does not listen
	turn    dialog.Turn
	flushes map[dialog.Turn]time.Time
	chunks  []*realtime.MessageChunk
	played  time.Duration // of turn told
	told    dialog.Turn
	broken  error // what ended the connection
}

func (c *chaos) run(program []byte) {
	for len(program) >= 2 && c.broken == nil {
		kind, arg := program[0], program[1]
		program = program[2:]
		if kind%32 == 6 {
			n := min(len(program), int(arg%40))
			c.device(func(in *Inlet) error { return in.Audio(c.next(Packet{Payload: program[:n]})) })
			program = program[n:]
		} else if kind%32 < 16 {
			c.device(func(in *Inlet) error { return c.arrives(in, kind%32, arg) })
		} else {
			c.session(kind%32, arg)
		}
		synctest.Wait()
		c.listen()
	}
}

// device lets the device do something; what it returns ends the connection.
func (c *chaos) device(f func(*Inlet) error) {
	if c.transportGone() {
		c.broken = errCut
		return
	}
	c.do(func(in *Inlet) error {
		c.broken = f(in)
		return c.broken
	})
}

func (c *chaos) transportGone() bool {
	select {
	case <-c.transport.cut:
		return true
	default:
		return false
	}
}

// next numbers a packet that follows the last one.
func (c *chaos) next(p Packet) Packet {
	p.Seq, p.Timestamp = c.seq, c.ts
	c.seq++
	c.ts += uint32(max(c.format.FrameSamples(), int(p.Gap)))
	c.sent++
	return p
}

// arrives is what the device sends.
func (c *chaos) arrives(in *Inlet, kind, arg byte) error {
	switch kind {
	case 0:
		c.ts = 0
		return in.Listen([]dialog.Mode{dialog.ModeAuto, dialog.ModeManual, dialog.ModeRealtime}[arg%3])
	case 1:
		return in.StopListening()
	case 5: // numbers that jump
		c.seq += uint32(int32(int8(arg)))
		c.ts += uint32(int32(int8(arg))) * 997
	case 7:
		return in.Audio(c.next(Packet{Gap: 1 + uint32(arg)*uint32(arg)*44}))
	case 8:
		return in.Audio(c.next(Packet{Begin: arg&1 != 0, End: arg&2 != 0, Void: arg&4 != 0}))
	case 9:
		in.Wake(dialog.Wake{Phrase: "lamp"}, time.Duration(arg)*30*ms)
		return nil
	case 10:
		in.Played(c.turn-dialog.Turn(arg&3), uint32(arg)<<8)
		return nil
	case 11:
		in.Abort(dialog.Abort{Turn: dialog.Turn(arg)})
		return nil
	case 12:
		return in.Ping(uint32(arg))
	case 13:
		return in.Fault(dialog.ErrorMalformed, "bytes that mean nothing")
	case 14:
		in.Skip(DropUnknownFrame)
		return nil
	case 15:
		in.ToolResult(dialog.ToolResult{Call: "c"})
		return nil
	}
	for range 1 + arg%4 {
		if err := in.Audio(c.next(Packet{Payload: c.packet})); err != nil {
			return err
		}
	}
	return nil
}

// session is what the session asks for, and time that passes.
func (c *chaos) session(kind, arg byte) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	turn := c.turn - dialog.Turn(arg>>6) // sometimes an older one
	var err error
	switch kind {
	case 16:
		c.turn++
		err = c.leg.Play(ctx, c.turn, begin())
	case 17:
		err = c.leg.Play(ctx, turn, text("word "))
	case 18, 19:
		err = c.leg.Play(ctx, turn, blob(audio.Rate16k, make([]byte, int(arg&63)*333)))
	case 20:
		err = c.leg.Play(ctx, turn, end())
	case 21:
		if _, err = c.leg.Flush(ctx, turn, dialog.CauseAbort); err == nil {
			c.flushes[turn] = time.Now()
		}
	case 22:
		err = c.leg.Hold(turn, time.Duration(arg)*10*ms)
	case 23:
		err = c.leg.Release(turn)
	case 24:
		c.away = !c.away
	case 25:
		err = c.leg.Send(dialog.SpeechStopped{At: time.Duration(arg) * 10 * ms})
	case 26:
		err = c.leg.Send(dialog.Transcript{Turn: turn, Text: "what"})
	default:
		time.Sleep(time.Duration(arg) * 10 * ms)
	}
	for _, known := range []error{nil, ErrClosed, ErrFlushed, errNoTurn, errEnded, errContent, ErrNoHold, context.DeadlineExceeded} {
		if errors.Is(err, known) {
			return
		}
	}
	c.t.Errorf("the session is told %v", err)
}

// listen takes what the microphone and the connection have to tell.
func (c *chaos) listen() {
	if !c.away {
		c.chunks = append(c.chunks, c.heard()...)
	}
	for _, e := range c.events() {
		p, ok := e.(dialog.Played)
		if !ok {
			continue
		}
		if p.Turn == c.told && p.Offset < c.played {
			c.t.Errorf("turn %d was played up to %v, then up to %v", p.Turn, c.played, p.Offset)
		}
		c.told, c.played = p.Turn, p.Offset
	}
}

// check ends the connection and looks at the whole.
func (c *chaos) check() {
	if err := c.leg.Err(); err != nil && (strings.Contains(err.Error(), "panic") || !errors.Is(err, ErrClosed)) {
		c.t.Errorf("the connection ended with %v", err)
	}
	if told := c.transport.told(); told != nil && told.Code == dialog.ErrorInternal {
		c.t.Errorf("the device is told of a fault of the server: %s", told.Message)
	}
	_ = c.close()
	c.away = false
	c.listen()
	s := c.leg.Stats()
	if s.PacketsIn != c.sent {
		c.t.Errorf("%d packets were sent, %d counted", c.sent, s.PacketsIn)
	}
	j := s.Jitter
	if sum := j.Delivered + j.Late + j.Duplicate + j.Overflow + j.Oversize + j.Implausible + j.Invalid + j.Cleared + uint64(j.Held); j.Received != sum {
		c.t.Errorf("%d packets in the jitter buffer, %d accounted for: %+v", j.Received, sum, j)
	}
	if s.Drops[DropOutsideListening]+j.Received != c.sent && c.broken == nil {
		c.t.Errorf("%d packets were sent, %d dropped outside of listening, %d taken", c.sent, s.Drops[DropOutsideListening], j.Received)
	}
	c.checkMicrophone()
	for _, r := range c.transport.written() {
		if b, ok := r.control.(ReplyBegin); ok {
			for turn, at := range c.flushes {
				if b.Turn <= turn && r.at.After(at) {
					c.t.Errorf("turn %d begins after the flush of turn %d", b.Turn, turn)
				}
			}
		}
	}
}

// checkMicrophone: periods do not overlap, and what is heard in one follows on
// what was heard before it.
func (c *chaos) checkMicrophone() {
	route, at := "", int64(0)
	for _, chunk := range c.chunks {
		if chunk.Ctrl == nil || chunk.Ctrl.Timestamp < at-1 {
			c.t.Fatalf("a chunk at %+v behind %d ms", chunk.Ctrl, at)
		}
		switch {
		case chunk.IsBeginOfStream():
			if route != "" {
				c.t.Fatalf("%s begins while %s is open", chunk.Route(), route)
			}
			route = chunk.Route()
		case chunk.Route() != route:
			c.t.Fatalf("a chunk of %q in %q", chunk.Route(), route)
		case chunk.Ctrl.Timestamp > at+1:
			c.t.Fatalf("a hole from %d to %d ms", at, chunk.Ctrl.Timestamp)
		}
		at = chunk.Ctrl.Timestamp
		switch part := chunk.Part.(type) {
		case *realtime.Blob:
			at += int64(micRate.Duration(len(part.Data)/2) / ms)
		case *realtime.Gap:
			at += int64(part.Duration / ms)
		}
		if chunk.IsEndOfStream() {
			route = ""
		}
	}
}
