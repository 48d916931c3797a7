package engine

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"
)

// Gate admits a bounded number of engine calls at once, first come, first
// served. Make one with NewGate and share it between all engines.
type Gate struct {
	capacity int

	mu      sync.Mutex
	running int
	waiting list.List // of chan struct{}, closed when the caller is admitted
	usage   map[string]*Usage
}

// NewGate returns a gate for capacity calls; capacity <= 0 means one less than
// there are threads for Go code (GOMAXPROCS), at least one.
func NewGate(capacity int) *Gate {
	if capacity <= 0 {
		capacity = max(1, runtime.GOMAXPROCS(0)-1)
	}
	return &Gate{capacity: capacity, usage: make(map[string]*Usage)}
}

// Usage is what the calls of one name have cost so far.
type Usage struct {
	// Calls were admitted, Abandoned gave up waiting.
	Calls, Abandoned uint64
	// Waited is the time spent waiting to be admitted, Busy inside the calls.
	Waited, Busy time.Duration
}

// Do runs call when it is its turn and returns its error. If ctx is done before
// that, call does not run and the error matches ctx's error and its cause. name
// says whose call it is, for Usage. A call that panics leaves its place free.
func (g *Gate) Do(ctx context.Context, name string, call func() error) error {
	begin := time.Now()
	if err := g.enter(ctx); err != nil {
		g.account(name, func(u *Usage) { u.Abandoned++; u.Waited += time.Since(begin) })
		return fmt.Errorf("engine: %s: waiting for a free engine: %w", name, err)
	}
	admitted := time.Now()
	defer func() {
		g.leave()
		g.account(name, func(u *Usage) {
			u.Calls++
			u.Waited += admitted.Sub(begin)
			u.Busy += time.Since(admitted)
		})
	}()
	return call()
}

// Usage returns what has been used so far, by name.
func (g *Gate) Usage() map[string]Usage {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := make(map[string]Usage, len(g.usage))
	for name, u := range g.usage {
		all[name] = *u
	}
	return all
}

// Load is what is going on at a gate now.
type Load struct {
	// Capacity is how many calls may run at once.
	Capacity int
	// Running calls were admitted and have not returned, Waiting ones wait to be.
	Running, Waiting int
}

// Load returns what is going on now.
func (g *Gate) Load() Load {
	g.mu.Lock()
	defer g.mu.Unlock()
	return Load{Capacity: g.capacity, Running: g.running, Waiting: g.waiting.Len()}
}

// enter waits for a place.
func (g *Gate) enter(ctx context.Context) error {
	if ctx.Err() != nil {
		return gaveUp(ctx)
	}
	g.mu.Lock()
	if g.running < g.capacity && g.waiting.Len() == 0 {
		g.running++
		g.mu.Unlock()
		return nil
	}
	admitted := make(chan struct{})
	place := g.waiting.PushBack(admitted)
	g.mu.Unlock()

	select {
	case <-admitted:
		return nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-admitted: // both at once: the place goes to the next one
		g.pass()
	default:
		g.waiting.Remove(place)
	}
	return gaveUp(ctx)
}

// gaveUp is the error of a caller whose ctx is done: ctx's own and its cause.
func gaveUp(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if cause == nil || errors.Is(cause, err) {
		return err
	}
	return fmt.Errorf("%w: %w", err, cause)
}

func (g *Gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pass()
}

// pass gives a place that became free to the first who waits. It needs mu.
func (g *Gate) pass() {
	first := g.waiting.Front()
	if first == nil {
		g.running--
		return
	}
	close(g.waiting.Remove(first).(chan struct{}))
}

func (g *Gate) account(name string, add func(*Usage)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	u := g.usage[name]
	if u == nil {
		u = &Usage{}
		g.usage[name] = u
	}
	add(u)
}
