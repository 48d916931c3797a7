package resample

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"edged/audio"
)

// pairs are the conversions that devices, synthesisers and the recogniser need.
var pairs = [][2]audio.SampleRate{
	{48000, 16000}, {24000, 16000}, {16000, 24000}, {16000, 48000},
	{16000, 8000}, {22050, 16000}, {8000, 16000}, {44100, 16000}, {22050, 48000},
}

// passband is the fraction of the lower Nyquist frequency that is documented to
// pass unchanged.
const passband = 0.90

func newResampler(t testing.TB, in, out audio.SampleRate) *Resampler {
	t.Helper()
	r, err := New(in, out)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// convert runs a whole signal through, in one block.
func convert(r *Resampler, src []int16) []int16 {
	dst := make([]int16, r.MaxOutput(len(src)))
	n, _ := r.Process(dst, src)
	dst = slices.Grow(dst[:n], r.Latency()+1)
	return dst[:n+r.Flush(dst[n:n+r.Latency()+1])]
}

// amplitude is just below full scale, so that the quantisation of 16 bits lies
// 98 dB below it.
const amplitude = 32000

// tone is a quarter of a second of a sine.
func tone(rate audio.SampleRate, hz float64) []int16 {
	out := make([]int16, rate/4)
	for i := range out {
		out[i] = int16(math.Round(amplitude * math.Sin(2*math.Pi*hz*float64(i)/float64(rate))))
	}
	return out
}

// level measures the amplitude at one frequency relative to that of tone, in dB.
// A window (Blackman-Harris, side lobes below -92 dB) keeps other tones out, the
// ends of the signal are left out.
func level(samples []int16, rate audio.SampleRate, hz float64) float64 {
	middle := samples[len(samples)/10 : len(samples)*9/10]
	turn := cmplx.Rect(1, -2*math.Pi*hz/float64(rate))
	windowTurn := cmplx.Rect(1, 2*math.Pi/float64(len(middle)-1))
	phase, window, found, sum := 1+0i, 1+0i, 0+0i, 0.0
	for _, sample := range middle {
		c := real(window) // cos 2x and cos 3x follow from cos x
		w := 0.35875 - 0.48829*c + 0.14128*(2*c*c-1) - 0.01168*(4*c*c*c-3*c)
		found += phase * complex(w*float64(sample), 0)
		sum += w
		phase *= turn
		window *= windowTurn
	}
	return 20 * math.Log10(2*cmplx.Abs(found)/sum/amplitude+1e-10)
}

// Tones across the passband come through within 0.1 dB.
func TestRipple(t *testing.T) {
	for _, pair := range pairs {
		in, out := pair[0], pair[1]
		t.Run(fmt.Sprint(int(in), " to ", int(out)), func(t *testing.T) {
			r := newResampler(t, in, out)
			nyquist := float64(min(in, out)) / 2
			worst := 0.0
			for f := 0.02; f <= passband+1e-9; f += 0.02 {
				hz := f * nyquist
				db := level(convert(r, tone(in, hz)), out, hz)
				worst = max(worst, math.Abs(db))
				if math.Abs(db) > 0.1 {
					t.Errorf("%.0f Hz (%.2f of Nyquist) passes at %+.3f dB, want within 0.1", hz, f, db)
				}
			}
			t.Logf("ripple %.3f dB up to %.2f of Nyquist", worst, passband)
		})
	}
}

// Down: a tone that the output rate cannot hold leaves no alias. Up: a tone
// leaves no image. Each tone over the whole band of the input is looked for
// wherever it could turn up in the output.
func TestAliasing(t *testing.T) {
	for _, pair := range pairs {
		in, out := pair[0], pair[1]
		t.Run(fmt.Sprint(int(in), " to ", int(out)), func(t *testing.T) {
			r := newResampler(t, in, out)
			worst := math.Inf(-1)
			step := float64(in) / 2 / 61
			for hz := step; hz < float64(in)/2; hz += step {
				samples := convert(r, tone(in, hz))
				for _, ghost := range ghosts(hz, float64(in), float64(out)) {
					// Right beside the tone itself nothing can be told apart.
					if math.Abs(ghost-hz) < 50 {
						continue
					}
					db := level(samples, out, ghost)
					worst = max(worst, db)
					if db > -80 {
						t.Errorf("a tone of %.0f Hz turns up at %.0f Hz with %.1f dB, want at most -80", hz, ghost, db)
					}
				}
			}
			t.Logf("worst alias or image %.1f dB", worst)
		})
	}
}

// ghosts lists where a tone can turn up wrongly: its images around the multiples
// of the input rate, each folded into the band of the output.
func ghosts(hz, in, out float64) (at []float64) {
	for k := range 4 {
		for _, image := range []float64{float64(k)*in - hz, float64(k)*in + hz} {
			if image < 0 || image == hz && image < out/2 {
				continue
			}
			folded := math.Mod(image, out)
			at = append(at, min(folded, out-folded))
		}
	}
	return at
}

// All of what a full-scale sweep across the stopband leaves is below -80 dB
// together, not only where aliases are expected.
func TestStopbandSweep(t *testing.T) {
	for _, pair := range pairs {
		in, out := pair[0], pair[1]
		if in <= out {
			continue
		}
		t.Run(fmt.Sprint(int(in), " to ", int(out)), func(t *testing.T) {
			sweep := make([]int16, 2*in)
			from, to := float64(out)/2*1.02, float64(in)/2*0.98
			phase := 0.0
			for i := range sweep {
				f := from + (to-from)*float64(i)/float64(len(sweep))
				phase += 2 * math.Pi * f / float64(in)
				// Faded in and out: a sudden beginning has all frequencies.
				fade := min(1, float64(min(i, len(sweep)-1-i))/float64(in)*20)
				sweep[i] = int16(math.Round(amplitude * math.Sin(phase) * fade * fade * (3 - 2*fade)))
			}
			var energy float64
			got := convert(newResampler(t, in, out), sweep)
			for _, sample := range got {
				energy += float64(sample) * float64(sample)
			}
			db := 10 * math.Log10(energy/float64(len(got))/(amplitude*amplitude/2)+1e-12)
			t.Logf("%.0f to %.0f Hz leave %.1f dB", from, to, db)
			if db > -80 {
				t.Errorf("a sweep from %.0f to %.0f Hz leaves %.1f dB, want at most -80", from, to, db)
			}
		})
	}
}

func noise(n int) []int16 {
	rng := rand.New(rand.NewPCG(1, 2))
	out := make([]int16, n)
	for i := range out {
		out[i] = int16(rng.IntN(40000) - 20000)
	}
	return out
}

// The output is the same sample by sample however the input is cut, and however
// small the room for the output is.
func TestBlocksDoNotMatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, pair := range append(slices.Clone(pairs), [2]audio.SampleRate{16000, 16000}, [2]audio.SampleRate{11025, 24000}) {
		in, out := pair[0], pair[1]
		t.Run(fmt.Sprint(int(in), " to ", int(out)), func(t *testing.T) {
			src := noise(int(in))
			r := newResampler(t, in, out)
			want := convert(r, src)
			for _, most := range []int{1, 7, 160, 5000} {
				var got []int16
				for rest := src; len(rest) > 0; {
					block := rest[:min(len(rest), 1+rng.IntN(most))]
					dst := make([]int16, 1+rng.IntN(most))
					n, consumed := r.Process(dst, block)
					if n == 0 && consumed == 0 {
						t.Fatal("no progress with input and room")
					}
					got = append(got, dst[:n]...)
					rest = rest[consumed:]
				}
				for {
					dst := make([]int16, 1+rng.IntN(most))
					n := r.Flush(dst)
					got = append(got, dst[:n]...)
					if n < len(dst) {
						break
					}
				}
				if !slices.Equal(got, want) {
					t.Errorf("blocks of up to %d samples: the output differs (%d samples, want %d)", most, len(got), len(want))
				}
			}
		})
	}
}

// N samples become N*out/in, and stand where they stood: no delay, no end cut
// off.
func TestLengthAndAlignment(t *testing.T) {
	for _, pair := range append(slices.Clone(pairs), [2]audio.SampleRate{16000, 16000}) {
		in, out := pair[0], pair[1]
		t.Run(fmt.Sprint(int(in), " to ", int(out)), func(t *testing.T) {
			r := newResampler(t, in, out)
			for _, n := range []int{1, 2, 319, int(in) / 50, int(in) + 1} {
				if got, want := len(convert(r, noise(n))), (n*int(out)+int(in)-1)/int(in); got != want {
					t.Errorf("%d samples become %d, want %d", n, got, want)
				}
			}
			// A smooth bump in the middle of a tenth of a second.
			src := make([]int16, in/10)
			for i := range src {
				x := (float64(i)/float64(in) - 0.05) / 0.005
				src[i] = int16(math.Round(20000 * math.Exp(-x*x)))
			}
			var moment, mass float64
			for i, sample := range convert(r, src) {
				moment += float64(i) / float64(out) * float64(sample)
				mass += float64(sample)
			}
			if at := moment / mass; math.Abs(at-0.05) > 0.5/float64(out) {
				t.Errorf("a bump at 50 ms comes out at %.4f ms, want it within half a sample", at*1000)
			}
		})
	}
}

// A dst of MaxOutput takes all of the input, and Latency is what is held back.
func TestRoom(t *testing.T) {
	for _, pair := range pairs {
		in, out := pair[0], pair[1]
		r := newResampler(t, in, out)
		src := noise(1000)
		total, taken := 0, 0
		for i := range 200 {
			block := src[:1+i*5]
			dst := make([]int16, r.MaxOutput(len(block)))
			n, consumed := r.Process(dst, block)
			if consumed != len(block) {
				t.Fatalf("%v to %v: %d of %d samples taken into MaxOutput", in, out, consumed, len(block))
			}
			total += n
			taken += consumed
		}
		held := (taken*int(out)+int(in)-1)/int(in) - total
		if latency := r.Latency(); held < latency-2 || held > latency+1 {
			t.Errorf("%v to %v: %d samples held back, Latency says %d", in, out, held, latency)
		}
		if r.Delay() != out.Duration(r.Latency()) || r.Delay() > 10*1e6 {
			t.Errorf("%v to %v: Delay %v for %d samples, want the same and below 10 ms", in, out, r.Delay(), r.Latency())
		}
	}
}

// Sound that overshoots saturates; it does not wrap round.
func TestSaturation(t *testing.T) {
	src := make([]int16, 4800)
	for i := range src {
		src[i] = math.MaxInt16
		if i/100%2 == 1 {
			src[i] = math.MinInt16
		}
	}
	got := convert(newResampler(t, 48000, 16000), src)
	for i, sample := range got[50 : len(got)-50] {
		// Three input samples a step, a hundred a half wave: around the middle of
		// a half wave the sign is known.
		at := (i + 50) * 3
		if within := at % 100; within > 20 && within < 80 {
			if positive := at/100%2 == 0; positive != (sample > 0) {
				t.Fatalf("sample %d is %d where the input is at the other end of the range", i+50, sample)
			}
		}
	}
}

func TestResetForgets(t *testing.T) {
	r := newResampler(t, 24000, 16000)
	src := noise(2400)
	want := convert(r, src)
	dst := make([]int16, 4000)
	r.Process(dst, noise(999)[:777])
	r.Reset()
	if n := r.Flush(dst); n != 0 {
		t.Errorf("Flush after Reset returns %d samples, want none", n)
	}
	if got := convert(r, src); !slices.Equal(got, want) {
		t.Error("after Reset the output differs from that of a new resampler")
	}
}

func TestEqualRatesCopy(t *testing.T) {
	r := newResampler(t, 16000, 16000)
	src := noise(320)
	dst := make([]int16, 200)
	n, consumed := r.Process(dst, src)
	if n != 200 || consumed != 200 || !slices.Equal(dst, src[:200]) {
		t.Errorf("Process = %d, %d, want the first 200 samples copied", n, consumed)
	}
	if n := r.Flush(dst); n != 0 || r.Latency() != 0 {
		t.Errorf("Flush = %d and Latency %d, want nothing held back", n, r.Latency())
	}
}

func TestClose(t *testing.T) {
	for _, out := range []audio.SampleRate{16000, 24000} {
		r := newResampler(t, 16000, out)
		dst := make([]int16, 1000)
		r.Process(dst, noise(320))
		for range 2 {
			if err := r.Close(); err != nil {
				t.Errorf("Close: %v, want nil however often", err)
			}
		}
		r.Reset()
		if n, consumed := r.Process(dst, noise(320)); n+consumed+r.Flush(dst)+r.Latency() != 0 {
			t.Errorf("after Close Process = %d, %d, want nothing to happen", n, consumed)
		}
	}
}

func TestRates(t *testing.T) {
	for _, pair := range [][2]audio.SampleRate{{0, 16000}, {16000, 0}, {-8000, 16000}, {7999, 16000}, {16000, 192001}, {1 << 40, 16000}} {
		if r, err := New(pair[0], pair[1]); !errors.Is(err, ErrRate) || r != nil {
			t.Errorf("New(%d, %d) = %v, %v, want ErrRate", pair[0], pair[1], r, err)
		}
	}
}

// FuzzRates: any pair of rates, any blocks: the length is right and nothing
// panics.
func FuzzRates(f *testing.F) {
	f.Add(uint32(48000), uint32(16000), []byte{1, 200, 3})
	f.Add(uint32(47999), uint32(48000), []byte{255, 255, 0, 9})
	f.Add(uint32(192000), uint32(8000), []byte{7})
	f.Fuzz(func(t *testing.T, in, out uint32, blocks []byte) {
		r, err := New(audio.SampleRate(in), audio.SampleRate(out))
		if err != nil {
			if !errors.Is(err, ErrRate) {
				t.Fatal(err)
			}
			return
		}
		defer r.Close()
		taken, given := 0, 0
		src := noise(256)
		for _, block := range blocks[:min(len(blocks), 40)] {
			dst := make([]int16, r.MaxOutput(int(block)))
			n, consumed := r.Process(dst, src[:block])
			taken += consumed
			given += n
		}
		dst := make([]int16, r.Latency()+1)
		given += r.Flush(dst)
		if want := (taken*int(out) + int(in) - 1) / int(in); given != want {
			t.Fatalf("%d samples at %d Hz become %d at %d Hz, want %d", taken, in, given, out, want)
		}
	})
}
