package impair

import (
	"math"
	"slices"
	"testing"
	"time"

	"edged/audio"
	"edged/audio/pcm"
)

func TestClock(t *testing.T) {
	const minutes = 10 * time.Minute
	for _, tc := range []struct {
		clock Clock
		real  time.Duration
	}{{0, minutes}, {200, minutes - 119976005*time.Nanosecond}, {-200, minutes + 120024005*time.Nanosecond}} {
		if got := tc.clock.Real(minutes); got < tc.real-time.Nanosecond || got > tc.real+time.Nanosecond {
			t.Errorf("at %d ppm 10 minutes take %v, want %v", tc.clock, got, tc.real)
		}
		for _, d := range []time.Duration{0, 1, 999, 20 * ms, minutes, 1000 * time.Hour} {
			if back := tc.clock.Own(tc.clock.Real(d)); back < d || back > d+2 {
				t.Errorf("at %d ppm %v become %v on the way back", tc.clock, d, back)
			}
		}
	}
	if Clock(20_000).Check() == nil || Clock(-200).Check() != nil {
		t.Error("2% passes, or 200 ppm do not")
	}
}

func tone(rate audio.SampleRate, hz float64, d time.Duration) []int16 {
	samples := make([]int16, rate.Samples(d))
	for i := range samples {
		samples[i] = int16(10_000 * math.Sin(2*math.Pi*hz*float64(i)/float64(rate)))
	}
	return samples
}

// taped plays sound in packets of 20 ms from t0 on.
func taped(t0 time.Time, rate audio.SampleRate, clock Clock, sound []int16) *Tape {
	tape := NewTape(rate, clock, time.Minute)
	at, done := t0, 0
	for packet := range slices.Chunk(sound, rate.Samples(20*ms)) {
		tape.Record(at, packet)
		done += len(packet)
		at = t0.Add(clock.Real(rate.Duration(done)))
	}
	return tape
}

// What is captured is what was played, so much later and weaker, whatever the
// clock and the rates.
func TestEcho(t *testing.T) {
	t0 := time.Unix(1000, 0)
	for _, tc := range []struct {
		name  string
		speak audio.SampleRate
		clock Clock
		echo  Echo
	}{
		{"-20 dB, 100 ms", audio.Rate16k, 0, Echo{Level: -20, Delay: 100 * ms}},
		{"20 dB below, 400 ms", audio.Rate16k, 0, Echo{Level: 20, Delay: 400 * ms}},
		{"24 kHz", audio.Rate24k, 0, Echo{Level: 6, Delay: 123 * ms}},
		{"24 kHz, skew", audio.Rate24k, 200, Echo{Level: 6}},
		{"loud", audio.Rate16k, -200, Echo{Delay: 0}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tape := taped(t0, tc.speak, tc.clock, tone(tc.speak, 400, time.Second))
			want := tone(audio.Rate16k, 400, time.Second)
			pcm.Gain(want, pcm.Factor(-math.Abs(tc.echo.Level)))
			delay := audio.Rate16k.Samples(tc.echo.Delay)
			got := make([]int16, 2*16000)
			for i := 0; i < len(got); i += 320 { // in packets, as a microphone does
				tape.Hear(got[i:i+320], t0.Add(tc.clock.Real(audio.Rate16k.Duration(i))), audio.Rate16k, tc.echo)
			}
			worst := 0.0
			for i, s := range got {
				expect := 0.0
				if i >= delay && i < delay+len(want) {
					expect = float64(want[i-delay])
				}
				worst = max(worst, math.Abs(float64(s)-expect))
			}
			// Interpolation rounds off some of the top.
			if worst > 90*pcm.Factor(-math.Abs(tc.echo.Level))+1 {
				t.Errorf("differs by %.0f from the delayed tone", worst)
			}
		})
	}
}

// A room has the same power as the direct path alone, spread over time.
func TestRoom(t *testing.T) {
	t0 := time.Unix(1000, 0)
	noise := make([]int16, 16000)
	state := uint32(1)
	for i := range noise {
		state = state*1664525 + 1013904223
		noise[i] = int16(state>>16) / 4
	}
	tape := taped(t0, audio.Rate16k, 0, noise)
	got := make([]int16, 16000)
	tape.Hear(got, t0, audio.Rate16k, Echo{Level: 12, Room: true})
	if level := pcm.Level(got[1000:]) - pcm.Level(noise[1000:]); math.Abs(level+12) > 0.5 {
		t.Errorf("echo of noise at %.2f dB, want -12", level)
	}
	first := make([]int16, 64)
	tape.Hear(first, t0, audio.Rate16k, Echo{Level: 12, Room: true})
	if !slices.Equal(first, got[:64]) {
		t.Error("a shorter packet hears something else")
	}
}

// Echo is added to speech, saturates, and the tape forgets.
func TestTape(t *testing.T) {
	t0 := time.Unix(1000, 0)
	tape := NewTape(audio.Rate16k, 0, 50*ms)
	tape.Record(t0, []int16{30_000, 30_000, -30_000})
	dst := []int16{10_000, -10_000, -10_000, 5}
	tape.Hear(dst, t0, audio.Rate16k, Echo{})
	if want := []int16{math.MaxInt16, 20_000, math.MinInt16, 5}; !slices.Equal(dst, want) {
		t.Errorf("mixed %v, want %v", dst, want)
	}
	tape.Play(dst, t0, audio.Rate16k)
	if want := []int16{30_000, 30_000, -30_000, 0}; !slices.Equal(dst, want) {
		t.Errorf("played %v, want %v", dst, want)
	}
	if tape.Mixed() != 3 {
		t.Errorf("%d samples mixed, want 3", tape.Mixed())
	}
	tape.Record(t0.Add(time.Second), []int16{1})
	tape.Play(dst, t0, audio.Rate16k)
	if want := make([]int16, 4); !slices.Equal(dst, want) {
		t.Errorf("after a second the tape still plays %v", dst)
	}
	if (Echo{Level: 100}).Check() == nil || (Echo{Delay: -1}).Check() == nil || (Echo{Level: -20, Delay: 400 * ms}).Check() != nil {
		t.Error("Check lets the impossible pass or refuses the ordinary")
	}
}
