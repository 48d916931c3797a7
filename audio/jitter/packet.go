package jitter

import (
	"time"
)

// Packet is what the transport received.
type Packet struct {
	// Seq is the sequence number as it stands on the wire, counted for every
	// packet of the track and wrapping after Config.SeqBits.
	Seq uint32
	// Timestamp is the media time of the first sample as it stands on the wire,
	// in ticks of Config.Rate, wrapping after 32 bits.
	Timestamp uint32
	// Duration is the audio time of the packet. With 0 and without a payload the
	// packet is a mark: it takes its place in the order (the end of a route, a
	// frame of a kind that is skipped) and lasts no time.
	Duration time.Duration
	// Gap: the packet stands for Duration of audio that does not exist. The
	// sender said so, or its payload was unusable. It has no payload.
	Gap bool
	// Tag comes out with the packet unchanged.
	Tag uint32
	// Payload is copied by Push and free for reuse afterwards.
	Payload []byte
}

// Bounds of Packet.Duration: no codec packs more than a second, and no sender has
// a reason to state a gap of more than ten minutes at once.
const (
	maxMedia = time.Second
	maxGap   = 10 * time.Minute
)

// sound reports whether the fields fit together.
func (p *Packet) sound() bool {
	switch {
	case p.Gap:
		return len(p.Payload) == 0 && p.Duration > 0 && p.Duration <= maxGap
	case p.Duration == 0:
		return len(p.Payload) == 0
	default:
		return len(p.Payload) > 0 && p.Duration > 0 && p.Duration <= maxMedia
	}
}

// Kind says what an Item stands for.
type Kind string

const (
	// Media is a packet with its payload.
	Media Kind = "media"
	// Mark is a packet without duration.
	Mark Kind = "mark"
	// Gap is audio that the sender itself declared missing.
	Gap Kind = "gap"
	// Lost is audio whose packets did not arrive in time, or were dropped here.
	Lost Kind = "lost"
	// Silence is time in which the sender sent nothing and no packet is missing:
	// discontinuous transmission.
	Silence Kind = "silence"
)

// Item is the next piece of the track.
type Item struct {
	Kind Kind
	// Timestamp is the media time of the first sample since the first packet
	// after New or Reset. Items are contiguous: each begins where the one before
	// it ended, also when the source restarted with other timestamps.
	Timestamp time.Duration
	// Duration is how long the item lasts. For Lost, Gap and Silence it is
	// bounded only by what was missing; it may be hours after a pause.
	Duration time.Duration
	// Payload of Media is valid until the next Push or Reset.
	Payload []byte
	// Tag and Seq are those of the packet (Media, Mark and Gap).
	Tag uint32
	Seq uint32
	// Packets is the number of packets that a Lost item stands for.
	Packets int
	// Restart: the source began anew with this packet; what the decoder knows
	// of the past is of no use.
	Restart bool
}
