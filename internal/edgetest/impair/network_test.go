package impair

import (
	"math"
	"slices"
	"testing"
	"time"
)

const ms = time.Millisecond

// stream pushes n audio packets, one every 20 ms, between two control messages,
// and returns what comes out at which time.
func stream(network Network, n int) (items []int, times []time.Duration, counts Counts) {
	line := NewLine[int](network, 0)
	t0 := time.Unix(0, 0)
	drain := func(now time.Time) {
		for {
			due, ok := line.Next()
			if !ok || due.After(now) {
				return
			}
			item, _ := line.Pop(due)
			items, times = append(items, item), append(times, due.Sub(t0))
		}
	}
	line.Push(t0, -1, Control)
	for i := range n {
		now := t0.Add(time.Duration(i) * 20 * ms)
		drain(now)
		line.Push(now, i, Audio)
	}
	line.Push(t0.Add(time.Duration(n)*20*ms), -2, Control)
	drain(t0.Add(time.Hour))
	return items, times, line.Counts()
}

// Losses have the share that was asked for and come in bursts of the length that
// was asked for, within what chance allows in 100,000 packets.
func TestLoss(t *testing.T) {
	for _, tc := range []struct{ share, burst float64 }{
		{0.01, 0}, {0.05, 1}, {0.2, 1}, {0.05, 3}, {0.1, 5}, {0.2, 8}, {0.6, 2},
	} {
		const n = 100_000
		items, _, counts := stream(Network{Loss: tc.share, Burst: tc.burst, Seed: 1}, n)
		share := float64(counts.Lost) / n
		if math.Abs(share-tc.share) > 0.12*tc.share {
			t.Errorf("loss %v burst %v: %.4f lost", tc.share, tc.burst, share)
		}
		if uint64(len(items)) != n+2-counts.Lost || counts.Audio != n {
			t.Errorf("%d items and %d lost of %d", len(items)-2, counts.Lost, n)
		}
		bursts, next := 0, 0
		for _, i := range items[1:] {
			if i != next && i >= 0 || i == -2 && next != n {
				bursts++
			}
			next = i + 1
		}
		// Independent losses come in a row by chance: 1/(1-share).
		want := tc.burst
		if want <= 1 {
			want = 1 / (1 - tc.share)
		}
		if got := float64(counts.Lost) / float64(bursts); math.Abs(got-want) > 0.12*want {
			t.Errorf("loss %v burst %v: %.2f in a row on average, want %.2f", tc.share, tc.burst, got, want)
		}
	}
}

// Jitter delays and keeps the order, as TCP does.
func TestJitter(t *testing.T) {
	for _, shape := range []Shape{Uniform, Normal} {
		items, times, counts := stream(Network{Jitter: 80 * ms, Shape: shape, Seed: 7}, 5000)
		if !slices.IsSorted(items[1:len(items)-1]) || !slices.IsSorted(times) || len(items) != 5002 {
			t.Errorf("shape %d: %d items out of order", shape, len(items))
		}
		within, sum := 0, time.Duration(0)
		for i, at := range times[1 : len(times)-1] {
			late := at - time.Duration(i)*20*ms
			if late < 0 {
				t.Fatalf("shape %d: packet %d comes %v early", shape, i, -late)
			}
			if late <= 80*ms {
				within++
			}
			sum += late
		}
		if share := float64(within) / 5000; share < 0.9 || shape == Uniform && share < 1 {
			t.Errorf("shape %d: %.3f of the packets within the spread", shape, share)
		}
		// Half the spread, and more since late ones hold up those behind.
		if mean := sum / 5000; mean < 40*ms || mean > 70*ms {
			t.Errorf("shape %d: mean delay %v", shape, mean)
		}
		if counts.MostDelayed < 70*ms || counts.Lost+counts.Reordered > 0 {
			t.Errorf("shape %d: counts %+v", shape, counts)
		}
	}
}

// A reordered packet comes right behind its successor; nothing is lost, and none
// comes behind the control message after it.
func TestReorder(t *testing.T) {
	items, _, counts := stream(Network{Reorder: 0.1, Seed: 3}, 10_000)
	if items[0] != -1 || items[len(items)-1] != -2 {
		t.Errorf("audio came before or behind what encloses it")
	}
	swaps := uint64(0)
	for i := 1; i < len(items)-1; i++ {
		switch items[i] - (i - 1) {
		case 1:
			swaps++
		case 0, -1:
		default:
			t.Fatalf("item %d at place %d", items[i], i-1)
		}
	}
	if swaps != counts.Reordered || swaps < 800 || swaps > 1000 {
		t.Errorf("%d swaps, counted %d, want about one in eleven of 10,000", swaps, counts.Reordered)
	}
	sorted := slices.Sorted(slices.Values(items))
	if len(slices.Compact(sorted)) != 10_002 {
		t.Errorf("%d different items", len(sorted))
	}
}

func TestDuplicate(t *testing.T) {
	items, _, counts := stream(Network{Duplicate: 0.2, Seed: 3}, 1000)
	if !slices.IsSorted(items[1:len(items)-1]) || len(items) != 1002+int(counts.Duplicated) || counts.Duplicated < 160 || counts.Duplicated > 240 {
		t.Errorf("%d items, %d doubled", len(items), counts.Duplicated)
	}
}

// The same seed gives the same network, another one another.
func TestSeed(t *testing.T) {
	bad := Network{Loss: 0.1, Burst: 3, Jitter: 30 * ms, Reorder: 0.1, Duplicate: 0.1, Seed: 5}
	a, at, _ := stream(bad, 1000)
	b, bt, _ := stream(bad, 1000)
	bad.Seed++
	c, _, _ := stream(bad, 1000)
	if !slices.Equal(a, b) || !slices.Equal(at, bt) {
		t.Error("two runs with one seed differ")
	}
	if slices.Equal(a, c) {
		t.Error("another seed gives the same run")
	}
}

func TestCheck(t *testing.T) {
	for _, n := range []Network{
		{Loss: 1}, {Loss: -0.1}, {Loss: math.NaN()}, {Loss: 0.8, Burst: 2}, {Burst: -1}, {Jitter: -1}, {Jitter: time.Minute}, {Reorder: 2}, {Duplicate: -1},
	} {
		if n.Check() == nil {
			t.Errorf("%+v passes", n)
		}
	}
	for _, n := range []Network{{}, {Loss: 0.2, Burst: 5, Jitter: 80 * ms, Reorder: 1, Duplicate: 1}} {
		if err := n.Check(); err != nil {
			t.Errorf("%+v: %v", n, err)
		}
	}
}
