package audio

import (
	"fmt"
	"mime"
	"strconv"
)

// MIMEOpus is the MIME type of raw Opus packets on a stream.
const MIMEOpus = "audio/opus"

// pcmType is the media type of raw samples, without its parameters.
const pcmType = "audio/pcm"

// PCMMIMEType returns the MIME type of mono s16le samples at this rate:
// "audio/pcm;rate=16000". It does not allocate for the rates that the server
// itself uses.
func PCMMIMEType(rate SampleRate) string {
	switch rate {
	case Rate16k:
		return "audio/pcm;rate=16000"
	case Rate24k:
		return "audio/pcm;rate=24000"
	case Rate48k:
		return "audio/pcm;rate=48000"
	case Rate8k:
		return "audio/pcm;rate=8000"
	}
	return pcmType + ";rate=" + strconv.Itoa(int(rate))
}

// ParsePCMMIMEType returns the sample rate and the number of channels of an
// "audio/pcm" MIME type. Parameters may stand in any order and spelling that
// RFC 2045 allows; channels is 1 when it is not given, rate must be given. It
// does not allocate for the results of PCMMIMEType at 8, 16, 24 and 48 kHz. The
// error is a *FormatError.
func ParsePCMMIMEType(mimeType string) (rate SampleRate, channels int, err error) {
	for _, known := range [...]SampleRate{Rate16k, Rate24k, Rate48k, Rate8k} {
		if mimeType == PCMMIMEType(known) {
			return known, 1, nil
		}
	}
	fault := func(allowed string) error {
		return &FormatError{Field: "MIME type", Value: fmt.Sprintf("%q", mimeType), Allowed: allowed}
	}
	media, params, err := mime.ParseMediaType(mimeType)
	if err != nil || media != pcmType {
		return 0, 0, fault(`"audio/pcm;rate=16000" or another rate`)
	}
	hz, err := strconv.Atoi(params["rate"])
	if err != nil || SampleRate(hz) < minPCMRate || SampleRate(hz) > maxPCMRate {
		return 0, 0, fault("a rate from 8000 to 48000")
	}
	channels = 1
	if text, given := params["channels"]; given {
		channels, err = strconv.Atoi(text)
		if err != nil || channels < 1 || channels > 2 {
			return 0, 0, fault("1 or 2 channels")
		}
	}
	return SampleRate(hz), channels, nil
}
