package jitter

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// arrival is a packet on its way through a bad network.
type arrival struct {
	index int
	at    time.Duration
	p     Packet
}

// network is how bad: shares of packets, and the spread of the transit time.
type network struct {
	loss, dup, dtx, gap float64
	spread              time.Duration
}

// travel makes a source of n packets of 20, 40 and 60 ms with pauses (DTX) and
// declared gaps, and sends it through the network. It returns the source and the
// arrivals in the order of their time.
func (net network) travel(rng *rand.Rand, n int) (source []Packet, arrivals []arrival) {
	seq, ts := rng.Uint32(), rng.Uint32()
	var media time.Duration
	for i := range n {
		if rng.Float64() < net.dtx {
			pause := ptime * time.Duration(1+rng.IntN(200))
			media += pause
			ts += uint32(rate.Samples(pause))
		}
		p := Packet{
			Seq: seq, Timestamp: ts, Duration: ptime * time.Duration(1+rng.IntN(3)),
			Tag: uint32(i), Payload: binary.BigEndian.AppendUint32(nil, uint32(i)),
		}
		if rng.Float64() < net.gap {
			p.Gap, p.Payload = true, nil
		}
		media += p.Duration // sent when its last sample has been recorded
		seq++
		ts += uint32(rate.Samples(p.Duration))
		source = append(source, p)
		if i > 0 && i < n-1 && rng.Float64() < net.loss {
			continue
		}
		copies := 1
		if rng.Float64() < net.dup {
			copies++
		}
		for range copies {
			arrivals = append(arrivals, arrival{i, media + time.Duration(rng.Int64N(int64(net.spread)+1)), p})
		}
	}
	slices.SortStableFunc(arrivals, func(a, b arrival) int { return int(a.at - b.at) })
	return source, arrivals
}

// outcome is an item and the time at which it came out.
type outcome struct {
	Item
	at time.Duration
}

// run pushes the arrivals and pops as a caller does: after each push and at each
// deadline.
func run(t *testing.T, b *Buffer, arrivals []arrival) []outcome {
	t.Helper()
	var out []outcome
	pop := func(at time.Duration) {
		for {
			item, ok := b.Pop(start.Add(at))
			if !ok {
				return
			}
			item.Payload = slices.Clone(item.Payload)
			out = append(out, outcome{item, at})
		}
	}
	timers := func(until time.Duration) {
		for {
			deadline, ok := b.Deadline()
			if !ok || deadline.Sub(start) > until {
				return
			}
			before := len(out)
			pop(deadline.Sub(start))
			if len(out) == before {
				t.Fatalf("nothing came out at the deadline %v", deadline.Sub(start))
			}
		}
	}
	for _, a := range arrivals {
		timers(a.at)
		b.Push(a.p, start.Add(a.at))
		pop(a.at)
	}
	timers(1 << 62)
	return out
}

// F52: whatever the network does inside the window, the packets come out in
// order, each once, none that arrived is lost, none waits longer than Delay, and
// the durations add up to the media time of the source.
func TestAnyNetwork(t *testing.T) {
	networks := map[string]network{
		"perfect":              {},
		"jitter only":          {spread: 59 * ms},
		"loss":                 {loss: 0.1},
		"heavy loss":           {loss: 0.6, spread: 20 * ms},
		"duplicates":           {dup: 0.5, spread: 40 * ms},
		"pauses":               {dtx: 0.2},
		"gaps of the sender":   {gap: 0.2, spread: 40 * ms},
		"everything at once":   {loss: 0.15, dup: 0.15, dtx: 0.1, gap: 0.05, spread: 59 * ms},
		"everything, in order": {loss: 0.15, dup: 0.15, dtx: 0.1, gap: 0.05},
	}
	for name, net := range networks {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(30) {
				source, arrivals := net.travel(rand.New(rand.NewPCG(seed, 1)), 400)
				b := New(Config{Rate: rate, Delay: 60 * ms})
				out := run(t, b, arrivals)
				if err := net.check(b, source, arrivals, out); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
		})
	}
}

func (net network) check(b *Buffer, source []Packet, arrivals []arrival, out []outcome) error {
	arrived := make(map[int]time.Duration)
	for _, a := range arrivals {
		if at, again := arrived[a.index]; !again || a.at < at {
			arrived[a.index] = a.at
		}
	}
	// The stream begins with whatever packet comes first; what precedes it is late.
	first := arrivals[0].index
	origin := source[first].Timestamp
	var end, lost time.Duration
	var packets int
	next := first
	for _, o := range out {
		if o.Timestamp != end {
			return fmt.Errorf("%s at %v, but the item before it ended at %v", o.Kind, o.Timestamp, end)
		}
		end += o.Duration
		switch o.Kind {
		case Lost:
			lost += o.Duration
			packets += o.Packets
		case Media, Gap:
			i := int(o.Tag)
			if i < next {
				return fmt.Errorf("packet %d after packet %d", i, next-1)
			}
			next = i + 1
			want := source[i]
			if media := rate.Duration(int(want.Timestamp - origin)); o.Timestamp != media || o.Duration != want.Duration {
				return fmt.Errorf("packet %d at %v for %v, sent at %v for %v", i, o.Timestamp, o.Duration, media, want.Duration)
			}
			if string(o.Payload) != string(want.Payload) {
				return fmt.Errorf("packet %d has payload %x, want %x", i, o.Payload, want.Payload)
			}
			at := arrived[i]
			delete(arrived, i)
			if wait := o.at - at; wait > 60*ms {
				return fmt.Errorf("packet %d waited %v, at most 60ms", i, wait)
			} else if wait > 0 && net.loss == 0 && net.spread == 0 {
				return fmt.Errorf("packet %d of an orderly stream waited %v", i, wait)
			}
		}
	}
	for i := range arrived {
		if i >= first {
			return fmt.Errorf("packet %d arrived inside the window and never came out", i)
		}
	}
	last := source[len(source)-1]
	if media := rate.Duration(int(last.Timestamp-origin)) + last.Duration; end != media {
		return fmt.Errorf("the items last %v together, the source %v", end, media)
	}
	stats := b.Stats()
	missing, received := 0, make(map[int]bool)
	for _, a := range arrivals {
		received[a.index] = true
	}
	for i := first; i < len(source); i++ {
		if !received[i] {
			missing++
		}
	}
	if packets != missing || stats.Lost != uint64(missing) || stats.LostTime != lost {
		return fmt.Errorf("%d packets lost in items and %d in Stats (%v), %d were", packets, stats.Lost, stats.LostTime, missing)
	}
	if stats.Restarts+stats.Implausible+stats.Overflow+stats.Overlaps != 0 {
		return fmt.Errorf("an honest source was called otherwise: %+v", stats)
	}
	return nil
}

// FuzzBuffer feeds arbitrary calls: nothing panics, memory is bounded, items are
// contiguous, every packet is accounted for, and Deadline keeps its word.
func FuzzBuffer(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0x80, 0, 0, 0, 0x40, 3, 2, 1, 9, 9, 9, 9, 9, 9})
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		seed := make([]byte, 400)
		for i := range seed {
			seed[i] = byte(rng.Uint32())
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, calls []byte) {
		if len(calls) < 2 {
			return
		}
		cfg := Config{Rate: rate, Packets: 1 + int(calls[0]%9), MaxPayload: 40, SeqBits: 16 * (1 + int(calls[1]%2)), Confirm: 1 + int(calls[0]>>6)}
		if calls[1]&4 != 0 {
			cfg.Delay = NoDelay
		}
		b := New(cfg)
		var end time.Duration
		now := start
		var seq, ts uint32
		for calls = calls[2:]; len(calls) >= 6; calls = calls[6:] {
			op, a, size := calls[0], calls[1], calls[2]
			now = now.Add(time.Duration(calls[3]) * ms / 4)
			p := Packet{Duration: time.Duration(size%8) * 10 * ms, Payload: make([]byte, size%48)}
			switch op & 7 {
			case 0, 1, 2: // close to what came before
				seq += uint32(a&7) - 2
				ts += uint32(int32(int8(a))) * 160
			case 3: // anywhere
				seq, ts = binary.BigEndian.Uint32(calls[2:]), binary.BigEndian.Uint32(calls[1:])
			case 4: // numbers anywhere
				seq = binary.BigEndian.Uint32(calls[2:])
			case 5: // steady
				seq++
				ts += ticks
				p.Duration, p.Payload = ptime, []byte{a}
			case 6:
				p.Gap, p.Payload = true, nil
				seq++
			case 7:
				if a < 8 {
					b.Reset()
					end = 0
				} else {
					b.Drain()
				}
			}
			p.Seq, p.Timestamp = seq, ts
			b.Push(p, now)
			accounted(t, b)
			if used := len(b.held) + len(b.free); used != cfg.Packets {
				t.Fatalf("%d slots, want %d", used, cfg.Packets)
			}
			if op&0x80 != 0 {
				continue // the consumer is away
			}
			for pops := 0; ; pops++ {
				if pops > 4*cfg.Packets {
					t.Fatal("Pop does not come to an end")
				}
				peeked, direct := b.PeekNext()
				item, ok := b.Pop(now)
				if direct && (!ok || item.Kind != Media || item.Seq != peeked.Seq) {
					t.Fatalf("PeekNext promised packet %d, Pop returned %+v, %v", peeked.Seq, item, ok)
				}
				if !ok {
					break
				}
				if item.Timestamp != end || item.Duration < 0 {
					t.Fatalf("item %+v, want one at %v", item, end)
				}
				end += item.Duration
			}
			if deadline, ok := b.Deadline(); ok != (len(b.held) > 0) || ok && !deadline.After(now) {
				t.Fatalf("Deadline %v, %v after Pop had nothing with %d held", deadline.Sub(now), ok, len(b.held))
			}
		}
	})
}
