package edgetest

import (
	"context"
	"time"

	"edged/audio/pcm"
	"edged/firmware-protocol/wire"
)

const (
	// fakeLead is how far ahead of real time the fake server sends.
	fakeLead = 240 * time.Millisecond
	// fakeSilence ends an utterance, fakeSpeechDB is what counts as speech.
	fakeSilence  = 400 * time.Millisecond
	fakeSpeechDB = -45
)

// Line is one turn of a Converse script.
type Line struct {
	// Transcript is what was "understood".
	Transcript string
	// Pieces are the reply, each with its sound at the rate of the device's down
	// format.
	Pieces []Sound
	// Fail makes the turn fail with this code instead of being answered.
	Fail wire.ErrorCode
	// Think is how long the reply takes to begin.
	Think time.Duration
	// Tool is called before the reply; its result becomes the first piece's
	// text.
	Tool *wire.ToolCall
}

// Sound is a piece of a reply.
type Sound struct {
	Text string
	PCM  []int16
}

// Converse returns a script that answers one utterance with each line, paced,
// stops at an abort or a new listening period as the protocol says, and returns
// when the device says bye.
func Converse(lines ...Line) func(context.Context, *Peer) {
	return func(ctx context.Context, p *Peer) {
		c := conversation{peer: p, lines: lines, timer: time.NewTimer(time.Hour)}
		c.timer.Stop()
		defer c.timer.Stop()
		for {
			select {
			case in, ok := <-p.inbox:
				if !ok || c.hear(ctx, in) != nil {
					return
				}
			case <-c.timer.C:
				if c.proceed(ctx) != nil {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

// conversation is one goroutine's state: either it listens, or it speaks.
type conversation struct {
	peer  *Peer
	lines []Line
	timer *time.Timer // the next packet of the reply is due

	listening bool
	mode      wire.ListenMode
	spoke     time.Duration // media time behind the last speech, 0 before any
	heard     time.Duration // media time of the period

	turn     uint32
	thinking bool       // the timer begins the reply
	frames   []outFrame // left of the reply
	began    time.Time
	position int // samples sent
}

// outFrame is a packet of the reply, with the texts that begin in it.
type outFrame struct {
	texts []wire.ReplyText
	pcm   []int16
}

func (c *conversation) hear(ctx context.Context, in Inbound) error {
	switch m := in.Message.(type) {
	case nil:
		return c.listen(ctx, in)
	case wire.Listen:
		if m.State == wire.ListenStop {
			return c.answer(ctx)
		}
		if err := c.stop(ctx, wire.CauseListen, false); err != nil {
			return err
		}
		c.listening, c.mode, c.spoke, c.heard = true, m.Mode, 0, 0
	case wire.Abort:
		return c.stop(ctx, wire.CauseAbort, true)
	case wire.ToolResult:
		return c.reply(ctx, m.Content+m.Error)
	case wire.Ping:
		return c.peer.Say(ctx, wire.Pong(m))
	case wire.Bye:
		return context.Canceled
	}
	return nil
}

// listen is an endpointer by level.
func (c *conversation) listen(ctx context.Context, in Inbound) error {
	if !c.listening {
		return nil
	}
	ptime := ptimeOf(c.peer.Hello.Audio.Up)
	c.heard += ptime
	if len(in.PCM) > 0 && pcm.Level(in.PCM) > fakeSpeechDB {
		if c.spoke == 0 {
			at := uint32((c.heard - ptime) / time.Millisecond)
			if err := c.peer.Say(ctx, wire.Speech{State: wire.SpeechStarted, AtMS: at}); err != nil {
				return err
			}
			c.turn++
			if err := c.peer.Say(ctx, wire.Transcript{Turn: c.turn, Text: "..."}); err != nil {
				return err
			}
		}
		c.spoke = c.heard
	}
	if c.mode == wire.ModeManual || c.spoke == 0 || c.heard-c.spoke < fakeSilence {
		return nil
	}
	return c.answer(ctx)
}

// answer ends the utterance.
func (c *conversation) answer(ctx context.Context) error {
	if !c.listening || len(c.lines) == 0 {
		return nil
	}
	c.listening = false
	if c.spoke == 0 {
		c.turn++
	}
	if err := c.peer.Say(ctx, wire.Speech{State: wire.SpeechStopped, AtMS: uint32(c.spoke / time.Millisecond)}); err != nil {
		return err
	}
	line := c.lines[0]
	if line.Fail != "" {
		c.lines = c.lines[1:]
		if err := c.peer.Say(ctx, wire.Failure{Code: line.Fail, Message: "as scripted"}); err != nil {
			return err
		}
		return c.peer.Say(ctx, wire.Flush{Turn: c.turn, Cause: wire.CauseError})
	}
	if err := c.peer.Say(ctx, wire.Transcript{Turn: c.turn, Text: line.Transcript, Final: true}); err != nil {
		return err
	}
	if line.Tool != nil {
		return c.peer.Say(ctx, *line.Tool)
	}
	c.thinking = true
	c.timer.Reset(line.Think)
	return nil
}

// proceed is what is due when the timer fires.
func (c *conversation) proceed(ctx context.Context) error {
	if c.thinking {
		c.thinking = false
		return c.reply(ctx, "")
	}
	return c.speak(ctx)
}

// reply begins the reply of the next line; result is that of its tool.
func (c *conversation) reply(ctx context.Context, result string) error {
	line := c.lines[0]
	c.lines = c.lines[1:]
	down := c.peer.Hello.Audio.Down
	size := down.Samples()
	var all []int16
	texts := map[int][]wire.ReplyText{}
	for i, s := range line.Pieces {
		if i == 0 {
			s.Text = result + s.Text
		}
		frame := len(all) / size
		texts[frame] = append(texts[frame], wire.ReplyText{Turn: c.turn, Text: s.Text, AtMS: uint32(len(all) * 1000 / int(down.SampleRate))})
		all = append(all, s.PCM...)
	}
	c.frames, c.position = nil, 0
	for i := 0; i*size < len(all); i++ {
		packet := make([]int16, size)
		copy(packet, all[i*size:])
		c.frames = append(c.frames, outFrame{texts: texts[i], pcm: packet})
	}
	if err := c.peer.Say(ctx, wire.ReplyBegin{Turn: c.turn}); err != nil {
		return err
	}
	c.began = time.Now()
	c.timer.Reset(0)
	return nil
}

// speak sends the next packet and sets the time of the one after it.
func (c *conversation) speak(ctx context.Context) error {
	down := c.peer.Hello.Audio.Down
	if len(c.frames) == 0 {
		return nil
	}
	f := c.frames[0]
	c.frames = c.frames[1:]
	for _, text := range f.texts {
		if err := c.peer.Say(ctx, text); err != nil {
			return err
		}
	}
	head := wire.Frame{Timestamp: uint32(c.position)}
	if c.position == 0 {
		head.Flags |= wire.FlagBOS
	}
	if len(c.frames) == 0 {
		head.Flags |= wire.FlagEOS
	}
	if err := c.peer.Frame(ctx, head, f.pcm); err != nil {
		return err
	}
	c.position += len(f.pcm)
	if len(c.frames) == 0 {
		return c.finish(ctx)
	}
	// The packet may go once it does not lead by more than fakeLead.
	ahead := rateOf(down).Duration(c.position) + ptimeOf(down) - fakeLead
	c.timer.Reset(time.Until(c.began.Add(ahead)))
	return nil
}

// finish ends the reply.
func (c *conversation) finish(ctx context.Context) error {
	down := c.peer.Hello.Audio.Down
	ms := func(d time.Duration) *uint32 { n := uint32(d / time.Millisecond); return &n }
	timing := wire.Timing{Turn: c.turn, Endpoint: ms(fakeSilence), ASRFinal: ms(fakeSilence), FirstToken: ms(fakeSilence), FirstAudio: ms(fakeSilence), FirstPacket: ms(fakeSilence)}
	if err := c.peer.Say(ctx, timing); err != nil {
		return err
	}
	return c.peer.Say(ctx, wire.ReplyEnd{Turn: c.turn, DurationMS: uint32(c.position * 1000 / int(down.SampleRate))})
}

// stop flushes the reply that is going on. always answers even if there is none.
func (c *conversation) stop(ctx context.Context, cause wire.Cause, always bool) error {
	if len(c.frames) == 0 && !c.thinking && !always {
		return nil
	}
	if c.thinking {
		c.lines = c.lines[1:]
	}
	c.frames, c.thinking, c.listening = nil, false, false
	c.timer.Stop()
	return c.peer.Say(ctx, wire.Flush{Turn: c.turn, Cause: cause})
}
