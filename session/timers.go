package session

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"edged/ai"
)

// timers are the kitchen timers that a user sets by voice. The model reaches
// them through tools; one that runs out makes the session speak by itself.
//
// Tools run outside the session's loop: all methods may be called
// concurrently.
type timers struct {
	// changed is signalled when the next due time may have changed.
	changed chan struct{}

	mu      sync.Mutex
	running []kitchenTimer // by due time
	issued  int
}

type kitchenTimer struct {
	id    string
	label string
	set   time.Duration
	due   time.Time
}

const (
	// maxTimers bounds the running timers of a session.
	maxTimers = 32
	// maxTimer is the longest one.
	maxTimer = 24 * time.Hour
)

var errTooManyTimers = fmt.Errorf("no more than %d timers can run at once; cancel one first", maxTimers)

func newTimers() *timers { return &timers{changed: make(chan struct{}, 1)} }

// tools returns the timers as the model sees them.
func (t *timers) tools() ([]ai.Tool, error) {
	set, err1 := ai.NewFuncTool("set_timer", "Starts a timer. The assistant speaks by itself when it runs out.", t.set)
	list, err2 := ai.NewFuncTool("list_timers", "Lists the running timers with the time that remains.", t.list)
	cancel, err3 := ai.NewFuncTool("cancel_timer", "Cancels the timer of a label, the only timer, or all of them.", t.cancel)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	return []ai.Tool{set, list, cancel}, nil
}

type timerOrder struct {
	Seconds float64 `json:"seconds" jsonschema:"minimum=1,maximum=86400,description=How long the timer runs."`
	Label   string  `json:"label,omitempty" jsonschema:"maxLength=80,description=What the timer is for; may be left out."`
}

type timerInfo struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	// Seconds and Remaining are whole, rounded up: models word them.
	Seconds   int `json:"seconds"`
	Remaining int `json:"remaining_seconds"`
}

type timerList struct {
	Timers []timerInfo `json:"timers"`
}

type timerChoice struct {
	Label string `json:"label,omitempty" jsonschema:"maxLength=80,description=The label of the timer to cancel."`
	All   bool   `json:"all,omitempty" jsonschema:"description=Cancel every timer."`
}

type timerCount struct {
	Cancelled int `json:"cancelled"`
}

func (t *timers) set(_ context.Context, order timerOrder) (timerInfo, error) {
	length := min(time.Duration(order.Seconds*float64(time.Second)), maxTimer)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.running) >= maxTimers {
		return timerInfo{}, errTooManyTimers
	}
	t.issued++
	k := kitchenTimer{id: fmt.Sprintf("t%d", t.issued), label: order.Label, set: length, due: time.Now().Add(length)}
	at, _ := slices.BinarySearchFunc(t.running, k.due, func(k kitchenTimer, due time.Time) int { return k.due.Compare(due) })
	t.running = slices.Insert(t.running, at, k)
	t.signal()
	return k.info(), nil
}

func (t *timers) list(context.Context, struct{}) (timerList, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := timerList{Timers: []timerInfo{}}
	for _, k := range t.running {
		list.Timers = append(list.Timers, k.info())
	}
	return list, nil
}

func (t *timers) cancel(_ context.Context, choice timerChoice) (timerCount, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := len(t.running)
	switch {
	case choice.All:
		t.running = nil
	case choice.Label != "":
		t.running = slices.DeleteFunc(t.running, func(k kitchenTimer) bool { return strings.EqualFold(k.label, choice.Label) })
	case before == 1:
		t.running = nil
	case before > 1:
		return timerCount{}, fmt.Errorf("%d timers are running: name the label of one, or cancel all", before)
	}
	t.signal()
	return timerCount{Cancelled: before - len(t.running)}, nil
}

// next returns when the next timer is due; ok is false if none runs.
func (t *timers) next() (due time.Time, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.running) == 0 {
		return time.Time{}, false
	}
	return t.running[0].due, true
}

// expire removes the timers that are due by now and returns what to say.
func (t *timers) expire(now time.Time) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var notices []string
	for len(t.running) > 0 && !t.running[0].due.After(now) {
		notices = append(notices, t.running[0].notice())
		t.running = slices.Delete(t.running, 0, 1)
	}
	return notices
}

// signal needs mu.
func (t *timers) signal() {
	select {
	case t.changed <- struct{}{}:
	default:
	}
}

func (k kitchenTimer) info() timerInfo {
	seconds := func(d time.Duration) int { return int(math.Ceil(max(0, d.Seconds()))) }
	return timerInfo{ID: k.id, Label: k.label, Seconds: seconds(k.set), Remaining: seconds(time.Until(k.due))}
}

func (k kitchenTimer) notice() string {
	if k.label != "" {
		return fmt.Sprintf("Your %s timer is done.", k.label)
	}
	return fmt.Sprintf("Your %s timer is done.", spokenDuration(k.set))
}

// spokenDuration words a length of time as an attribute: "5 minute", "1 hour
// 30 minute".
func spokenDuration(d time.Duration) string {
	d = d.Round(time.Second)
	var parts []string
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		if n := d / unit.size; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, unit.name))
			d -= n * unit.size
		}
	}
	return strings.Join(parts, " ")
}
