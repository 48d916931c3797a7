package metrics

import "github.com/prometheus/client_golang/prometheus"

// Reloads counts what became of each reload of the configuration.
type Reloads struct {
	prometheus.Collector
	outcomes family[string]
}

// NewReloads returns a counter to be registered.
func NewReloads() *Reloads {
	f := newFamily[string]("edged_config_reloads_total", "Reloads of the configuration, by outcome: applied, or refused because of a problem.", "outcome", "applied", "refused")
	return &Reloads{f.CounterVec, f}
}

// Applied counts a configuration that is in force.
func (r *Reloads) Applied() { r.outcomes.inc("applied") }

// Refused counts one that is not.
func (r *Reloads) Refused() { r.outcomes.inc("refused") }
