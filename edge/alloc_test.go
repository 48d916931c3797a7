//go:build !race

package edge

import (
	"runtime"
	"testing"
	"time"

	"edged/audio/opus"
	"edged/dialog"
)

// mallocs returns how many objects f allocates for each of n rounds.
func mallocs(n int, f func()) float64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range n {
		f()
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / float64(n)
}

const warmFrames = 10_000

// TestPacerDoesNotAllocate over 10,000 packets with acknowledgements.
func TestPacerDoesNotAllocate(t *testing.T) {
	p := NewPacer(240 * ms)
	now := time.Now()
	if n := mallocs(warmFrames, func() {
		due := p.Due(now, 20*ms)
		if due.After(now) {
			now = due
		}
		p.Written(now, due, now, 20*ms)
		p.Acknowledge(now, p.Playing(now))
	}); n > 0.001 {
		t.Errorf("%.4f allocations a packet, want none", n)
	}
}

// TestUplinkAllocatesOnceAPacket: jitter buffer, decoder and chunk of 10,000 packets
// cost one object each, the chunk.
func TestUplinkAllocatesOnceAPacket(t *testing.T) {
	for _, format := range []struct {
		name string
		leg  Offer
	}{{"opus", offerOf(opus16k20, opus16k60)}, {"pcm", offerOf(pcm16k20, opus16k60)}} {
		t.Run(format.name, func(t *testing.T) {
			l := newLeg(terms{Limits: Limits{AudioRate: 1e9}.withDefaults(), hello: format.leg.Hello, up: format.leg.Up, down: format.leg.Down}, newFakeTransport(), zerologNop())
			defer l.up.close()
			payload := bytesOf(tone(16000, 20*ms, 440))
			if format.name == "opus" {
				payload = opusPackets(t, opus16k20, 20*ms, opus.EncoderConfig{})[0]
			}
			if err := l.up.listen(dialog.ModeManual); err != nil {
				t.Fatal(err)
			}
			var p Packet
			feed := func() {
				p.Payload = payload
				if _, err := l.up.packet(p); err != nil {
					t.Fatal(err)
				}
				p.Seq++
				p.Timestamp += 320
				if _, err := l.up.mic.Next(); err != nil {
					t.Fatal(err)
				}
			}
			for range 100 {
				feed()
			}
			if n := mallocs(warmFrames, feed); n > 1.001 {
				t.Errorf("%.4f allocations a packet, want one", n)
			}
		})
	}
}

// TestRenderDoesNotAllocate: resampling and encoding of 10,000 packets.
func TestRenderDoesNotAllocate(t *testing.T) {
	for _, format := range []Offer{offerOf(pcm16k20, opus16k20), offerOf(pcm16k20, pcm16k20)} {
		r := newRender(format.Down, 0)
		r.begin(1, 0)
		data := bytesOf(tone(24000, 20*ms, 440))
		it := item{turn: 1, kind: itemAudio, data: data, rate: 24000}
		feed := func() {
			if err := r.feed(it); err != nil {
				t.Fatal(err)
			}
			for r.full() {
				if err := r.prepare(); err != nil {
					t.Fatal(err)
				}
				r.take()
			}
		}
		for range 100 {
			feed()
		}
		if n := mallocs(warmFrames, feed); n > 0.001 {
			t.Errorf("%v: %.4f allocations a packet, want none", format.Down, n)
		}
		r.close()
	}
}
