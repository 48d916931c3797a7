package wav

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"testing"
	"testing/iotest"

	"edged/audio"
)

// FuzzPieces: a file is the same in whatever pieces it comes: the same header,
// the same samples, the same end.
func FuzzPieces(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte, size uint8) {
		info, want, wantErr := ReadAll(bytes.NewReader(data))
		r, err := NewReader(iotest.OneByteReader(bytes.NewReader(data)))
		if err != nil {
			if wantErr == nil || err.Error() != wantErr.Error() {
				t.Fatalf("whole: %v, in bytes: %v", wantErr, err)
			}
			return
		}
		if got := r.Info(); got.Rate != info.Rate || got.Channels != info.Channels {
			t.Fatalf("whole: %+v, in bytes: %+v", info, got)
		}
		var got []int16
		dst := make([]int16, 2+int(size)) // room for a stereo sample
		for {
			n, err := r.Read(dst)
			got = append(got, dst[:n]...)
			if err == io.EOF {
				err = nil
			} else if err == nil {
				continue
			}
			if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
				t.Fatalf("whole: %v, in bytes: %v", wantErr, err)
			}
			break
		}
		if wantErr == nil && !slices.Equal(got, want) {
			t.Fatalf("%d samples whole, %d in bytes", len(want), len(got))
		}
	})
}

// seekable is a file in memory.
type seekable struct {
	data []byte
	at   int
}

func (s *seekable) Write(p []byte) (int, error) {
	s.data = append(s.data[:s.at], append(slices.Clone(p), s.data[min(len(s.data), s.at+len(p)):]...)...)
	s.at += len(p)
	return len(p), nil
}

func (s *seekable) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += int64(s.at)
	case io.SeekEnd:
		offset += int64(len(s.data))
	}
	if offset < 0 || offset > int64(len(s.data)) {
		return 0, errors.New("nowhere")
	}
	s.at = int(offset)
	return offset, nil
}

// FuzzWriter: what is written at any rate, in any pieces, to a file or a pipe,
// also without a Close, is read back as it was.
func FuzzWriter(f *testing.F) {
	f.Fuzz(func(t *testing.T, rate uint32, channels, piece uint8, data []byte, toFile, closes bool) {
		samples := make([]int16, len(data)/2)
		for i := range samples {
			samples[i] = int16(binary.LittleEndian.Uint16(data[2*i:]))
		}
		var pipe bytes.Buffer
		file := &seekable{data: []byte("before")}
		file.at = len(file.data)
		out := io.Writer(&pipe)
		if toFile {
			out = file
		}
		w, err := NewWriter(out, audio.SampleRate(rate), int(channels))
		if err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Fatal(err)
			}
			return
		}
		samples = samples[:len(samples)/int(channels)*int(channels)]
		step := (1 + int(piece)) * int(channels)
		for chunk := range slices.Chunk(samples, step) {
			if err := w.Write(chunk); err != nil {
				t.Fatal(err)
			}
		}
		if closes {
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
		written := pipe.Bytes()
		if toFile {
			written = file.data[len("before"):]
		}
		info, got, err := ReadAll(bytes.NewReader(written))
		if err != nil || info.Rate != audio.SampleRate(rate) || info.Channels != int(channels) || !slices.Equal(got, samples) {
			t.Fatalf("%d samples of %d Hz on %d channels are read as %d, %+v: %v", len(samples), rate, channels, len(got), info, err)
		}
	})
}
