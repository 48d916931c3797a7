package echo

import (
	"math/rand/v2"
	"testing"
)

// playing returns a guard and ten seconds of noise for it.
func playing(t testing.TB) (*Guard, []int16) {
	t.Helper()
	g, err := New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	random := rand.New(rand.NewPCG(1, 1))
	sound := make([]int16, 10*rate)
	for i := range sound {
		sound[i] = int16(3000 * random.NormFloat64())
	}
	return g, sound
}

// BenchmarkProcess is 10 ms of microphone: while nothing is played, and while a
// reply is, with all searches for the delay in it.
func BenchmarkProcess(b *testing.B) {
	for _, name := range []string{"idle", "playing"} {
		b.Run(name, func(b *testing.B) {
			g, sound := playing(b)
			mic, i := [Frame]int16{}, 0
			b.ReportAllocs()
			for b.Loop() {
				part := sound[i*Frame%(len(sound)-Frame):][:Frame]
				if name == "playing" {
					g.Sent(int64(i)*Frame, part)
					g.Place(int64(i)*Frame, int64(i)*Frame)
				}
				copy(mic[:], part)
				g.Process(mic[:])
				i++
			}
		})
	}
}
