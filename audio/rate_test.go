package audio

import (
	"testing"
	"testing/quick"
	"time"
)

func TestSamples(t *testing.T) {
	tests := []struct {
		name string
		rate SampleRate
		d    time.Duration
		want int
	}{
		{"a packet", Rate16k, 20 * time.Millisecond, 320},
		{"a packet of a synthesiser", 22050, 20 * time.Millisecond, 441},
		{"just below a sample", Rate16k, 62499 * time.Nanosecond, 0},
		{"just a sample", Rate16k, 62500 * time.Nanosecond, 1},
		{"a week, which overflows in one product", Rate48k, 7 * 24 * time.Hour, 29_030_400_000},
		{"negative rounds towards zero", Rate16k, -62501 * time.Nanosecond, -1},
		{"no rate", 0, time.Second, 0},
		{"negative rate", -1, time.Second, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.rate.Samples(tt.d); got != tt.want {
				t.Errorf("Samples(%v) at %v = %d, want %d", tt.d, tt.rate, got, tt.want)
			}
		})
	}
}

func TestDuration(t *testing.T) {
	tests := []struct {
		name string
		rate SampleRate
		n    int
		want time.Duration
	}{
		{"a packet", Rate16k, 320, 20 * time.Millisecond},
		{"one sample that is no whole number of ns rounds up", 22050, 1, 45352 * time.Nanosecond},
		{"a week", Rate48k, 29_030_400_000, 7 * 24 * time.Hour},
		{"no rate", 0, 5, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.rate.Duration(tt.n); got != tt.want {
				t.Errorf("Duration(%d) at %v = %v, want %v", tt.n, tt.rate, got, tt.want)
			}
		})
	}
}

// Counting in samples and in time agree: no sample is lost on the way there and
// back, at any rate and in either direction.
func TestSamplesOfDuration(t *testing.T) {
	same := func(rate uint16, n int32) bool {
		r := SampleRate(rate) + 1
		return r.Samples(r.Duration(int(n))) == int(n)
	}
	if err := quick.Check(same, &quick.Config{MaxCount: 20_000}); err != nil {
		t.Error(err)
	}
}
