package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// Kind is the "type" member of a control message.
type Kind string

// Kinds of control messages. The comment says who sends them.
const (
	KindHello      Kind = "hello"       // both: DeviceHello, ServerHello
	KindListen     Kind = "listen"      // device
	KindWake       Kind = "wake"        // device
	KindSpeech     Kind = "speech"      // server
	KindTranscript Kind = "transcript"  // server
	KindReplyBegin Kind = "reply_begin" // server
	KindReplyText  Kind = "reply_text"  // server
	KindReplyEnd   Kind = "reply_end"   // server
	KindHold       Kind = "hold"        // server
	KindRelease    Kind = "release"     // server
	KindFlush      Kind = "flush"       // server
	KindPlayed     Kind = "played"      // device
	KindAbort      Kind = "abort"       // device
	KindToolCall   Kind = "tool_call"   // server
	KindToolResult Kind = "tool_result" // device
	KindTiming     Kind = "timing"      // server
	KindError      Kind = "error"       // server
	KindPing       Kind = "ping"        // both
	KindPong       Kind = "pong"        // both
	KindBye        Kind = "bye"         // both
)

// Direction says who sent a message.
type Direction uint8

const (
	// FromDevice is the direction from the device to the server.
	FromDevice Direction = iota + 1
	// FromServer is the direction from the server to the device.
	FromServer
)

// String returns "device" or "server".
func (d Direction) String() string {
	switch d {
	case FromDevice:
		return "device"
	case FromServer:
		return "server"
	}
	return fmt.Sprintf("direction %d", uint8(d))
}

// Message is one control message. The set is closed: DeviceHello, ServerHello,
// Listen, Wake, Speech, Transcript, ReplyBegin, ReplyText, ReplyEnd, Hold,
// Release, Flush, Played, Abort, ToolCall, ToolResult, Timing, Failure (the
// error message), Ping, Pong and Bye, all as values.
type Message interface {
	// Kind returns the message's "type".
	Kind() Kind
	// check reports ranges and lengths that are out of bounds.
	check(*checker)
}

// decoders returns how to decode kind and who may send it: a nil function means
// that this side never sends it.
func decoders(kind Kind) (device, server func(*object) Message, known bool) {
	both := func(f func(*object) Message) (d, s func(*object) Message, k bool) { return f, f, true }
	switch kind {
	case KindHello:
		return decodeDeviceHello, decodeServerHello, true
	case KindListen:
		return decodeListen, nil, true
	case KindWake:
		return decodeWake, nil, true
	case KindSpeech:
		return nil, decodeSpeech, true
	case KindTranscript:
		return nil, decodeTranscript, true
	case KindReplyBegin:
		return nil, decodeReplyBegin, true
	case KindReplyText:
		return nil, decodeReplyText, true
	case KindReplyEnd:
		return nil, decodeReplyEnd, true
	case KindHold:
		return nil, decodeHold, true
	case KindRelease:
		return nil, decodeRelease, true
	case KindFlush:
		return nil, decodeFlush, true
	case KindPlayed:
		return decodePlayed, nil, true
	case KindAbort:
		return decodeAbort, nil, true
	case KindToolCall:
		return nil, decodeToolCall, true
	case KindToolResult:
		return decodeToolResult, nil, true
	case KindTiming:
		return nil, decodeTiming, true
	case KindError:
		return nil, decodeFailure, true
	case KindPing:
		return both(decodePing)
	case KindPong:
		return both(decodePong)
	case KindBye:
		return both(decodeBye)
	}
	return nil, nil, false
}

// DecodeMessage decodes one text message that came from the given side. The
// result shares no memory with b.
//
// A fault is an [*Error] matching ErrTooLarge (the message, or one of its
// members), ErrMalformed, ErrDirection, or ErrUnknownMessage, on which the
// receiver skips the message and counts it. Members that the kind does not
// define are ignored.
func DecodeMessage(from Direction, b []byte) (Message, error) {
	if len(b) > MaxControl {
		return nil, fault(ErrTooLarge, MaxControl, "", "%d bytes, a control message has at most %d", len(b), MaxControl)
	}
	o, err := parseObject(b)
	if err != nil {
		return nil, err
	}
	o.require("type")
	kind := Kind(o.str("type"))
	if o.err != nil {
		return nil, o.err
	}
	device, server, known := decoders(kind)
	if !known {
		return nil, fault(ErrUnknownMessage, -1, "type", "%s", quote(string(kind)))
	}
	decode := device
	if from == FromServer {
		decode = server
	}
	if decode == nil {
		return nil, fault(ErrDirection, -1, "type", "%q never comes from the %s", kind, from)
	}
	m := decode(o)
	if o.err != nil {
		return nil, o.err
	}
	var c checker
	if m.check(&c); c.err != nil {
		return nil, c.err
	}
	return m, nil
}

// AppendMessage appends the JSON encoding of m to dst, compact and with "type"
// as its first member. It refuses what DecodeMessage would refuse, with dst
// unchanged: the error matches ErrMalformed or ErrTooLarge.
func AppendMessage(dst []byte, m Message) ([]byte, error) {
	var c checker
	if m.check(&c); c.err != nil {
		return dst, c.err
	}
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false) // devices read this, not browsers: "<" stays one byte
	if err := enc.Encode(m); err != nil {
		return dst, fault(ErrMalformed, -1, string(m.Kind()), "%v", err)
	}
	members := bytes.TrimSpace(body.Bytes())[1:] // without the opening brace
	at := len(dst)
	dst = append(dst, `{"type":"`...)
	dst = append(dst, m.Kind()...)
	dst = append(dst, '"')
	if members[0] != '}' {
		dst = append(dst, ',')
	}
	dst = append(dst, members...)
	if n := len(dst) - at; n > MaxControl {
		return dst[:at], fault(ErrTooLarge, -1, string(m.Kind()), "%d bytes, a control message has at most %d", n, MaxControl)
	}
	return dst, nil
}

// quote returns s quoted and cut to a length that is fit for a log.
func quote(s string) string {
	const most = 40
	if len(s) <= most {
		return fmt.Sprintf("%q", s)
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%q... (%d bytes)", s[:cut], len(s))
}
