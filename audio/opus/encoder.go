package opus

import (
	"fmt"

	libopus "github.com/hraban/opus"

	"edged/audio"
)

// Application says what the encoder is tuned for.
type Application string

const (
	// VoIP favours the intelligibility of speech. It is the default.
	VoIP Application = "voip"
	// Audio favours fidelity: music and effects.
	Audio Application = "audio"
	// LowDelay gives up the speech modes, and in-band FEC with them, for a
	// shorter algorithmic delay.
	LowDelay Application = "lowdelay"
)

// Defaults and bounds of EncoderConfig.
const (
	// DefaultBitrate is transparent enough for wideband speech.
	DefaultBitrate = 24000
	// DefaultComplexity costs a third of the maximum and is hard to tell from
	// it at speech bitrates.
	DefaultComplexity = 5
	maxComplexity     = 10
	// The bounds of the bitrate are those of RFC 6716 section 2.1.1.
	minBitrate = 6000
	maxBitrate = 510000
)

// EncoderConfig is what an Encoder is made with. Only Rate must be set.
type EncoderConfig struct {
	// Rate is the rate of the samples: 8, 12, 16, 24 or 48 kHz.
	Rate audio.SampleRate
	// Channels is 1 or 2; 0 means 1.
	Channels int
	// Bitrate is the mean bit rate in bit/s, 6000 to 510000; 0 means
	// DefaultBitrate.
	Bitrate int
	// Complexity is the effort, 0 (least) to 10; nil means DefaultComplexity.
	Complexity *int
	// DTX lets the encoder shrink packets to one or two bytes in silence; those
	// need not be sent.
	DTX bool
	// FEC adds redundancy to each packet from which its predecessor can be
	// recovered, at a part of the bit rate that grows with ExpectedLoss. It has
	// an effect only when ExpectedLoss is above 0, in the speech modes, and when
	// the bit rate affords it: for 10% loss at 16 or 24 kHz libopus 1.3.1 wants
	// about 20 kbit/s at Complexity 5 and 26 at 0, and leaves it out below.
	FEC bool
	// ExpectedLoss is the packet loss that the encoder prepares for, in percent,
	// 0 to 100.
	ExpectedLoss int
	// Application is what the encoder is tuned for; empty means VoIP.
	Application Application
}

// Encoder turns the samples of one stream into packets.
type Encoder struct {
	lib      *libopus.Encoder
	rate     audio.SampleRate
	channels int
}

// NewEncoder returns an encoder. The error matches ErrConfig.
func NewEncoder(cfg EncoderConfig) (*Encoder, error) {
	cfg = cfg.withDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	application := map[Application]libopus.Application{
		VoIP: libopus.AppVoIP, Audio: libopus.AppAudio, LowDelay: libopus.AppRestrictedLowdelay,
	}[cfg.Application]
	lib, err := libopus.NewEncoder(int(cfg.Rate), cfg.Channels, application)
	if err != nil {
		return nil, fmt.Errorf("%w: encoder at %v with %d channels: %w", ErrConfig, cfg.Rate, cfg.Channels, err)
	}
	e := &Encoder{lib: lib, rate: cfg.Rate, channels: cfg.Channels}
	for _, set := range []func() error{
		func() error { return e.SetBitrate(cfg.Bitrate) },
		func() error { return e.SetComplexity(*cfg.Complexity) },
		func() error { return e.SetExpectedLoss(cfg.ExpectedLoss) },
		func() error { return lib.SetDTX(cfg.DTX) },
		func() error { return lib.SetInBandFEC(cfg.FEC) },
	} {
		if err := set(); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrConfig, err)
		}
	}
	return e, nil
}

func (cfg EncoderConfig) withDefaults() EncoderConfig {
	if cfg.Channels == 0 {
		cfg.Channels = 1
	}
	if cfg.Bitrate == 0 {
		cfg.Bitrate = DefaultBitrate
	}
	if cfg.Complexity == nil {
		cfg.Complexity = new(DefaultComplexity)
	}
	if cfg.Application == "" {
		cfg.Application = VoIP
	}
	return cfg
}

// check covers what the library accepts silently or reports without saying which
// value it was.
func (cfg EncoderConfig) check() error {
	switch cfg.Application {
	case VoIP, Audio, LowDelay:
	default:
		return fmt.Errorf("%w: application %q, use voip, audio or lowdelay", ErrConfig, string(cfg.Application))
	}
	return nil
}

// Encode encodes one frame of interleaved samples into dst and returns the bytes
// written. pcm must last 2.5, 5, 10, 20, 40, 60, 80, 100 or 120 ms, else the
// error matches ErrFrameSize; MaxPacket bytes hold any result, and a dst too
// short for even a coarse encoding yields ErrShortBuffer. With DTX a result of 2
// bytes or less stands for silence and need not be sent.
func (e *Encoder) Encode(dst []byte, pcm []int16) (n int, err error) {
	if !e.encodes(len(pcm)) {
		return 0, fmt.Errorf("%w: %d samples per channel at %v, use 2.5, 5, 10, 20, 40, 60, 80, 100 or 120 ms", ErrFrameSize, len(pcm)/e.channels, e.rate)
	}
	if len(dst) == 0 {
		return 0, ErrShortBuffer
	}
	// The library goes by the capacity of its destination.
	n, err = e.lib.Encode(pcm, dst[:len(dst):len(dst)])
	if err != nil {
		return 0, fmt.Errorf("%w: %d bytes: %w", ErrShortBuffer, len(dst), err)
	}
	return n, nil
}

// encodes reports whether so many interleaved samples are one frame.
func (e *Encoder) encodes(samples int) bool {
	if samples%e.channels != 0 {
		return false
	}
	// In units of 2.5 ms.
	unit := int(e.rate) / 400
	if samples /= e.channels; samples%unit != 0 {
		return false
	}
	switch samples / unit {
	case 1, 2, 4, 8, 16, 24, 32, 40, 48:
		return true
	}
	return false
}

// SetBitrate changes the mean bit rate from the next frame on, in bit/s. The
// error matches ErrConfig.
func (e *Encoder) SetBitrate(bitsPerSecond int) error {
	if bitsPerSecond < minBitrate || bitsPerSecond > maxBitrate {
		return fmt.Errorf("%w: bitrate %d, use %d to %d bit/s", ErrConfig, bitsPerSecond, minBitrate, maxBitrate)
	}
	return e.lib.SetBitrate(bitsPerSecond)
}

// SetComplexity changes the effort from the next frame on, 0 to 10. The error
// matches ErrConfig.
func (e *Encoder) SetComplexity(complexity int) error {
	if complexity < 0 || complexity > maxComplexity {
		return fmt.Errorf("%w: complexity %d, use 0 to %d", ErrConfig, complexity, maxComplexity)
	}
	return e.lib.SetComplexity(complexity)
}

// SetExpectedLoss changes the loss in percent that FEC prepares for. The error
// matches ErrConfig.
func (e *Encoder) SetExpectedLoss(percent int) error {
	if percent < 0 || percent > 100 {
		return fmt.Errorf("%w: expected loss %d, use 0 to 100 percent", ErrConfig, percent)
	}
	return e.lib.SetPacketLossPerc(percent)
}

// Reset forgets the stream, keeping the settings: the next frame begins a new
// one.
func (e *Encoder) Reset() error { return e.lib.Reset() }
