package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// reading is a metric that is read when somebody asks.
type reading struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
}

func newReading(kind prometheus.ValueType, name, help string, labels ...string) reading {
	return reading{prometheus.NewDesc(name, help, labels, nil), kind}
}

// of makes a value of the metric.
func (r reading) of(value float64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(r.desc, r.kind, value, labels...)
}

// seconds makes a value of a metric of times.
func (r reading) seconds(d time.Duration, labels ...string) prometheus.Metric {
	return r.of(d.Seconds(), labels...)
}

// describe sends what there is to describe.
func describe(to chan<- *prometheus.Desc, all ...reading) {
	for _, r := range all {
		to <- r.desc
	}
}
