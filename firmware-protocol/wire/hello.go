package wire

import (
	"encoding/json"
	"fmt"
)

// Codec names what the payload of an audio frame is.
type Codec string

const (
	// CodecOpus: one Opus packet (RFC 6716), bare, not in an Ogg page.
	CodecOpus Codec = "opus"
	// CodecPCM: signed 16-bit little-endian samples.
	CodecPCM Codec = "pcm"
)

// Format is the audio format of one direction.
type Format struct {
	Codec Codec `json:"codec"`
	// SampleRate in Hz: 8000, 12000, 16000, 24000 or 48000, the rates of Opus,
	// also for PCM.
	SampleRate uint32 `json:"sample_rate"`
	// Channels is 1 in this version.
	Channels uint32 `json:"channels"`
	// FrameMS is the duration of every frame, its ptime: 20, 40 or 60 ms.
	FrameMS uint32 `json:"frame_ms"`
}

// Samples returns the samples per channel of one frame.
func (f Format) Samples() int { return int(f.SampleRate) / 1000 * int(f.FrameMS) }

func (f Format) check(c *checker, field string) {
	oneOf(c, field+".codec", f.Codec, CodecOpus, CodecPCM)
	oneOf(c, field+".sample_rate", f.SampleRate, 8000, 12000, 16000, 24000, 48000)
	oneOf(c, field+".channels", f.Channels, 1)
	oneOf(c, field+".frame_ms", f.FrameMS, 20, 40, 60)
}

func decodeFormat(f *Format) func(*object) {
	return func(o *object) {
		o.require("codec", "sample_rate", "frame_ms")
		*f = Format{
			Codec: Codec(o.str("codec")), SampleRate: o.count("sample_rate"),
			Channels: 1, FrameMS: o.count("frame_ms"),
		}
		if o.has("channels") {
			f.Channels = o.count("channels")
		}
	}
}

// Audio is the formats of both directions.
type Audio struct {
	// Up is what the device sends, Down what it plays.
	Up   Format `json:"up"`
	Down Format `json:"down"`
}

func (a Audio) check(c *checker) {
	a.Up.check(c, "audio.up")
	a.Down.check(c, "audio.down")
}

func decodeAudio(a *Audio) func(*object) {
	return func(o *object) {
		o.require("up", "down")
		o.object("up", decodeFormat(&a.Up))
		o.object("down", decodeFormat(&a.Down))
	}
}

// Capabilities is what a device can do; absent members are false.
type Capabilities struct {
	// FullDuplex: the microphone can stay open while a reply plays.
	FullDuplex bool `json:"full_duplex,omitempty"`
	// AEC: the device removes its own sound from its microphone signal.
	AEC bool `json:"aec,omitempty"`
	// Flush: the device discards queued reply audio on flush.
	Flush bool `json:"flush,omitempty"`
	// Ack: the device sends played.
	Ack bool `json:"ack,omitempty"`
	// Hold: the device honours hold and release.
	Hold bool `json:"hold,omitempty"`
}

// Resume asks to go on with a session whose connection was lost.
type Resume struct {
	// Session is the identifier from the server's hello.
	Session string `json:"session"`
	// Turn is the reply that the device held, 0 for none, and Samples how much
	// of it has left the speaker, as in Played.
	Turn    uint32 `json:"turn,omitempty"`
	Samples uint32 `json:"samples,omitempty"`
}

// Resumed says that the session goes on.
type Resumed struct {
	// Turn is the newest turn of the session, 0 for none.
	Turn uint32 `json:"turn"`
	// Answering: that turn is being answered; its reply, or the rest of it,
	// follows. Otherwise nothing is going on.
	Answering bool `json:"answering"`
}

// Tool is a function of the device that a model may call.
type Tool struct {
	// Name has letters, digits, _ and -.
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// Parameters is the JSON Schema of the arguments object; nil means that the
	// tool takes none.
	Parameters json.RawMessage `json:"parameters,omitempty"`
}

// DeviceHello is the first message of a device.
type DeviceHello struct {
	// Protocol is the constant Protocol; a server answers another value with
	// CodeVersion, so decoding does not judge it.
	Protocol string `json:"protocol"`
	// Device identifies the device. A server that knows the identity from the
	// token refuses a different one.
	Device string `json:"device"`
	// Token is the last of three ways to present it: the Authorization header,
	// then the query, come first.
	Token string `json:"token,omitempty"`
	// Model and Firmware describe the device to people.
	Model    string `json:"model,omitempty"`
	Firmware string `json:"firmware,omitempty"`
	Audio    Audio  `json:"audio"`
	// BufferMS is how much reply audio the device can queue, in milliseconds. 0
	// means unknown.
	BufferMS     uint32       `json:"buffer_ms,omitempty"`
	Capabilities Capabilities `json:"capabilities,omitzero"`
	Tools        []Tool       `json:"tools,omitempty"`
	// Resume asks to go on with a session; nil begins a new one.
	Resume *Resume `json:"resume,omitempty"`
}

// Kind returns KindHello.
func (DeviceHello) Kind() Kind { return KindHello }

func (m DeviceHello) check(c *checker) {
	c.ident("protocol", m.Protocol)
	c.ident("device", m.Device)
	c.text("token", m.Token, MaxToken)
	c.text("model", m.Model, MaxLabel)
	c.text("firmware", m.Firmware, MaxLabel)
	m.Audio.check(c)
	if m.BufferMS > MaxBuffer {
		c.fail(fault(ErrTooLarge, -1, "buffer_ms", "%d, at most %d", m.BufferMS, MaxBuffer))
	}
	if len(m.Tools) > MaxTools {
		c.fail(fault(ErrTooLarge, -1, "tools", "%d tools, at most %d", len(m.Tools), MaxTools))
	}
	if m.Resume != nil {
		c.ident("resume.session", m.Resume.Session)
	}
	seen := make(map[string]bool, len(m.Tools))
	for i, t := range m.Tools {
		field := fmt.Sprintf("tools[%d]", i)
		c.tool(field+".name", t.Name)
		c.text(field+".description", t.Description, MaxToolText)
		c.json(field+".parameters", t.Parameters, MaxToolSchema)
		if seen[t.Name] {
			c.fail(fault(ErrMalformed, -1, field+".name", "%s comes twice", quote(t.Name)))
		}
		seen[t.Name] = true
	}
}

func decodeDeviceHello(o *object) Message {
	o.require("protocol", "device", "audio")
	m := DeviceHello{
		Protocol: o.str("protocol"), Device: o.str("device"), Token: o.str("token"),
		Model: o.str("model"), Firmware: o.str("firmware"), BufferMS: o.count("buffer_ms"),
	}
	o.object("audio", decodeAudio(&m.Audio))
	o.object("capabilities", func(o *object) {
		m.Capabilities = Capabilities{
			FullDuplex: o.flag("full_duplex"), AEC: o.flag("aec"), Flush: o.flag("flush"), Ack: o.flag("ack"),
			Hold: o.flag("hold"),
		}
	})
	if o.has("resume") {
		m.Resume = new(Resume)
		o.object("resume", func(o *object) {
			o.require("session")
			*m.Resume = Resume{Session: o.str("session"), Turn: o.count("turn"), Samples: o.count("samples")}
		})
	}
	o.list("tools", func(o *object) {
		o.require("name")
		m.Tools = append(m.Tools, Tool{
			Name: o.str("name"), Description: o.str("description"), Parameters: o.raw("parameters"),
		})
	})
	return m
}

// Limits tells a device what the server accepts. Zero members are unstated.
type Limits struct {
	// ControlBytes is the largest text message, PayloadBytes the largest frame
	// payload.
	ControlBytes uint32 `json:"control_bytes,omitempty"`
	PayloadBytes uint32 `json:"payload_bytes,omitempty"`
	// IdleMS: the server closes a connection on which nothing arrived for so
	// long, in milliseconds.
	IdleMS uint32 `json:"idle_ms,omitempty"`
	// ControlPerSecond is how many control messages a second it reads from the
	// device, AudioPercent how fast it takes audio, in percent of real time;
	// either on average.
	ControlPerSecond uint32 `json:"control_per_second,omitempty"`
	AudioPercent     uint32 `json:"audio_percent,omitempty"`
}

// ServerHello answers DeviceHello; the session begins with it.
type ServerHello struct {
	Protocol string `json:"protocol"`
	// Session identifies the dialogue, for logs and support.
	Session string `json:"session"`
	// Device is the identity under which the server knows the device.
	Device string `json:"device"`
	// Audio is the formats in force.
	Audio Audio `json:"audio"`
	// LeadMS is how far ahead of real time the server sends reply audio, at
	// most, in milliseconds.
	LeadMS uint32 `json:"lead_ms"`
	// PingMS is the interval of the server's pings in milliseconds; 0 means
	// that it sends none.
	PingMS uint32 `json:"ping_ms,omitempty"`
	Limits Limits `json:"limits,omitzero"`
	// Resumed answers a Resume that was granted; nil means that the session is
	// a new one.
	Resumed *Resumed `json:"resumed,omitempty"`
}

// Kind returns KindHello.
func (ServerHello) Kind() Kind { return KindHello }

func (m ServerHello) check(c *checker) {
	c.ident("protocol", m.Protocol)
	c.ident("session", m.Session)
	c.ident("device", m.Device)
	m.Audio.check(c)
}

func decodeServerHello(o *object) Message {
	o.require("protocol", "session", "device", "audio", "lead_ms")
	m := ServerHello{
		Protocol: o.str("protocol"), Session: o.str("session"), Device: o.str("device"),
		LeadMS: o.count("lead_ms"), PingMS: o.count("ping_ms"),
	}
	o.object("audio", decodeAudio(&m.Audio))
	if o.has("resumed") {
		m.Resumed = new(Resumed)
		o.object("resumed", func(o *object) {
			o.require("turn", "answering")
			*m.Resumed = Resumed{Turn: o.count("turn"), Answering: o.flag("answering")}
		})
	}
	o.object("limits", func(o *object) {
		m.Limits = Limits{
			ControlBytes: o.count("control_bytes"), PayloadBytes: o.count("payload_bytes"), IdleMS: o.count("idle_ms"),
			ControlPerSecond: o.count("control_per_second"), AudioPercent: o.count("audio_percent"),
		}
	})
	return m
}
