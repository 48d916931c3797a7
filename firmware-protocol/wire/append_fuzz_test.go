package wire

import (
	"bytes"
	"testing"
)

// FuzzAppendFrame: what a sender makes of any fields is refused with a typed
// error and nothing written, or parses to the same frame; its extensions are
// found again, and neither side writes into the other's memory.
func FuzzAppendFrame(f *testing.F) {
	f.Fuzz(func(t *testing.T, typ, flags, track uint8, seq, timestamp, gap uint32, id uint8, value, payload []byte) {
		extensions, err := AppendExtension(nil, id, value)
		if err != nil {
			requireTyped(t, err, ErrTooLarge)
			if extensions != nil {
				t.Fatalf("refused, but %x was appended", extensions)
			}
			extensions = value // as a list that nobody has checked
		}
		frame := Frame{FrameType(typ), Flags(flags), track, seq, timestamp, gap, extensions, payload}
		before := []byte("before")
		out, err := AppendFrame(before, frame)
		if err != nil {
			requireTyped(t, err, ErrUnknownType, ErrTooLarge, ErrMalformed)
			if !bytes.Equal(out, before) {
				t.Fatalf("refused, but %x was appended", out)
			}
			return
		}
		got, err := ParseFrame(out[len(before):])
		if err != nil || !equalFrames(got, frame) {
			t.Fatalf("%+v is parsed as %+v, %v", frame, got, err)
		}
		if found, ok := got.Extension(id); len(value) <= MaxHeaderLen-HeaderLen-2 && (!ok || !bytes.Equal(found, value)) {
			t.Fatalf("extension %d holds %x, %v, want %x", id, found, ok, value)
		}
		// Appending to a part of a frame must not write into the next.
		kept := bytes.Clone(out)
		_ = append(got.Extensions, 0xff)
		_ = append(got.Payload, 0xff)
		if !bytes.Equal(out, kept) {
			t.Fatal("a part of the frame reaches into the next")
		}
	})
}
