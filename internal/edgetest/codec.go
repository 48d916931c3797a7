package edgetest

import (
	"fmt"

	"edged/audio/opus"
	"edged/audio/pcm"
	"edged/firmware-protocol/wire"
)

// decoder turns the payloads of the down direction into samples. With a nil
// opus it is PCM.
type decoder struct {
	opus    *opus.Decoder
	samples int // of one packet
}

func newDecoder(f wire.Format) (decoder, error) {
	d := decoder{samples: f.Samples()}
	if f.Codec != wire.CodecOpus {
		return d, nil
	}
	var err error
	if d.opus, err = opus.NewDecoder(rateOf(f), 1); err != nil {
		return d, fmt.Errorf("edgetest: decoder: %w", err)
	}
	return d, nil
}

// decode returns the samples of one packet, which must have the negotiated
// duration.
func (d decoder) decode(payload []byte) ([]int16, error) {
	samples := make([]int16, d.samples)
	if d.opus == nil {
		if len(payload) != pcm.SampleBytes*d.samples {
			return nil, fmt.Errorf("edgetest: %d bytes of PCM in a packet, want %d", len(payload), pcm.SampleBytes*d.samples)
		}
		pcm.Decode(samples, payload)
		return samples, nil
	}
	n, err := d.opus.Decode(samples, payload)
	if err != nil {
		return nil, fmt.Errorf("edgetest: %w", err)
	}
	if n != d.samples {
		return nil, fmt.Errorf("edgetest: a packet of %d samples, want %d", n, d.samples)
	}
	return samples, nil
}

// conceal returns one packet of what may have been lost; nil is silence.
func (d decoder) conceal() []int16 {
	if d.opus == nil {
		return nil
	}
	samples := make([]int16, d.samples)
	if err := d.opus.Conceal(samples); err != nil {
		return nil
	}
	return samples
}

// encoder turns one packet of samples of the microphone into a payload. With a
// nil opus it is PCM.
type encoder struct{ opus *opus.Encoder }

func newEncoder(f wire.Format) (encoder, error) {
	if f.Codec != wire.CodecOpus {
		return encoder{}, nil
	}
	e, err := opus.NewEncoder(opus.EncoderConfig{Rate: rateOf(f)})
	if err != nil {
		return encoder{}, fmt.Errorf("edgetest: encoder: %w", err)
	}
	return encoder{opus: e}, nil
}

func (e encoder) encode(samples []int16) ([]byte, error) {
	if e.opus == nil {
		return pcm.Append(make([]byte, 0, pcm.SampleBytes*len(samples)), samples), nil
	}
	b := make([]byte, wire.MaxOpusPayload)
	n, err := e.opus.Encode(b, samples)
	if err != nil {
		return nil, fmt.Errorf("edgetest: %w", err)
	}
	return b[:n], nil
}
