package wire_test

import (
	"errors"
	"fmt"

	"edged/firmware-protocol/wire"
)

// One frame travels: the last Opus packet of a reply.
func ExampleParseFrame() {
	packet, err := wire.AppendFrame(nil, wire.Frame{
		Type: wire.TypeAudio, Flags: wire.FlagEOS, Seq: 51, Timestamp: 48000, Payload: []byte{0xfc, 0xff, 0xfe},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	frame, err := wire.ParseFrame(packet)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(packet), frame.Seq, frame.Timestamp, frame.Flags.Has(wire.FlagEOS), len(frame.Payload))

	_, err = wire.ParseFrame(packet[:10])
	fmt.Println(errors.Is(err, wire.ErrTruncated), err)
	// Output:
	// 19 51 48000 true 3
	// true wire: truncated: header at byte 10: 10 bytes, the fixed header has 16
}

// A server reads what a device says.
func ExampleDecodeMessage() {
	for _, text := range []string{
		`{"type":"played","turn":3,"samples":24000}`,
		`{"type":"played","turn":3}`,
		`{"type":"dance"}`,
	} {
		m, err := wire.DecodeMessage(wire.FromDevice, []byte(text))
		switch m := m.(type) {
		case wire.Played:
			fmt.Println("turn", m.Turn, "played up to sample", m.Samples)
		default:
			fmt.Println(err, "skip:", errors.Is(err, wire.ErrUnknownMessage))
		}
	}
	// Output:
	// turn 3 played up to sample 24000
	// wire: malformed: samples: missing skip: false
	// wire: unknown message type: type: "dance" skip: true
}

func ExampleAppendMessage() {
	b, err := wire.AppendMessage(nil, wire.Flush{Turn: 3, Cause: wire.CauseAbort})
	fmt.Println(string(b), err)
	// Output: {"type":"flush","turn":3,"cause":"abort"} <nil>
}
