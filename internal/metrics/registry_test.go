package metrics_test

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
	"go.uber.org/goleak"

	"edged/edge"
	"edged/internal/engine"
	"edged/internal/metrics"
	"edged/session/log"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// everything registers all collectors over the parts that they read, to which
// nothing has happened but one call of an engine.
func everything(t *testing.T) (*prometheus.Registry, *metrics.Sessions) {
	t.Helper()
	server, err := edge.New(edge.Config{Handler: func(context.Context, *edge.Leg) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	gate := engine.NewGate(1)
	if err := gate.Do(t.Context(), "tts", func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	sessions := metrics.NewSessions()
	registry := prometheus.NewPedanticRegistry()
	for _, c := range append(metrics.Process(), sessions, metrics.NewReloads(), metrics.Connections(server), metrics.Engines(gate), metrics.SessionLog(log.NewRing(log.RingConfig{}))) {
		if err := registry.Register(c); err != nil {
			t.Fatal(err)
		}
	}
	return registry, sessions
}

// gather returns the families by name.
func gather(t *testing.T, from prometheus.Gatherer) map[string]*dto.MetricFamily {
	t.Helper()
	all, err := from.Gather()
	if err != nil {
		t.Fatal(err)
	}
	families := make(map[string]*dto.MetricFamily)
	for _, f := range all {
		families[f.GetName()] = f
	}
	return families
}

// ours leaves out those of the Go runtime and of the operating system.
func ours(families map[string]*dto.MetricFamily) []*dto.MetricFamily {
	var own []*dto.MetricFamily
	for name, f := range families {
		if !strings.HasPrefix(name, "go_") && !strings.HasPrefix(name, "process_") {
			own = append(own, f)
		}
	}
	slices.SortFunc(own, func(a, b *dto.MetricFamily) int { return strings.Compare(a.GetName(), b.GetName()) })
	return own
}

// allowedLabels have values that this program chooses, and few of them. A label
// for devices, sessions, tools or anything else that a device may name has no
// place here.
var allowedLabels = []string{"state", "cause", "outcome", "reason", "trigger", "stage", "code", "latency", "kind", "limit",
	"direction", "queue", "repair", "engine", "version", "revision", "go_version"}

// Names, units, help texts and labels are as the conventions of Prometheus and
// this package's own say.
func TestNames(t *testing.T) {
	registry, _ := everything(t)
	own := ours(gather(t, registry))
	var names []string
	for _, f := range own {
		names = append(names, f.GetName())
	}
	problems, err := testutil.GatherAndLint(registry, names...)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	if len(own) < 50 {
		t.Errorf("%d metrics: some of them have no value yet and are not looked at", len(own))
	}
	derived := regexp.MustCompile(`_(ms|milliseconds|minutes|hours|kb|mb|kilobytes|percent|pct)(_|$)`)
	value := regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	for _, f := range own {
		name, help := f.GetName(), f.GetHelp()
		if !strings.HasPrefix(name, "edged_") {
			t.Errorf("%s does not begin with edged_", name)
		}
		if total := strings.HasSuffix(name, "_total"); total != (f.GetType() == dto.MetricType_COUNTER) {
			t.Errorf("%s is a %s: counters, and they alone, end in _total", name, f.GetType())
		}
		if f.GetType() == dto.MetricType_HISTOGRAM && !strings.HasSuffix(name, "_seconds") {
			t.Errorf("%s is a histogram of something else than seconds", name)
		}
		if derived.MatchString(name) {
			t.Errorf("%s is not in a base unit", name)
		}
		if len(help) < 15 || !strings.HasSuffix(help, ".") || strings.Contains(help, "  ") || strings.Contains(help, "|") {
			t.Errorf("%s: help text %q is no sentence", name, help)
		}
		if len(f.GetMetric()) > 40 {
			t.Errorf("%s has %d series", name, len(f.GetMetric()))
		}
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if !slices.Contains(allowedLabels, l.GetName()) {
					t.Errorf("%s has a label %q, which is not among those whose values are bounded", name, l.GetName())
				}
				if name != "edged_build_info" && !value.MatchString(l.GetValue()) {
					t.Errorf("%s: %s=%q", name, l.GetName(), l.GetValue())
				}
			}
		}
	}
}

// A server to which nothing has happened has counted nothing, and says so for
// every value of every label: a rate has a beginning.
func TestStartsAtZero(t *testing.T) {
	registry, _ := everything(t)
	for _, f := range ours(gather(t, registry)) {
		for _, m := range f.GetMetric() {
			if n := m.GetCounter().GetValue(); n != 0 && !strings.HasPrefix(f.GetName(), "edged_engine_") {
				t.Errorf("%s %v is %v", f.GetName(), m.GetLabel(), n)
			}
			if n := m.GetHistogram().GetSampleCount(); n != 0 {
				t.Errorf("%s %v has %d samples", f.GetName(), m.GetLabel(), n)
			}
		}
	}
}

// The process tells of itself, and of how it was built.
func TestProcess(t *testing.T) {
	registry, _ := everything(t)
	families := gather(t, registry)
	for _, name := range []string{"go_goroutines", "go_memstats_heap_alloc_bytes", "process_cpu_seconds_total", "process_open_fds", "process_resident_memory_bytes", "edged_build_info"} {
		f := families[name]
		if f == nil {
			t.Errorf("there is no %s", name)
			continue
		}
		m := f.GetMetric()[0]
		if v := m.GetGauge().GetValue() + m.GetCounter().GetValue(); v < 0 || name == "edged_build_info" && v != 1 {
			t.Errorf("%s is %v", name, v)
		}
	}
}
