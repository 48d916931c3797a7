package edge

import (
	"fmt"
	"maps"
	"net/netip"
	"sync"
	"time"

	"edged/dialog"
)

const (
	// maxAwaited bounds the connections that have shown no token and have not
	// said hello yet, whatever the sessions: nobody can hold sockets without
	// credentials. An address has a quarter of them.
	maxAwaited           = 256
	maxAwaitedPerAddress = maxAwaited / 4
)

// Refusal says which limit of admission turned a connection away.
type Refusal string

const (
	// RefusedShutdown: the server is going away.
	RefusedShutdown Refusal = "shutdown"
	// RefusedSessions: Config.MaxSessions are taken.
	RefusedSessions Refusal = "sessions"
	// RefusedAddressSessions: Config.SessionsPerAddress are taken.
	RefusedAddressSessions Refusal = "sessions_per_address"
	// RefusedAddressRate: the address came more often than
	// Config.ConnectsPerMinute.
	RefusedAddressRate Refusal = "connects_per_minute"
	// RefusedDeviceRate: the device came more often than
	// Config.ReconnectsPerMinute.
	RefusedDeviceRate Refusal = "reconnects_per_minute"
	// RefusedAwaited: too many connections have not said hello yet.
	RefusedAwaited Refusal = "awaited"
	// RefusedAddressAwaited: too many of this address.
	RefusedAddressAwaited Refusal = "awaited_per_address"
)

// registry knows every connection of a server. Everything that is limited is
// counted under one lock, so that two devices never share the last place.
type registry struct {
	maxSessions, perAddress int

	mu sync.Mutex
	// places are reserved for sessions; awaited connections have not said whose
	// they are. Addresses without any are not in the maps.
	places, awaited     int
	placesOf, awaitedOf map[netip.Prefix]int
	connects            throttle[netip.Prefix]
	reconnects          throttle[string]

	alive    map[*Admission]struct{} // admitted and not released
	devices  map[string]*Admission   // the newest connection of each device
	draining bool
	empty    chan struct{} // closed when draining and nobody is alive

	admitted, evicted uint64
	refused           map[Refusal]uint64
}

func newRegistry(cfg Config) *registry {
	return &registry{
		maxSessions: cfg.MaxSessions,
		perAddress:  cfg.SessionsPerAddress,
		placesOf:    make(map[netip.Prefix]int),
		awaitedOf:   make(map[netip.Prefix]int),
		connects:    newThrottle[netip.Prefix](cfg.ConnectsPerMinute),
		reconnects:  newThrottle[string](cfg.ReconnectsPerMinute),
		alive:       make(map[*Admission]struct{}),
		devices:     make(map[string]*Admission),
		empty:       make(chan struct{}),
		refused:     make(map[Refusal]uint64),
	}
}

// The methods from here on need mu.

// refuse counts a refusal and returns what the device is told: busy, and when to
// try again.
func (r *registry) refuse(why Refusal, retry time.Duration, format string, args ...any) *Error {
	r.refused[why]++
	return &Error{Code: dialog.ErrorBusy, Message: fmt.Sprintf(format, args...), RetryAfter: retry, Err: ErrBusy}
}

// open refuses everybody when the server is going away.
func (r *registry) open() error {
	if !r.draining {
		return nil
	}
	r.refused[RefusedShutdown]++
	return &Error{Code: dialog.ErrorShutdown, Message: "the server is shutting down", RetryAfter: shutdownRetry, Err: ErrShutdown}
}

// arrive lets a connection of the address in as far as it does not come too often.
func (r *registry) arrive(from netip.Prefix, now time.Time) error {
	if wait := r.connects.come(from, now); wait > 0 {
		return r.refuse(RefusedAddressRate, max(wait, leastRetry),
			"this address begins more than %d connections a minute; wait before the next one", r.connects.perMinute)
	}
	return nil
}

// returns lets a device in as far as it does not come too often.
func (r *registry) returns(device string, now time.Time) error {
	if device == "" {
		return nil
	}
	if wait := r.reconnects.come(device, now); wait > 0 {
		return r.refuse(RefusedDeviceRate, max(wait, leastRetry),
			"this device connects more than %d times a minute; wait longer after each attempt", r.reconnects.perMinute)
	}
	return nil
}

// await counts a connection whose hello is waited for.
func (r *registry) await(a *Admission) error {
	switch {
	case r.awaited >= maxAwaited:
		return r.refuse(RefusedAwaited, busyRetry, "too many connections have not said hello yet; try again later")
	case r.awaitedOf[a.from] >= maxAwaitedPerAddress:
		return r.refuse(RefusedAddressAwaited, busyRetry,
			"%d connections of this address have not said hello yet; say hello on those, or try again later", maxAwaitedPerAddress)
	}
	a.awaited = true
	r.awaited++
	count(r.awaitedOf, a.from, 1)
	return nil
}

// met says that a connection's hello is waited for no longer.
func (r *registry) met(a *Admission) {
	if a.awaited {
		a.awaited = false
		r.awaited--
		count(r.awaitedOf, a.from, -1)
	}
}

// place gives a connection a place, that of the device's older connection if
// there is one.
func (r *registry) place(a *Admission, device string, now time.Time) error {
	old := r.devices[device]
	inherits := device != "" && old != nil && old.placed
	others := r.placesOf[a.from]
	if inherits && old.from == a.from {
		others--
	}
	if !inherits && r.places >= r.maxSessions {
		return r.refuse(RefusedSessions, busyRetry, "all %d sessions are taken; try again later", r.maxSessions)
	}
	if r.perAddress > 0 && others >= r.perAddress {
		return r.refuse(RefusedAddressSessions, busyRetry,
			"%d sessions of this address are open, as many as it may have; end one, or try again later", others)
	}
	if err := r.returns(device, now); err != nil {
		return err
	}
	if inherits {
		r.vacate(old)
	}
	a.placed = true
	r.places++
	count(r.placesOf, a.from, 1)
	r.alive[a] = struct{}{}
	r.admitted++
	return nil
}

// vacate takes a connection's place away.
func (r *registry) vacate(a *Admission) {
	if a.placed {
		a.placed = false
		r.places--
		count(r.placesOf, a.from, -1)
	}
}

// claim makes a the connection of device and returns the leg of the one that it
// evicts, if that is served.
func (r *registry) claim(a *Admission, device string) (evicted *Leg) {
	if device == "" || a.device == device {
		return nil
	}
	if old := r.devices[device]; old != nil {
		old.evicted = true
		evicted = old.leg
		r.evicted++
	}
	a.device = device
	r.devices[device] = a
	return evicted
}

// leave forgets a connection.
func (r *registry) leave(a *Admission) {
	r.met(a)
	r.vacate(a)
	delete(r.alive, a)
	if r.devices[a.device] == a {
		delete(r.devices, a.device)
	}
	r.checkEmpty()
}

func (r *registry) checkEmpty() {
	if !r.draining || len(r.alive) > 0 {
		return
	}
	select {
	case <-r.empty:
	default:
		close(r.empty)
	}
}

// count adds to the count of an address; one without any is forgotten.
func count(of map[netip.Prefix]int, address netip.Prefix, n int) {
	if n += of[address]; n > 0 {
		of[address] = n
	} else {
		delete(of, address)
	}
}

// AdmissionStats is a snapshot of who is there and who was turned away.
type AdmissionStats struct {
	// Sessions are the places taken and Awaited the connections that have not
	// said hello yet, both at the moment; Addresses is how many addresses the
	// sessions come from.
	Sessions, Awaited, Addresses int
	// Admitted connections since the server was made, and how many of them were
	// evicted by a newer connection of their device.
	Admitted, Evicted uint64
	// Refused counts who was turned away, by limit.
	Refused map[Refusal]uint64
	// Forgotten counts addresses and devices whose rate of connecting was
	// forgotten to bound memory, while there was something to remember.
	Forgotten uint64
}

// Admissions returns a snapshot of the counters of admission.
func (s *Server) Admissions() AdmissionStats {
	r := s.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	return AdmissionStats{
		Sessions: r.places, Awaited: r.awaited, Addresses: len(r.placesOf),
		Admitted: r.admitted, Evicted: r.evicted, Refused: maps.Clone(r.refused),
		Forgotten: r.connects.forgotten + r.reconnects.forgotten,
	}
}
