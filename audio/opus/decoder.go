package opus

import (
	"fmt"

	libopus "github.com/hraban/opus"

	"edged/audio"
)

// Decoder turns the packets of one stream into samples. It keeps the state that
// concealment needs, so it must see packets and losses in their order.
type Decoder struct {
	lib      *libopus.Decoder
	rate     audio.SampleRate
	channels int
}

// NewDecoder returns a decoder that delivers samples at rate (8, 12, 16, 24 or
// 48 kHz) with 1 or 2 interleaved channels, whatever the packets were encoded
// with. The error matches ErrConfig.
func NewDecoder(rate audio.SampleRate, channels int) (*Decoder, error) {
	d := &Decoder{rate: rate, channels: channels}
	if err := d.Reset(); err != nil {
		return nil, err
	}
	return d, nil
}

// Reset forgets the stream: the next packet begins a new one. It allocates.
func (d *Decoder) Reset() error {
	lib, err := libopus.NewDecoder(int(d.rate), d.channels)
	if err != nil {
		return fmt.Errorf("%w: decoder at %v with %d channels: %w", ErrConfig, d.rate, d.channels, err)
	}
	d.lib = lib
	return nil
}

// Rate returns the sample rate of the decoded samples.
func (d *Decoder) Rate() audio.SampleRate { return d.rate }

// Channels returns the number of channels of the decoded samples.
func (d *Decoder) Channels() int { return d.channels }

// Decode decodes one packet into dst and returns the samples per channel. dst
// must have room for the packet's duration (120 ms hold any packet), else the
// error matches ErrShortBuffer. A packet that Inspect refuses is refused with the
// same error; random bytes that happen to have the form of a packet decode to
// noise. After an error the decoder goes on as if the packet had not come: the
// caller conceals its duration.
func (d *Decoder) Decode(dst []int16, pkt []byte) (n int, err error) {
	p, err := Inspect(pkt)
	if err != nil {
		return 0, err
	}
	need := d.rate.Samples(p.Duration)
	if len(dst) < need*d.channels {
		return 0, fmt.Errorf("%w: %d samples per channel, the packet has %d", ErrShortBuffer, len(dst)/d.channels, need)
	}
	// The library goes by the capacity of its destination.
	n, err = d.lib.Decode(pkt, dst[:need*d.channels:need*d.channels])
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrInvalidPacket, err)
	}
	return n, nil
}

// DecodeFEC fills dst with the audio that was lost right before the packet next,
// which the caller decodes with Decode afterwards. Its last part, of the
// duration of next, comes from the redundancy in next if the encoder put any
// there (EncoderConfig.FEC); whatever else is missing is concealed. The length of
// dst is the duration of the loss, a multiple of 2.5 ms, else the error matches
// ErrFrameSize.
func (d *Decoder) DecodeFEC(dst []int16, next []byte) error {
	p, err := Inspect(next)
	if err != nil {
		return err
	}
	if err := d.checkLoss(dst); err != nil {
		return err
	}
	redundant := d.rate.Samples(p.Duration) * d.channels
	if len(dst) < redundant {
		// Less is missing than one packet: the redundancy does not fit.
		return d.Conceal(dst)
	}
	if head := dst[:len(dst)-redundant]; len(head) > 0 {
		if err := d.Conceal(head); err != nil {
			return err
		}
	}
	tail := dst[len(dst)-redundant:]
	if err := d.lib.DecodeFEC(next, tail[:redundant:redundant]); err != nil {
		return fmt.Errorf("%w: redundancy: %w", ErrInvalidPacket, err)
	}
	return nil
}

// Conceal fills dst with an extrapolation of what was decoded before (packet
// loss concealment). It fades to silence within a few packets, and is silence
// before the first packet. The length of dst is the duration of the loss, a
// multiple of 2.5 ms, else the error matches ErrFrameSize.
func (d *Decoder) Conceal(dst []int16) error {
	if err := d.checkLoss(dst); err != nil {
		return err
	}
	// libopus works on its stack: it is never asked for more than it would get
	// from one packet.
	most := d.rate.Samples(MaxPtime) * d.channels
	for len(dst) > 0 {
		part := dst[:min(len(dst), most):min(len(dst), most)]
		if err := d.lib.DecodePLC(part); err != nil {
			return fmt.Errorf("%w: concealment: %w", ErrFrameSize, err)
		}
		dst = dst[len(part):]
	}
	return nil
}

// checkLoss refuses lengths that libopus cannot conceal: it works in units of
// 2.5 ms.
func (d *Decoder) checkLoss(dst []int16) error {
	unit := int(d.rate) / 400 * d.channels
	if len(dst) == 0 || len(dst)%unit != 0 {
		return fmt.Errorf("%w: a loss of %d samples per channel at %v is not a multiple of 2.5 ms", ErrFrameSize, len(dst)/d.channels, d.rate)
	}
	return nil
}
