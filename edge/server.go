package edge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	stdlog "log"
	"net"
	"net/http"
	"time"

	"github.com/rs/zerolog"

	"edged/dialog"
)

// Config is what a Server is made of. Only Handler must be set.
type Config struct {
	// Handler runs the dialogue of one connection.
	Handler Handler
	// Authenticator decides who may connect. Nil means Open: everybody on this
	// machine.
	Authenticator Authenticator
	// AllowAnonymous lets the server listen on other addresses than loopback
	// without asking for credentials. See CheckListen.
	AllowAnonymous bool
	// MaxSessions bounds the sessions at a time. Default 500.
	MaxSessions int
	// SessionsPerAddress bounds the sessions of one address (an IPv4 address, or
	// an IPv6 network of 64 bits). 0 sets no bound of its own.
	//
	// Behind a proxy all devices have the proxy's address, and are counted as
	// one: there leave the limits by address to the proxy and set none here. The
	// headers in which a proxy names its client are not looked at, since anybody
	// can write them.
	SessionsPerAddress int
	// ConnectsPerMinute bounds how often one address may connect, whatever comes
	// of it: so many times at once, then evenly. 0 sets no bound.
	ConnectsPerMinute int
	// ReconnectsPerMinute bounds the same for one device, wherever it connects
	// from. Default 20; a negative value sets no bound.
	ReconnectsPerMinute int
	// Resume tells whether the session that a device wants to come back to
	// (Hello.Resume) goes on, and what to tell the device of it. The device's
	// older connection, if there is one, is closed before. Nil resumes none.
	Resume func(dialog.Hello) (dialog.Resumed, bool)
	// Ready reports why the server cannot serve yet: engines are being loaded.
	// Nil means that it always can. It is asked by /readyz only; connections
	// are taken regardless, since a hello waits for no engine.
	Ready func() error
	// DrainTimeout is how long sessions may take to end at a shutdown. Default
	// 10s.
	DrainTimeout time.Duration
	// Limits bounds each connection.
	Limits Limits
	// Log receives what concerns connections and their transport. What is said
	// in a session is not its business. The zero Logger is silent.
	Log zerolog.Logger
}

// Server accepts devices and runs a Handler for each. Transports are mounted on
// it with Handle.
type Server struct {
	handler  Handler
	auth     Authenticator
	ready    func() error
	resume   func(dialog.Hello) (dialog.Resumed, bool)
	drain    time.Duration
	limits   Limits
	log      zerolog.Logger
	registry *registry
	tally    *tally
	mux      *http.ServeMux
}

// New returns a server with /healthz and /readyz.
func New(cfg Config) (*Server, error) {
	if cfg.Handler == nil {
		return nil, errors.New("edge: new server: no handler")
	}
	if cfg.Authenticator == nil {
		cfg.Authenticator = Open{AnyAddress: cfg.AllowAnonymous}
	}
	if cfg.MaxSessions <= 0 {
		cfg.MaxSessions = 500
	}
	if cfg.ReconnectsPerMinute == 0 {
		cfg.ReconnectsPerMinute = 20
	}
	if cfg.DrainTimeout <= 0 {
		cfg.DrainTimeout = 10 * time.Second
	}
	s := &Server{
		handler:  cfg.Handler,
		auth:     cfg.Authenticator,
		ready:    cfg.Ready,
		resume:   cfg.Resume,
		drain:    cfg.DrainTimeout,
		limits:   cfg.Limits.withDefaults(),
		log:      cfg.Log,
		registry: newRegistry(cfg),
		tally:    newTally(),
		mux:      http.NewServeMux(),
	}
	s.mux.Handle("GET /healthz", Bodiless(http.HandlerFunc(s.healthz)))
	s.mux.Handle("GET /readyz", Bodiless(http.HandlerFunc(s.readyz)))
	return s, nil
}

// Handle mounts a transport, or any other handler, as http.ServeMux.Handle does;
// see Bodiless for one that takes no request with a body. It must not be called
// once the server serves.
func (s *Server) Handle(pattern string, h http.Handler) { s.mux.Handle(pattern, h) }

// ServeHTTP makes the Server an http.Handler, for a host that has a listener of
// its own. Such a host calls Drain at its shutdown.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Authenticate asks the server's Authenticator. The error is an *Error whose
// cause matches ErrUnauthorized, or is the failure of the authenticator.
func (s *Server) Authenticate(ctx context.Context, creds Credentials) (Identity, error) {
	id, err := s.auth.Authenticate(ctx, creds)
	switch {
	case err == nil:
		return id, nil
	case errors.Is(err, ErrExpired):
		return Identity{}, &Error{Code: dialog.ErrorUnauthorized, Message: "the token has expired", Err: err}
	case errors.Is(err, ErrUnauthorized):
		return Identity{}, &Error{Code: dialog.ErrorUnauthorized, Message: "credentials are missing or wrong", Err: err}
	default:
		s.log.Error().Err(err).Str("remote", creds.Remote).Msg("authenticator failed")
		return Identity{}, &Error{Code: dialog.ErrorInternal, Message: "credentials cannot be checked at the moment", RetryAfter: busyRetry, Err: err}
	}
}

// Limits returns the limits of each connection, defaults filled in.
func (s *Server) Limits() Limits { return s.limits }

// Log returns the server's logger, for transports.
func (s *Server) Log() *zerolog.Logger { return &s.log }

// Sessions returns how many places are taken.
func (s *Server) Sessions() int {
	s.registry.mu.Lock()
	defer s.registry.mu.Unlock()
	return s.registry.places
}

const (
	// Slow or idle HTTP clients are cut off after these; they do not apply to a
	// connection that became a WebSocket.
	readHeaderTimeout = 10 * time.Second
	httpIdleTimeout   = 60 * time.Second
	// maxHeader is the largest request header, in bytes: a token of 4 KiB and
	// plenty besides.
	maxHeader = 16 << 10
)

// Serve accepts connections on ln until ctx is done, then drains: nobody is let
// in any more, the handlers' contexts are cancelled with ErrShutdown, and devices
// are told goodbye. Sessions that do not end in time are cut off. It closes ln
// and returns after the last connection is gone: nil after a complete drain.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	base, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(ErrShutdown)
	server := &http.Server{
		Handler:           s,
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: readHeaderTimeout,
		IdleTimeout:       httpIdleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          stdlog.New(s.log, "", 0),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(ln) }()
	select {
	case err := <-failed:
		cancel(ErrShutdown)
		return errors.Join(fmt.Errorf("edge: serve: %w", err), s.Drain(context.WithoutCancel(ctx)))
	case <-ctx.Done():
	}
	s.refuse()
	cancel(ErrShutdown)
	err := s.Drain(context.WithoutCancel(ctx))
	// Only requests that never became sessions are left.
	if shutdown := server.Close(); shutdown != nil && err == nil {
		err = fmt.Errorf("edge: close the listener: %w", shutdown)
	}
	<-failed
	return err
}

// refuse lets nobody in any more.
func (s *Server) refuse() {
	r := s.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	r.draining = true
	r.checkEmpty()
}

// Drain lets nobody in any more and waits until every session has ended. Those
// that have not when DrainTimeout is over, or ctx is done, are told that the
// server shuts down and their connections are closed; then Drain waits a last
// time, for as long as closing may take. The error tells how many sessions are
// left.
func (s *Server) Drain(ctx context.Context) error {
	s.refuse()
	patience := time.NewTimer(s.drain)
	defer patience.Stop()
	select {
	case <-s.registry.empty:
		return nil
	case <-patience.C:
	case <-ctx.Done():
	}
	for _, leg := range s.registry.legs() {
		leg.end(ErrShutdown)
	}
	last := time.NewTimer(closeTimeout + time.Second)
	defer last.Stop()
	select {
	case <-s.registry.empty:
		return nil
	case <-last.C:
		return fmt.Errorf("edge: drain: %d sessions did not end", len(s.registry.legs()))
	}
}

// legs returns the legs that are served at the moment.
func (r *registry) legs() []*Leg {
	r.mu.Lock()
	defer r.mu.Unlock()
	legs := make([]*Leg, 0, len(r.alive))
	for a := range r.alive {
		if a.leg != nil {
			legs = append(legs, a.leg)
		}
	}
	return legs
}

// health is the body of /healthz and /readyz.
type health struct {
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
}

// healthz tells that the process answers.
func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	WriteJSON(w, http.StatusOK, health{Status: "ok"})
}

// readyz tells whether a device that connects now can be served.
func (s *Server) readyz(w http.ResponseWriter, _ *http.Request) {
	s.registry.mu.Lock()
	draining := s.registry.draining
	s.registry.mu.Unlock()
	body := health{Status: "ready"}
	if draining {
		body.Status, body.Reason = "draining", "the server is shutting down"
	} else if s.ready != nil {
		if err := s.ready(); err != nil {
			body.Status, body.Reason = "starting", err.Error()
		}
	}
	status := http.StatusOK
	if body.Status != "ready" {
		status = http.StatusServiceUnavailable
	}
	WriteJSON(w, status, body)
}

// WriteJSON writes v as the body of an HTTP answer. For transports.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client has gone: nobody to tell
}
