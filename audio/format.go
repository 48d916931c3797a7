package audio

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Codec names how the payload of a packet is encoded, as it stands in a hello.
type Codec string

const (
	// CodecOpus: one raw Opus packet (RFC 6716) per packet, without a container.
	CodecOpus Codec = "opus"
	// CodecPCM: signed 16-bit little-endian samples, interleaved.
	CodecPCM Codec = "pcm"
)

// Format is what one direction of a connection carries. The zero value is not
// valid.
type Format struct {
	Codec Codec
	// Rate is the sample rate of the samples (PCM) or the rate at which the
	// encoder was fed (Opus; a decoder may choose another).
	Rate SampleRate
	// Channels is 1 or 2.
	Channels int
	// Ptime is the audio duration of one packet.
	Ptime time.Duration
}

// Bounds of a PCM format. 8 kHz is the lowest rate at which speech is
// recognised, 48 kHz the highest that a voice device samples at. Packets below
// 10 ms cost more in headers and wake-ups than in sound, and 120 ms is what an
// Opus packet can hold (RFC 6716 section 2.1.4).
const (
	minPCMRate = Rate8k
	maxPCMRate = Rate48k
	minPtime   = 10 * time.Millisecond
	maxPtime   = 120 * time.Millisecond
)

// opusRates are the rates that an Opus encoder or decoder runs at
// (RFC 6716 section 2.1.3).
var opusRates = [...]SampleRate{Rate8k, Rate12k, Rate16k, Rate24k, Rate48k}

// opusPtimes are the packet durations of RFC 6716 from 10 ms up. Devices use 20,
// 40 and 60 ms; the others are legal and decode alike.
var opusPtimes = [...]time.Duration{
	10 * time.Millisecond, 20 * time.Millisecond, 40 * time.Millisecond, 60 * time.Millisecond,
	80 * time.Millisecond, 100 * time.Millisecond, 120 * time.Millisecond,
}

// Validate reports whether the format can be served: nil, or a *FormatError that
// names the first offending field.
//
// Opus: 8, 12, 16, 24 or 48 kHz and packets of 10, 20, 40, 60, 80, 100 or 120 ms.
// PCM: 8 to 48 kHz and packets of 10 to 120 ms that hold a whole number of
// samples. Either: one or two channels.
func (f Format) Validate() error {
	if f.Codec != CodecOpus && f.Codec != CodecPCM {
		return &FormatError{Field: "codec", Value: fmt.Sprintf("%q", string(f.Codec)), Allowed: `"opus" or "pcm"`}
	}
	if f.Channels != 1 && f.Channels != 2 {
		return &FormatError{Field: "channels", Value: fmt.Sprint(f.Channels), Allowed: "1 or 2"}
	}
	if f.Codec == CodecOpus {
		return f.validateOpus()
	}
	return f.validatePCM()
}

func (f Format) validateOpus() error {
	if !slices.Contains(opusRates[:], f.Rate) {
		return &FormatError{Field: "sample rate", Value: f.Rate.String(), Allowed: "8000, 12000, 16000, 24000 or 48000 Hz for opus"}
	}
	if !slices.Contains(opusPtimes[:], f.Ptime) {
		return &FormatError{Field: "packet duration", Value: f.Ptime.String(), Allowed: "10, 20, 40, 60, 80, 100 or 120 ms for opus"}
	}
	return nil
}

func (f Format) validatePCM() error {
	if f.Rate < minPCMRate || f.Rate > maxPCMRate {
		return &FormatError{Field: "sample rate", Value: f.Rate.String(), Allowed: "8000 to 48000 Hz for pcm"}
	}
	if f.Ptime < minPtime || f.Ptime > maxPtime {
		return &FormatError{Field: "packet duration", Value: f.Ptime.String(), Allowed: "10 to 120 ms"}
	}
	if int64(f.Ptime)*int64(f.Rate)%int64(time.Second) != 0 {
		return &FormatError{Field: "packet duration", Value: f.Ptime.String(), Allowed: "a whole number of samples at " + f.Rate.String()}
	}
	return nil
}

// FrameSamples returns the samples per channel in one packet.
func (f Format) FrameSamples() int { return f.Rate.Samples(f.Ptime) }

// String formats the format as "opus 16000 Hz mono 60ms".
func (f Format) String() string {
	channels := fmt.Sprintf("%d channels", f.Channels)
	switch f.Channels {
	case 1:
		channels = "mono"
	case 2:
		channels = "stereo"
	}
	return strings.Join([]string{string(f.Codec), f.Rate.String(), channels, f.Ptime.String()}, " ")
}

// FormatError says which part of a format cannot be served, and what can.
type FormatError struct {
	// Field is "codec", "sample rate", "channels", "packet duration" or
	// "MIME type".
	Field string
	// Value is what was asked for.
	Value string
	// Allowed is what would have been right.
	Allowed string
}

// Error formats the fault as "audio: field value is not supported: use allowed".
func (e *FormatError) Error() string {
	return fmt.Sprintf("audio: %s %s is not supported: use %s", e.Field, e.Value, e.Allowed)
}
