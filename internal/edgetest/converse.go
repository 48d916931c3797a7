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
// stops at an abort, a wake word or a new listening period as the protocol says,
// and returns when the device says bye. In wire.ModeRealtime speech over a reply
// holds it, where the device can, and stops it once 200 ms are spoken; shorter
// sounds release it.
//
// A device that comes back (Server.Resume must say so, with Answering) gets the
// rest of the reply that was going on; one connection at a time.
func Converse(lines ...Line) func(context.Context, *Peer) {
	former := make(chan *conversation, 1) // where the newest connection left it
	return func(ctx context.Context, p *Peer) {
		c := &conversation{lines: lines}
		if p.Resumed != nil {
			select {
			case c = <-former:
			case <-ctx.Done():
				return
			}
		}
		defer func() {
			select {
			case <-former:
			default:
			}
			select {
			case former <- c:
			default:
			}
		}()
		c.peer, c.timer, c.listening, c.thinking, c.frames = p, time.NewTimer(time.Hour), false, false, nil
		c.timer.Stop()
		defer c.timer.Stop()
		if r := p.Resumed; r != nil && r.Answering && p.Hello.Resume.Turn == c.turn {
			if c.goOn(ctx, p.Hello.Resume.Samples) != nil {
				return
			}
		}
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
	first    bool   // the next frame is the first one
	position int    // samples sent
	line     Line   // being said
	result   string // of its tool

	voiced time.Duration // speech over the reply
	held   time.Time     // since when it is held
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
		if m.Mode != wire.ModeRealtime {
			if err := c.stop(ctx, wire.CauseListen, false); err != nil {
				return err
			}
		}
		c.listening, c.mode, c.spoke, c.heard = true, m.Mode, 0, 0
	case wire.Wake:
		return c.stop(ctx, wire.CauseWake, false)
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
	loud := len(in.PCM) > 0 && pcm.Level(in.PCM) > fakeSpeechDB
	if c.mode == wire.ModeRealtime && c.speaking() {
		return c.overlap(ctx, loud, ptime)
	}
	if loud {
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
	c.listening = c.mode == wire.ModeRealtime
	if c.spoke == 0 {
		c.turn++
	}
	defer func() { c.spoke = 0 }()
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
	c.line, c.result = c.lines[0], result
	c.lines = c.lines[1:]
	return c.begin(ctx, 0)
}

// goOn continues the reply after a comeback: from the whole millisecond before what
// was heard.
func (c *conversation) goOn(ctx context.Context, samples uint32) error {
	perMS := c.peer.Hello.Audio.Down.SampleRate / 1000
	return c.begin(ctx, int(samples/perMS*perMS))
}

// begin says the line from a sample on.
func (c *conversation) begin(ctx context.Context, from int) error {
	down := c.peer.Hello.Audio.Down
	size := down.Samples()
	var all []int16
	texts := map[int][]wire.ReplyText{}
	for i, s := range c.line.Pieces {
		if i == 0 {
			s.Text = c.result + s.Text
		}
		frame := max(0, len(all)-from) / size
		if len(all)+len(s.PCM) <= from && len(s.PCM) > 0 {
			all = append(all, s.PCM...)
			continue // heard
		}
		texts[frame] = append(texts[frame], wire.ReplyText{Turn: c.turn, Text: s.Text, AtMS: uint32(len(all) * 1000 / int(down.SampleRate))})
		all = append(all, s.PCM...)
	}
	c.frames, c.position, c.voiced, c.held = nil, from, 0, time.Time{}
	all = all[min(from, len(all)):]
	for i := 0; i*size < len(all); i++ {
		packet := make([]int16, size)
		copy(packet, all[i*size:])
		c.frames = append(c.frames, outFrame{texts: texts[i], pcm: packet})
	}
	if err := c.peer.Say(ctx, wire.ReplyBegin{Turn: c.turn, Resumed: from > 0}); err != nil {
		return err
	}
	c.began, c.first = time.Now().Add(-rateOf(down).Duration(from)), true
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
	if c.first {
		head.Flags |= wire.FlagBOS
		c.first = false
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
	c.frames, c.thinking, c.listening = nil, false, c.listening && c.mode == wire.ModeRealtime
	c.began, c.position, c.held, c.voiced = time.Time{}, 0, time.Time{}, 0
	c.timer.Stop()
	return c.peer.Say(ctx, wire.Flush{Turn: c.turn, Cause: cause})
}
