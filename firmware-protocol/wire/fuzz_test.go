package wire

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
)

// Whatever arrives: no panic, exactly one typed error or a frame, and a frame
// that can be encoded again means the same.
func FuzzParseFrame(f *testing.F) {
	for _, tc := range frameCases {
		f.Add(bytesOf(f, tc.hex))
	}
	for _, path := range glob(f, "frames/*.bin") {
		f.Add(read(f, path))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		frame, err := ParseFrame(b)
		if err != nil {
			requireTyped(t, err, ErrTruncated, ErrVersion, ErrUnknownType, ErrTooLarge, ErrMalformed)
			return
		}
		out, err := AppendFrame(nil, frame)
		if err != nil {
			t.Fatalf("accepted frame %+v cannot be sent: %v", frame, err)
		}
		again, err := ParseFrame(out)
		if err != nil || !equalFrames(frame, again) {
			t.Fatalf("%+v came back as %+v, %v", frame, again, err)
		}
		// Only reserved bits may differ.
		b = bytes.Clone(b)
		b[offFlags] &= byte(knownFlags)
		b[offReserved] = 0
		if !bytes.Equal(b, out) {
			t.Fatalf("%x encodes as %x", b, out)
		}
	})
}

// Whatever arrives: no panic, one typed error or a message that decodes from
// its own encoding to the same value.
func FuzzDecodeMessage(f *testing.F) {
	for _, tc := range messageCases {
		f.Add(uint8(tc.from), []byte(tc.json))
	}
	for _, path := range glob(f, "messages/*.json") {
		if !strings.HasSuffix(path, ".expect.json") {
			f.Add(uint8(FromDevice), read(f, path))
			f.Add(uint8(FromServer), read(f, path))
		}
	}
	f.Fuzz(func(t *testing.T, from uint8, b []byte) {
		dir := FromDevice
		if from%2 == 0 {
			dir = FromServer
		}
		m, err := DecodeMessage(dir, b)
		if err != nil {
			requireTyped(t, err, ErrTooLarge, ErrMalformed, ErrDirection, ErrUnknownMessage)
			return
		}
		out, err := AppendMessage(nil, m)
		if errors.Is(err, ErrTooLarge) {
			return // escapes can make a message longer than it came
		}
		if err != nil {
			t.Fatalf("accepted message %+v cannot be sent: %v", m, err)
		}
		once, err := DecodeMessage(dir, out)
		if err != nil {
			t.Fatalf("%s does not decode: %v", out, err)
		}
		out2, err := AppendMessage(nil, once)
		if err != nil || !bytes.Equal(out, out2) {
			t.Fatalf("encodings differ: %s and %s (%v)", out, out2, err)
		}
		if reflect.TypeOf(once) != reflect.TypeOf(m) {
			t.Fatalf("%T came back as %T", m, once)
		}
	})
}

func requireTyped(t *testing.T, err error, sentinels ...error) {
	t.Helper()
	var fault *Error
	if !errors.As(err, &fault) {
		t.Fatalf("%T %v is not an *Error", err, err)
	}
	matches := 0
	for _, s := range sentinels {
		if errors.Is(err, s) {
			matches++
		}
	}
	if matches != 1 {
		t.Fatalf("%v matches %d sentinels, want exactly one", err, matches)
	}
}
