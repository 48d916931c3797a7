package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"edged/internal/engine"
)

// Gate is what Engines reads. An engine.Gate is one.
type Gate interface {
	Usage() map[string]engine.Usage
	Load() engine.Load
}

// engines reads a Gate.
type engines struct {
	gate Gate

	capacity, running, waiting reading
	calls, abandoned           reading
	busy, waited               reading
}

// Engines returns a collector of what the engines do. The values of the label
// engine are the names that calls of the gate are made under.
func Engines(gate Gate) prometheus.Collector {
	const counter, gauge = prometheus.CounterValue, prometheus.GaugeValue
	return &engines{
		gate:      gate,
		capacity:  newReading(gauge, "edged_engine_capacity", "Engine calls that may run at once."),
		running:   newReading(gauge, "edged_engine_running", "Engine calls that run now."),
		waiting:   newReading(gauge, "edged_engine_waiting", "Engine calls that wait now to be admitted."),
		calls:     newReading(counter, "edged_engine_calls_total", "Engine calls that have returned.", "engine"),
		abandoned: newReading(counter, "edged_engine_abandoned_total", "Engine calls that were given up while they waited.", "engine"),
		busy:      newReading(counter, "edged_engine_busy_seconds_total", "Time inside of engine calls.", "engine"),
		waited:    newReading(counter, "edged_engine_wait_seconds_total", "Time that engine calls waited to be admitted.", "engine"),
	}
}

// Describe implements prometheus.Collector.
func (e *engines) Describe(to chan<- *prometheus.Desc) {
	describe(to, e.capacity, e.running, e.waiting, e.calls, e.abandoned, e.busy, e.waited)
}

// Collect implements prometheus.Collector.
func (e *engines) Collect(to chan<- prometheus.Metric) {
	load := e.gate.Load()
	to <- e.capacity.of(float64(load.Capacity))
	to <- e.running.of(float64(load.Running))
	to <- e.waiting.of(float64(load.Waiting))
	for name, u := range e.gate.Usage() {
		to <- e.calls.of(float64(u.Calls), name)
		to <- e.abandoned.of(float64(u.Abandoned), name)
		to <- e.busy.seconds(u.Busy, name)
		to <- e.waited.seconds(u.Waited, name)
	}
}
