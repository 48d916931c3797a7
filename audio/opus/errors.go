package opus

import (
	"errors"
)

// Reasons why a packet or a call is refused. Errors of this package match one of
// them; the decoder or encoder is unchanged and stays usable.
var (
	// ErrEmptyPacket: a packet of zero bytes.
	ErrEmptyPacket = errors.New("opus: empty packet")
	// ErrOggPage: the bytes are a page of an Ogg file. The sender must take the
	// raw packets out of their container.
	ErrOggPage = errors.New("opus: this is an Ogg page, not a raw Opus packet: send the packets without their container")
	// ErrInvalidPacket: the bytes break the packet format.
	ErrInvalidPacket = errors.New("opus: invalid packet")
	// ErrFrameSize: a buffer of samples has a length that Opus cannot fill or
	// encode.
	ErrFrameSize = errors.New("opus: impossible frame size")
	// ErrShortBuffer: the destination cannot hold the result.
	ErrShortBuffer = errors.New("opus: destination too short")
	// ErrConfig: a codec cannot be made or set as asked.
	ErrConfig = errors.New("opus: impossible configuration")
)
