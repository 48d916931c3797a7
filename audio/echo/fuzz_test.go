package echo

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
	"time"
)

// FuzzGuard: whatever is said to have been sent, played, dropped and missed, in
// whatever pieces the microphone comes, nothing panics, the line of the microphone
// and the counters stay true, and what comes out before anything was sent is what
// came in, at most a frame late.
//
// Every four bytes are one call: what it is, how long its piece is, and where.
func FuzzGuard(f *testing.F) {
	f.Fuzz(func(t *testing.T, program []byte) {
		if len(program) > 4*300 {
			return
		}
		g, err := New()
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		voice := make([]int16, 4*Frame)
		for i := range voice {
			voice[i] = int16(9000 * math.Sin(float64(i*i)/900))
		}
		var position int64
		var in, out []int16
		sent, odd := false, -1
		for ; len(program) >= 4; program = program[4:] {
			where := int64(int16(binary.LittleEndian.Uint16(program[2:])))
			length := int(program[1])
			if program[0]&8 != 0 {
				length = Frame * (1 + length%3)
			}
			switch program[0] % 8 {
			case 0:
				sent = true
				g.Sent(g.End(), voice[:length])
			case 1:
				sent = true
				g.Sent(position+where, voice[:length])
			case 2:
				g.Place(position+where, position)
			case 3:
				g.Cut(position + where)
			case 4:
				g.Skip(length)
				position += int64(length)
				sent = true // the line has a hole: no longer compared
			default:
				piece := slices.Clone(voice[:length])
				if program[0]&16 != 0 {
					for i := range piece {
						piece[i] = voice[(int(position)+i)%len(voice)] / 8
					}
				}
				if odd < 0 && length%Frame != 0 {
					odd = len(in)
				}
				in = append(in, piece...)
				g.Process(piece)
				position += int64(length)
				if !sent {
					out = append(out, piece...)
				}
			}
			if g.Position() != position {
				t.Fatalf("the microphone is at %d, heard were %d samples", g.Position(), position)
			}
		}
		checkUntouched(t, in, out, odd)
		s := g.Stats()
		if s.Suppressed > s.Active || s.Active < 0 || s.Aligns < 0 || math.IsNaN(s.ERLE) || s.ERLE < 0 || math.IsNaN(s.Leak) || math.IsInf(s.Leak, 0) {
			t.Fatalf("%+v", s)
		}
		if active := time.Duration(position) * time.Second / time.Duration(rate); s.Active > active {
			t.Fatalf("%v of %v were heard while the speaker might be", s.Active, active)
		}
	})
}

// checkUntouched: without a reply out is in, its very first frame faded in, and
// from the first odd piece on late by a frame of silence.
func checkUntouched(t *testing.T, in, out []int16, odd int) {
	t.Helper()
	want := slices.Clone(in)
	for i := range want[:min(len(want), Frame)] {
		want[i] = int16(int(want[i]) * i / Frame)
	}
	if odd >= 0 {
		want = slices.Insert(want, odd, make([]int16, Frame)...)
	}
	if !slices.Equal(out, want[:len(out)]) {
		t.Fatalf("%d samples of the microphone are not what came in", len(out))
	}
}
