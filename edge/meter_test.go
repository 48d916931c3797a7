package edge

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"
)

// TestMeter: whatever comes and whenever, in no stretch of time does a meter let
// through more than the credit and what that time pays for, and it never refuses
// what would fit.
func TestMeter(t *testing.T) {
	const cost, credit = 20 * time.Millisecond, 2 * time.Second
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		var m meter
		now := time.Unix(0, 0)
		var taken []time.Time
		for range 2000 {
			switch random.IntN(20) {
			case 0:
				now = now.Add(time.Duration(random.Int64N(int64(10 * time.Second))))
			case 1, 2, 3, 4, 5:
				now = now.Add(time.Duration(random.Int64N(int64(cost))))
			}
			wait := m.spend(now, cost, credit)
			if wait == 0 {
				taken = append(taken, now)
				continue
			}
			later := m
			if wait > cost {
				t.Fatalf("seed %d: told to wait %v for something that costs %v", seed, wait, cost)
			}
			if soon := later.spend(now.Add(wait-1), cost, credit); soon != 1 {
				t.Fatalf("seed %d: a nanosecond before its time it has to wait %v", seed, soon)
			}
			if again := later.spend(now.Add(wait), cost, credit); again != 0 {
				t.Fatalf("seed %d: after the wait it has to wait %v more", seed, again)
			}
		}
		for i := range taken {
			for j := i; j < len(taken); j += 37 {
				most := int((credit + taken[j].Sub(taken[i])) / cost)
				if n := j - i + 1; n > most {
					t.Fatalf("seed %d: %d in %v, want at most %d", seed, n, taken[j].Sub(taken[i]), most)
				}
			}
		}
	}
}

// TestMeterOfSomethingLarge: what costs more than the credit passes when nothing
// is owed.
func TestMeterOfSomethingLarge(t *testing.T) {
	var m meter
	now := time.Unix(0, 0)
	if wait := m.spend(now, time.Hour, time.Second); wait != 0 {
		t.Errorf("told to wait %v", wait)
	}
	if wait := m.spend(now, time.Hour, time.Second); wait != time.Second {
		t.Errorf("the next one waits %v, want 1s", wait)
	}
}

// TestThrottleIsBounded: however many names somebody has, a throttle remembers a
// bounded number of them and counts what it forgets. Who comes often is not
// forgotten for those who come once.
func TestThrottleIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names := newThrottle[string](10)
		refused := 0
		for i := range 20 * throttleKeys {
			if names.come(fmt.Sprint("name", i), time.Now()) > 0 {
				t.Fatal("a name that has not come before is slowed")
			}
			if i%1000 == 0 && names.come("again and again", time.Now()) > 0 {
				refused++
			}
		}
		if n := len(names.seen); n > throttleKeys || n != names.order.Len() {
			t.Errorf("%d names are remembered in a list of %d, want at most %d", n, names.order.Len(), throttleKeys)
		}
		if want := 20*throttleKeys/1000 + 1 - 10; refused != want {
			t.Errorf("the one that came again and again was slowed %d times, want %d", refused, want)
		}
		if want := uint64(19*throttleKeys + 1); names.forgotten != want {
			t.Errorf("%d names were counted as forgotten, want %d", names.forgotten, want)
		}
		// When they have paid their debts they go, two for each that comes, and
		// nothing is lost by that.
		time.Sleep(time.Minute)
		forgotten := names.forgotten
		for range throttleKeys {
			names.come("another", time.Now())
		}
		if n := len(names.seen); n > 1 || names.forgotten != forgotten {
			t.Errorf("%d names are remembered a minute later, %d more were forgotten", n, names.forgotten-forgotten)
		}
	})
}

// TestThrottlePace: a key comes so many times at once, then evenly, and the wait
// that it is told is enough.
func TestThrottlePace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names := newThrottle[string](20)
		came := 0
		for begin := time.Now(); time.Since(begin) < 5*time.Minute; {
			wait := names.come("lamp", time.Now())
			if wait == 0 {
				came++
				continue
			}
			time.Sleep(wait)
		}
		if want := 20 + 5*20 - 1; came != want { // the last one comes when it is over
			t.Errorf("came %d times in five minutes, want %d", came, want)
		}
		if nobody := newThrottle[string](0); nobody.come("lamp", time.Now()) != 0 || len(nobody.seen) != 0 {
			t.Error("a throttle without a bound slows or remembers somebody")
		}
	})
}
