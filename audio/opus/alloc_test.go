//go:build !race

package opus

import (
	"runtime"
	"testing"

	"edged/audio"
)

// Encoding, decoding, recovery and concealment allocate nothing per frame.
func TestNoAllocation(t *testing.T) {
	const frames = 10_000
	e := newEncoder(t, EncoderConfig{Rate: audio.Rate16k, FEC: true, ExpectedLoss: 10, Complexity: new(0)})
	d := newDecoder(t, audio.Rate16k, 1)
	sound := speech(audio.Rate16k, 320*50)
	packets := encode(t, e, sound, 320)
	buf, dst := make([]byte, MaxPacket), make([]int16, 1920)
	var failed error
	check := func(err error) {
		if err != nil {
			failed = err
		}
	}
	frame := func(i int) {
		_, err := e.Encode(buf, sound[i%50*320:][:320])
		check(err)
		_, err = Duration(packets[i%50])
		check(err)
		_, err = d.Decode(dst, packets[i%50])
		check(err)
		check(d.DecodeFEC(dst[:640], packets[i%50]))
		check(d.Conceal(dst[:320]))
	}
	for i := range 100 {
		frame(i)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range frames {
		frame(i)
	}
	runtime.ReadMemStats(&after)
	if failed != nil {
		t.Fatal(failed)
	}
	if perFrame := float64(after.Mallocs-before.Mallocs) / frames; perFrame > 0.001 {
		t.Errorf("%.4f allocations per frame, want at most 0.001", perFrame)
	}
}
