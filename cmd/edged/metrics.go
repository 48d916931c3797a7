package main

import (
	"net/http"
	"net/http/pprof"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"edged/edge"
	"edged/internal/engine"
	"edged/internal/metrics"
	"edged/session/log"
)

// maxScrapes bounds how many scrapes are answered at once.
const maxScrapes = 4

// meters makes the metrics of a server.
type meters struct {
	registry *prometheus.Registry
	sessions *metrics.Sessions
	reloads  *metrics.Reloads
}

// newMeters returns meters of the process, of sessions and of reloads.
func newMeters() *meters {
	m := &meters{registry: prometheus.NewRegistry(), sessions: metrics.NewSessions(), reloads: metrics.NewReloads()}
	m.registry.MustRegister(m.sessions, m.reloads)
	m.registry.MustRegister(metrics.Process()...)
	return m
}

// read has the parts of a server read at each scrape. It is called once.
func (m *meters) read(server *edge.Server, gate *engine.Gate, ring *log.Ring) {
	m.registry.MustRegister(metrics.Connections(server), metrics.Engines(gate), metrics.SessionLog(ring))
}

// handlers are what operators find besides their API, by path.
func (m *meters) handlers() map[string]http.Handler {
	return map[string]http.Handler{
		"/metrics":             promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: maxScrapes, EnableOpenMetrics: true}),
		"/debug/pprof/":        http.HandlerFunc(pprof.Index),
		"/debug/pprof/cmdline": http.HandlerFunc(pprof.Cmdline),
		"/debug/pprof/profile": http.HandlerFunc(pprof.Profile),
		"/debug/pprof/symbol":  http.HandlerFunc(pprof.Symbol),
		"/debug/pprof/trace":   http.HandlerFunc(pprof.Trace),
	}
}
