package wire

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

// bytesOf turns hex with spaces into bytes: the tests state bytes by hand.
func bytesOf(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatalf("hex in the test itself: %v", err)
	}
	return b
}

// frameCases feed decoding, encoding and the fuzz corpus.
var frameCases = []struct {
	name string
	hex  string
	want Frame
}{
	{"opus packet", "01 10 01 00 00 00 00 03 00 00 00 2a 00 00 07 80 aa bb cc",
		Frame{Type: TypeAudio, Seq: 42, Timestamp: 1920, Payload: []byte{0xaa, 0xbb, 0xcc}}},
	{"first and last, sequence and timestamp at their end", "01 10 01 03 00 00 00 01 ff ff ff ff ff ff ff ff 7f",
		Frame{Type: TypeAudio, Flags: FlagBOS | FlagEOS, Seq: 1<<32 - 1, Timestamp: 1<<32 - 1, Payload: []byte{0x7f}}},
	{"end without media", "01 10 01 02 00 00 00 00 00 00 00 07 00 00 00 00",
		Frame{Type: TypeAudio, Flags: FlagEOS, Seq: 7}},
	{"gap of 960 samples", "01 10 01 04 00 00 00 04 00 00 00 08 00 00 03 c0 00 00 03 c0",
		Frame{Type: TypeAudio, Flags: FlagGap, Seq: 8, Timestamp: 960, Gap: 960}},
	{"longest gap", "01 10 01 04 00 00 00 04 00 00 00 08 00 00 00 00 00 2b f2 00",
		Frame{Type: TypeAudio, Flags: FlagGap, Seq: 8, Gap: 2_880_000}},
	{"track 3", "01 10 01 00 03 00 00 01 00 00 00 01 00 00 00 02 00",
		Frame{Type: TypeAudio, Track: 3, Seq: 1, Timestamp: 2, Payload: []byte{0}}},
	{"two extensions, one of them empty", "01 17 01 00 00 00 00 02 00 00 00 01 00 00 00 02 09 03 01 02 03 0a 00 d0 d1",
		Frame{Type: TypeAudio, Seq: 1, Timestamp: 2, Extensions: []byte{9, 3, 1, 2, 3, 10, 0}, Payload: []byte{0xd0, 0xd1}}},
}

func equalFrames(a, b Frame) bool {
	return a.Type == b.Type && a.Flags == b.Flags && a.Track == b.Track && a.Seq == b.Seq && a.Timestamp == b.Timestamp &&
		a.Gap == b.Gap && bytes.Equal(a.Extensions, b.Extensions) && bytes.Equal(a.Payload, b.Payload)
}

func TestFrame(t *testing.T) {
	for _, tc := range frameCases {
		t.Run(tc.name, func(t *testing.T) {
			in := bytesOf(t, tc.hex)
			got, err := ParseFrame(in)
			if err != nil || !equalFrames(got, tc.want) {
				t.Errorf("ParseFrame = %+v, %v; want %+v", got, err, tc.want)
			}
			prefix := []byte("kept")
			out, err := AppendFrame(prefix, tc.want)
			if err != nil || !bytes.Equal(out, append([]byte("kept"), in...)) {
				t.Errorf("AppendFrame = %x, %v; want the prefix and %x", out, err, in)
			}
		})
	}
}

// F50: truncated headers, unknown types and lying lengths are refused with a
// reason and an offset, and never panic.
func TestParseFrameRefuses(t *testing.T) {
	tests := []struct {
		name   string
		hex    string
		want   error
		offset int
	}{
		{"nothing", "", ErrTruncated, 0},
		{"one byte", "01", ErrTruncated, 1},
		{"header cut by one", "01 10 01 00 00 00 00 00 00 00 00 00 00 00 00", ErrTruncated, 15},
		{"version 0", "00 10 01 00 00 00 00 00 00 00 00 00 00 00 00 00", ErrVersion, 0},
		{"version 2, short: the layout is unknown", "02", ErrVersion, 0},
		{"header length below the fixed header", "01 0f 01 00 00 00 00 00 00 00 00 00 00 00 00 00", ErrMalformed, 1},
		{"header length beyond the message", "01 14 01 00 00 00 00 00 00 00 00 00 00 00 00 00", ErrTruncated, 16},
		{"payload cut", "01 10 01 00 00 00 00 03 00 00 00 00 00 00 00 00 aa bb", ErrTruncated, 18},
		{"stray byte", "01 10 01 00 00 00 00 01 00 00 00 00 00 00 00 00 aa bb", ErrMalformed, 17},
		{"payload length above the limit", "01 10 01 00 00 00 16 81 00 00 00 00 00 00 00 00", ErrTooLarge, 6},
		{"half an extension", "01 11 01 00 00 00 00 00 00 00 00 00 00 00 00 00 09", ErrMalformed, 16},
		{"extension overruns the header", "01 14 01 00 00 00 00 02 00 00 00 00 00 00 00 00 09 00 0a 01 ff ff", ErrMalformed, 18},
		{"gap without duration", "01 10 01 04 00 00 00 00 00 00 00 00 00 00 00 00", ErrMalformed, 6},
		{"gap with media", "01 10 01 04 00 00 00 05 00 00 00 00 00 00 00 00 00 00 00 01 ff", ErrMalformed, 6},
		{"gap of no samples", "01 10 01 04 00 00 00 04 00 00 00 00 00 00 00 00 00 00 00 00", ErrMalformed, 16},
		{"gap longer than a minute", "01 10 01 04 00 00 00 04 00 00 00 00 00 00 00 00 00 2b f2 01", ErrTooLarge, 16},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			got, err := ParseFrame(bytesOf(t, tc.hex))
			var fault *Error
			if !errors.Is(err, tc.want) || !errors.As(err, &fault) {
				t.Fatalf("ParseFrame = %v, want an *Error matching %q", err, tc.want)
			}
			if fault.Offset != tc.offset {
				t.Errorf("offset %d in %q, want %d: it must point at the fault", fault.Offset, err, tc.offset)
			}
			if !equalFrames(got, Frame{}) {
				t.Errorf("frame %+v beside an error, want an empty one", got)
			}
		})
	}
}

// F50: a type of a later version is framed, so that it can be skipped and its
// sequence number accounted for.
func TestUnknownTypeIsFramed(t *testing.T) {
	got, err := ParseFrame(bytesOf(t, "01 12 07 04 00 00 00 02 00 00 00 05 00 00 00 06 0b 00 de ad"))
	want := Frame{Type: 7, Flags: FlagGap, Seq: 5, Timestamp: 6, Extensions: []byte{11, 0}, Payload: []byte{0xde, 0xad}}
	if !errors.Is(err, ErrUnknownType) || !equalFrames(got, want) {
		t.Errorf("ParseFrame = %+v, %v; want %+v and ErrUnknownType", got, err, want)
	}
}

func TestReservedBitsAreIgnored(t *testing.T) {
	got, err := ParseFrame(bytesOf(t, "01 10 01 f9 00 ff 00 01 00 00 00 01 00 00 00 02 55"))
	want := Frame{Type: TypeAudio, Flags: FlagBOS, Seq: 1, Timestamp: 2, Payload: []byte{0x55}}
	if err != nil || !equalFrames(got, want) {
		t.Errorf("ParseFrame = %+v, %v; want %+v: a later version may set reserved bits", got, err, want)
	}
}

func TestAppendFrameRefuses(t *testing.T) {
	tests := []struct {
		name string
		f    Frame
		want error
	}{
		{"no type", Frame{}, ErrUnknownType},
		{"unknown type", Frame{Type: 2}, ErrUnknownType},
		{"reserved flag", Frame{Type: TypeAudio, Flags: 1 << 3}, ErrMalformed},
		{"payload too large", Frame{Type: TypeAudio, Payload: make([]byte, MaxPayload+1)}, ErrTooLarge},
		{"extensions too large", Frame{Type: TypeAudio, Extensions: make([]byte, 240)}, ErrTooLarge},
		{"extensions broken", Frame{Type: TypeAudio, Extensions: []byte{1, 2, 3}}, ErrMalformed},
		{"gap samples without flag", Frame{Type: TypeAudio, Gap: 1}, ErrMalformed},
		{"gap with payload", Frame{Type: TypeAudio, Flags: FlagGap, Gap: 1, Payload: []byte{1}}, ErrMalformed},
		{"gap of nothing", Frame{Type: TypeAudio, Flags: FlagGap}, ErrMalformed},
		{"gap too long", Frame{Type: TypeAudio, Flags: FlagGap, Gap: MaxGap + 1}, ErrTooLarge},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			out, err := AppendFrame([]byte("kept"), tc.f)
			if !errors.Is(err, tc.want) || string(out) != "kept" {
				t.Errorf("AppendFrame = %q, %v; want the prefix alone and %q", out, err, tc.want)
			}
		})
	}
}

// The largest frame that is negotiated fits, with a full extension list.
func TestLargestFrame(t *testing.T) {
	ext, err := AppendExtension(nil, 1, make([]byte, MaxHeaderLen-HeaderLen-2))
	if err != nil {
		t.Fatal(err)
	}
	b, err := AppendFrame(nil, Frame{Type: TypeAudio, Extensions: ext, Payload: make([]byte, 5760)})
	if err != nil || len(b) != MaxFrame {
		t.Fatalf("AppendFrame = %d bytes, %v; want %d: 60 ms of PCM at 48 kHz must fit", len(b), err, MaxFrame)
	}
	if _, err := ParseFrame(b); err != nil {
		t.Errorf("ParseFrame of the largest frame: %v", err)
	}
}

func TestExtensions(t *testing.T) {
	list, err := AppendExtension(nil, 7, []byte("abc"))
	if err != nil {
		t.Fatal(err)
	}
	if list, err = AppendExtension(list, 8, nil); err != nil {
		t.Fatal(err)
	}
	if list, err = AppendExtension(list, 7, []byte("second")); err != nil {
		t.Fatal(err)
	}
	f := Frame{Extensions: list}
	if v, ok := f.Extension(7); !ok || string(v) != "abc" {
		t.Errorf("Extension(7) = %q, %v; want the first one, abc", v, ok)
	}
	if v, ok := f.Extension(8); !ok || len(v) != 0 {
		t.Errorf("Extension(8) = %q, %v; want an empty value that is there", v, ok)
	}
	if v, ok := f.Extension(9); ok {
		t.Errorf("Extension(9) = %q, want none", v)
	}
	if v, ok := (Frame{Extensions: []byte{9, 200, 1}}).Extension(9); ok {
		t.Errorf("Extension in a broken list = %q, want none", v)
	}
	full := make([]byte, 230)
	if got, err := AppendExtension(full, 1, make([]byte, 8)); !errors.Is(err, ErrTooLarge) || len(got) != len(full) {
		t.Errorf("AppendExtension beyond the header = %d bytes, %v; want %d and ErrTooLarge", len(got), err, len(full))
	}
}

// A parsed frame must not let an append to one part overwrite the next.
func TestPartsDoNotOverlap(t *testing.T) {
	b := bytesOf(t, "01 12 01 00 00 00 00 01 00 00 00 01 00 00 00 02 09 00 55")
	f, err := ParseFrame(b)
	if err != nil {
		t.Fatal(err)
	}
	_ = append(f.Extensions, 0xff)
	if f.Payload[0] != 0x55 {
		t.Error("appending to Extensions overwrote the payload")
	}
}

// Every frame that can be sent comes back the same.
func TestFrameRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	buf := make([]byte, 0, MaxFrame)
	for i := range 4_000 {
		want := randomFrame(rng)
		b, err := AppendFrame(buf[:0], want)
		if err != nil {
			t.Fatalf("frame %d %+v: %v", i, want, err)
		}
		got, err := ParseFrame(b)
		if err != nil || !equalFrames(got, want) {
			t.Fatalf("frame %d came back as %+v, %v; want %+v", i, got, err, want)
		}
	}
}

func randomFrame(rng *rand.Rand) Frame {
	f := Frame{Type: TypeAudio, Flags: Flags(rng.IntN(4)), Track: uint8(rng.Uint32()), Seq: rng.Uint32(), Timestamp: rng.Uint32()}
	for range rng.IntN(4) {
		f.Extensions, _ = AppendExtension(f.Extensions, uint8(rng.Uint32()), make([]byte, rng.IntN(70)))
	}
	if rng.IntN(4) == 0 {
		f.Flags |= FlagGap
		f.Gap = 1 + rng.Uint32N(MaxGap)
		return f
	}
	f.Payload = make([]byte, rng.IntN(MaxPayload+1))
	for i := range f.Payload {
		f.Payload[i] = byte(rng.Uint32())
	}
	return f
}
