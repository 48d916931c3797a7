package ws

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"edged/dialog"
	"edged/edge"
	"edged/firmware-protocol/wire"
)

// receiveMessage takes a text message.
func receiveMessage(in *edge.Inlet, message []byte) error {
	decoded, err := wire.DecodeMessage(wire.FromDevice, message)
	if errors.Is(err, wire.ErrUnknownMessage) {
		in.Skip(edge.DropUnknownMessage)
		return nil
	}
	if err != nil {
		fault := faultOf(err)
		return in.Fault(fault.Code, fault.Message)
	}
	switch m := decoded.(type) {
	case wire.Listen:
		if m.State == wire.ListenStop {
			return in.StopListening()
		}
		return in.Listen(dialog.Mode(m.Mode))
	case wire.Wake:
		in.Wake(dialog.Wake{Phrase: m.Phrase}, time.Duration(m.AudioMS)*time.Millisecond)
	case wire.Played:
		in.Played(dialog.Turn(m.Turn), m.Samples)
	case wire.Abort:
		in.Abort(dialog.Abort{Turn: dialog.Turn(m.Turn), Reason: m.Reason})
	case wire.ToolResult:
		in.ToolResult(dialog.ToolResult{Call: m.ID, Content: m.Content, Error: m.Error})
	case wire.Ping:
		return in.Ping(m.ID)
	case wire.Pong: // arriving was all it had to do
	case wire.Bye:
		return errBye
	default:
		return in.Fault(dialog.ErrorProtocol, fmt.Sprintf("%q has no place after the hello", decoded.Kind()))
	}
	return nil
}

// faultOf translates an error of the codec.
func faultOf(err error) *edge.Error {
	code, ok := wire.CodeOf(err)
	if !ok {
		code = wire.CodeProtocol // an unknown type where only one is allowed
	}
	return &edge.Error{Code: dialog.ErrorCode(code), Message: err.Error(), Err: err}
}

// messageOf translates what the leg wants to be written, except for ReplyText.
func messageOf(c edge.Control) (wire.Message, error) {
	switch c := c.(type) {
	case edge.Event:
		return eventOf(c.Downlink)
	case edge.ReplyBegin:
		return wire.ReplyBegin{Turn: uint32(c.Turn), Resumed: c.Resumed}, nil
	case edge.ReplyEnd:
		return wire.ReplyEnd{Turn: uint32(c.Turn), DurationMS: millisUp(c.Offset)}, nil
	case edge.Hold:
		return wire.Hold{Turn: uint32(c.Turn), Samples: c.Samples}, nil
	case edge.Release:
		return wire.Release{Turn: uint32(c.Turn)}, nil
	case edge.Flush:
		return wire.Flush{Turn: uint32(c.Turn), Cause: wire.Cause(c.Cause)}, nil
	case edge.Ping:
		return wire.Ping{ID: c.ID}, nil
	case edge.Pong:
		return wire.Pong{ID: c.ID}, nil
	}
	return nil, fmt.Errorf("no message for %T", c)
}

// eventOf translates an event of the session.
func eventOf(e dialog.Downlink) (wire.Message, error) {
	switch e := e.(type) {
	case dialog.SpeechStarted:
		return wire.Speech{State: wire.SpeechStarted, AtMS: millis(e.At)}, nil
	case dialog.SpeechStopped:
		return wire.Speech{State: wire.SpeechStopped, AtMS: millis(e.At)}, nil
	case dialog.Transcript:
		return wire.Transcript{Turn: uint32(e.Turn), Text: cut(e.Text, wire.MaxText), Final: e.Final}, nil
	case dialog.ToolCall:
		return wire.ToolCall{ID: e.Call, Name: e.Name, Arguments: e.Arguments}, nil
	case dialog.Timing:
		return wire.Timing{
			Turn: uint32(e.Turn), Endpoint: stage(e.Endpoint), ASRFinal: stage(e.ASRFinal),
			FirstToken: stage(e.FirstToken), FirstAudio: stage(e.FirstAudio), FirstPacket: stage(e.FirstPacket),
		}, nil
	case dialog.Failure:
		return failureOf(edge.Farewell{Code: e.Code, Message: e.Message}, false), nil
	}
	return nil, fmt.Errorf("no message for %T", e)
}

// failureOf translates an error for the device.
func failureOf(f edge.Farewell, fatal bool) wire.Failure {
	return wire.Failure{
		Code: wire.ErrorCode(f.Code), Message: cut(f.Message, wire.MaxErrorText), Fatal: fatal,
		RetryAfterMS: millis(f.RetryAfter),
	}
}

// writeText writes a piece of reply text, in several messages when it is long.
func (t *transport) writeText(c edge.ReplyText) error {
	text := strings.ToValidUTF8(c.Text, "\uFFFD")
	for {
		piece := cut(text, wire.MaxText)
		if err := t.write(wire.ReplyText{Turn: uint32(c.Turn), Text: piece, AtMS: millis(c.Offset)}); err != nil {
			return err
		}
		if text = text[len(piece):]; text == "" {
			return nil
		}
	}
}

// cut makes text valid UTF-8 of at most most bytes.
func cut(text string, most int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// millis is d in whole milliseconds, rounded down and kept within the range of
// the protocol.
func millis(d time.Duration) uint32 {
	return uint32(min(max(d.Milliseconds(), 0), math.MaxUint32))
}

// millisUp is millis rounded up.
func millisUp(d time.Duration) uint32 { return millis(d + time.Millisecond - 1) }

// stage is the time of a stage of a turn; nil when it was not reached.
func stage(d time.Duration) *uint32 {
	if d < 0 {
		return nil
	}
	ms := millis(d)
	return &ms
}
