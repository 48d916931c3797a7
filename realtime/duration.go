package realtime

import (
	"strconv"
	"strings"
	"time"
)

// MediaDuration returns how much media time part covers: the length of a Gap,
// of PCM ("audio/pcm" with a rate parameter; 16-bit samples, mono unless a
// channels parameter says otherwise) and of an Opus packet ("audio/opus", one
// packet per Blob). It is 0 for everything that has no duration or does not
// tell it. It does not allocate for a MIME type in canonical spelling.
func MediaDuration(part Part) time.Duration {
	switch p := part.(type) {
	case *Gap:
		if p != nil {
			return max(p.Duration, 0)
		}
	case *Blob:
		if p != nil {
			return blobDuration(CanonicalMIME(p.MIMEType), p.Data)
		}
	}
	return 0
}

func blobDuration(key string, data []byte) time.Duration {
	base, params, _ := strings.Cut(key, ";")
	switch base {
	case "audio/pcm":
		bytesPerSecond := 2 * intParam(params, "rate", 0) * intParam(params, "channels", 1)
		if bytesPerSecond > 0 {
			return time.Duration(len(data)) * time.Second / time.Duration(bytesPerSecond)
		}
	case "audio/opus":
		return opusPacketDuration(data)
	}
	return 0
}

// intParam finds name in the canonical parameters "a=1;b=2". What is not a
// plausible count (1 to 1e6) reads as 0.
func intParam(params, name string, absent int) int {
	for params != "" {
		var param string
		param, params, _ = strings.Cut(params, ";")
		if value, ok := strings.CutPrefix(param, name+"="); ok {
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 || n > 1_000_000 {
				return 0
			}
			return n
		}
	}
	return absent
}

// opusPacketDuration reads the table of contents byte of an Opus packet
// (RFC 6716, sections 3.1 and 3.2): 32 configurations of frame size, and how
// many frames the packet holds. The longest legal packet lasts 120 ms.
func opusPacketDuration(packet []byte) time.Duration {
	if len(packet) == 0 {
		return 0
	}
	var frame time.Duration
	switch config := packet[0] >> 3; {
	case config < 12: // SILK
		frame = [...]time.Duration{10, 20, 40, 60}[config%4] * time.Millisecond
	case config < 16: // hybrid
		frame = [...]time.Duration{10, 20}[config%2] * time.Millisecond
	default: // CELT
		frame = [...]time.Duration{2500, 5000, 10000, 20000}[config%4] * time.Microsecond
	}
	frames := 2
	switch packet[0] & 3 {
	case 0:
		frames = 1
	case 3:
		if len(packet) < 2 {
			return 0
		}
		frames = int(packet[1] & 0x3f)
	}
	if d := frame * time.Duration(frames); d <= 120*time.Millisecond {
		return d
	}
	return 0
}
