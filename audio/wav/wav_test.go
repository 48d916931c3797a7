package wav

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"edged/audio"
)

// file builds a WAV file by hand, chunk by chunk.
type file struct {
	riffSize uint32
	chunks   [][]byte
}

func chunk(id string, size uint32, body ...byte) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(id), size)
	b = append(b, body...)
	if len(body)%2 == 1 {
		b = append(b, 0)
	}
	return b
}

func sized(id string, body ...byte) []byte { return chunk(id, uint32(len(body)), body...) }

func format(tag uint16, channels uint16, rate uint32, bits uint16, extra ...byte) []byte {
	align := channels * bits / 8
	b := binary.LittleEndian.AppendUint16(nil, tag)
	b = binary.LittleEndian.AppendUint16(b, channels)
	b = binary.LittleEndian.AppendUint32(b, rate)
	b = binary.LittleEndian.AppendUint32(b, rate*uint32(align))
	b = binary.LittleEndian.AppendUint16(b, align)
	b = binary.LittleEndian.AppendUint16(b, bits)
	return sized("fmt ", append(b, extra...)...)
}

// extensible is the extra part of an extensible header with this sub-format.
func extensible(tag uint16, guid [14]byte) []byte {
	b := []byte{22, 0, 16, 0, 4, 0, 0, 0} // size, valid bits, speaker mask
	b = binary.LittleEndian.AppendUint16(b, tag)
	return append(b, guid[:]...)
}

func (f file) bytes() []byte {
	body := slices.Concat(f.chunks...)
	size := f.riffSize
	if size == 0 {
		size = uint32(4 + len(body))
	}
	b := binary.LittleEndian.AppendUint32([]byte("RIFF"), size)
	b = append(b, "WAVE"...)
	return append(b, body...)
}

var mono16k = format(tagPCM, 1, 16000, 16)

// audio4 is four samples: 1, -2, 3, -4.
var audio4 = []byte{1, 0, 0xfe, 0xff, 3, 0, 0xfc, 0xff}

func TestReadAll(t *testing.T) {
	four := []int16{1, -2, 3, -4}
	tests := []struct {
		name string
		data []byte
		info Info
		want []int16
	}{
		{"plain", file{chunks: [][]byte{mono16k, sized("data", audio4...)}}.bytes(), Info{16000, 1, 4}, four},
		{"stereo", file{chunks: [][]byte{format(tagPCM, 2, 44100, 16), sized("data", audio4...)}}.bytes(), Info{44100, 2, 2}, four},
		{"format with an empty extension", file{chunks: [][]byte{format(tagPCM, 1, 8000, 16, 0, 0), sized("data", audio4...)}}.bytes(), Info{8000, 1, 4}, four},
		{"extensible", file{chunks: [][]byte{format(tagExtensible, 1, 48000, 16, extensible(tagPCM, pcmGUID)...), sized("data", audio4...)}}.bytes(), Info{48000, 1, 4}, four},
		{"other chunks before, between and after", file{chunks: [][]byte{sized("JUNK", 1, 2, 3), mono16k, sized("LIST", 5, 6, 7, 8, 9), sized("data", audio4...), sized("LIST", 1, 2)}}.bytes(), Info{16000, 1, 4}, four},
		{"streamed, sizes all ones", file{riffSize: unknownSize, chunks: [][]byte{mono16k, chunk("data", unknownSize, audio4...)}}.bytes(), Info{16000, 1, 4}, four},
		{"streamed, sizes zero", append([]byte("RIFF\x00\x00\x00\x00WAVE"), slices.Concat(mono16k, chunk("data", 0, audio4...))...), Info{16000, 1, 4}, four},
		{"streamed, sizes of an empty file", file{riffSize: 36, chunks: [][]byte{mono16k, chunk("data", 0, audio4...)}}.bytes(), Info{16000, 1, 4}, four},
		{"streamed, cut inside a sample", file{riffSize: unknownSize, chunks: [][]byte{mono16k, chunk("data", unknownSize, audio4...)}}.bytes()[:51], Info{16000, 1, 3}, four[:3]},
		{"empty, with a chunk behind", file{chunks: [][]byte{mono16k, sized("data"), sized("LIST", 7, 7)}}.bytes(), Info{16000, 1, 0}, nil},
		{"odd size of audio", file{chunks: [][]byte{mono16k, sized("data", audio4[:7]...)}}.bytes(), Info{16000, 1, 3}, four[:3]},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{"at once": bytes.NewReader(tt.data), "byte by byte": iotest.OneByteReader(bytes.NewReader(tt.data))} {
				info, samples, err := ReadAll(r)
				if err != nil {
					t.Fatalf("%s: %v", how, err)
				}
				if info != tt.info || !slices.Equal(samples, tt.want) {
					t.Errorf("%s: %+v %v, want %+v %v", how, info, samples, tt.info, tt.want)
				}
			}
		})
	}
}

func TestRefused(t *testing.T) {
	wrongAlign := slices.Clone(mono16k)
	wrongAlign[8+12] = 7
	many := bytes.Repeat(sized("JUNK"), maxChunks+1)
	tests := []struct {
		name string
		data []byte
		want error
		says string
	}{
		{"empty", nil, ErrTruncated, "RIFF header"},
		{"an Ogg file", []byte("OggS\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00"), ErrNotWAV, "OggS"},
		{"another RIFF file", []byte("RIFF\x04\x00\x00\x00AVI LIST"), ErrNotWAV, "AVI"},
		{"the 64-bit form", []byte("RF64\xff\xff\xff\xffWAVEds64"), ErrNotWAV, "RF64"},
		{"header only", file{}.bytes(), ErrTruncated, "chunk header"},
		{"cut inside the format", file{chunks: [][]byte{mono16k[:20]}}.bytes(), ErrTruncated, "format chunk"},
		{"cut inside a chunk", file{chunks: [][]byte{chunk("LIST", 4_000_000_000, 1, 2, 3)}}.bytes(), ErrTruncated, "LIST"},
		{"audio before its format", file{chunks: [][]byte{sized("data", audio4...), mono16k}}.bytes(), ErrCorrupt, "before its format"},
		{"two formats", file{chunks: [][]byte{mono16k, mono16k}}.bytes(), ErrCorrupt, "two format chunks"},
		{"short format", file{chunks: [][]byte{sized("fmt ", 1, 0, 1, 0)}}.bytes(), ErrCorrupt, "at least 16"},
		{"short extensible format", file{chunks: [][]byte{format(tagExtensible, 1, 8000, 16, 0, 0)}}.bytes(), ErrCorrupt, "extensible"},
		{"inconsistent sample size", file{chunks: [][]byte{wrongAlign}}.bytes(), ErrCorrupt, "want 2"},
		{"no audio for ever", file{chunks: [][]byte{many}}.bytes(), ErrCorrupt, "no audio"},
		{"8 bit", file{chunks: [][]byte{format(tagPCM, 1, 8000, 8)}}.bytes(), ErrFormat, "8-bit PCM"},
		{"24 bit", file{chunks: [][]byte{format(tagPCM, 2, 48000, 24)}}.bytes(), ErrFormat, "24-bit PCM"},
		{"float", file{chunks: [][]byte{format(tagFloat, 1, 16000, 32)}}.bytes(), ErrFormat, "32-bit floating point"},
		{"extensible float", file{chunks: [][]byte{format(tagExtensible, 1, 16000, 32, extensible(tagFloat, pcmGUID)...)}}.bytes(), ErrFormat, "floating point"},
		{"extensible of another world", file{chunks: [][]byte{format(tagExtensible, 1, 16000, 16, extensible(tagPCM, [14]byte{9})...)}}.bytes(), ErrFormat, "sub-format"},
		{"mu-law", file{chunks: [][]byte{format(tagMuLaw, 1, 8000, 8)}}.bytes(), ErrFormat, "mu-law"},
		{"A-law", file{chunks: [][]byte{format(tagALaw, 1, 8000, 8)}}.bytes(), ErrFormat, "A-law"},
		{"ADPCM", file{chunks: [][]byte{format(0x11, 1, 8000, 4)}}.bytes(), ErrFormat, "0x0011"},
		{"six channels", file{chunks: [][]byte{format(tagPCM, 6, 48000, 16)}}.bytes(), ErrFormat, "6 channels"},
		{"no channels", file{chunks: [][]byte{format(tagPCM, 0, 48000, 16)}}.bytes(), ErrFormat, "0 channels"},
		{"no rate", file{chunks: [][]byte{format(tagPCM, 1, 0, 16)}}.bytes(), ErrFormat, "sample rate 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := NewReader(bytes.NewReader(tt.data))
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v, want %v that says %q", err, tt.want, tt.says)
			}
		})
	}
}

// A file that ends early gives what it has, then says so.
func TestTruncatedAudio(t *testing.T) {
	data := file{chunks: [][]byte{mono16k, sized("data", audio4...)}}.bytes()
	info, samples, err := ReadAll(bytes.NewReader(data[:len(data)-3]))
	if !errors.Is(err, ErrTruncated) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v, want ErrTruncated and io.ErrUnexpectedEOF", err)
	}
	if !slices.Equal(samples, []int16{1, -2}) || info.Samples != 2 {
		t.Errorf("%v and %d samples, want the 2 that are whole", samples, info.Samples)
	}
}

// An error of the source is not taken for the end of the file.
func TestReadError(t *testing.T) {
	broken := errors.New("disk on fire")
	for _, size := range []uint32{8, unknownSize} {
		head := file{riffSize: unknownSize, chunks: [][]byte{mono16k, chunk("data", size, 1, 0)}}.bytes()
		_, samples, err := ReadAll(io.MultiReader(bytes.NewReader(head), iotest.ErrReader(broken)))
		if !errors.Is(err, broken) || len(samples) != 1 {
			t.Errorf("data size %#x: %v and %v, want one sample and the source's error", size, samples, err)
		}
	}
	if _, err := NewReader(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("header: error %v, want the source's", err)
	}
}

// A header that claims 4 GB costs no more memory than a small one.
func TestHostileSize(t *testing.T) {
	data := file{chunks: [][]byte{mono16k, chunk("data", 0xfffffffe, audio4...)}}.bytes()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, samples, err := ReadAll(bytes.NewReader(data))
	runtime.ReadMemStats(&after)
	if !errors.Is(err, ErrTruncated) || len(samples) != 4 {
		t.Errorf("%v and %v, want the 4 samples and ErrTruncated", samples, err)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<20 {
		t.Errorf("%d bytes allocated for 8 bytes of audio", grown)
	}
}

func TestShortDestination(t *testing.T) {
	r, err := NewReader(bytes.NewReader(file{chunks: [][]byte{format(tagPCM, 2, 16000, 16), sized("data", audio4...)}}.bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Read(make([]int16, 1)); !errors.Is(err, io.ErrShortBuffer) {
		t.Errorf("error %v for one sample of two channels, want io.ErrShortBuffer", err)
	}
	if n, err := r.Read(make([]int16, 3)); n != 2 || err != nil {
		t.Errorf("Read = %d, %v into 3 samples of two channels, want 2", n, err)
	}
}

func tone(samples int) []int16 {
	out := make([]int16, samples)
	for i := range out {
		out[i] = int16(i * 2654435761)
	}
	return out
}

// What is written reads back, through a file that can be corrected and through a
// pipe that cannot.
func TestRoundTrip(t *testing.T) {
	for _, channels := range []int{1, 2} {
		for _, n := range []int{0, 2, 640, 100_000} {
			want := tone(n)
			path := filepath.Join(t.TempDir(), "x.wav")
			f, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			write(t, f, channels, want)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if riff, audio := binary.LittleEndian.Uint32(data[4:]), binary.LittleEndian.Uint32(data[40:]); int(riff) != len(data)-8 || int(audio) != len(data)-44 {
				t.Errorf("sizes %d and %d in a file of %d bytes, want %d and %d", riff, audio, len(data), len(data)-8, len(data)-44)
			}
			expect(t, "file", bytes.NewReader(data), Info{22050, channels, n / channels}, want)

			pipeOut, pipeIn, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			done := make(chan []byte)
			go func() {
				data, _ := io.ReadAll(pipeOut)
				done <- data
			}()
			write(t, pipeIn, channels, want)
			pipeIn.Close()
			data = <-done
			expect(t, "pipe", bytes.NewReader(data), Info{22050, channels, n / channels}, want)
			if audio := binary.LittleEndian.Uint32(data[40:]); audio != unknownSize {
				t.Errorf("a pipe's header states %d bytes, want unknown", audio)
			}
		}
	}
}

func write(t *testing.T, dst io.Writer, channels int, samples []int16) {
	t.Helper()
	w, err := NewWriter(dst, 22050, channels)
	if err != nil {
		t.Fatal(err)
	}
	for rest := samples; len(rest) > 0; {
		part := rest[:min(len(rest), 1234)]
		rest = rest[len(part):]
		if err := w.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := w.Close(); err != nil {
			t.Fatalf("Close: %v, want nil however often", err)
		}
	}
	if err := w.Write(samples); !errors.Is(err, ErrClosed) {
		t.Errorf("Write after Close: %v, want ErrClosed", err)
	}
}

func expect(t *testing.T, where string, r io.Reader, info Info, want []int16) {
	t.Helper()
	got, samples, err := ReadAll(r)
	if err != nil || got != info || !slices.Equal(samples, want) {
		t.Errorf("%s: %+v with %d samples and %v, want %+v with the %d written", where, got, len(samples), err, info, len(want))
	}
}

// A file is written from where the destination stands, and a writer that was
// never closed leaves a readable file.
func TestWriterInTheMiddle(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "x"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	io.WriteString(f, "before")
	w, err := NewWriter(f, audio.Rate16k, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write([]int16{5, 6}); err != nil {
		t.Fatal(err)
	}
	content := func() []byte {
		data, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		return data[len("before"):]
	}
	expect(t, "before Close", bytes.NewReader(content()), Info{16000, 1, 2}, []int16{5, 6})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	io.WriteString(f, "after")
	data := content()
	if string(data[len(data)-5:]) != "after" || len(data) != headerSize+4+5 {
		t.Errorf("%d bytes ending in %q: Close must leave the file at its end", len(data), data[len(data)-5:])
	}
}

func TestWriterErrors(t *testing.T) {
	for _, bad := range []struct {
		rate     audio.SampleRate
		channels int
	}{{0, 1}, {-5, 1}, {1 << 33, 1}, {16000, 0}, {16000, 3}} {
		if _, err := NewWriter(io.Discard, bad.rate, bad.channels); !errors.Is(err, ErrFormat) {
			t.Errorf("NewWriter(%d, %d): %v, want ErrFormat", bad.rate, bad.channels, err)
		}
	}
	w, err := NewWriter(io.Discard, 16000, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(make([]int16, 3)); !errors.Is(err, ErrFormat) {
		t.Errorf("three samples of two channels: %v, want ErrFormat", err)
	}
	w.bytes = 1<<32 - headerSize - 4
	if err := w.Write(make([]int16, 2)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("beyond 4 GiB: %v, want ErrTooLarge", err)
	}
	full := errors.New("disk full")
	w, err = NewWriter(&failing{after: headerSize, err: full}, 16000, 1)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.Write(make([]int16, 2)); !errors.Is(err, full) {
			t.Errorf("Write to a full disk: %v, want its error", err)
		}
	}
	if err := w.Close(); !errors.Is(err, full) {
		t.Errorf("Close after a failed Write: %v, want its error", err)
	}
	if _, err := NewWriter(&failing{err: full}, 16000, 1); !errors.Is(err, full) {
		t.Errorf("header to a full disk: %v, want its error", err)
	}
}

// failing takes so many bytes.
type failing struct {
	after int
	err   error
}

func (f *failing) Write(p []byte) (int, error) {
	if f.after -= len(p); f.after < 0 {
		return 0, f.err
	}
	return len(p), nil
}

// FuzzReader reads arbitrary bytes: no panic, no more samples than bytes, typed
// errors only.
func FuzzReader(f *testing.F) {
	f.Add(file{chunks: [][]byte{mono16k, sized("data", audio4...)}}.bytes())
	f.Add(file{chunks: [][]byte{format(tagExtensible, 2, 48000, 16, extensible(tagPCM, pcmGUID)...), chunk("data", 0, audio4...)}}.bytes())
	f.Add([]byte("RIFF"))
	f.Fuzz(func(t *testing.T, data []byte) {
		info, samples, err := ReadAll(bytes.NewReader(data))
		if len(samples)*sampleBytes > len(data) {
			t.Fatalf("%d samples from %d bytes", len(samples), len(data))
		}
		if err == nil && (info.Samples*info.Channels != len(samples) || info.Rate < minRate) {
			t.Fatalf("%+v with %d samples", info, len(samples))
		}
		for _, sentinel := range []error{nil, ErrNotWAV, ErrFormat, ErrCorrupt, ErrTruncated} {
			if errors.Is(err, sentinel) {
				return
			}
		}
		t.Fatalf("error %v matches no sentinel", err)
	})
}
