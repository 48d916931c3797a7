package metrics

import (
	"runtime"
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Process returns collectors of the process: the Go runtime (go_), what the
// operating system knows of it (process_), and how it was built.
func Process() []prometheus.Collector {
	return []prometheus.Collector{
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		build(),
	}
}

// build is 1, with what is known of the program as labels.
func build() prometheus.Collector {
	info := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "edged_build_info", Help: "1, with the version of edged, the revision of its source, and that of Go."},
		[]string{"version", "revision", "go_version"})
	version, revision := "unknown", "unknown"
	if b, ok := debug.ReadBuildInfo(); ok {
		version = b.Main.Version
		for _, s := range b.Settings {
			if s.Key == "vcs.revision" {
				revision = s.Value
			}
		}
	}
	info.WithLabelValues(version, revision, runtime.Version()).Set(1)
	return info
}
