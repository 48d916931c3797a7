package edgetest

import (
	"context"
	"encoding/json"
	"net"
	"time"

	"edged/audio"
	"edged/firmware-protocol/wire"
	"edged/internal/edgetest/impair"
)

// Config says what device to be and where to connect. Only URL must be set.
type Config struct {
	// URL of the server, ws or wss, with its path (wire.Path).
	URL string
	// Token goes into the Authorization header; empty sends none.
	Token string
	// Device identifies the device; empty means "sim-1".
	Device string
	// Mode of listening; empty means wire.ModeAuto.
	Mode wire.ListenMode
	// Up and Down are the formats to offer; the zero value means Opus at 16 kHz
	// in packets of 60 ms. Channels 0 means 1.
	Up, Down wire.Format
	// Buffer is the capacity of the playback queue; 0 means 2.4 s, 40 packets
	// of 60 ms as in common firmware.
	Buffer time.Duration
	// Monitor keeps what the speaker plays for Device.Listen.
	Monitor bool
	// Capabilities to announce and to have; nil means flush and ack.
	Capabilities *wire.Capabilities
	// Volume of the speaker at the start, 0 to 100; 0 means 50. It is a state
	// that the volume tools show and change; what the device records is taken
	// in front of the amplifier.
	Volume int
	// Tools are offered beside the built-in set_volume and get_volume.
	Tools []Tool
	// Patience is how long to wait for the server: for its hello, for the end
	// of the utterance after the question was spoken, and for the reply. 0 means 30 s
	// (10 s for the hello).
	Patience time.Duration
	// AckInterval is how often played is sent while playing; 0 means 100 ms.
	AckInterval time.Duration
	// Forget keeps no PCM of what was played, for tests with many devices.
	Forget bool
	// Network is what happens to the messages of both directions on their way;
	// the zero value is a perfect network. The device has a small buffer that
	// puts frames into order again if the network reorders them.
	Network impair.Network
	// Clock drives the microphone and the speaker; 0 is right.
	Clock impair.Clock
	// Echo is what the microphone hears of the speaker; nil is nothing.
	Echo *impair.Echo
	// Cut cuts the connection at one message; the zero value never does. Return
	// forgets it.
	Cut Cut
	// Comebacks is how often in a row a Caller connects again after it lost the
	// connection; 0 never does.
	Comebacks int
	// OnEvent is called by the reader goroutine for every message received,
	// and, by whoever sends it, for every message sent. It must not block and
	// not call the Device. nil means nobody listens.
	OnEvent func(Event)
	// past is the device before it lost its connection; set by Return.
	past *Device
	// Dial opens the connection instead of a socket, for example Pipe.Dial; nil
	// means net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Tool is a function of the device.
type Tool struct {
	wire.Tool
	// Call runs the tool with a JSON object (or nil). An error becomes the
	// error of the tool result. It must return when ctx is done.
	Call func(ctx context.Context, arguments json.RawMessage) (content string, err error)
}

// Defaults of Config.
const (
	defaultBuffer      = 2400 * time.Millisecond
	defaultVolume      = 50
	defaultPatience    = 30 * time.Second
	helloPatience      = 10 * time.Second
	defaultAckInterval = 100 * time.Millisecond
)

func (cfg Config) withDefaults() Config {
	if cfg.Device == "" {
		cfg.Device = "sim-1"
	}
	if cfg.Mode == "" {
		cfg.Mode = wire.ModeAuto
	}
	cfg.Up, cfg.Down = completeFormat(cfg.Up), completeFormat(cfg.Down)
	if cfg.Buffer == 0 {
		cfg.Buffer = defaultBuffer
	}
	if cfg.Capabilities == nil {
		cfg.Capabilities = &wire.Capabilities{Flush: true, Ack: true}
	}
	if cfg.Volume == 0 {
		cfg.Volume = defaultVolume
	}
	if cfg.Patience == 0 {
		cfg.Patience = defaultPatience
	}
	if cfg.AckInterval == 0 {
		cfg.AckInterval = defaultAckInterval
	}
	return cfg
}

func completeFormat(f wire.Format) wire.Format {
	if f == (wire.Format{}) {
		return wire.Format{Codec: wire.CodecOpus, SampleRate: 16000, Channels: 1, FrameMS: 60}
	}
	if f.Channels == 0 {
		f.Channels = 1
	}
	return f
}

func rateOf(f wire.Format) audio.SampleRate { return audio.SampleRate(f.SampleRate) }

func ptimeOf(f wire.Format) time.Duration { return time.Duration(f.FrameMS) * time.Millisecond }

// MicrophoneRate returns the rate of the samples that a device captures.
func (cfg Config) MicrophoneRate() audio.SampleRate { return rateOf(completeFormat(cfg.Up)) }

// SpeakerRate returns the rate of the samples that a device plays.
func (cfg Config) SpeakerRate() audio.SampleRate { return rateOf(completeFormat(cfg.Down)) }
