package echo

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"edged/audio"
	"edged/audio/opus"
	"edged/audio/vad"
	"edged/audio/wav"
	"edged/realtime"
	"edged/transformers/tts/flite"
	"edged/transformers/turn"
)

const ms = time.Millisecond

// reply is spoken by the device: about nine seconds, with pauses.
const reply = "The tower is three hundred and thirty metres tall, and it was finished in eighteen eighty nine. " +
	"Would you like to hear more? It was meant to stand for twenty years only."

// speak returns the reply in the voice of flite.
func speak(t testing.TB, voice string) []int16 {
	t.Helper()
	v, err := flite.New(flite.Config{Voice: voice})
	if err != nil {
		t.Fatal(err)
	}
	flite.Seed(1)
	var pcm []int16
	if err := v.Synthesize(t.Context(), reply, func(block []int16) error {
		pcm = append(pcm, block...)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return pcm[:len(pcm)/320*320]
}

// through passes sound through Opus at 24 kb/s, as both ways of a device do.
func through(t testing.TB, pcm []int16) []int16 {
	t.Helper()
	encoder, err := opus.NewEncoder(opus.EncoderConfig{Rate: audio.Rate16k, Bitrate: 24000})
	if err != nil {
		t.Fatal(err)
	}
	decoder, err := opus.NewDecoder(audio.Rate16k, 1)
	if err != nil {
		t.Fatal(err)
	}
	buf, out := make([]byte, opus.MaxPacket), make([]int16, 0, len(pcm))
	frame := make([]int16, 960)
	for part := range slices.Chunk(pcm, 320) {
		if len(part) < 320 {
			break
		}
		n, err := encoder.Encode(buf, part)
		if err != nil {
			t.Fatal(err)
		}
		n, err = decoder.Decode(frame, buf[:n])
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, frame[:n]...)
	}
	return out
}

// room plays sound in a room: the direct way and exponentially decaying noise,
// which together have the energy of the sound. reverberation is its RT60; 0 is no
// room.
func room(pcm []int16, reverberation time.Duration) []float32 {
	out := make([]float32, len(pcm)+rate/2)
	if reverberation == 0 {
		for i, s := range pcm {
			out[i] = float32(s)
		}
		return out
	}
	random := rand.New(rand.NewPCG(uint64(reverberation), 7))
	impulse := make([]float64, rate/2)
	decay := math.Log(1000) / (reverberation.Seconds() * float64(rate))
	energy := 0.0
	for i := range impulse {
		impulse[i] = random.NormFloat64() * math.Exp(-decay*float64(i))
		if i < 32 {
			impulse[i] = 0
		}
		energy += impulse[i] * impulse[i]
	}
	impulse[0] = math.Sqrt(energy) // as strong as the room
	size := 1
	for size < len(pcm)+len(impulse) {
		size *= 2
	}
	f := newFFT(size)
	a, b := make([]complex64, size), make([]complex64, size)
	for i, s := range pcm {
		a[i] = complex(float32(s), 0)
	}
	for i, v := range impulse {
		b[i] = complex(float32(v/math.Sqrt(2*energy)), 0)
	}
	f.transform(a)
	f.transform(b)
	for i := range a {
		c := a[i] * b[i]
		a[i] = complex(real(c), -imag(c))
	}
	f.transform(a)
	for i := range out {
		out[i] = real(a[i]) / float32(size)
	}
	return out
}

// talker reads a recording of testdata/audio and where its speech is in it.
func talker(t testing.TB, name string) []int16 {
	t.Helper()
	file, err := os.Open("../../testdata/audio/" + name + ".wav")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	_, pcm, err := wav.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return pcm
}

// scene is a microphone beside a speaker.
type scene struct {
	sent  []int16   // what went to the speaker
	sound []float32 // what of it is in the room
	level float64   // of the echo, in dB
	late  time.Duration
	skew  float64 // of the speaker's clock, in ppm
	near  []int16 // who speaks over it
	at    time.Duration
	bare  bool // without the guard
	mute  bool // without the reply
}

const start = time.Second // of the reply

// microphone is what the server hears.
func (s scene) microphone(t testing.TB) []int16 {
	length := audio.Rate16k.Samples(start) + len(s.sound) + rate
	mix := make([]float64, length/320*320)
	random := rand.New(rand.NewPCG(3, 4))
	for i := range mix {
		mix[i] = random.NormFloat64() * 16 // -66 dBFS
	}
	gain := math.Pow(10, s.level/20)
	from := audio.Rate16k.Samples(start + s.late)
	for i := range mix {
		where := float64(i-from) * (1 + s.skew/1e6)
		whole := int(math.Floor(where))
		if !s.mute && whole >= 0 && whole+1 < len(s.sound) {
			part := where - float64(whole)
			mix[i] += gain * (float64(s.sound[whole])*(1-part) + float64(s.sound[whole+1])*part)
		}
	}
	for i, v := range s.near {
		if at := audio.Rate16k.Samples(s.at) + i; at < len(mix) {
			mix[at] += float64(v)
		}
	}
	pcm := make([]int16, len(mix))
	for i, v := range mix {
		pcm[i] = int16(min(max(math.Round(v), -32768), 32767))
	}
	return through(t, pcm)
}

// play passes the microphone through a guard as the edge does: packets of 20 ms
// go out 200 ms ahead, acknowledgements come every 200 ms and up to 40 ms late.
func (s scene) play(t testing.TB) ([]int16, Stats) {
	t.Helper()
	mic := s.microphone(t)
	if s.bare {
		return mic, Stats{}
	}
	g, err := New()
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	random := rand.New(rand.NewPCG(5, 6))
	begin, sent := audio.Rate16k.Samples(start), 0
	for at := 0; at < len(mic); at += 320 {
		for sent < len(s.sent) && !s.mute && at >= begin && sent-(at-begin) < 3200 {
			g.Sent(int64(sent), s.sent[sent:sent+320])
			if sent == 0 {
				g.Place(0, int64(at))
			}
			sent += 320
		}
		if played := at - begin; !s.mute && played > 0 && played%3200 == 0 && played < len(s.sent) {
			g.Place(int64(played), int64(at+random.IntN(640)))
		}
		g.Process(mic[at : at+320])
	}
	return mic, g.Stats()
}

// ears finds utterances with the real speech detector.
func ears(t testing.TB, pcm []int16) (onsets, decided []time.Duration) {
	t.Helper()
	model, err := vad.Load()
	if err != nil {
		t.Fatal(err)
	}
	d := turn.New(&feed{pcm: pcm}, model.NewGate(), turn.Config{})
	for {
		chunk, err := d.Next()
		if errors.Is(err, io.EOF) || errors.Is(err, realtime.ErrDone) {
			return onsets, decided
		}
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(chunk.Route(), turn.RoutePrefix) && chunk.IsBeginOfStream() {
			onsets = append(onsets, time.Duration(chunk.Ctrl.Timestamp-1)*ms)
			decided = append(decided, d.Position()-ms)
		}
	}
}

// feed is a microphone stream of packets of 20 ms.
type feed struct {
	realtime.Stream
	pcm []int16
	at  int
}

func (f *feed) Next() (*realtime.MessageChunk, error) {
	ctrl := &realtime.StreamCtrl{StreamID: "mic/1", Timestamp: int64(1 + f.at/16)}
	chunk := &realtime.MessageChunk{Role: realtime.RoleUser, Ctrl: ctrl}
	switch {
	case f.at == 0 && f.pcm != nil && ctrl.Label == "" && !f.begun():
		ctrl.BeginOfStream, ctrl.Label = true, "listen.realtime"
		return chunk, nil
	case f.at >= len(f.pcm):
		return nil, io.EOF
	}
	data := make([]byte, 0, 640)
	for _, s := range f.pcm[f.at:min(f.at+320, len(f.pcm))] {
		data = append(data, byte(s), byte(uint16(s)>>8))
	}
	f.at += 320
	chunk.Part = &realtime.Blob{MIMEType: "audio/pcm;rate=16000", Data: data}
	return chunk, nil
}

func (f *feed) begun() bool {
	begun := f.Stream != nil
	f.Stream = nothing{}
	return begun
}

type nothing struct{ realtime.Stream }

func (f *feed) Close() error               { return nil }
func (f *feed) CloseWithError(error) error { return nil }

// share formats a share with its 95% interval (Wilson).
func share(k, n int) string {
	p, z, m := float64(k)/float64(n), 1.96, float64(n)
	mid, half := (p+z*z/(2*m))/(1+z*z/m), z/(1+z*z/m)*math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return fmt.Sprintf("%d of %d (%.0f%% to %.0f%%)", k, n, 100*max(0, mid-half), 100*min(1, mid+half))
}
