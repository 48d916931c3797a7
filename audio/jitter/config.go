package jitter

import (
	"time"

	"edged/audio"
)

// NoDelay as Config.Delay gives up a hole at once. It is right for transports
// that deliver in order (TCP): what is missing there will not come.
const NoDelay time.Duration = -1

// Config sets up a Buffer. The zero value works.
type Config struct {
	// Rate is the number of timestamp ticks per second; 0 means 48000, the clock
	// of Opus over RTP (RFC 7587 section 4.1).
	Rate audio.SampleRate
	// SeqBits is the width of sequence numbers: 16 as in RTP, or 32, which is
	// also what any other value means.
	SeqBits int
	// Delay is how long packets wait behind a hole, from the arrival of the
	// first one. 0 means 60 ms: three packets of 20 ms, more than Wi-Fi
	// retransmission reorders by. NoDelay (or any negative value) means not at
	// all.
	Delay time.Duration
	// Packets is how many packets are held at most; 0 or less means 32. When it
	// is reached, holes are given up at once; when nobody pops, the oldest
	// packet is dropped for a new one.
	Packets int
	// MaxPayload is the largest payload in bytes; 0 or less means 4000, which no
	// Opus packet exceeds. A packet with a larger one becomes a loss. Memory is
	// bounded by Packets*MaxPayload, and grows to that only if so much is held.
	MaxPayload int
	// MaxJump is how far a timestamp may lie ahead of its predecessor without
	// further evidence; 0 or less means 1 s. Farther ahead, a packet is believed
	// only if that much time has also passed since earlier packets arrived.
	MaxJump time.Duration
	// Confirm is how many consecutive packets must agree with each other before
	// numbers or timestamps that do not continue the stream are believed: the
	// source has restarted. 0 or less means 3.
	Confirm int
}

func (c Config) withDefaults() Config {
	if c.Rate <= 0 {
		c.Rate = audio.Rate48k
	}
	if c.SeqBits != 16 {
		c.SeqBits = 32
	}
	if c.Delay == 0 {
		c.Delay = 60 * time.Millisecond
	}
	c.Delay = max(c.Delay, 0)
	if c.Packets <= 0 {
		c.Packets = 32
	}
	if c.MaxPayload <= 0 {
		c.MaxPayload = 4000
	}
	if c.MaxJump <= 0 {
		c.MaxJump = time.Second
	}
	if c.Confirm <= 0 {
		c.Confirm = 3
	}
	return c
}
