package admin

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Prefix is where the API is mounted.
const Prefix = "/v1/admin/"

// Config is what a Handler is made of. All but Tails must be set.
type Config struct {
	// Token is what operators show.
	Token string
	// Events is the session log, Sessions knows the sessions.
	Events   Feed
	Sessions Directory
	// Tails bounds the tails at a time. Default 16.
	Tails int
	// Extra are other handlers for operators, by the path where they are found:
	// "/metrics", or "/debug/" with all below it. They are asked with GET and HEAD
	// only, by who has the token, and end when the context of the request does.
	Extra map[string]http.Handler
}

// Handler serves the API. Make one with New and Mount it.
type Handler struct {
	token    [sha256.Size]byte
	events   Feed
	sessions Directory
	mux      *http.ServeMux
	extra    []string // paths, sorted

	tails   chan struct{} // one element for each tail
	serving sync.WaitGroup
	mu      sync.Mutex
	closed  bool                                 // guarded by mu: nothing is added to serving any more
	running map[*http.Request]context.CancelFunc // guarded by mu
}

// New returns a handler. Whoever calls it calls Close.
func New(cfg Config) (*Handler, error) {
	switch {
	case cfg.Token == "":
		return nil, errors.New("admin: no token: the API is not open to everybody")
	case cfg.Events == nil || cfg.Sessions == nil:
		return nil, errors.New("admin: no events or no sessions to serve")
	}
	for path, extra := range cfg.Extra {
		if extra == nil || !strings.HasPrefix(path, "/") || strings.ContainsAny(path, "{} ") || strings.HasPrefix(path, Prefix) {
			return nil, fmt.Errorf("admin: %q: an extra handler needs a path outside of %s, without a method or parameters", path, Prefix)
		}
	}
	if cfg.Tails <= 0 {
		cfg.Tails = 16
	}
	h := &Handler{
		token: sha256.Sum256([]byte(cfg.Token)), events: cfg.Events, sessions: cfg.Sessions,
		mux: http.NewServeMux(), tails: make(chan struct{}, cfg.Tails), running: make(map[*http.Request]context.CancelFunc),
	}
	h.mux.HandleFunc("GET "+Prefix+"events", h.tail)
	h.mux.HandleFunc("GET "+Prefix+"sessions", h.list)
	h.mux.HandleFunc("GET "+Prefix+"sessions/{id}", h.show)
	h.mux.HandleFunc(Prefix, h.nowhere)
	for path, extra := range cfg.Extra {
		h.mux.Handle(path, onlyRead(extra))
		h.extra = append(h.extra, path)
	}
	slices.Sort(h.extra)
	return h, nil
}

// Mount mounts the API and the extra handlers on a multiplexer, such as an
// http.ServeMux.
func (h *Handler) Mount(on interface{ Handle(string, http.Handler) }) {
	on.Handle(Prefix, h)
	for _, path := range h.extra {
		on.Handle(path, h)
	}
}

// onlyRead lets GET and HEAD through.
func onlyRead(extra http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			refuse(w, http.StatusMethodNotAllowed, fmt.Sprintf("%.40s does not answer %.20s, only GET", r.URL.Path, r.Method))
			return
		}
		extra.ServeHTTP(w, r)
	})
}

// Close ends all requests and waits for them.
func (h *Handler) Close() {
	h.mu.Lock()
	h.closed = true
	for _, cancel := range h.running {
		cancel()
	}
	h.mu.Unlock()
	h.serving.Wait()
}

// begin returns the request with a context that ends at Close, too. ok is false
// after Close; otherwise the caller calls end.
func (h *Handler) begin(r *http.Request) (_ *http.Request, end func(), ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, nil, false
	}
	ctx, cancel := context.WithCancel(r.Context())
	r = r.WithContext(ctx)
	h.running[r] = cancel
	h.serving.Add(1)
	return r, func() {
		cancel()
		h.mu.Lock()
		delete(h.running, r)
		h.mu.Unlock()
		h.serving.Done()
	}, true
}

// ServeHTTP serves whoever has the token.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 { // -1 means that there is a body of unknown length
		// The server waits for a body that was promised, for ever if need be.
		w.Header().Set("Connection", "close")
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(readHeaderTimeout)) // not of every writer
		refuse(w, http.StatusBadRequest, "requests here have no body; leave out Content-Length and Transfer-Encoding")
		return
	}
	r, end, ok := h.begin(r)
	if !ok {
		refuse(w, http.StatusServiceUnavailable, "the server is shutting down")
		return
	}
	defer end()
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	shown := sha256.Sum256([]byte(token))
	if subtle.ConstantTimeCompare(shown[:], h.token[:]) != 1 || !ok {
		w.Header().Set("WWW-Authenticate", `Bearer realm="edged operators"`)
		refuse(w, http.StatusUnauthorized, `the operators' token is missing or wrong; send it as "Authorization: Bearer TOKEN"`)
		return
	}
	h.mux.ServeHTTP(w, r)
}

// list answers GET sessions.
func (h *Handler) list(w http.ResponseWriter, r *http.Request) {
	if err := onlyKnown(r.URL.Query(), "device"); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	answer(w, http.StatusOK, struct {
		Sessions any `json:"sessions"`
	}{h.sessions.Sessions(r.URL.Query().Get("device"))})
}

// show answers GET sessions/{id}.
func (h *Handler) show(w http.ResponseWriter, r *http.Request) {
	if err := onlyKnown(r.URL.Query()); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	id := r.PathValue("id")
	detail, err := h.sessions.Session(id)
	switch {
	case errors.Is(err, ErrAmbiguous):
		refuse(w, http.StatusConflict, fmt.Sprintf("several sessions begin with %.40q; say more of it", id))
	case errors.Is(err, ErrUnknown):
		refuse(w, http.StatusNotFound, fmt.Sprintf("there is no session %.40q, or it was too long ago; %ssessions lists them", id, Prefix))
	case err != nil:
		refuse(w, http.StatusInternalServerError, "the session cannot be looked up: "+err.Error())
	default:
		answer(w, http.StatusOK, detail)
	}
}

// nowhere answers what is not served.
func (h *Handler) nowhere(w http.ResponseWriter, r *http.Request) {
	for _, known := range []string{"events", "sessions"} {
		if r.URL.Path == Prefix+known || strings.HasPrefix(r.URL.Path, Prefix+"sessions/") {
			w.Header().Set("Allow", http.MethodGet)
			refuse(w, http.StatusMethodNotAllowed, fmt.Sprintf("%.40s does not answer %.20s, only GET", r.URL.Path, r.Method))
			return
		}
	}
	refuse(w, http.StatusNotFound, fmt.Sprintf("there is no %.60q; there are %[2]sevents, %[2]ssessions and %[2]ssessions/ID", r.URL.Path, Prefix))
}

// refuse answers with a sentence on what is wrong.
func refuse(w http.ResponseWriter, status int, sentence string) {
	answer(w, status, struct {
		Error string `json:"error"`
	}{sentence})
}

func answer(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"error":"the answer cannot be encoded"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // the client has gone: nobody to tell
}

const (
	readHeaderTimeout = 10 * time.Second
	idleTimeout       = 60 * time.Second
	maxHeader         = 16 << 10 // bytes
	shutdownTimeout   = 5 * time.Second
)

// Serve serves the API on a listener of its own until ctx is done, and returns
// when all requests have ended. It closes ln.
func (h *Handler) Serve(ctx context.Context, ln net.Listener) error {
	mux := http.NewServeMux()
	h.Mount(mux)
	server := &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: readHeaderTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(ln) }()
	select {
	case err := <-failed:
		h.Close()
		return fmt.Errorf("admin: serve: %w", err)
	case <-ctx.Done():
	}
	h.Close()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	err := server.Shutdown(last)
	<-failed
	if err != nil {
		return fmt.Errorf("admin: %w", errors.Join(err, server.Close()))
	}
	return nil
}
