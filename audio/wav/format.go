package wav

import (
	"errors"
	"fmt"
	"time"

	"edged/audio"
)

// Reasons why a file is refused. Every error of this package that is not one of
// the underlying reader or writer matches one of them.
var (
	// ErrNotWAV: the file does not begin as a WAV file does.
	ErrNotWAV = errors.New("wav: not a WAV file")
	// ErrFormat: the audio is not 16-bit PCM with one or two channels.
	ErrFormat = errors.New("wav: unsupported format")
	// ErrCorrupt: the header contradicts itself.
	ErrCorrupt = errors.New("wav: corrupt file")
	// ErrTruncated: the file ends before what its header promises. It also
	// matches io.ErrUnexpectedEOF.
	ErrTruncated = errors.New("wav: truncated file")
	// ErrTooLarge: more audio than the format can state (4 GiB).
	ErrTooLarge = errors.New("wav: file would exceed 4 GiB")
	// ErrClosed: the writer has been closed.
	ErrClosed = errors.New("wav: writer is closed")
)

// Unknown as Info.Samples means that the header does not tell.
const Unknown = -1

// Info is what a header says.
type Info struct {
	Rate     audio.SampleRate
	Channels int
	// Samples is the number of samples per channel, or Unknown.
	Samples int
}

// Duration is how long the audio lasts; 0 when that is unknown.
func (i Info) Duration() time.Duration { return i.Rate.Duration(max(i.Samples, 0)) }

// Bounds of what is read and written. No recording of speech is outside.
const (
	minRate     = 1000
	maxRate     = 384_000
	sampleBytes = 2
)

// The layout of the file: a RIFF chunk that holds a "fmt " chunk and a "data"
// chunk, all little-endian.
const (
	chunkHeader = 8
	riffHeader  = 12
	fmtSize     = 16
	// fmtExtensible is the size of the extensible form of the format chunk.
	fmtExtensible = 40
	headerSize    = riffHeader + chunkHeader + fmtSize + chunkHeader
	// unknownSize is what a writer states that cannot go back to correct it.
	unknownSize = 0xffffffff

	tagPCM        = 0x0001
	tagFloat      = 0x0003
	tagALaw       = 0x0006
	tagMuLaw      = 0x0007
	tagExtensible = 0xfffe
)

// pcmGUID is the end of the sub-format of an extensible header; its first two
// bytes are the tag.
var pcmGUID = [14]byte{0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x00, 0xaa, 0x00, 0x38, 0x9b, 0x71}

// check refuses what is not 16-bit PCM with one or two channels.
func check(tag uint16, bits, channels int, rate uint32) error {
	if tag != tagPCM || bits != 16 {
		return fmt.Errorf("%w: %s, convert it to 16-bit PCM", ErrFormat, describe(tag, bits))
	}
	if channels != 1 && channels != 2 {
		return fmt.Errorf("%w: %d channels, use 1 or 2", ErrFormat, channels)
	}
	if rate < minRate || rate > maxRate {
		return fmt.Errorf("%w: sample rate %d, use %d to %d Hz", ErrFormat, rate, minRate, maxRate)
	}
	return nil
}

func describe(tag uint16, bits int) string {
	switch tag {
	case tagPCM:
		return fmt.Sprintf("%d-bit PCM", bits)
	case tagFloat:
		return fmt.Sprintf("%d-bit floating point", bits)
	case tagALaw:
		return "A-law"
	case tagMuLaw:
		return "mu-law"
	}
	return fmt.Sprintf("format tag %#04x", tag)
}
