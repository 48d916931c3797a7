package ws

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"edged/dialog"
	"edged/edge"
	"edged/firmware-protocol/wire"
)

// BenchmarkFlood is what one device that floods control and audio does to the pace
// of the others: 50 sessions play replies in Opus, without it and with it, in turns,
// over sockets. Reported is how late the packets of the worst session left (p99), as
// the median of the rounds, and what was read of the flooder. Without limits stands
// beside it.
func BenchmarkFlood(b *testing.B) {
	const sessions, rounds, length = 50, 5, 8 * time.Second
	for _, limits := range []struct {
		name string
		edge.Limits
	}{{"limits=default", edge.Limits{}}, {"limits=none", edge.Limits{ControlPerSecond: -1, AudioRate: -1}}} {
		b.Run(limits.name, func(b *testing.B) {
			for b.Loop() {
				var quiet, flooded []float64
				var read atomic.Int64
				used := [2]time.Duration{}
				for range rounds {
					before := cpu()
					quiet = append(quiet, worstLateness(b, limits.Limits, sessions, length, nil))
					between := cpu()
					flooded = append(flooded, worstLateness(b, limits.Limits, sessions, length, &read))
					used[0] += between - before
					used[1] += cpu() - between
				}
				slices.Sort(quiet)
				slices.Sort(flooded)
				b.ReportMetric(quiet[rounds/2], "quiet-worst-p99-ms")
				b.ReportMetric(flooded[rounds/2], "flood-worst-p99-ms")
				b.ReportMetric(flooded[rounds/2]-quiet[rounds/2], "flood-costs-ms")
				b.ReportMetric(float64(read.Load())/(rounds*length.Seconds()), "flood-packets/s")
				b.ReportMetric(100*(used[1]-used[0]).Seconds()/(rounds*length.Seconds()), "flood-cpu-%")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// worstLateness lets so many sessions play a reply of that length and returns how
// late the packets of the worst one were (p99, in milliseconds). With flooded set
// a flooder is there meanwhile; what was read of it is added up in flooded.
func worstLateness(b *testing.B, limits edge.Limits, sessions int, length time.Duration, flooded *atomic.Int64) float64 {
	b.Helper()
	var mu sync.Mutex
	var worst time.Duration
	var playing sync.WaitGroup
	playing.Add(sessions)
	start := make(chan struct{})
	play := func(ctx context.Context, leg *edge.Leg) {
		defer playing.Done()
		<-start
		time.Sleep(rand.N(2 * time.Second)) // not all in step
		for begin := time.Now(); time.Since(begin) < length; {
			if leg.Play(ctx, 1, pcmChunk(20*ms)) != nil {
				break
			}
		}
		mu.Lock()
		defer mu.Unlock()
		worst = max(worst, leg.Stats().Pacer.Lateness.Quantile(0.99))
	}
	r := newRig(b, edge.Config{
		Limits: limits, ConnectsPerMinute: 120,
		Handler: func(ctx context.Context, leg *edge.Leg) error {
			var reading sync.WaitGroup
			defer reading.Wait()
			reading.Go(func() {
				for _, err := leg.Uplink().Next(); err == nil; _, err = leg.Uplink().Next() {
				}
			})
			reading.Go(func() {
				turn := dialog.Turn(0)
				for e := range leg.Events() {
					if _, ok := e.(dialog.Abort); ok {
						turn++
						_, _ = leg.Flush(ctx, turn, dialog.CauseAbort)
					}
				}
			})
			if leg.Hello().Device == "flooder" {
				defer func() {
					stats := leg.Stats()
					flooded.Add(int64(stats.PacketsIn))
				}()
			} else {
				play(ctx, leg)
			}
			return waits(ctx, leg)
		},
	}, Config{}, false)
	defer r.stop()
	var reading sync.WaitGroup
	defer reading.Wait()
	ls := make([]*loader, 0, sessions)
	defer func() { closeAll(ls) }()
	for i := range sessions {
		l, err := newLoader(r.url, fmt.Sprint("toy", i), opus20, []byte{0x18})
		if err != nil {
			b.Fatal(err)
		}
		ls = append(ls, l)
		reading.Go(func() { _ = l.receive(1 << 30) })
	}
	stop := make(chan struct{})
	var flooding sync.WaitGroup
	if flooded != nil {
		flooding.Go(func() { floodFor(r.url, stop) })
	}
	close(start)
	playing.Wait()
	close(stop)
	flooding.Wait()
	return float64(worst.Microseconds()) / 1000
}

// floodFor is the flooder: it sends everything that makes work as fast as the
// connection takes it, and connects again as soon as it is closed.
func floodFor(url string, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		l, err := newLoader(url, "flooder", opus20, []byte{0x18})
		if err != nil {
			continue // it does not wait, as it should
		}
		var ending sync.WaitGroup
		over := make(chan struct{})
		ending.Go(func() {
			select {
			case <-stop:
			case <-over:
			}
			_ = l.conn.Close()
		})
		ending.Go(func() { _ = l.receive(1 << 30) })
		pour(l.conn)
		close(over)
		ending.Wait()
	}
}

// pour writes a mixture of control and audio until the connection is gone.
func pour(conn net.Conn) {
	var mixture bytes.Buffer
	for i := range uint32(64) {
		for j := range uint32(16) {
			n := 16*i + j
			f := wire.Frame{Type: wire.TypeAudio, Seq: n, Timestamp: n * 320, Payload: []byte{0x48, 0x0b, 0xe4, 0xc1, 0x36, 0xec, 0xc5, 0x80}}
			if j == 15 {
				f.Payload, f.Flags, f.Gap = nil, wire.FlagGap, 60*16000
			}
			if frame, err := wire.AppendFrame(nil, f); err == nil {
				mixture.Write(masked(2, frame))
			}
		}
		for _, control := range []string{`{"type":"ping","id":1}`, `{"type":"abort"}`, `{"type":"listen","state":"start","mode":"manual"}`, `{"type":"played","turn":1,"samples":1}`} {
			mixture.Write(masked(1, []byte(control)))
		}
		mixture.Write(masked(9, []byte("x")))
	}
	for {
		if _, err := conn.Write(mixture.Bytes()); err != nil {
			return
		}
	}
}
