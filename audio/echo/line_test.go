package echo

import (
	"slices"
	"testing"
	"time"
)

// echoOf is the echo of sound, a tenth as loud.
func echoOf(sound []int16, at int64) (frame [Frame]int16) {
	for i := range frame {
		if k := at + int64(i); k >= 0 && k < int64(len(sound)) {
			frame[i] = sound[k] / 10
		}
	}
	return frame
}

// The delay is found wherever it is within the window, follows when the device
// changes it, and is not invented where there is no echo.
func TestDelayIsFound(t *testing.T) {
	tests := []struct {
		name   string
		delays []int64 // samples; each for five seconds
		want   []time.Duration
	}{
		{"at the place", []int64{0}, []time.Duration{0}},
		{"earlier than placed", []int64{-800}, []time.Duration{-50 * ms}},
		{"100 ms late", []int64{1600}, []time.Duration{100 * ms}},
		{"550 ms late", []int64{8800}, []time.Duration{550 * ms}},
		{"from 100 to 300 ms", []int64{1600, 4800}, []time.Duration{100 * ms, 300 * ms}},
		{"from 400 to 120 ms", []int64{6400, 1920}, []time.Duration{400 * ms, 120 * ms}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g, sound := playing(t)
			for i, d := range test.delays {
				for range 5 * rate / Frame {
					at := g.Position()
					g.Sent(at, sound[at%int64(len(sound)-Frame):][:Frame])
					g.Sent(at+Frame, sound[(at+Frame)%int64(len(sound)-Frame):][:Frame])
					g.Place(at, at)
					var mic [Frame]int16
					for k := range mic {
						mic[k] = g.ref.sample(at+int64(k)-d) / 10
						if d < 0 { // not yet sent: what will be
							mic[k] = sound[(at+int64(k)-d)%int64(len(sound)-Frame)] / 10
						}
					}
					g.Process(mic[:])
				}
				stats := g.Stats()
				if off := stats.Delay - test.want[i]; !stats.Aligned || off > 2*ms || off < -2*ms {
					if d >= 0 {
						t.Errorf("after %d s: %+v, want %v", 5*(i+1), stats, test.want[i])
					}
				}
			}
		})
	}
}

// Silence in the microphone has no delay.
func TestNoEchoIsNotAligned(t *testing.T) {
	g, sound := playing(t)
	g.Sent(0, sound[:5*rate])
	g.Place(0, 0)
	_, other := playing(t)
	for i := range 5 * rate / Frame {
		mic := [Frame]int16(other[5*rate-(i+1)*Frame:])
		for k := range mic {
			mic[k] /= 100
		}
		g.Process(mic[:])
	}
	if stats := g.Stats(); stats.Aligned {
		t.Errorf("%+v, want no delay: the sound in the microphone is another", stats)
	}
}

// A reply that pauses (a hold, a queue that ran dry) shifts everything after it.
// The acknowledgements tell; meanwhile nothing of it comes through.
func TestPauseOfTheReply(t *testing.T) {
	g, sound := playing(t)
	reply := sound[:7*rate]
	g.Sent(0, reply)
	g.Place(0, 0)
	const begins, ends = 3 * int64(rate), 7 * int64(rate) / 2 // of the pause
	played := func(at int64) int64 {
		switch {
		case at < begins:
			return at
		case at < ends:
			return begins
		}
		return at - (ends - begins)
	}
	for g.Position() < 8*int64(rate) {
		at := g.Position()
		if at%(20*Frame) == 0 {
			g.Place(played(at), at)
		}
		var mic [Frame]int16
		if sound := at - 3200; played(sound+Frame) > played(sound) {
			mic = echoOf(reply, played(sound))
		}
		g.Process(mic[:])
	}
	if stats := g.Stats(); stats.Suppressed != stats.Active || stats.Delay < 190*ms || stats.Delay > 210*ms {
		t.Errorf("%+v, want all suppressed, 200 ms late", stats)
	}
}

// Pieces of any length: the same samples come out, late by less than a frame.
func TestOddPieces(t *testing.T) {
	g, sound := playing(t)
	in := sound[:2*rate]
	got := slices.Clone(in)
	for rest, n := got, 1; len(rest) > 0; n = n*7%997 + 1 {
		part := rest[:min(n, len(rest))]
		g.Process(part)
		rest = rest[len(part):]
	}
	// The first frame of all fades in.
	if !slices.Equal(got[3*Frame:], in[2*Frame:len(in)-Frame]) {
		t.Error("samples are lost, doubled or changed")
	}
	if g.Position() != int64(len(in)) {
		t.Errorf("%d samples were heard, want %d", g.Position(), len(in))
	}
}

// Close is idempotent, and a closed guard passes everything.
func TestClose(t *testing.T) {
	g, sound := playing(t)
	for range 2 {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}
	mic := slices.Clone(sound[:Frame])
	g.Process(mic)
	if !slices.Equal(mic, sound[:Frame]) {
		t.Error("a closed guard changes the microphone")
	}
}
