package opus

import (
	"bytes"
	"fmt"
	"time"
)

// Bounds of RFC 6716.
const (
	// maxFrameBytes is the largest frame in a packet (section 3.2.1).
	maxFrameBytes = 1275
	// maxFrames is 48 frames of 2.5 ms (section 3.2.5).
	maxFrames = 48
	// MaxPtime is the longest packet (section 3.2.5, requirement R5).
	MaxPtime = 120 * time.Millisecond
	// MaxPacket is a size that no packet that libopus encodes at these
	// durations exceeds, in bytes: what its documentation advises for the
	// output of the encoder.
	MaxPacket = 4000
)

// Packet is what the first bytes of an Opus packet say about it.
type Packet struct {
	// Duration is the audio time of the packet: Frames * FrameDuration.
	Duration time.Duration
	// FrameDuration is the duration of one frame: 2.5, 5, 10, 20, 40 or 60 ms.
	FrameDuration time.Duration
	// Frames is the number of frames, 1 to 48.
	Frames int
	// Channels is what the packet was encoded with. A decoder delivers its own
	// number of channels whatever this says.
	Channels int
	// DTX: no frame has content. The sender's encoder is in discontinuous
	// transmission: the packet stands for silence.
	DTX bool
}

// Duration returns the audio time of a packet without decoding it. The errors
// are those of Inspect.
func Duration(pkt []byte) (time.Duration, error) {
	p, err := Inspect(pkt)
	return p.Duration, err
}

// Inspect reads and validates the structure of a packet (RFC 6716 section 3)
// without decoding it; it needs no C and allocates nothing for a valid packet.
// The error matches ErrEmptyPacket, ErrOggPage or ErrInvalidPacket.
func Inspect(pkt []byte) (Packet, error) {
	if len(pkt) == 0 {
		return Packet{}, ErrEmptyPacket
	}
	// "OggS" would be a packet of 39 frames of 20 ms, which is too long to be
	// valid: the mark is unambiguous.
	if bytes.HasPrefix(pkt, []byte("OggS")) {
		return Packet{}, ErrOggPage
	}
	toc := pkt[0]
	p := Packet{FrameDuration: frameDuration(toc >> 3), Channels: 1 + int(toc>>2&1)}
	content, err := p.frames(toc&3, pkt[1:])
	if err != nil {
		return Packet{}, err
	}
	p.Duration = time.Duration(p.Frames) * p.FrameDuration
	p.DTX = content == 0
	return p, nil
}

// frameDuration maps the configuration number of a TOC byte (its upper five
// bits) to the duration of a frame (section 3.1, table 2).
func frameDuration(config byte) time.Duration {
	const ms = time.Millisecond
	switch {
	case config < 12: // SILK: four durations in each of three bandwidths
		return [...]time.Duration{10 * ms, 20 * ms, 40 * ms, 60 * ms}[config%4]
	case config < 16: // hybrid: two durations in each of two bandwidths
		return [...]time.Duration{10 * ms, 20 * ms}[config%2]
	default: // CELT: four durations in each of four bandwidths
		return [...]time.Duration{2500 * time.Microsecond, 5 * ms, 10 * ms, 20 * ms}[config%4]
	}
}

// frames walks the frame packing of the code in the TOC byte (section 3.2), sets
// the number of frames and returns how many bytes of content they have together.
func (p *Packet) frames(code byte, body []byte) (content int, err error) {
	switch code {
	case 0: // one frame
		p.Frames = 1
		return len(body), checkFrame(len(body))
	case 1: // two frames of the same size
		p.Frames = 2
		if len(body)%2 != 0 {
			return 0, fmt.Errorf("%w: two equal frames in %d bytes", ErrInvalidPacket, len(body))
		}
		return len(body), checkFrame(len(body) / 2)
	case 2: // two frames, the size of the first is coded
		p.Frames = 2
		first, rest, err := frameLength(body)
		if err != nil {
			return 0, err
		}
		if first > len(rest) {
			return 0, fmt.Errorf("%w: first frame of %d bytes, %d are left", ErrInvalidPacket, first, len(rest))
		}
		return len(rest), checkFrame(len(rest) - first)
	default:
		return p.manyFrames(body)
	}
}

// manyFrames walks a code 3 packet (section 3.2.5): a count byte, optional
// padding, then frames of one size or of coded sizes.
func (p *Packet) manyFrames(body []byte) (content int, err error) {
	if len(body) == 0 {
		return 0, fmt.Errorf("%w: the frame count is missing", ErrInvalidPacket)
	}
	head := body[0]
	vbr, padded := head&0x80 != 0, head&0x40 != 0
	p.Frames = int(head & 0x3f)
	body = body[1:]
	if p.Frames == 0 || p.Frames > maxFrames || time.Duration(p.Frames)*p.FrameDuration > MaxPtime {
		return 0, fmt.Errorf("%w: %d frames of %v, a packet holds at most %v", ErrInvalidPacket, p.Frames, p.FrameDuration, MaxPtime)
	}
	if padded {
		if body, err = trimPadding(body); err != nil {
			return 0, err
		}
	}
	if !vbr {
		if len(body)%p.Frames != 0 {
			return 0, fmt.Errorf("%w: %d equal frames in %d bytes", ErrInvalidPacket, p.Frames, len(body))
		}
		return len(body), checkFrame(len(body) / p.Frames)
	}
	sized := 0
	for range p.Frames - 1 {
		var size int
		if size, body, err = frameLength(body); err != nil {
			return 0, err
		}
		sized += size
	}
	if sized > len(body) {
		return 0, fmt.Errorf("%w: frames of %d bytes, %d are left", ErrInvalidPacket, sized, len(body))
	}
	return len(body), checkFrame(len(body) - sized)
}

// trimPadding reads the length of the padding, which is a chain of bytes where
// 255 means "254 and go on", and cuts the padding off the end.
func trimPadding(body []byte) ([]byte, error) {
	padding := 0
	for {
		if len(body) == 0 {
			return nil, fmt.Errorf("%w: the length of the padding is cut off", ErrInvalidPacket)
		}
		b := int(body[0])
		body = body[1:]
		if b < 255 {
			padding += b
			break
		}
		padding += 254
	}
	if padding > len(body) {
		return nil, fmt.Errorf("%w: %d bytes of padding, %d are left", ErrInvalidPacket, padding, len(body))
	}
	return body[:len(body)-padding], nil
}

// frameLength reads a frame length of one or two bytes (section 3.2.1).
func frameLength(body []byte) (length int, rest []byte, err error) {
	switch {
	case len(body) >= 1 && body[0] < 252:
		return int(body[0]), body[1:], nil
	case len(body) >= 2:
		return int(body[1])*4 + int(body[0]), body[2:], nil
	}
	return 0, nil, fmt.Errorf("%w: a frame length is cut off", ErrInvalidPacket)
}

func checkFrame(length int) error {
	if length > maxFrameBytes {
		return fmt.Errorf("%w: frame of %d bytes, at most %d", ErrInvalidPacket, length, maxFrameBytes)
	}
	return nil
}
