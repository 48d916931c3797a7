package main

import "bytes"

// frameExpect is what stands beside a .bin file.
type frameExpect struct {
	About string `json:"about"`
	// Result is "accept" or the reason of the refusal.
	Result string `json:"result"`
	// Canonical: a sender that means Frame produces exactly these bytes.
	Canonical bool        `json:"canonical"`
	Frame     *frameValue `json:"frame,omitempty"`
}

type frameValue struct {
	HeaderLen  int              `json:"header_len"`
	Type       int              `json:"type"`
	BOS        bool             `json:"bos"`
	EOS        bool             `json:"eos"`
	Gap        bool             `json:"gap"`
	Track      int              `json:"track"`
	Seq        uint32           `json:"seq"`
	Timestamp  uint32           `json:"timestamp"`
	GapSamples uint32           `json:"gap_samples"`
	Extensions []extensionValue `json:"extensions"`
	// Payload is hex; empty in a gap frame, whose duration is GapSamples.
	Payload string `json:"payload"`
}

type extensionValue struct {
	ID    int    `json:"id"`
	Value string `json:"value"` // hex
}

type frameVector struct {
	name string
	// hex is the frame; tail is appended to it and is its payload, for payloads
	// that are too long to write down.
	hex  string
	tail []byte
	frameExpect
}

func accept(about string, f frameValue) frameExpect {
	if f.HeaderLen == 0 {
		f.HeaderLen = 16
	}
	if f.Type == 0 {
		f.Type = 1
	}
	if f.Extensions == nil {
		f.Extensions = []extensionValue{}
	}
	return frameExpect{About: about, Result: "accept", Canonical: true, Frame: &f}
}

// tolerated is accepted, but no sender of this version produces it.
func tolerated(about string, f frameValue) frameExpect {
	e := accept(about, f)
	e.Canonical = false
	return e
}

func reject(result, about string) frameExpect { return frameExpect{About: about, Result: result} }

// skip is framed and skipped: the receiver counts it and goes on.
func skip(about string, f frameValue) frameExpect {
	e := tolerated(about, f)
	e.Result = "unknown_type"
	return e
}

// ramp is n bytes in which byte i is i modulo 251, a prime, so that no shift by
// a power of two goes unseen.
func ramp(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i % 251)
	}
	return b
}

// Byte order of the header, for reading the literals:
// version, header length, type, flags, track, reserved, payload length (2),
// sequence (4), timestamp (4), extensions, payload.
var frames = []frameVector{
	{name: "opus-first", hex: "01 10 01 01 00 00 0003 00000000 00000000  f8fffe",
		frameExpect: accept("First Opus packet of a route: BOS, timestamp 0.",
			frameValue{BOS: true, Payload: "f8fffe"})},
	{name: "opus-middle", hex: "01 10 01 00 00 00 0005 0000002a 0000 9d80  0102030405",
		frameExpect: accept("Packet 42 of a 16 kHz track of 60 ms frames: 42 * 960 = 40320 samples.",
			frameValue{Seq: 42, Timestamp: 40320, Payload: "0102030405"})},
	{name: "opus-last", hex: "01 10 01 02 00 00 0001 00000033 0000bf40  a5",
		frameExpect: accept("Last packet of a route: EOS.",
			frameValue{EOS: true, Seq: 51, Timestamp: 48960, Payload: "a5"})},
	{name: "opus-only", hex: "01 10 01 03 00 00 0002 00000064 00000000  beef",
		frameExpect: accept("A route of one packet: BOS and EOS.",
			frameValue{BOS: true, EOS: true, Seq: 100, Payload: "beef"})},
	{name: "end-without-media", hex: "01 10 01 02 00 00 0000 00000034 0000c300",
		frameExpect: accept("The end of a route, told after its last packet went out: EOS without payload.",
			frameValue{EOS: true, Seq: 52, Timestamp: 49920})},
	{name: "route-without-media", hex: "01 10 01 03 00 00 0000 00000035 00000000",
		frameExpect: accept("A route that holds nothing.",
			frameValue{BOS: true, EOS: true, Seq: 53})},
	{name: "audio-without-media", hex: "01 10 01 00 00 00 0000 00000036 000003c0",
		frameExpect: accept("No payload and no flag: well framed; the audio layer counts it as bad audio.",
			frameValue{Seq: 54, Timestamp: 960})},
	{name: "gap", hex: "01 10 01 04 00 00 0004 00000037 00000780  00000b40",
		frameExpect: accept("2880 samples are missing from sample 1920 on; one gap takes one sequence number.",
			frameValue{Gap: true, Seq: 55, Timestamp: 1920, GapSamples: 2880})},
	{name: "gap-longest", hex: "01 10 01 04 00 00 0004 00000038 00000000  002bf200",
		frameExpect: accept("The longest gap of one frame: 2880000 samples.",
			frameValue{Gap: true, Seq: 56, GapSamples: 2880000})},
	{name: "gap-first-and-last", hex: "01 10 01 07 00 00 0004 00000039 00000000  00000001",
		frameExpect: accept("A route that is one missing sample.",
			frameValue{BOS: true, EOS: true, Gap: true, Seq: 57, GapSamples: 1})},
	{name: "wrap-before", hex: "01 10 01 00 00 00 0001 ffffffff fffffc40  01",
		frameExpect: accept("The last sequence number, 960 samples before the timestamp wraps.",
			frameValue{Seq: 4294967295, Timestamp: 4294966336, Payload: "01"})},
	{name: "wrap-after", hex: "01 10 01 00 00 00 0001 00000000 00000000  02",
		frameExpect: accept("The frame after wrap-before: both counters are 0 again, without BOS.",
			frameValue{Payload: "02"})},
	{name: "other-track", hex: "01 10 01 00 07 00 0001 00000001 00000002  03",
		frameExpect: accept("Track 7: parsed; a receiver that has no such track skips and counts it.",
			frameValue{Track: 7, Seq: 1, Timestamp: 2, Payload: "03"})},
	{name: "reject-extension-half", hex: "01 18 01 00 00 00 0002 00000003 00000960  20 03 010203 21 00 ff  d0d1",
		frameExpect: reject("malformed", "The third extension has an id and no length.")},
	{name: "extensions-two", hex: "01 17 01 00 00 00 0002 00000003 00000960  20 03 010203 21 00  d0d1",
		frameExpect: accept("Two extensions, one with three bytes and one empty, before the payload.",
			frameValue{HeaderLen: 23, Seq: 3, Timestamp: 2400, Payload: "d0d1",
				Extensions: []extensionValue{{ID: 32, Value: "010203"}, {ID: 33, Value: ""}}})},
	{name: "extensions-in-gap", hex: "01 13 01 04 00 00 0004 00000004 00000000  20 01 ee  000003c0",
		frameExpect: accept("A gap behind an extension: the duration stands in the payload, not after the fixed header.",
			frameValue{HeaderLen: 19, Gap: true, Seq: 4, GapSamples: 960,
				Extensions: []extensionValue{{ID: 32, Value: "ee"}}})},
	{name: "pcm-largest", hex: "01 10 01 00 00 00 1680 00000005 00000b40", tail: ramp(5760),
		frameExpect: accept("60 ms of PCM at 48 kHz, the largest payload. Byte i of the payload is i modulo 251.",
			frameValue{Seq: 5, Timestamp: 2880})},
	{name: "reserved-bits", hex: "01 10 01 f9 00 ff 0001 00000006 00000000  04",
		frameExpect: tolerated("All reserved bits set: ignored. Only BOS is left.",
			frameValue{BOS: true, Seq: 6, Payload: "04"})},

	{name: "skip-unknown-type", hex: "01 10 02 00 00 00 0003 00000007 00000008  0a0b0c",
		frameExpect: skip("Type 2 is of a later version.", frameValue{Type: 2, Seq: 7, Timestamp: 8, Payload: "0a0b0c"})},
	{name: "skip-type-0", hex: "01 10 00 00 00 00 0000 00000008 00000000",
		frameExpect: frameExpect{About: "Type 0 is never assigned.", Result: "unknown_type",
			Frame: &frameValue{HeaderLen: 16, Seq: 8, Extensions: []extensionValue{}}}},
	{name: "skip-unknown-type-gap", hex: "01 12 ff 04 00 00 0001 00000009 00000000  20 00  11",
		frameExpect: skip("The gap flag of an unknown type says nothing about its payload.",
			frameValue{HeaderLen: 18, Type: 255, Gap: true, Seq: 9, Payload: "11",
				Extensions: []extensionValue{{ID: 32, Value: ""}}})},

	{name: "reject-empty", hex: "", frameExpect: reject("truncated", "An empty message.")},
	{name: "reject-header-cut", hex: "01 10 01 00 00 00 0000 00000000 000000",
		frameExpect: reject("truncated", "15 bytes: one short of the fixed header.")},
	{name: "reject-header-length-beyond", hex: "01 20 01 00 00 00 0000 00000000 00000000",
		frameExpect: reject("truncated", "Header length 32 in a message of 16 bytes.")},
	{name: "reject-payload-cut", hex: "01 10 01 00 00 00 0004 00000000 00000000  010203",
		frameExpect: reject("truncated", "Payload length 4, three bytes follow.")},
	{name: "reject-version-0", hex: "00 10 01 00 00 00 0000 00000000 00000000",
		frameExpect: reject("version", "Version 0.")},
	{name: "reject-version-2", hex: "02 10 01 00 00 00 0000 00000000 00000000",
		frameExpect: reject("version", "Version 2: the layout behind the first byte is unknown.")},
	{name: "reject-ogg-page", hex: "4f676753 00 02 0000000000000000 00000000",
		frameExpect: reject("version", "An Ogg page: its first byte is no version of this protocol.")},
	{name: "reject-header-length-15", hex: "01 0f 01 00 00 00 0000 00000000 00000000",
		frameExpect: reject("malformed", "Header length below the fixed header.")},
	{name: "reject-stray-byte", hex: "01 10 01 00 00 00 0001 00000000 00000000  0102",
		frameExpect: reject("malformed", "One byte after the frame: a message holds exactly one.")},
	{name: "reject-extension-overrun", hex: "01 14 01 00 00 00 0001 00000000 00000000  20 03 0102  55",
		frameExpect: reject("malformed", "The extension would reach into the payload.")},
	{name: "reject-gap-empty", hex: "01 10 01 04 00 00 0000 00000000 00000000",
		frameExpect: reject("malformed", "A gap without its duration.")},
	{name: "reject-gap-zero", hex: "01 10 01 04 00 00 0004 00000000 00000000  00000000",
		frameExpect: reject("malformed", "A gap of no samples.")},
	{name: "reject-gap-with-media", hex: "01 10 01 04 00 00 0006 00000000 00000000  000003c0 0102",
		frameExpect: reject("malformed", "A gap that carries media.")},
	{name: "reject-gap-too-long", hex: "01 10 01 04 00 00 0004 00000000 00000000  002bf201",
		frameExpect: reject("too_large", "2880001 samples, one too many.")},
	{name: "reject-payload-too-large", hex: "01 10 01 00 00 00 1681 00000000 00000000", tail: bytes.Repeat([]byte{0}, 5761),
		frameExpect: reject("too_large", "5761 bytes of payload, one too many.")},
}
