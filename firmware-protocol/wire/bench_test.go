package wire

import "testing"

func BenchmarkAppendFrame(b *testing.B) {
	f := Frame{Type: TypeAudio, Seq: 1, Timestamp: 960, Payload: make([]byte, 160)}
	buf := make([]byte, 0, MaxFrame)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := AppendFrame(buf[:0], f); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseFrame(b *testing.B) {
	packet, err := AppendFrame(nil, Frame{Type: TypeAudio, Seq: 1, Timestamp: 960, Payload: make([]byte, 160)})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseFrame(packet); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodePlayed(b *testing.B) {
	in := []byte(`{"type":"played","turn":3,"samples":48000}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeMessage(FromDevice, in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendReplyText(b *testing.B) {
	var buf []byte
	m := ReplyText{Turn: 3, Text: "It is half past nine.", AtMS: 1200}
	b.ReportAllocs()
	for b.Loop() {
		out, err := AppendMessage(buf[:0], m)
		if err != nil {
			b.Fatal(err)
		}
		buf = out
	}
}
