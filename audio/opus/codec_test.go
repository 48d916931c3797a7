package opus

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"edged/audio"
	"edged/audio/pcm"
)

func newEncoder(t testing.TB, cfg EncoderConfig) *Encoder {
	t.Helper()
	e, err := NewEncoder(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func newDecoder(t testing.TB, rate audio.SampleRate, channels int) *Decoder {
	t.Helper()
	d, err := NewDecoder(rate, channels)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// encode turns samples into packets of frame samples each.
func encode(t testing.TB, e *Encoder, samples []int16, frame int) (packets [][]byte) {
	t.Helper()
	buf := make([]byte, MaxPacket)
	for ; len(samples) >= frame; samples = samples[frame:] {
		n, err := e.Encode(buf, samples[:frame])
		if err != nil {
			t.Fatal(err)
		}
		packets = append(packets, slices.Clone(buf[:n]))
	}
	return packets
}

// decode turns packets into samples.
func decode(t testing.TB, d *Decoder, packets [][]byte) (samples []int16) {
	t.Helper()
	buf := make([]int16, d.Rate().Samples(MaxPtime)*d.Channels())
	for _, pkt := range packets {
		n, err := d.Decode(buf, pkt)
		if err != nil {
			t.Fatal(err)
		}
		samples = append(samples, buf[:n*d.Channels()]...)
	}
	return samples
}

// What is encoded decodes to the same sound: the speech modes match the
// waveform, so that of the energy at most a quarter (6 dB) is something else.
// More bits or a longer packet must not change that, nor the rates on either
// side.
func TestRoundTrip(t *testing.T) {
	for _, rate := range []audio.SampleRate{8000, 16000, 24000, 48000} {
		for _, ptime := range []time.Duration{20 * ms, 60 * ms} {
			t.Run(fmt.Sprint(rate, " ", ptime), func(t *testing.T) {
				sound := speech(rate, int(rate)*3)
				packets := encode(t, newEncoder(t, EncoderConfig{Rate: rate}), sound, rate.Samples(ptime))
				bits := 0
				for i, pkt := range packets {
					bits += 8 * len(pkt)
					if d, err := Duration(pkt); d != ptime || err != nil {
						t.Fatalf("packet %d lasts %v, %v, want %v", i, d, err, ptime)
					}
				}
				// The bitrate is a mean that silence undercuts.
				if perSecond := bits / 3; perSecond > DefaultBitrate*11/10 || perSecond < DefaultBitrate/2 {
					t.Errorf("%d bit/s, want about %d", perSecond, DefaultBitrate)
				}
				got := decode(t, newDecoder(t, rate, 1), packets)
				if db := alignedSNR(sound[:len(got)], got, rate); db < 6 {
					t.Errorf("SNR %.1f dB, want at least 6", db)
				}
				// The recogniser's rate, whatever the device encodes at.
				to16k := decode(t, newDecoder(t, audio.Rate16k, 1), packets)
				if want := 16000 * len(got) / int(rate); len(to16k) != want {
					t.Errorf("%d samples at 16 kHz, want %d", len(to16k), want)
				}
				if db := pcm.Level(to16k) - pcm.Level(got); math.Abs(db) > 1 {
					t.Errorf("at 16 kHz the level differs by %.1f dB, want the same sound", db)
				}
			})
		}
	}
}

// F52: losing a tenth of the packets, concealment does better than silence and
// redundancy far better than concealment. The yardstick is the same stream
// decoded without loss, so that only the damage of the loss counts. Silence in
// place of a tenth of the energy would be 10 dB if decoders had no memory.
func TestLoss(t *testing.T) {
	for _, ptime := range []time.Duration{20 * ms, 60 * ms} {
		t.Run(fmt.Sprint(ptime), func(t *testing.T) {
			frame := audio.Rate16k.Samples(ptime)
			e := newEncoder(t, EncoderConfig{Rate: audio.Rate16k, FEC: true, ExpectedLoss: 10})
			packets := encode(t, e, speech(audio.Rate16k, 16000*20), frame)
			whole := decode(t, newDecoder(t, audio.Rate16k, 1), packets)
			lost := lossy(len(packets), 0.1)

			damaged := func(repair func(d *Decoder, dst []int16, next []byte) error) float64 {
				d := newDecoder(t, audio.Rate16k, 1)
				out := make([]int16, len(whole))
				for i, pkt := range packets {
					dst := out[i*frame : (i+1)*frame]
					var err error
					switch {
					case !lost[i]:
						_, err = d.Decode(dst, pkt)
					case i+1 < len(packets) && !lost[i+1]:
						err = repair(d, dst, packets[i+1])
					default:
						err = repair(d, dst, nil)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				return snr(whole, out)
			}
			silence := damaged(func(*Decoder, []int16, []byte) error { return nil })
			concealed := damaged(func(d *Decoder, dst []int16, _ []byte) error { return d.Conceal(dst) })
			recovered := damaged(func(d *Decoder, dst []int16, next []byte) error {
				if next == nil {
					return d.Conceal(dst)
				}
				return d.DecodeFEC(dst, next)
			})
			t.Logf("silence %.1f dB, concealed %.1f dB, recovered %.1f dB", silence, concealed, recovered)
			if concealed < silence+0.5 {
				t.Errorf("concealment %.1f dB, silence %.1f dB: want it better by 0.5 dB", concealed, silence)
			}
			if recovered < concealed+5 {
				t.Errorf("redundancy %.1f dB, concealment %.1f dB: want it better by 5 dB", recovered, concealed)
			}
		})
	}
}

// A loss longer than one packet: redundancy gives its end, concealment the rest;
// a loss shorter than the packet's redundancy is concealed.
func TestFECOfLongLoss(t *testing.T) {
	const frame = 320
	e := newEncoder(t, EncoderConfig{Rate: audio.Rate16k, FEC: true, ExpectedLoss: 20})
	packets := encode(t, e, speech(audio.Rate16k, 16000), frame)
	const before = 12 // in the middle of a voiced syllable
	whole := decode(t, newDecoder(t, audio.Rate16k, 1), packets)

	d := newDecoder(t, audio.Rate16k, 1)
	decode(t, d, packets[:before])
	three := make([]int16, 3*frame)
	if err := d.DecodeFEC(three, packets[before+3]); err != nil {
		t.Fatal(err)
	}
	if db := pcm.Level(three[:2*frame]); db < -60 {
		t.Errorf("the concealed part of the loss is at %.0f dBFS, want sound", db)
	}
	last := whole[(before+2)*frame : (before+3)*frame]
	if db := snr(last, three[2*frame:]); db < 3 {
		t.Errorf("the last lost packet has %.1f dB SNR, want it recovered (3 dB: half the energy is right)", db)
	}

	d = newDecoder(t, audio.Rate16k, 1)
	decode(t, d, packets[:before])
	short := make([]int16, frame/2)
	if err := d.DecodeFEC(short, packets[before+1]); err != nil {
		t.Errorf("a loss of 10 ms before a packet of 20: %v", err)
	}
	if db := pcm.Level(short); db < -60 {
		t.Errorf("a loss of 10 ms before a packet of 20 is at %.0f dBFS, want it concealed", db)
	}
}

func TestConceal(t *testing.T) {
	d := newDecoder(t, audio.Rate16k, 1)
	dst := make([]int16, 16000)
	dst[5] = 99
	if err := d.Conceal(dst[:320]); err != nil || pcm.Peak(dst[:320]) != 0 {
		t.Errorf("before the first packet: %v with peak %d, want silence", err, pcm.Peak(dst[:320]))
	}
	packets := encode(t, newEncoder(t, EncoderConfig{Rate: audio.Rate16k}), speech(audio.Rate16k, 16000), 320)
	before := decode(t, d, packets[:12])
	if err := d.Conceal(dst); err != nil {
		t.Fatalf("a loss of a second: %v", err)
	}
	spoken, first, last := pcm.Level(before[len(before)-320:]), pcm.Level(dst[:160]), pcm.Level(dst[len(dst)-320:])
	if first < spoken-10 {
		t.Errorf("concealment begins at %.0f dBFS after speech at %.0f, want it to go on", first, spoken)
	}
	if last > -60 {
		t.Errorf("after a second of loss it is at %.0f dBFS, want it faded out", last)
	}
	for _, n := range []int{0, 1, 39, 41, 321} {
		if err := d.Conceal(dst[:n]); !errors.Is(err, ErrFrameSize) {
			t.Errorf("Conceal of %d samples: %v, want ErrFrameSize: not a multiple of 2.5 ms", n, err)
		}
		if err := d.DecodeFEC(dst[:n], packets[0]); !errors.Is(err, ErrFrameSize) {
			t.Errorf("DecodeFEC of %d samples: %v, want ErrFrameSize", n, err)
		}
	}
}

// F50: garbage, empty packets and Ogg pages are typed errors, and the stream
// goes on exactly as if they had not come.
func TestGarbageLeavesDecoderAlone(t *testing.T) {
	packets := encode(t, newEncoder(t, EncoderConfig{Rate: audio.Rate16k}), speech(audio.Rate16k, 16000), 320)
	want := decode(t, newDecoder(t, audio.Rate16k, 1), packets)
	bad := []struct {
		pkt []byte
		err error
	}{
		{nil, ErrEmptyPacket},
		{[]byte{}, ErrEmptyPacket},
		{[]byte("OggS\x00\x02 and so on"), ErrOggPage},
		{append([]byte{toc(9, 0, 0)}, body(1276)...), ErrInvalidPacket},
		{[]byte{toc(9, 0, 3)}, ErrInvalidPacket},
		{[]byte("\xff{\"type\":\"hello\"}"), ErrInvalidPacket},
	}
	d := newDecoder(t, audio.Rate16k, 1)
	buf := make([]int16, 1920)
	var got []int16
	for i, pkt := range packets {
		fault := bad[i%len(bad)]
		if _, err := d.Decode(buf, fault.pkt); !errors.Is(err, fault.err) {
			t.Fatalf("Decode(%q) = %v, want %v", fault.pkt, err, fault.err)
		}
		if err := d.DecodeFEC(buf[:320], fault.pkt); !errors.Is(err, fault.err) {
			t.Fatalf("DecodeFEC(%q) = %v, want %v", fault.pkt, err, fault.err)
		}
		if _, err := d.Decode(buf[:319], pkt); !errors.Is(err, ErrShortBuffer) {
			t.Fatalf("Decode of 320 samples into 319 = %v, want ErrShortBuffer", err)
		}
		n, err := d.Decode(buf, pkt)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, buf[:n]...)
	}
	if !slices.Equal(got, want) {
		t.Error("the decoded sound differs from that of the stream without garbage")
	}
}

// F50: a packet of another duration than announced is decoded for what it is.
func TestOtherPtime(t *testing.T) {
	sound := speech(audio.Rate16k, 16000)
	long := encode(t, newEncoder(t, EncoderConfig{Rate: audio.Rate16k}), sound, 960)
	d := newDecoder(t, audio.Rate16k, 1)
	dst := make([]int16, 1920)
	if n, err := d.Decode(dst, long[0]); n != 960 || err != nil {
		t.Errorf("Decode of a 60 ms packet = %d, %v, want 960 samples", n, err)
	}
	if _, err := d.Decode(dst[:320], long[1]); !errors.Is(err, ErrShortBuffer) {
		t.Errorf("a 60 ms packet into 20 ms: %v, want ErrShortBuffer", err)
	}
}

// The decoder never writes past the length of dst, whatever its capacity.
func TestDecodeStaysInside(t *testing.T) {
	packets := encode(t, newEncoder(t, EncoderConfig{Rate: audio.Rate16k, FEC: true, ExpectedLoss: 20}), speech(audio.Rate16k, 16000), 320)
	d := newDecoder(t, audio.Rate16k, 1)
	backing := make([]int16, 4000)
	dst := backing[:320]
	for i, pkt := range packets {
		for name, call := range map[string]func() error{
			"Decode":    func() error { _, err := d.Decode(dst, pkt); return err },
			"DecodeFEC": func() error { return d.DecodeFEC(dst, pkt) },
			"Conceal":   func() error { return d.Conceal(dst) },
		} {
			if err := call(); err != nil {
				t.Fatal(err)
			}
			if pcm.Peak(backing[320:]) != 0 {
				t.Fatalf("packet %d: %s wrote behind dst", i, name)
			}
		}
	}
}

// In silence DTX shrinks packets to what need not be sent; the other side knows
// them by Inspect and hears silence.
func TestDTX(t *testing.T) {
	e := newEncoder(t, EncoderConfig{Rate: audio.Rate16k, DTX: true})
	sound := append(speech(audio.Rate16k, 16000), make([]int16, 3*16000)...)
	packets := encode(t, e, sound, 320)
	small := 0
	for i, pkt := range packets {
		p, err := Inspect(pkt)
		if err != nil {
			t.Fatal(err)
		}
		if p.DTX != (len(pkt) <= 2) {
			t.Errorf("packet %d has %d bytes and DTX %v, want DTX exactly for up to 2 bytes", i, len(pkt), p.DTX)
		}
		if p.DTX && i < 50 {
			t.Errorf("packet %d is DTX in the middle of speech", i)
		}
		if p.DTX {
			small++
		}
	}
	// libopus enters DTX after 200 ms of silence and refreshes the noise every
	// 400 ms (silk/define.h).
	if small < 100 {
		t.Errorf("%d of 150 packets of silence are DTX, want most", small)
	}
	out := decode(t, newDecoder(t, audio.Rate16k, 1), packets)
	if db := pcm.Level(out[len(out)-16000:]); db > -60 {
		t.Errorf("DTX sounds at %.0f dBFS, want silence", db)
	}
	plain := encode(t, newEncoder(t, EncoderConfig{Rate: audio.Rate16k}), sound, 320)
	if i := slices.IndexFunc(plain, func(pkt []byte) bool { return len(pkt) <= 2 }); i >= 0 {
		t.Errorf("packet %d is DTX although DTX is off", i)
	}
}

func TestStereo(t *testing.T) {
	left := speech(audio.Rate48k, 48000)
	both := make([]int16, 0, 2*len(left))
	for _, sample := range left {
		both = append(both, sample, 0)
	}
	packets := encode(t, newEncoder(t, EncoderConfig{Rate: audio.Rate48k, Channels: 2, Bitrate: 96000, Application: Audio}), both, 2*960)
	if p, err := Inspect(packets[20]); p.Channels != 2 || err != nil {
		t.Errorf("Inspect = %+v, %v, want 2 channels", p, err)
	}
	stereo := decode(t, newDecoder(t, audio.Rate48k, 2), packets)
	if len(stereo) != len(both) {
		t.Fatalf("%d samples decoded, want %d", len(stereo), len(both))
	}
	var channels [2][]int16
	for i, sample := range stereo {
		channels[i%2] = append(channels[i%2], sample)
	}
	if l, r := pcm.Level(channels[0]), pcm.Level(channels[1]); l-r < 20 {
		t.Errorf("left at %.0f and right at %.0f dBFS, want the sound on the left alone", l, r)
	}
	mono := decode(t, newDecoder(t, audio.Rate16k, 1), packets)
	if len(mono) != 16000 {
		t.Errorf("%d mono samples at 16 kHz from a second of stereo, want 16000", len(mono))
	}
}

func TestEncodeSizes(t *testing.T) {
	for _, rate := range []audio.SampleRate{8000, 12000, 16000, 24000, 48000} {
		e, d := newEncoder(t, EncoderConfig{Rate: rate}), newDecoder(t, rate, 1)
		buf, back := make([]byte, MaxPacket), make([]int16, rate.Samples(MaxPtime))
		for _, ptime := range []time.Duration{2500 * time.Microsecond, 5 * ms, 10 * ms, 20 * ms, 40 * ms, 60 * ms, 80 * ms, 100 * ms, 120 * ms} {
			samples := rate.Samples(ptime)
			n, err := e.Encode(buf, speech(rate, samples))
			if err != nil {
				t.Errorf("%v at %v: %v", ptime, rate, err)
				continue
			}
			if got, err := d.Decode(back, buf[:n]); got != samples || err != nil {
				t.Errorf("%v at %v decodes to %d samples, %v, want %d", ptime, rate, got, err, samples)
			}
		}
		for _, samples := range []int{0, 1, rate.Samples(20*ms) - 1, rate.Samples(30 * ms), rate.Samples(140 * ms)} {
			if _, err := e.Encode(buf, make([]int16, samples)); !errors.Is(err, ErrFrameSize) {
				t.Errorf("%d samples at %v: %v, want ErrFrameSize", samples, rate, err)
			}
		}
	}
	stereo := newEncoder(t, EncoderConfig{Rate: audio.Rate16k, Channels: 2})
	if _, err := stereo.Encode(make([]byte, 100), make([]int16, 321)); !errors.Is(err, ErrFrameSize) {
		t.Errorf("half a stereo sample: %v, want ErrFrameSize", err)
	}
}

func TestEncodeIntoShortBuffer(t *testing.T) {
	e := newEncoder(t, EncoderConfig{Rate: audio.Rate16k})
	sound := speech(audio.Rate16k, 16000)
	if _, err := e.Encode(nil, sound[:320]); !errors.Is(err, ErrShortBuffer) {
		t.Errorf("no room: %v, want ErrShortBuffer", err)
	}
	// A smaller buffer is a tighter budget, never overrun.
	backing := make([]byte, 200)
	for i := 0; i+320 <= len(sound); i += 320 {
		if n, err := e.Encode(backing[:20], sound[i:i+320]); n > 20 || err != nil {
			t.Fatalf("Encode into 20 bytes = %d, %v", n, err)
		}
		if slices.Max(backing[20:]) != 0 {
			t.Fatal("Encode wrote behind dst")
		}
	}
}

func TestEncoderSettings(t *testing.T) {
	sound := speech(audio.Rate16k, 3*16000)
	size := func(e *Encoder) (bytes int) {
		for _, pkt := range encode(t, e, sound, 320) {
			bytes += len(pkt)
		}
		return bytes
	}
	e := newEncoder(t, EncoderConfig{Rate: audio.Rate16k})
	normal := size(e)
	if err := e.SetBitrate(12000); err != nil {
		t.Fatal(err)
	}
	if low := size(e); low > normal*2/3 {
		t.Errorf("%d bytes at half the bitrate, %d at the whole", low, normal)
	}
	if err := e.Reset(); err != nil {
		t.Fatal(err)
	}
	first := encode(t, e, sound, 320)
	if err := e.Reset(); err != nil {
		t.Fatal(err)
	}
	if again := encode(t, e, sound, 320); !slices.EqualFunc(first, again, slices.Equal) {
		t.Error("after Reset the same sound gives other packets: something of the stream was kept")
	}
	easy := newEncoder(t, EncoderConfig{Rate: audio.Rate16k, Complexity: new(0)})
	if slices.EqualFunc(encode(t, easy, sound, 320), encode(t, newEncoder(t, EncoderConfig{Rate: audio.Rate16k}), sound, 320), slices.Equal) {
		t.Error("complexity 0 encodes as the default does: the setting has no effect")
	}
	if err := e.SetComplexity(0); err != nil {
		t.Errorf("SetComplexity(0): %v", err)
	}
}

func TestConfigErrors(t *testing.T) {
	tests := []struct {
		name string
		cfg  EncoderConfig
		says string
	}{
		{"no rate", EncoderConfig{}, "0 Hz"},
		{"rate of discs", EncoderConfig{Rate: 44100}, "44100 Hz"},
		{"channels", EncoderConfig{Rate: 16000, Channels: 3}, "3 channels"},
		{"bitrate too low", EncoderConfig{Rate: 16000, Bitrate: 100}, "bitrate 100"},
		{"bitrate too high", EncoderConfig{Rate: 16000, Bitrate: 1_000_000}, "bitrate 1000000"},
		{"complexity", EncoderConfig{Rate: 16000, Complexity: new(11)}, "complexity 11"},
		{"negative complexity", EncoderConfig{Rate: 16000, Complexity: new(-1)}, "complexity -1"},
		{"loss", EncoderConfig{Rate: 16000, ExpectedLoss: 101}, "loss 101"},
		{"application", EncoderConfig{Rate: 16000, Application: "radio"}, `"radio"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := NewEncoder(tt.cfg)
			if !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v, want ErrConfig that says %q", err, tt.says)
			}
		})
	}
	for _, bad := range []struct {
		rate     audio.SampleRate
		channels int
	}{{44100, 1}, {0, 1}, {16000, 0}, {16000, 3}} {
		if _, err := NewDecoder(bad.rate, bad.channels); !errors.Is(err, ErrConfig) {
			t.Errorf("NewDecoder(%d, %d): %v, want ErrConfig", bad.rate, bad.channels, err)
		}
	}
}
