package metrics

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

// other is the value of a label for whatever is not known here, so that no label
// has more values than this package names.
const other = "other"

// counterOpts names a counter.
func counterOpts(name, help string) prometheus.CounterOpts {
	return prometheus.CounterOpts{Name: name, Help: help}
}

// family is one counter for each value of a label, made beforehand: all are there
// from the start, and counting is a look into a map that never changes. Where
// other is among the values it stands for all that are not.
type family[K ~string] struct {
	*prometheus.CounterVec
	of map[K]prometheus.Counter
}

func newFamily[K ~string](name, help, label string, values ...K) family[K] {
	f := family[K]{prometheus.NewCounterVec(counterOpts(name, help), []string{label}), make(map[K]prometheus.Counter)}
	for _, v := range values {
		f.of[v] = f.WithLabelValues(string(v))
	}
	return f
}

// inc counts one.
func (f family[K]) inc(value K) { f.at(value).Inc() }

// at returns the counter of a value.
func (f family[K]) at(value K) prometheus.Counter {
	if c, ok := f.of[value]; ok {
		return c
	}
	return f.of[other]
}

// known returns value if it is one of values, else other.
func known[K ~string](value K, values []K) string {
	if slices.Contains(values, value) {
		return string(value)
	}
	return other
}
