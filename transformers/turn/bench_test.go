package turn

import (
	"testing"

	"edged/realtime"
)

// endless gives the same packet for ever.
type endless struct{ chunk *realtime.MessageChunk }

func (e endless) Next() (*realtime.MessageChunk, error) { return e.chunk, nil }
func (endless) Close() error                            { return nil }
func (endless) CloseWithError(error) error              { return nil }

// steady finds the same in every window.
type steady float32

func (s steady) Process([]int16) float32 { return float32(s) }
func (steady) Reset()                    {}

// BenchmarkPacket is what a packet of 20 ms costs besides the network. In an
// utterance each becomes a new chunk; outside, Next never returns, so the chunk
// is taken directly.
func BenchmarkPacket(b *testing.B) {
	packet := sound("mic/1", 0, ramp(0, 320))
	b.Run("in an utterance", func(b *testing.B) {
		d := New(endless{packet}, steady(1), Config{MaxUtterance: -1})
		b.ReportAllocs()
		for b.Loop() {
			if _, err := d.Next(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("outside", func(b *testing.B) {
		d := New(endless{packet}, steady(0), Config{})
		b.ReportAllocs()
		for b.Loop() {
			if err := d.take(packet); err != nil || len(d.out) > 1 {
				b.Fatal(err, len(d.out))
			}
		}
	})
}
