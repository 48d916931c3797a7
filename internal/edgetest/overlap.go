package edgetest

import (
	"context"
	"time"

	"edged/firmware-protocol/wire"
)

// fakeMeant is how much speech over a reply the fake server takes for an
// interruption.
const fakeMeant = 200 * time.Millisecond

// speaking reports whether the reply is still being heard.
func (c *conversation) speaking() bool {
	if len(c.frames) > 0 || !c.held.IsZero() {
		return true
	}
	return !c.began.IsZero() && time.Now().Before(c.began.Add(rateOf(c.peer.Hello.Audio.Down).Duration(c.position)))
}

// overlap hears a packet of the microphone while the reply plays.
func (c *conversation) overlap(ctx context.Context, loud bool, ptime time.Duration) error {
	if !loud {
		c.voiced = 0
		return c.release(ctx)
	}
	c.voiced += ptime
	if c.voiced < fakeMeant {
		return c.hold(ctx)
	}
	spoke := c.heard - c.voiced
	if err := c.stop(ctx, wire.CauseSpeech, false); err != nil {
		return err
	}
	if err := c.peer.Say(ctx, wire.Speech{State: wire.SpeechStarted, AtMS: uint32(spoke / time.Millisecond)}); err != nil {
		return err
	}
	c.turn++
	c.spoke = c.heard
	return c.peer.Say(ctx, wire.Transcript{Turn: c.turn, Text: "..."})
}

// hold pauses the reply where the device plays now.
func (c *conversation) hold(ctx context.Context) error {
	if !c.held.IsZero() || !c.peer.Hello.Capabilities.Hold {
		return nil
	}
	c.held = time.Now()
	c.timer.Stop()
	rate := rateOf(c.peer.Hello.Audio.Down)
	at := min(rate.Samples(c.held.Sub(c.began)), c.position)
	return c.peer.Say(ctx, wire.Hold{Turn: c.turn, Samples: uint32(at)})
}

// release goes on where the reply was held.
func (c *conversation) release(ctx context.Context) error {
	if c.held.IsZero() {
		return nil
	}
	c.began, c.held = c.began.Add(time.Since(c.held)), time.Time{}
	if len(c.frames) > 0 {
		c.timer.Reset(0)
	}
	return c.peer.Say(ctx, wire.Release{Turn: c.turn})
}
