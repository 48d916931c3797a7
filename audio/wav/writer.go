package wav

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"edged/audio"
	"edged/audio/pcm"
)

// Writer writes a WAV file as the samples come. It serves one goroutine at a
// time and does not close what it writes to.
//
// The sizes in the header are not known before the end. Where the destination can
// seek (a file), Close goes back and corrects them; elsewhere (a pipe, a
// response) and until then they state "unknown", which readers take as "until the
// end": a file of a program that died is still readable.
type Writer struct {
	w        io.Writer
	seeker   io.WriteSeeker // nil: cannot seek
	begin    int64          // where the file begins in the seeker
	channels int
	bytes    int64 // of audio
	buf      []byte
	err      error
	closed   bool
}

// NewWriter writes a header for samples of this rate with 1 or 2 channels. The
// error matches ErrFormat, or is that of w.
func NewWriter(w io.Writer, rate audio.SampleRate, channels int) (*Writer, error) {
	if rate < minRate || rate > maxRate {
		return nil, fmt.Errorf("%w: sample rate %d, use %d to %d Hz", ErrFormat, rate, minRate, maxRate)
	}
	if err := check(tagPCM, 16, channels, uint32(rate)); err != nil {
		return nil, err
	}
	wav := &Writer{w: w, channels: channels, buf: make([]byte, 0, 4096)}
	// A pipe is an *os.File too, but its Seek fails.
	if seeker, ok := w.(io.WriteSeeker); ok {
		if at, err := seeker.Seek(0, io.SeekCurrent); err == nil {
			wav.seeker, wav.begin = seeker, at
		}
	}
	if _, err := w.Write(header(rate, channels)); err != nil {
		return nil, fmt.Errorf("wav: write header: %w", err)
	}
	return wav, nil
}

// header is the fixed header with both sizes unknown.
func header(rate audio.SampleRate, channels int) []byte {
	align := channels * sampleBytes
	h := make([]byte, 0, headerSize)
	h = append(h, "RIFF"...)
	h = binary.LittleEndian.AppendUint32(h, unknownSize)
	h = append(h, "WAVEfmt "...)
	h = binary.LittleEndian.AppendUint32(h, fmtSize)
	h = binary.LittleEndian.AppendUint16(h, tagPCM)
	h = binary.LittleEndian.AppendUint16(h, uint16(channels))
	h = binary.LittleEndian.AppendUint32(h, uint32(rate))
	h = binary.LittleEndian.AppendUint32(h, uint32(rate)*uint32(align))
	h = binary.LittleEndian.AppendUint16(h, uint16(align))
	h = binary.LittleEndian.AppendUint16(h, 8*sampleBytes)
	h = append(h, "data"...)
	return binary.LittleEndian.AppendUint32(h, unknownSize)
}

// Write appends interleaved samples, a whole number for every channel. The error
// matches ErrClosed, ErrFormat or ErrTooLarge, or is that of the destination;
// after an error of the destination every further call returns it.
func (w *Writer) Write(samples []int16) error {
	switch {
	case w.closed:
		return ErrClosed
	case w.err != nil:
		return w.err
	case len(samples)%w.channels != 0:
		return fmt.Errorf("%w: %d samples for %d channels", ErrFormat, len(samples), w.channels)
	case w.bytes+int64(len(samples))*sampleBytes > math.MaxUint32-headerSize:
		return ErrTooLarge
	}
	for len(samples) > 0 {
		part := samples[:min(len(samples), cap(w.buf)/sampleBytes)]
		samples = samples[len(part):]
		w.buf = pcm.Append(w.buf[:0], part)
		if _, err := w.w.Write(w.buf); err != nil {
			w.err = fmt.Errorf("wav: write: %w", err)
			return w.err
		}
		w.bytes += int64(len(w.buf))
	}
	return nil
}

// Close corrects the sizes in the header where the destination can seek, and
// leaves it at the end of the file. It does not close the destination. It is
// idempotent.
func (w *Writer) Close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	if w.err != nil || w.seeker == nil {
		return w.err
	}
	if err := w.correct(); err != nil {
		return fmt.Errorf("wav: correct the header: %w", err)
	}
	return nil
}

func (w *Writer) correct() error {
	const riffSizeAt, dataSizeAt = 4, headerSize - 4
	for _, field := range []struct{ at, size int64 }{
		{riffSizeAt, headerSize - chunkHeader + w.bytes},
		{dataSizeAt, w.bytes},
	} {
		if _, err := w.seeker.Seek(w.begin+field.at, io.SeekStart); err != nil {
			return err
		}
		if _, err := w.seeker.Write(binary.LittleEndian.AppendUint32(nil, uint32(field.size))); err != nil {
			return err
		}
	}
	_, err := w.seeker.Seek(w.begin+headerSize+w.bytes, io.SeekStart)
	return err
}
