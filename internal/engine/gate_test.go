package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"edged/internal/engine"
)

// Never more than the capacity run at once, and nobody is overtaken (F05).
func TestGateAdmitsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const capacity, callers = 2, 7
		gate := engine.NewGate(capacity)
		var mu sync.Mutex
		var order []int
		running, most := 0, 0
		var all sync.WaitGroup
		for i := range callers {
			all.Go(func() {
				err := gate.Do(context.Background(), "asr", func() error {
					mu.Lock()
					order = append(order, i)
					running++
					most = max(most, running)
					mu.Unlock()
					time.Sleep(time.Second)
					mu.Lock()
					running--
					mu.Unlock()
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			})
			time.Sleep(time.Millisecond) // so that the callers come one after another
		}
		all.Wait()
		if most != capacity {
			t.Errorf("%d calls ran at once, want %d", most, capacity)
		}
		if !slices.IsSorted(order) {
			t.Errorf("admitted in the order %v, want the order of the callers", order)
		}
		u := gate.Usage()["asr"]
		if u.Calls != callers || u.Busy != callers*time.Second {
			t.Errorf("usage %+v, want %d calls of a second each", u, callers)
		}
	})
}

func TestGateGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := engine.NewGate(1)
		release := make(chan struct{})
		go gate.Do(context.Background(), "slow", func() error { <-release; return nil })
		synctest.Wait()

		gone := errors.New("the device left")
		ctx, cancel := context.WithCancelCause(context.Background())
		time.AfterFunc(time.Second, func() { cancel(gone) })
		err := gate.Do(ctx, "tts", func() error { t.Error("an abandoned call ran"); return nil })
		if !errors.Is(err, gone) {
			t.Errorf("err = %v, want the cause of the cancellation in it", err)
		}
		if u := gate.Usage()["tts"]; u.Abandoned != 1 || u.Calls != 0 || u.Waited != time.Second {
			t.Errorf("usage %+v, want one abandoned after a second", u)
		}
		// Its place in the line went with it.
		close(release)
		if err := gate.Do(context.Background(), "next", func() error { return nil }); err != nil {
			t.Error(err)
		}
	})
}

func TestGateSurvivesPanic(t *testing.T) {
	gate := engine.NewGate(1)
	func() {
		defer func() { _ = recover() }()
		_ = gate.Do(context.Background(), "asr", func() error { panic("engine") })
	}()
	ran := false
	if err := gate.Do(context.Background(), "asr", func() error { ran = true; return nil }); err != nil || !ran {
		t.Errorf("after a panic the gate is stuck: %v", err)
	}
}

func TestGateReturnsTheCallsError(t *testing.T) {
	broken := errors.New("broken")
	if err := engine.NewGate(0).Do(context.Background(), "asr", func() error { return broken }); err != broken {
		t.Errorf("err = %v, want the call's own", err)
	}
}

func ExampleGate() {
	gate := engine.NewGate(0)
	err := gate.Do(context.Background(), "tts", func() error {
		fmt.Println("synthesising")
		return nil
	})
	fmt.Println(err, gate.Usage()["tts"].Calls)
	// Output:
	// synthesising
	// <nil> 1
}

// What runs and what waits is told while it does.
func TestLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := engine.NewGate(2)
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				_ = gate.Do(context.Background(), "tts", func() error { time.Sleep(time.Second); return nil })
			})
		}
		for _, want := range []engine.Load{
			{Capacity: 2, Running: 2, Waiting: 3}, {Capacity: 2, Running: 2, Waiting: 1}, {Capacity: 2, Running: 1}, {Capacity: 2},
		} {
			synctest.Wait()
			if got := gate.Load(); got != want {
				t.Errorf("load %+v, want %+v", got, want)
			}
			time.Sleep(time.Second)
		}
		all.Wait()
	})
}
