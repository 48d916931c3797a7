package edge

import (
	"fmt"
	"time"

	"edged/audio"
	"edged/audio/opus"
	"edged/audio/pcm"
	"edged/audio/resample"
	"edged/dialog"
)

// render turns the audio of one reply at a time into packets of the device's
// format. The writer owns it. Its buffers and its encoder are made with the first
// reply, so that a device that only listens costs nothing.
type render struct {
	format       audio.Format
	bitrate      int
	frameSamples int // samples in a packet

	turn    dialog.Turn // 0: no reply
	ending  bool        // no more audio will be fed
	decoder pcm.Decoder
	resampler
	// source counts the audio fed at the present source rate, before the media
	// time of earlier rates.
	source struct {
		rate    audio.SampleRate
		bytes   int
		earlier time.Duration
	}

	scratch []int16   // fed audio as samples
	frame   []int16   // at the device's rate, not yet in a packet
	since   time.Time // when the audio that was fed last was handed over

	encoder  *opus.Encoder
	payload  []byte
	prepared bool // payload holds the next packet
	padding  int  // silence at the end of that packet, in samples
	keep     bool // for the echo guard: what is in the packet stays in sound
	sound    []int16
	written  int  // samples in the packets before it
	tail     int  // silence at the end of them, as long as no audio follows
	begun    bool // a packet of this reply was taken
	ended    bool // the last packet taken was marked as the end
}

func newRender(format audio.Format, bitrate int) *render {
	return &render{format: format, bitrate: bitrate, frameSamples: format.FrameSamples()}
}

// begin starts the reply of turn at the media time from; what is left of another
// one is dropped.
func (r *render) begin(turn dialog.Turn, from time.Duration) {
	r.drop()
	r.turn = turn
	r.written = r.format.Rate.Samples(from)
	r.source.earlier = from
}

// drop forgets the reply.
func (r *render) drop() {
	r.turn, r.ending = 0, false
	r.frame = r.frame[:0]
	r.prepared, r.padding, r.written, r.tail, r.begun, r.ended = false, 0, 0, 0, false, false
	r.decoder.Reset()
	r.resampler.reset()
	r.source.rate, r.source.bytes, r.source.earlier = 0, 0, 0
	if r.encoder != nil {
		_ = r.encoder.Reset() // the library cannot refuse it
	}
}

// feed takes in audio of the reply. There must be no packet ready.
func (r *render) feed(it item) error {
	if it.rate != r.source.rate {
		if err := r.flush(); err != nil {
			return err
		}
		r.source.earlier = r.consumed()
		r.source.rate, r.source.bytes = it.rate, 0
		if err := r.resampler.open(it.rate, r.format.Rate); err != nil {
			return err
		}
	}
	r.source.bytes += len(it.data)
	r.since = it.at
	r.scratch = r.decoder.Append(r.scratch[:0], it.data)
	r.frame = r.resampler.append(r.frame, r.scratch)
	return nil
}

// end says that the reply has no more audio.
func (r *render) end() error {
	r.ending = true
	return r.flush()
}

// flush moves what the resampler holds back to the frame.
func (r *render) flush() error {
	r.frame = r.resampler.flush(r.frame)
	return nil
}

// consumed is the media time of all audio that was fed.
func (r *render) consumed() time.Duration {
	return r.source.earlier + r.source.rate.Duration(r.source.bytes/pcm.SampleBytes)
}

// position is where the audio that will be fed next begins on the device's side.
func (r *render) position() time.Duration {
	samples := r.written + len(r.frame)
	if r.prepared {
		samples += r.frameSamples - r.padding
	}
	return r.format.Rate.Duration(samples + r.resampler.held())
}

// length is how much audio was taken, without the silence at its very end.
func (r *render) length() time.Duration { return r.format.Rate.Duration(r.written - r.tail) }

// full reports whether there is audio for a packet that is not encoded yet.
func (r *render) full() bool {
	return !r.prepared && (len(r.frame) >= r.frameSamples || r.ending && len(r.frame) > 0)
}

// partial reports whether there is audio, but not enough for a packet.
func (r *render) partial() bool { return r.turn != 0 && !r.prepared && len(r.frame) > 0 }

// finished reports whether the reply has ended and all its audio was taken.
func (r *render) finished() bool { return r.turn != 0 && r.ending && !r.prepared && len(r.frame) == 0 }

// prepare encodes the next packet; what is missing at its end is silence.
func (r *render) prepare() error {
	if r.payload == nil {
		r.payload = make([]byte, 0, max(opus.MaxPacket, r.frameSamples*pcm.SampleBytes))
	}
	r.padding = max(0, r.frameSamples-len(r.frame))
	for range r.padding {
		r.frame = append(r.frame, 0)
	}
	frame := r.frame[:r.frameSamples]
	if r.keep {
		r.sound = append(r.sound[:0], frame...)
	}
	if r.format.Codec == audio.CodecPCM {
		r.payload = pcm.Append(r.payload[:0], frame)
	} else if err := r.encode(frame); err != nil {
		return err
	}
	r.frame = r.frame[:copy(r.frame, r.frame[r.frameSamples:])]
	r.prepared = true
	return nil
}

func (r *render) encode(frame []int16) (err error) {
	if r.encoder == nil {
		if r.encoder, err = opus.NewEncoder(opus.EncoderConfig{Rate: r.format.Rate, Bitrate: r.bitrate}); err != nil {
			return err
		}
	}
	n, err := r.encoder.Encode(r.payload[:cap(r.payload)], frame)
	r.payload = r.payload[:n]
	return err
}

// take returns the prepared packet and how many samples of silence are at its
// end. The payload is valid until the next prepare.
func (r *render) take() (p Packet, padding int) {
	p = Packet{Timestamp: uint32(r.written), Begin: !r.begun, End: r.ending && len(r.frame) == 0, Payload: r.payload}
	padding = r.padding
	r.tail = padding
	r.written += r.frameSamples
	r.begun, r.ended, r.prepared, r.padding = true, p.End, false, 0
	return p, padding
}

// boundary returns a packet without audio that marks the end of a reply whose
// last packet could not be marked, because the end was not yet known. needed is
// false when there is nothing to mark.
func (r *render) boundary() (p Packet, needed bool) {
	return Packet{Timestamp: uint32(r.written), End: true}, r.begun && !r.ended
}

// close frees what the garbage collector does not know.
func (r *render) close() { r.resampler.close() }

// resampler is a resample.Resampler that is there when it is needed.
type resampler struct {
	lib      *resample.Resampler // nil: the rates are equal
	from, to audio.SampleRate
	in, out  int // samples since the stream began, for held
}

// open readies the resampler for a stream between two rates.
func (r *resampler) open(from, to audio.SampleRate) error {
	if r.lib != nil && r.from == from && r.to == to {
		r.reset()
		return nil
	}
	r.close()
	r.from, r.to = from, to
	if from == to {
		return nil
	}
	lib, err := resample.New(from, to)
	if err != nil {
		return fmt.Errorf("edge: %w", err)
	}
	r.lib = lib
	return nil
}

// append converts src and appends the result to dst.
func (r *resampler) append(dst, src []int16) []int16 {
	if r.lib == nil {
		return append(dst, src...)
	}
	r.in += len(src)
	for len(src) > 0 {
		have := len(dst)
		dst = grow(dst, r.lib.MaxOutput(len(src)))
		n, consumed := r.lib.Process(dst[have:], src)
		dst, src = dst[:have+n], src[consumed:]
		r.out += n
	}
	return dst
}

// flush ends the stream and appends what was held back.
func (r *resampler) flush(dst []int16) []int16 {
	if r.lib == nil {
		return dst
	}
	have := len(dst)
	dst = grow(dst, r.lib.Latency()+1)
	n := r.lib.Flush(dst[have:])
	r.in, r.out = 0, 0
	return dst[:have+n]
}

// held is how many samples of the output are held back.
func (r *resampler) held() int {
	if r.lib == nil {
		return 0
	}
	return max(0, r.in*int(r.to)/int(r.from)-r.out)
}

func (r *resampler) reset() {
	r.in, r.out = 0, 0
	if r.lib != nil {
		r.lib.Reset()
	}
}

func (r *resampler) close() {
	if r.lib != nil {
		_ = r.lib.Close() // only frees memory
		r.lib = nil
	}
}

// grow extends s by n samples.
func grow(s []int16, n int) []int16 {
	if cap(s)-len(s) >= n {
		return s[:len(s)+n]
	}
	return append(s, make([]int16, n)...)
}
