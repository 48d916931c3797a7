package wav

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"edged/audio"
	"edged/audio/pcm"
)

// maxChunks bounds how many chunks may stand before the audio, so that a hostile
// file of empty chunks comes to an end.
const maxChunks = 1000

// Reader reads the samples of a WAV file from front to back. It serves one
// goroutine at a time and does not close what it reads from.
type Reader struct {
	r    io.Reader
	info Info
	// left is the number of bytes of audio that are still to come; streaming
	// files have audio until they end.
	left      int64
	streaming bool
	buf       [4096]byte
	err       error
}

// NewReader reads the header up to the audio. The error matches ErrNotWAV,
// ErrFormat, ErrCorrupt or ErrTruncated, or is that of r.
func NewReader(r io.Reader) (*Reader, error) {
	wav := &Reader{r: r}
	if err := wav.readHeader(); err != nil {
		return nil, err
	}
	return wav, nil
}

// Info returns what the header says.
func (r *Reader) Info() Info { return r.info }

func (r *Reader) readHeader() error {
	head := r.buf[:riffHeader]
	if err := r.fill(head, "RIFF header"); err != nil {
		return err
	}
	if !bytes.Equal(head[:4], []byte("RIFF")) || !bytes.Equal(head[8:12], []byte("WAVE")) {
		return fmt.Errorf("%w: it begins with %q", ErrNotWAV, head)
	}
	riffSize := binary.LittleEndian.Uint32(head[4:])
	position := int64(riffHeader)
	for range maxChunks {
		head := r.buf[:chunkHeader]
		if err := r.fill(head, "chunk header"); err != nil {
			return err
		}
		id, size := string(head[:4]), int64(binary.LittleEndian.Uint32(head[4:]))
		position += chunkHeader
		if id == "data" {
			return r.beginData(size, riffSize, position)
		}
		padded := size + size%2 // chunks begin at even places
		if id == "fmt " {
			if r.info.Rate != 0 {
				return fmt.Errorf("%w: two format chunks", ErrCorrupt)
			}
			taken, err := r.readFormat(size)
			if err != nil {
				return err
			}
			position += taken
			padded -= taken
		}
		if skipped, err := io.CopyN(io.Discard, r.r, padded); err != nil {
			return truncated(err, "%q chunk has %d of %d bytes", id, skipped, size)
		}
		position += padded
	}
	return fmt.Errorf("%w: no audio in the first %d chunks", ErrCorrupt, maxChunks)
}

// readFormat reads what it needs of the format chunk and returns how many bytes
// that were.
func (r *Reader) readFormat(size int64) (taken int64, err error) {
	if size < fmtSize {
		return 0, fmt.Errorf("%w: format chunk of %d bytes, at least %d", ErrCorrupt, size, fmtSize)
	}
	body := r.buf[:min(size, fmtExtensible)]
	if err := r.fill(body, "format chunk"); err != nil {
		return 0, err
	}
	tag := binary.LittleEndian.Uint16(body)
	channels := int(binary.LittleEndian.Uint16(body[2:]))
	rate := binary.LittleEndian.Uint32(body[4:])
	align := int(binary.LittleEndian.Uint16(body[12:]))
	bits := int(binary.LittleEndian.Uint16(body[14:]))
	if tag == tagExtensible {
		if len(body) < fmtExtensible {
			return 0, fmt.Errorf("%w: extensible format chunk of %d bytes, want %d", ErrCorrupt, size, fmtExtensible)
		}
		if !bytes.Equal(body[26:], pcmGUID[:]) {
			return 0, fmt.Errorf("%w: extensible sub-format %x", ErrFormat, body[24:])
		}
		tag = binary.LittleEndian.Uint16(body[24:])
	}
	if err := check(tag, bits, channels, rate); err != nil {
		return 0, err
	}
	if want := channels * sampleBytes; align != want {
		return 0, fmt.Errorf("%w: %d bytes per sample of all channels, want %d", ErrCorrupt, align, want)
	}
	r.info = Info{Rate: audio.SampleRate(rate), Channels: channels}
	return int64(len(body)), nil
}

// beginData sets up the reading of the audio, which begins at position.
func (r *Reader) beginData(size int64, riffSize uint32, position int64) error {
	if r.info.Rate == 0 {
		return fmt.Errorf("%w: audio before its format", ErrCorrupt)
	}
	// A writer that streams states the largest size, or none. A size of 0 is the
	// truth only when the file states that something follows it.
	more := riffSize != unknownSize && int64(riffSize)+chunkHeader > position
	if size == unknownSize || size == 0 && !more {
		r.streaming, r.info.Samples = true, Unknown
		return nil
	}
	frame := int64(r.info.Channels * sampleBytes)
	r.left = size / frame * frame
	r.info.Samples = int(size / frame)
	return nil
}

// Read reads interleaved samples into dst and returns how many (over all
// channels, a multiple of their number). It fills dst unless the audio ends; the
// end is io.EOF, or an error matching ErrTruncated when the header promised more,
// both only together with n == 0. dst must hold a sample of every channel.
func (r *Reader) Read(dst []int16) (n int, err error) {
	frame := r.info.Channels * sampleBytes
	if len(dst) < r.info.Channels {
		return 0, io.ErrShortBuffer
	}
	for n+r.info.Channels <= len(dst) && r.err == nil {
		want := min((len(dst)-n)/r.info.Channels*frame, len(r.buf)/frame*frame)
		if !r.streaming {
			want = int(min(int64(want), r.left))
		}
		if want == 0 {
			r.err = io.EOF
			break
		}
		got, err := io.ReadFull(r.r, r.buf[:want])
		if err != nil {
			r.err = r.ending(err)
		}
		got -= got % frame
		r.left -= int64(got)
		n += pcm.Decode(dst[n:], r.buf[:got])
	}
	if n == 0 {
		return 0, r.err
	}
	return n, nil
}

// ending tells what the end of the underlying reader means.
func (r *Reader) ending(err error) error {
	atEnd := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	if atEnd && r.streaming {
		return io.EOF
	}
	return truncated(err, "the audio ends before its %d samples", r.info.Samples)
}

// fill reads exactly len(buf) bytes of the header.
func (r *Reader) fill(buf []byte, what string) error {
	n, err := io.ReadFull(r.r, buf)
	if err != nil {
		return truncated(err, "%s has %d of %d bytes", what, n, len(buf))
	}
	return nil
}

// truncated makes the end of the file an error of its own and passes on any
// other error.
func truncated(err error, format string, args ...any) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: %s: %w", ErrTruncated, fmt.Sprintf(format, args...), io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("wav: read: %w", err)
}

// ReadAll reads a whole file and returns its header, with Samples counted, and
// its interleaved samples. Memory grows with what is really there. When the file
// is truncated it returns the samples that there are, together with an error
// matching ErrTruncated.
func ReadAll(r io.Reader) (Info, []int16, error) {
	wav, err := NewReader(r)
	if err != nil {
		return Info{}, nil, err
	}
	var samples []int16
	block := make([]int16, 8192)
	for {
		n, err := wav.Read(block)
		samples = append(samples, block[:n]...)
		if err != nil {
			info := wav.Info()
			info.Samples = len(samples) / info.Channels
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return info, samples, err
		}
	}
}
