package wire

// Protocol is the WebSocket subprotocol and the value of "protocol" in hello.
const Protocol = "edged.v1"

// Path is the HTTP path at which a server speaks the protocol.
const Path = "/v1/ws"

// Limits of binary frames, in bytes unless said otherwise.
const (
	// HeaderLen is the fixed part of the frame header.
	HeaderLen = 16
	// MaxHeaderLen is the fixed part plus all extensions: the header length is
	// one byte.
	MaxHeaderLen = 255
	// MaxPayload is the payload of one frame: 60 ms of mono 16-bit PCM at 48 kHz,
	// the largest frame that the protocol negotiates.
	MaxPayload = 60 * 48 * 2
	// MaxOpusPayload is the payload of one Opus packet. RFC 6716 section 3.2.1
	// limits one Opus frame to 1275 bytes; 60 ms are at most three 20 ms frames
	// plus their lengths (3834 bytes). libopus recommends 4000 as the size of
	// the encoder's output buffer.
	MaxOpusPayload = 4000
	// MaxFrame is the largest binary message.
	MaxFrame = MaxHeaderLen + MaxPayload
	// MaxGap is the longest gap of one frame, in samples: 60 s at 48 kHz. A
	// longer one is sent as several frames.
	MaxGap = 60 * 48000
)

// Limits of control messages. Text is counted in bytes of UTF-8.
const (
	// MaxControl is one JSON text message. It leaves room for a hello with a
	// couple of dozen tools and stays affordable as a static buffer.
	MaxControl = 16 << 10
	// MaxName is an identifier: a device, session, tool call, tool name, error
	// code or cause.
	MaxName = 64
	// MaxLabel is a short text for people: hardware model, firmware version,
	// reason.
	MaxLabel = 128
	// MaxToken is an access token.
	MaxToken = 4096
	// MaxText is one transcript or one piece of reply text. A reply segment has
	// at most 300 characters (1200 bytes); a transcript of a minute of fast
	// speech has about 1200 characters.
	MaxText = 4096
	// MaxErrorText is the explanation in an error message.
	MaxErrorText = 512
	// MaxTools is the number of tools of one device.
	MaxTools = 32
	// MaxToolText is the description of a tool.
	MaxToolText = 1024
	// MaxToolSchema is the JSON Schema of a tool's arguments.
	MaxToolSchema = 4096
	// MaxToolData is the arguments of a tool call or the content of its result.
	MaxToolData = 8192
	// MaxWakeAudio is the longest wake word, in milliseconds.
	MaxWakeAudio = 5000
	// MaxBuffer is the largest playback queue that a device may announce, in
	// milliseconds: ten minutes.
	MaxBuffer = 600_000
)
