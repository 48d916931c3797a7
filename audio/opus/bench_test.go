package opus

import (
	"fmt"
	"testing"
	"time"

	libopus "github.com/hraban/opus"

	"edged/audio"
)

// Every benchmark stands beside the bare call of the codec on the same sound in
// the same run: the difference is what this package costs.

func BenchmarkEncode(b *testing.B) {
	for _, rate := range []audio.SampleRate{16000, 24000} {
		for _, ptime := range []time.Duration{20 * ms, 60 * ms} {
			for _, complexity := range []int{0, 5} {
				sound := speech(rate, int(rate)*6)
				frame := rate.Samples(ptime)
				buf := make([]byte, MaxPacket)
				name := fmt.Sprintf("%dk/%v/complexity%d", int(rate)/1000, ptime, complexity)
				b.Run(name, func(b *testing.B) {
					e := newEncoder(b, EncoderConfig{Rate: rate, Complexity: &complexity, FEC: true, ExpectedLoss: 10})
					b.ReportAllocs()
					i := 0
					for b.Loop() {
						if _, err := e.Encode(buf, sound[i:i+frame]); err != nil {
							b.Fatal(err)
						}
						i = (i + frame) % (len(sound) - frame)
					}
				})
				b.Run(name+"/bare", func(b *testing.B) {
					lib, err := libopus.NewEncoder(int(rate), 1, libopus.AppVoIP)
					if err != nil {
						b.Fatal(err)
					}
					for _, err := range []error{
						lib.SetBitrate(DefaultBitrate), lib.SetComplexity(complexity), lib.SetInBandFEC(true), lib.SetPacketLossPerc(10),
					} {
						if err != nil {
							b.Fatal(err)
						}
					}
					b.ReportAllocs()
					i := 0
					for b.Loop() {
						if _, err := lib.Encode(sound[i:i+frame], buf); err != nil {
							b.Fatal(err)
						}
						i = (i + frame) % (len(sound) - frame)
					}
				})
			}
		}
	}
}

// BenchmarkDecode decodes to the recogniser's rate, as the edge does.
func BenchmarkDecode(b *testing.B) {
	for _, rate := range []audio.SampleRate{16000, 24000, 48000} {
		for _, ptime := range []time.Duration{20 * ms, 60 * ms} {
			packets := encode(b, newEncoder(b, EncoderConfig{Rate: rate}), speech(rate, int(rate)*6), rate.Samples(ptime))
			dst := make([]int16, audio.Rate16k.Samples(MaxPtime))
			name := fmt.Sprintf("%dk_to_16k/%v", int(rate)/1000, ptime)
			b.Run(name, func(b *testing.B) {
				d := newDecoder(b, audio.Rate16k, 1)
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					if _, err := d.Decode(dst, packets[i%len(packets)]); err != nil {
						b.Fatal(err)
					}
					i++
				}
			})
			b.Run(name+"/bare", func(b *testing.B) {
				lib, err := libopus.NewDecoder(16000, 1)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					if _, err := lib.Decode(packets[i%len(packets)], dst); err != nil {
						b.Fatal(err)
					}
					i++
				}
			})
		}
	}
}

func BenchmarkConceal(b *testing.B) {
	packets := encode(b, newEncoder(b, EncoderConfig{Rate: audio.Rate16k, FEC: true, ExpectedLoss: 10}), speech(audio.Rate16k, 16000), 320)
	d := newDecoder(b, audio.Rate16k, 1)
	decode(b, d, packets[:20])
	dst := make([]int16, 320)
	b.Run("plc", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := d.Conceal(dst); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("fec", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := d.DecodeFEC(dst, packets[20]); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkInspect(b *testing.B) {
	packets := encode(b, newEncoder(b, EncoderConfig{Rate: audio.Rate16k}), speech(audio.Rate16k, 16000), 960)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if _, err := Inspect(packets[i%len(packets)]); err != nil {
			b.Fatal(err)
		}
		i++
	}
}
