package wire

import (
	"encoding/binary"
)

// Version is the version of the frame header. A header of another version has
// another layout.
const Version = 1

// Offsets in the fixed header. All integers are big-endian.
const (
	offVersion    = 0  // u8: 1
	offHeaderLen  = 1  // u8: bytes up to the payload, extensions included
	offType       = 2  // u8
	offFlags      = 3  // u8
	offTrack      = 4  // u8
	offReserved   = 5  // u8: zero when sent, ignored when received
	offPayloadLen = 6  // u16
	offSeq        = 8  // u32
	offTimestamp  = 12 // u32
)

// gapLen is the payload of a gap frame: its duration, u32.
const gapLen = 4

// FrameType says what the payload of a frame is.
type FrameType uint8

// TypeAudio is media of the negotiated format of its direction: one Opus packet,
// or signed 16-bit little-endian PCM.
const TypeAudio FrameType = 1

// Flags of a frame. The other bits are reserved: zero when sent, ignored when
// received.
type Flags uint8

const (
	// FlagBOS marks the first frame of a route: of one listening period up, of
	// the reply of one turn down.
	FlagBOS Flags = 1 << 0
	// FlagEOS marks the last frame of a route.
	FlagEOS Flags = 1 << 1
	// FlagGap marks a frame that stands for media that does not exist.
	FlagGap Flags = 1 << 2

	knownFlags = FlagBOS | FlagEOS | FlagGap
)

// Has reports whether all bits of f are set.
func (x Flags) Has(f Flags) bool { return x&f == f }

// Tracks of this version. A frame of another track is skipped and counted.
const (
	// TrackVoice is the microphone up and the reply down.
	TrackVoice uint8 = 0
)

// Frame is one binary message.
type Frame struct {
	Type  FrameType
	Flags Flags
	Track uint8
	// Seq counts the frames of a direction and track, whatever their flags. It
	// wraps from 2^32-1 to 0 and goes on across routes; compare two numbers by
	// the sign of int32(a-b).
	Seq uint32
	// Timestamp is the media time of the first sample of the frame, in samples
	// per channel at the negotiated sample rate (also for Opus). It begins at 0
	// on each route and wraps after 2^32 samples (24.8 h at 48 kHz).
	Timestamp uint32
	// Gap is how much media is missing, in samples per channel at the
	// negotiated rate: 1 to MaxGap with FlagGap, else 0.
	Gap uint32
	// Extensions is the list of extensions as it stands in the header, each
	// one id, one length byte and its value; nil or empty when there are none.
	// See [Frame.Extension] and [AppendExtension].
	Extensions []byte
	// Payload is the media. It is empty in a gap frame, and in a frame that
	// only carries a boundary (FlagBOS, FlagEOS).
	Payload []byte
}

// Boundary reports whether the frame carries a flag but no media.
func (f Frame) Boundary() bool {
	return len(f.Payload) == 0 && f.Gap == 0 && f.Flags&(FlagBOS|FlagEOS) != 0
}

// Extension returns the value of the first extension with this id; it aliases
// the frame's bytes.
func (f Frame) Extension(id uint8) (value []byte, ok bool) {
	for rest := f.Extensions; len(rest) >= 2; {
		end := 2 + int(rest[1])
		if end > len(rest) {
			return nil, false
		}
		if rest[0] == id {
			return rest[2:end], true
		}
		rest = rest[end:]
	}
	return nil, false
}

// AppendExtension appends one extension to a list of extensions. It returns
// dst unchanged and an error matching ErrTooLarge when the list would no longer
// fit into a header.
func AppendExtension(dst []byte, id uint8, value []byte) ([]byte, error) {
	if room := MaxHeaderLen - HeaderLen - len(dst) - 2; len(value) > room {
		return dst, fault(ErrTooLarge, -1, "extensions", "value of %d bytes, room for %d", len(value), max(room, 0))
	}
	dst = append(dst, id, byte(len(value)))
	return append(dst, value...), nil
}

// AppendFrame appends the encoding of f to dst and returns the extended slice.
// It refuses what a receiver would refuse, and reserved bits, with dst
// unchanged: the error matches ErrUnknownType, ErrTooLarge or ErrMalformed.
func AppendFrame(dst []byte, f Frame) ([]byte, error) {
	if err := checkFrame(f); err != nil {
		return dst, err
	}
	payloadLen := len(f.Payload)
	if f.Flags.Has(FlagGap) {
		payloadLen = gapLen
	}
	dst = append(dst, Version, byte(HeaderLen+len(f.Extensions)), byte(f.Type), byte(f.Flags), f.Track, 0)
	dst = binary.BigEndian.AppendUint16(dst, uint16(payloadLen))
	dst = binary.BigEndian.AppendUint32(dst, f.Seq)
	dst = binary.BigEndian.AppendUint32(dst, f.Timestamp)
	dst = append(dst, f.Extensions...)
	if f.Flags.Has(FlagGap) {
		return binary.BigEndian.AppendUint32(dst, f.Gap), nil
	}
	return append(dst, f.Payload...), nil
}

func checkFrame(f Frame) error {
	if f.Type != TypeAudio {
		return fault(ErrUnknownType, -1, "type", "%d; this version sends only audio (1)", f.Type)
	}
	if f.Flags&^knownFlags != 0 {
		return fault(ErrMalformed, -1, "flags", "%#02x sets reserved bits", uint8(f.Flags))
	}
	if len(f.Payload) > MaxPayload {
		return fault(ErrTooLarge, -1, "payload length", "%d, at most %d", len(f.Payload), MaxPayload)
	}
	if len(f.Extensions) > MaxHeaderLen-HeaderLen {
		return fault(ErrTooLarge, -1, "extensions", "%d bytes, at most %d", len(f.Extensions), MaxHeaderLen-HeaderLen)
	}
	if at := badExtension(f.Extensions); at >= 0 {
		return fault(ErrMalformed, at, "extensions", "the list overruns its end")
	}
	if !f.Flags.Has(FlagGap) {
		if f.Gap != 0 {
			return fault(ErrMalformed, -1, "gap", "%d samples without the gap flag", f.Gap)
		}
		return nil
	}
	if len(f.Payload) != 0 {
		return fault(ErrMalformed, -1, "payload length", "a gap frame carries no media, got %d bytes", len(f.Payload))
	}
	return checkGap(-1, f.Gap)
}

func checkGap(offset int, samples uint32) error {
	if samples == 0 {
		return fault(ErrMalformed, offset, "gap", "lasts 0 samples, want at least 1")
	}
	if samples > MaxGap {
		return fault(ErrTooLarge, offset, "gap", "%d samples, at most %d", samples, MaxGap)
	}
	return nil
}

// badExtension returns the offset of the extension that overruns the list, or
// -1 when the list is sound.
func badExtension(list []byte) int {
	for at := 0; at < len(list); {
		if len(list)-at < 2 || int(list[at+1]) > len(list)-at-2 {
			return at
		}
		at += 2 + int(list[at+1])
	}
	return -1
}

// ParseFrame decodes one binary message, which must hold exactly one frame. The
// frame's Payload and Extensions alias b.
//
// A fault is an [*Error] that matches ErrTruncated, ErrVersion, ErrTooLarge or
// ErrMalformed, with an empty frame. ErrUnknownType comes together with the
// frame as far as its header tells: all fields but Gap are valid, so that the
// caller can skip it and keep its sequence accounting.
func ParseFrame(b []byte) (Frame, error) {
	if len(b) == 0 {
		return Frame{}, fault(ErrTruncated, 0, "version", "empty message")
	}
	if b[offVersion] != Version {
		return Frame{}, fault(ErrVersion, offVersion, "version", "%d, this side speaks %d", b[offVersion], Version)
	}
	if len(b) < HeaderLen {
		return Frame{}, fault(ErrTruncated, len(b), "header", "%d bytes, the fixed header has %d", len(b), HeaderLen)
	}
	headerLen := int(b[offHeaderLen])
	if headerLen < HeaderLen {
		return Frame{}, fault(ErrMalformed, offHeaderLen, "header length", "%d, at least %d", headerLen, HeaderLen)
	}
	payloadLen := int(binary.BigEndian.Uint16(b[offPayloadLen:]))
	if payloadLen > MaxPayload {
		return Frame{}, fault(ErrTooLarge, offPayloadLen, "payload length", "%d, at most %d", payloadLen, MaxPayload)
	}
	if want := headerLen + payloadLen; len(b) < want {
		return Frame{}, fault(ErrTruncated, len(b), "payload", "%d bytes, header and payload have %d", len(b), want)
	} else if len(b) > want {
		return Frame{}, fault(ErrMalformed, want, "payload", "%d stray bytes after the frame", len(b)-want)
	}
	if at := badExtension(b[HeaderLen:headerLen]); at >= 0 {
		return Frame{}, fault(ErrMalformed, HeaderLen+at, "extensions", "the list overruns the header")
	}
	f := Frame{
		Type:      FrameType(b[offType]),
		Flags:     Flags(b[offFlags]) & knownFlags,
		Track:     b[offTrack],
		Seq:       binary.BigEndian.Uint32(b[offSeq:]),
		Timestamp: binary.BigEndian.Uint32(b[offTimestamp:]),
		// Full slice expressions: appending to a part never writes into the next.
		Extensions: b[HeaderLen:headerLen:headerLen],
		Payload:    b[headerLen:len(b):len(b)],
	}
	if f.Type != TypeAudio {
		return f, fault(ErrUnknownType, offType, "type", "%d, known is audio (%d)", f.Type, TypeAudio)
	}
	if !f.Flags.Has(FlagGap) {
		return f, nil
	}
	if payloadLen != gapLen {
		return Frame{}, fault(ErrMalformed, offPayloadLen, "payload length", "%d in a gap frame, want %d", payloadLen, gapLen)
	}
	f.Gap = binary.BigEndian.Uint32(f.Payload)
	f.Payload = nil
	if err := checkGap(headerLen, f.Gap); err != nil {
		return Frame{}, err
	}
	return f, nil
}
