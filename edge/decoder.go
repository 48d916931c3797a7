package edge

import (
	"errors"
	"fmt"
	"time"

	"edged/audio"
	"edged/audio/opus"
	"edged/audio/pcm"
	"edged/dialog"
)

// maxConceal is how much lost audio is extrapolated. By then concealment has faded
// to silence, and a gap says more.
const maxConceal = opus.MaxPtime

// decoder turns the payload of packets into samples at micRate. The samples it
// returns are valid until the next call.
type decoder interface {
	// inspect returns the duration of a payload. An *Error means that nothing
	// useful will ever come in this way.
	inspect(payload []byte) (time.Duration, error)
	// decode decodes a payload of this duration; with an error it returns
	// concealment.
	decode(payload []byte, d time.Duration) ([]int16, error)
	// conceal returns something that stands for d of lost audio in front of the
	// payload next, which may be nil; nil if the loss is better told than hidden.
	conceal(d time.Duration, next []byte) []int16
	// flush returns what is held back.
	flush() []int16
	// reset begins a new stream.
	reset() error
	// losses returns how much lost audio was recovered and how much concealed.
	losses() (recovered, concealed time.Duration)
	close()
}

// opusDecoder decodes straight to micRate.
type opusDecoder struct {
	lib                  *opus.Decoder
	samples              []int16
	recovered, concealed time.Duration
}

func (d *opusDecoder) reset() (err error) {
	if d.lib == nil {
		d.samples = make([]int16, micRate.Samples(opus.MaxPtime))
		d.lib, err = opus.NewDecoder(micRate, 1)
		return err
	}
	return d.lib.Reset()
}

func (d *opusDecoder) inspect(payload []byte) (time.Duration, error) {
	duration, err := opus.Duration(payload)
	if errors.Is(err, opus.ErrOggPage) {
		return 0, &Error{
			Code:    dialog.ErrorAudio,
			Message: "Ogg pages arrive instead of raw Opus packets: send each packet without its container",
			Err:     err,
		}
	}
	return duration, err
}

func (d *opusDecoder) decode(payload []byte, duration time.Duration) ([]int16, error) {
	n, err := d.lib.Decode(d.samples, payload)
	if err != nil {
		return d.conceal(duration, nil), err
	}
	return d.samples[:n], nil
}

func (d *opusDecoder) conceal(duration time.Duration, next []byte) []int16 {
	if duration <= 0 || duration > maxConceal {
		return nil
	}
	samples := d.samples[:micRate.Samples(duration)]
	// libopus conceals in units of 2.5 ms; what is left over is silence.
	const unit = int(micRate) / 400
	whole := samples[:len(samples)/unit*unit]
	clear(samples[len(whole):])
	if len(whole) == 0 {
		return samples
	}
	var err error
	if next != nil {
		err = d.lib.DecodeFEC(whole, next)
	} else {
		err = d.lib.Conceal(whole)
	}
	if err != nil {
		clear(whole)
	}
	if saved := recovers(next); err == nil && saved > 0 && saved <= duration {
		d.recovered += saved
		d.concealed += duration - saved
	} else {
		d.concealed += duration
	}
	return samples
}

// recovers returns how much audio the redundancy in a packet restores: the
// duration of the packet if it has any. It reads the LBRR flag of the first frame
// of a mono packet in the speech modes (RFC 6716 sections 4.2.3 and 4.2.4: one
// voice activity bit for each 20 ms, then the flag, all with even odds, which
// makes them plain bits).
func recovers(pkt []byte) time.Duration {
	const singleFrame, stereo = 0, 0x04
	p, err := opus.Inspect(pkt)
	if err != nil || len(pkt) < 2 || pkt[0]>>3 >= 16 || pkt[0]&3 != singleFrame || pkt[0]&stereo != 0 {
		return 0
	}
	activity := max(1, int(p.FrameDuration/(20*time.Millisecond)))
	if pkt[1]&(0x80>>activity) == 0 {
		return 0
	}
	return p.Duration
}

func (d *opusDecoder) flush() []int16 { return nil }

func (d *opusDecoder) losses() (recovered, concealed time.Duration) {
	return d.recovered, d.concealed
}

func (d *opusDecoder) close() {}

// pcmDecoder takes s16le samples at the rate of the device.
type pcmDecoder struct {
	rate      audio.SampleRate
	resampler resampler
	in, out   []int16
	concealed time.Duration
}

func (d *pcmDecoder) reset() error {
	if d.in == nil {
		d.in = make([]int16, maxPacketPayload/pcm.SampleBytes)
	}
	return d.resampler.open(d.rate, micRate)
}

func (d *pcmDecoder) inspect(payload []byte) (time.Duration, error) {
	if len(payload) == 0 {
		return 0, errors.New("a packet without a payload")
	}
	if len(payload)%pcm.SampleBytes != 0 {
		return 0, fmt.Errorf("%d bytes are no whole number of 16-bit samples", len(payload))
	}
	return d.rate.Duration(len(payload) / pcm.SampleBytes), nil
}

func (d *pcmDecoder) decode(payload []byte, _ time.Duration) ([]int16, error) {
	n := pcm.Decode(d.in, payload)
	d.out = d.resampler.append(d.out[:0], d.in[:n])
	return d.out, nil
}

// conceal has nothing to extrapolate from: a refused packet becomes silence, a
// lost one a gap.
func (d *pcmDecoder) conceal(duration time.Duration, next []byte) []int16 {
	if next != nil || duration <= 0 || duration > maxConceal {
		return nil
	}
	n := d.rate.Samples(duration)
	clear(d.in[:n])
	d.concealed += duration
	d.out = d.resampler.append(d.out[:0], d.in[:n])
	return d.out
}

func (d *pcmDecoder) flush() []int16 {
	d.out = d.resampler.flush(d.out[:0])
	return d.out
}

func (d *pcmDecoder) losses() (recovered, concealed time.Duration) { return 0, d.concealed }

func (d *pcmDecoder) close() { d.resampler.close() }
