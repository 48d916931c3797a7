package opus

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	libopus "github.com/hraban/opus"
)

const ms = time.Millisecond

// toc builds the first byte of a packet: configuration, stereo, frame code.
func toc(config, stereo, code byte) byte { return config<<3 | stereo<<2 | code }

func body(n int) []byte { return make([]byte, n) }

var packets = []struct {
	name string
	pkt  []byte
	want Packet
	err  error
}{
	{"SILK 10 ms", append([]byte{toc(0, 0, 0)}, 1, 2, 3), Packet{Duration: 10 * ms, FrameDuration: 10 * ms, Frames: 1, Channels: 1}, nil},
	{"SILK 60 ms", append([]byte{toc(11, 0, 0)}, 1), Packet{Duration: 60 * ms, FrameDuration: 60 * ms, Frames: 1, Channels: 1}, nil},
	{"hybrid 20 ms stereo", append([]byte{toc(13, 1, 0)}, 1), Packet{Duration: 20 * ms, FrameDuration: 20 * ms, Frames: 1, Channels: 2}, nil},
	{"CELT 2.5 ms", append([]byte{toc(16, 0, 0)}, 1), Packet{Duration: 2500 * time.Microsecond, FrameDuration: 2500 * time.Microsecond, Frames: 1, Channels: 1}, nil},
	{"CELT 20 ms", append([]byte{toc(31, 0, 0)}, 1), Packet{Duration: 20 * ms, FrameDuration: 20 * ms, Frames: 1, Channels: 1}, nil},
	{"DTX, one byte", []byte{toc(9, 0, 0)}, Packet{Duration: 20 * ms, FrameDuration: 20 * ms, Frames: 1, Channels: 1, DTX: true}, nil},
	{"DTX, three frames", []byte{toc(9, 0, 3), 3}, Packet{Duration: 60 * ms, FrameDuration: 20 * ms, Frames: 3, Channels: 1, DTX: true}, nil},
	{"two equal frames", append([]byte{toc(9, 0, 1)}, body(10)...), Packet{Duration: 40 * ms, FrameDuration: 20 * ms, Frames: 2, Channels: 1}, nil},
	{"two frames of other sizes", append([]byte{toc(9, 0, 2), 3}, body(10)...), Packet{Duration: 40 * ms, FrameDuration: 20 * ms, Frames: 2, Channels: 1}, nil},
	{"two frames, long size", append([]byte{toc(9, 0, 2), 252, 1}, body(300)...), Packet{Duration: 40 * ms, FrameDuration: 20 * ms, Frames: 2, Channels: 1}, nil},
	{"six equal frames", append([]byte{toc(9, 0, 3), 6}, body(12)...), Packet{Duration: 120 * ms, FrameDuration: 20 * ms, Frames: 6, Channels: 1}, nil},
	{"three sized frames", append([]byte{toc(9, 0, 3), 0x80 | 3, 2, 4}, body(7)...), Packet{Duration: 60 * ms, FrameDuration: 20 * ms, Frames: 3, Channels: 1}, nil},
	{"padding", append([]byte{toc(9, 0, 3), 0x40 | 2, 5}, body(4+5)...), Packet{Duration: 40 * ms, FrameDuration: 20 * ms, Frames: 2, Channels: 1}, nil},
	{"long padding", append([]byte{toc(9, 0, 3), 0x40 | 1, 255, 6}, body(4+260)...), Packet{Duration: 20 * ms, FrameDuration: 20 * ms, Frames: 1, Channels: 1}, nil},
	{"48 frames of 2.5 ms", append([]byte{toc(16, 0, 3), 48}, body(48)...), Packet{Duration: 120 * ms, FrameDuration: 2500 * time.Microsecond, Frames: 48, Channels: 1}, nil},
	{"largest frame", append([]byte{toc(9, 0, 0)}, body(1275)...), Packet{Duration: 20 * ms, FrameDuration: 20 * ms, Frames: 1, Channels: 1}, nil},

	{"zero length", nil, Packet{}, ErrEmptyPacket},
	{"Ogg page", append([]byte("OggS\x00\x02"), body(40)...), Packet{}, ErrOggPage},
	{"Ogg mark alone", []byte("OggS"), Packet{}, ErrOggPage},
	{"frame too large", append([]byte{toc(9, 0, 0)}, body(1276)...), Packet{}, ErrInvalidPacket},
	{"odd bytes for two equal frames", append([]byte{toc(9, 0, 1)}, body(11)...), Packet{}, ErrInvalidPacket},
	{"two equal frames too large", append([]byte{toc(9, 0, 1)}, body(2552)...), Packet{}, ErrInvalidPacket},
	{"first size cut off", []byte{toc(9, 0, 2)}, Packet{}, ErrInvalidPacket},
	{"first size cut in two", []byte{toc(9, 0, 2), 253}, Packet{}, ErrInvalidPacket},
	{"first frame beyond the end", append([]byte{toc(9, 0, 2), 20}, body(10)...), Packet{}, ErrInvalidPacket},
	{"second frame too large", append([]byte{toc(9, 0, 2), 1}, body(1277)...), Packet{}, ErrInvalidPacket},
	{"count missing", []byte{toc(9, 0, 3)}, Packet{}, ErrInvalidPacket},
	{"no frames", []byte{toc(9, 0, 3), 0}, Packet{}, ErrInvalidPacket},
	{"over 120 ms", append([]byte{toc(9, 0, 3), 7}, body(14)...), Packet{}, ErrInvalidPacket},
	{"49 frames", append([]byte{toc(16, 0, 3), 49}, body(49)...), Packet{}, ErrInvalidPacket},
	{"unequal bytes for equal frames", append([]byte{toc(9, 0, 3), 3}, body(7)...), Packet{}, ErrInvalidPacket},
	{"equal frames too large", append([]byte{toc(9, 0, 3), 3}, body(3*1276)...), Packet{}, ErrInvalidPacket},
	{"padding cut off", []byte{toc(9, 0, 3), 0x40 | 1, 255}, Packet{}, ErrInvalidPacket},
	{"padding beyond the end", []byte{toc(9, 0, 3), 0x40 | 1, 9, 0}, Packet{}, ErrInvalidPacket},
	{"sizes cut off", []byte{toc(9, 0, 3), 0x80 | 3, 1}, Packet{}, ErrInvalidPacket},
	{"sized frames beyond the end", append([]byte{toc(9, 0, 3), 0x80 | 2, 9}, body(5)...), Packet{}, ErrInvalidPacket},
	{"last of the sized frames too large", append([]byte{toc(9, 0, 3), 0x80 | 2, 0}, body(1276)...), Packet{}, ErrInvalidPacket},
}

func TestInspect(t *testing.T) {
	for _, tt := range packets {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Inspect(tt.pkt)
			if !errors.Is(err, tt.err) || got != tt.want {
				t.Errorf("Inspect = %+v, %v, want %+v, %v", got, err, tt.want, tt.err)
			}
			if d, err := Duration(tt.pkt); d != tt.want.Duration || !errors.Is(err, tt.err) {
				t.Errorf("Duration = %v, %v, want %v, %v", d, err, tt.want.Duration, tt.err)
			}
		})
	}
}

// judge compares Inspect with the reference implementation: what it accepts the
// library decodes to that duration, what it refuses the library refuses.
func judge(t *testing.T, lib *libopus.Decoder, pkt []byte) {
	t.Helper()
	pcm := make([]int16, 48*120)
	n, libErr := lib.Decode(pkt, pcm)
	d, err := Duration(pkt)
	if (err == nil) != (libErr == nil) {
		t.Fatalf("% x: Duration says %v, %v; libopus %d, %v", pkt, d, err, n, libErr)
	}
	if got := time.Duration(n) * time.Second / 48000; err == nil && got != d {
		t.Fatalf("% x: Duration says %v, libopus decoded %v", pkt, d, got)
	}
}

func newLibDecoder(t testing.TB) *libopus.Decoder {
	lib, err := libopus.NewDecoder(48000, 1)
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

// F50: whatever comes, Inspect and libopus agree on whether it is a packet and
// how long it is.
func TestInspectAgreesWithLibrary(t *testing.T) {
	lib := newLibDecoder(t)
	for _, tt := range packets {
		judge(t, lib, tt.pkt)
	}
	rng := rand.New(rand.NewPCG(9, 9))
	for range 5000 {
		pkt := make([]byte, 1+rng.IntN(24))
		for i := range pkt {
			pkt[i] = byte(rng.Uint32())
		}
		if rng.IntN(2) == 0 {
			pkt[0] |= 3 // many frames: the code with most to get wrong
		}
		judge(t, lib, pkt)
	}
}

func FuzzDecoder(f *testing.F) {
	for _, tt := range packets {
		f.Add(slices.Clone(tt.pkt))
	}
	lib := newLibDecoder(f)
	d, err := NewDecoder(16000, 1)
	if err != nil {
		f.Fatal(err)
	}
	dst := make([]int16, 16*120)
	f.Fuzz(func(t *testing.T, pkt []byte) {
		judge(t, lib, pkt)
		n, err := d.Decode(dst, pkt)
		if want, inspectErr := Duration(pkt); (err == nil) != (inspectErr == nil) || n != d.Rate().Samples(want) {
			t.Fatalf("Decode = %d, %v, want %v, %v", n, err, want, inspectErr)
		}
		d.DecodeFEC(dst[:320], pkt)
		d.DecodeFEC(dst, pkt)
	})
}
