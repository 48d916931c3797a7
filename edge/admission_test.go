package edge

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"edged/dialog"
)

// busy fails the test unless err turns a device away with a hint when to come
// again.
func busy(t *testing.T, what string, err error) *Error {
	t.Helper()
	var told *Error
	if !errors.As(err, &told) || told.Code != dialog.ErrorBusy || told.RetryAfter < leastRetry || !errors.Is(err, ErrBusy) {
		t.Fatalf("%s: %v, want busy and when to try again", what, err)
	}
	return told
}

// come takes a connection of an address to its place.
func come(s *Server, remote, device string) (*Admission, error) {
	a, err := s.Arrive(remote)
	if err != nil {
		return nil, err
	}
	if err := a.Admit(Identity{Device: device}); err != nil {
		a.Release()
		return nil, err
	}
	return a, nil
}

// TestSessionsPerAddress: an address has so many sessions; others, and its own
// devices that come back, are not concerned.
func TestSessionsPerAddress(t *testing.T) {
	s := newServer(t, Config{MaxSessions: 100, SessionsPerAddress: 2})
	must := func(remote, device string) *Admission {
		t.Helper()
		a, err := come(s, remote, device)
		if err != nil {
			t.Fatalf("%s from %s: %v", device, remote, err)
		}
		return a
	}
	first, second := must("192.0.2.1:1", "lamp"), must("192.0.2.1:2", "toy")
	_, err := come(s, "192.0.2.1:3", "clock")
	busy(t, "the third of an address", err)
	must("192.0.2.2:1", "clock")
	must("[2001:db8::1]:1", "a")
	must("[2001:db8::2]:1", "b")
	_, err = come(s, "[2001:db8:0:0:ffff::3]:1", "c")
	busy(t, "the third of an IPv6 network", err)
	must("[2001:db8:0:1::3]:1", "c")

	// A device that comes back takes its own place over, not another one.
	again := must("192.0.2.1:4", "lamp")
	if n := s.Sessions(); n != 6 {
		t.Errorf("%d places taken, want 6", n)
	}
	first.Release() // the end of the old connection frees nothing more
	_, err = come(s, "192.0.2.1:5", "clock")
	busy(t, "after the old connection has gone", err)
	// From elsewhere it makes room here.
	moved := must("192.0.2.3:1", "lamp")
	again.Release()
	must("192.0.2.1:6", "clock2").Release()
	// And who finds no room there stays where it is.
	must("192.0.2.2:2", "radio")
	_, err = come(s, "192.0.2.2:3", "toy")
	busy(t, "a move to an address without room", err)
	if second.evicted || !second.placed {
		t.Error("a device lost its connection to one that was refused")
	}
	moved.Release()
	if stats := s.Admissions(); stats.Refused[RefusedAddressSessions] != 4 || stats.Evicted != 2 {
		t.Errorf("counted %+v, want 4 refusals and 2 evictions", stats)
	}
}

// TestConnectsPerMinute: an address connects so often, whatever comes of it; the
// others are not concerned.
func TestConnectsPerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Config{ConnectsPerMinute: 120})
		connect := func(remote string) error {
			a, err := s.Arrive(remote)
			if err == nil {
				a.Release()
			}
			return err
		}
		for i := range 120 {
			if err := connect(fmt.Sprint("192.0.2.1:", i)); err != nil {
				t.Fatalf("connection %d: %v", i+1, err)
			}
		}
		for range 1000 {
			busy(t, "one too many", connect("192.0.2.1:9"))
		}
		if err := connect("192.0.2.2:9"); err != nil {
			t.Errorf("another address: %v", err)
		}
		told := busy(t, "one too many", connect("192.0.2.1:9"))
		time.Sleep(told.RetryAfter)
		if err := connect("192.0.2.1:9"); err != nil {
			t.Errorf("after the time that it was told: %v", err)
		}
		let := 0
		for range 600 { // ten times as fast as allowed
			time.Sleep(50 * ms)
			if connect("192.0.2.1:9") == nil {
				let++
			}
		}
		if let < 60 || let > 61 {
			t.Errorf("%d of 600 connections in half a minute were let in, want 60", let)
		}
		if n := s.Admissions().Refused[RefusedAddressRate]; n != uint64(1001+600-let) {
			t.Errorf("%d refusals counted, want %d", n, 1001+600-let)
		}
	})
}

// TestDeviceInALoop: a device that reconnects again and again is slowed, keeps the
// connection that it has, and concerns nobody else.
func TestDeviceInALoop(t *testing.T) {
	for _, claimed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := newServer(t, Config{})
			attempt := func(device string) (*connection, error) {
				if !claimed {
					return connect(t, s, device, false)
				}
				// Its name comes with the hello.
				a, err := admit(s, Identity{})
				if err != nil {
					return nil, err
				}
				c := &connection{admission: a, transport: newFakeTransport(), over: make(chan error, 1)}
				offer := offerOf(pcm16k20, pcm16k60)
				offer.Hello.Device = device
				if c.leg, err = a.Open(offer, c.transport); err != nil {
					a.Release()
					return nil, err
				}
				go func() {
					defer a.Release()
					c.over <- a.Serve(t.Context(), c.leg)
				}()
				synctest.Wait()
				return c, nil
			}
			var last *connection
			let := 0
			for range 600 { // a minute
				c, err := attempt("lamp")
				if err == nil {
					if last != nil {
						wants(t, "the older connection", <-last.over, ErrReplaced)
					}
					last = c
					let++
				} else {
					busy(t, "too often", err)
					if cause := last.leg.closed(); cause != nil {
						t.Fatalf("an attempt that was refused ended the connection: %v", cause)
					}
				}
				time.Sleep(100 * ms)
			}
			if let < 39 || let > 40 { // 20 at once and 20 a minute
				t.Errorf("let in %d times in a minute, want 40", let)
			}
			other, err := attempt("toy")
			if err != nil {
				t.Fatalf("another device: %v", err)
			}
			if n := s.Admissions().Refused[RefusedDeviceRate]; n != uint64(600-let) {
				t.Errorf("%d refusals counted, want %d", n, 600-let)
			}
			for _, c := range []*connection{last, other} {
				c.transport.Kill()
				<-c.over
			}
			synctest.Wait()
			if n := s.Sessions(); n != 0 {
				t.Errorf("%d places taken at the end", n)
			}
		})
	}
}

// TestAwaited: connections that have not said hello are bounded, in all and by
// address, and a place is no waiting room.
func TestAwaited(t *testing.T) {
	s := newServer(t, Config{MaxSessions: 1000})
	var waiting []*Admission
	wait := func(remote string) error {
		a, err := s.Arrive(remote)
		if err != nil {
			return err
		}
		waiting = append(waiting, a)
		return a.Await()
	}
	for address := range 4 {
		for range maxAwaitedPerAddress {
			if err := wait(fmt.Sprintf("192.0.2.%d:1", address)); err != nil {
				t.Fatalf("%d wait: %v", len(waiting), err)
			}
		}
		if address == 0 {
			busy(t, "one too many of an address", wait("192.0.2.0:1"))
		}
	}
	busy(t, "one too many", wait("192.0.2.9:1"))
	stats := s.Admissions()
	if stats.Awaited != maxAwaited || stats.Sessions != 0 || stats.Refused[RefusedAwaited] != 1 || stats.Refused[RefusedAddressAwaited] != 1 {
		t.Errorf("counted %+v", stats)
	}
	// One that has said hello has a place and waits no longer.
	if err := waiting[0].Admit(Identity{}); err != nil {
		t.Fatal(err)
	}
	if err := wait("192.0.2.0:1"); err != nil {
		t.Errorf("nobody waits in its stead: %v", err)
	}
	for _, a := range waiting {
		a.Release()
		a.Release()
	}
	if stats := s.Admissions(); stats.Awaited != 0 || stats.Sessions != 0 || stats.Addresses != 0 || len(s.registry.awaitedOf) != 0 {
		t.Errorf("at the end %+v, want nothing", stats)
	}
}

// check compares what is counted with the limits, and the places with those who
// have one.
func (r *registry) check() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	placesOf := map[netip.Prefix]int{}
	for a := range r.alive {
		if a.placed {
			placesOf[a.from]++
		}
	}
	if !maps.Equal(placesOf, r.placesOf) {
		return fmt.Errorf("places of %v are counted, there are %v", r.placesOf, placesOf)
	}
	for _, kind := range []struct {
		name             string
		all, most        int
		of               map[netip.Prefix]int
		mostOfOneAddress int
	}{
		{"places", r.places, r.maxSessions, r.placesOf, r.perAddress},
		{"awaited", r.awaited, maxAwaited, r.awaitedOf, maxAwaitedPerAddress},
	} {
		sum := 0
		for address, n := range kind.of {
			if n <= 0 || n > kind.mostOfOneAddress {
				return fmt.Errorf("%d %s of %v, the limit is %d", n, kind.name, address, kind.mostOfOneAddress)
			}
			sum += n
		}
		if sum != kind.all || sum > kind.most {
			return fmt.Errorf("%d %s are counted, %d by address; the limit is %d", kind.all, kind.name, sum, kind.most)
		}
	}
	return nil
}

// TestAdmissionNeverOvershoots is F63 for every limit at once: whatever many
// connections do at the same time, arrive, wait, be admitted, replace each other
// and leave, no limit is exceeded at any moment, every attempt is either let in or
// counted, and nothing is left at the end.
func TestAdmissionNeverOvershoots(t *testing.T) {
	const workers, rounds = 200, 30
	s := newServer(t, Config{MaxSessions: 60, SessionsPerAddress: 25, ReconnectsPerMinute: 500, ConnectsPerMinute: workers * rounds})
	r := s.registry
	var mu sync.Mutex
	admitted, refused := uint64(0), uint64(0)
	settle := func(err error) bool {
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			return true
		}
		var told *Error
		if !errors.As(err, &told) || told.Code != dialog.ErrorBusy {
			t.Errorf("refused with %v", err)
		}
		refused++
		return false
	}
	var working sync.WaitGroup
	start := make(chan struct{})
	for worker := range workers {
		working.Go(func() {
			random := rand.New(rand.NewPCG(uint64(worker), 63))
			<-start
			var held []*Admission
			for range rounds {
				// Half of them come from one address.
				a, err := s.Arrive(fmt.Sprintf("192.0.2.%d:1", max(0, random.IntN(8)-4)))
				if !settle(err) {
					continue
				}
				held = append(held, a)
				if random.IntN(2) == 0 && !settle(a.Await()) {
					continue
				}
				if random.IntN(3) > 0 {
					device := ""
					if random.IntN(2) == 0 {
						device = fmt.Sprint("d", random.IntN(40))
					}
					if settle(a.Admit(Identity{Device: device})) {
						mu.Lock()
						admitted++
						mu.Unlock()
					}
				}
				if err := r.check(); err != nil {
					t.Error(err)
					return
				}
				runtime.Gosched() // everybody holds something
				for len(held) > 3 || len(held) > 0 && random.IntN(3) == 0 {
					i := random.IntN(len(held))
					held[i].Release()
					held[i].Release()
					held = append(held[:i], held[i+1:]...)
				}
			}
			for _, a := range held {
				a.Release()
			}
		})
	}
	close(start)
	working.Wait()
	stats := s.Admissions()
	if stats.Sessions != 0 || stats.Awaited != 0 || stats.Addresses != 0 || len(r.placesOf)+len(r.awaitedOf)+len(r.alive)+len(r.devices) != 0 {
		t.Errorf("left at the end: %+v, %d devices", stats, len(r.devices))
	}
	counted := uint64(0)
	for _, n := range stats.Refused {
		counted += n
	}
	if stats.Admitted != admitted || counted != refused {
		t.Errorf("%d admitted and %d refused, counted %d and %v", admitted, refused, stats.Admitted, stats.Refused)
	}
	for _, why := range []Refusal{RefusedSessions, RefusedAddressSessions, RefusedAddressAwaited} {
		if stats.Refused[why] == 0 {
			t.Errorf("nobody was refused by %s: the test does not reach that limit", why)
		}
	}
}
