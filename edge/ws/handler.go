package ws

import (
	"bufio"
	"context"
	"errors"
	"math"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/rs/zerolog"

	"edged/dialog"
	"edged/edge"
	"edged/firmware-protocol/wire"
)

// readLimit is the largest message that is read at all, twice the largest that
// is legal: up to that a device is told what was wrong with it.
const readLimit = 2 * wire.MaxControl

// Config sets up a Handler. The zero value serves devices and refuses browsers.
type Config struct {
	// Origins lists the web pages that may connect, as browsers name them:
	// "https://example.com", with a port if it is not the scheme's own. Clients
	// that are no browsers send no origin and are not concerned. "*" lets in
	// every page.
	Origins []string
	// LoopbackOrigins lets in pages that were loaded from this machine. It is
	// meant for development.
	LoopbackOrigins bool
}

// Handler returns the HTTP handler for wire.Path.
func Handler(server *edge.Server, cfg Config) http.Handler {
	// A flood of connections is not to become a flood of lines; all are counted.
	refusals := server.Log().Sample(&zerolog.BurstSampler{Burst: refusalLines, Period: time.Second})
	return edge.Bodiless(&handler{server: server, origins: newOrigins(cfg), refusals: refusals, resting: make(chan struct{}, refusalRests)})
}

const (
	// refusalLines is how many refusals a second are logged.
	refusalLines = 50
	// refusalRest is how long an address that connects too often waits for its
	// answer, so that it does not connect as fast as it is refused. So many wait
	// at a time; the others are answered at once.
	refusalRest  = 500 * time.Millisecond
	refusalRests = 64
)

type handler struct {
	server   *edge.Server
	origins  origins
	refusals zerolog.Logger
	resting  chan struct{} // holds a token for each that waits
}

// ServeHTTP takes a connection through its stations: the HTTP request, the hello,
// the session. It returns when the connection is over.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := checkUpgrade(r); err != nil {
		w.Header().Set("Upgrade", "websocket")
		h.refuse(w, r, http.StatusUpgradeRequired, err)
		return
	}
	if err := h.origins.check(r.Header.Get("Origin")); err != nil {
		h.refuse(w, r, http.StatusForbidden, err)
		return
	}
	admission, err := h.server.Arrive(r.RemoteAddr)
	if err != nil {
		h.rest(r.Context())
		h.refuse(w, r, http.StatusServiceUnavailable, err)
		return
	}
	defer admission.Release()
	v := visit{handler: h, creds: credentials(r), admission: admission}
	if v.creds.Token != "" {
		id, err := h.server.Authenticate(r.Context(), v.creds)
		if err != nil {
			h.refuse(w, r, http.StatusUnauthorized, err)
			return
		}
		v.identity, v.authenticated = id, true
	}
	speaks := offers(r, wire.Protocol)
	if v.authenticated && speaks {
		err = admission.Admit(v.identity)
		v.admitted = true
	} else {
		err = admission.Await()
	}
	if err != nil {
		h.refuse(w, r, http.StatusServiceUnavailable, err)
		return
	}

	t := &transport{log: h.server.Log()}
	capture := &hijacker{ResponseWriter: w, limits: h.server.Limits()}
	conn, err := websocket.Accept(capture, r, &websocket.AcceptOptions{
		Subprotocols:       []string{wire.Protocol},
		InsecureSkipVerify: true, // the origin was checked above
		CompressionMode:    websocket.CompressionDisabled,
		OnPingReceived:     t.pinged,
		OnPongReceived:     t.ponged,
	})
	if err != nil {
		h.server.Log().Debug().Err(err).Str("remote", r.RemoteAddr).Msg("upgrade failed")
		return
	}
	conn.SetReadLimit(readLimit)
	t.conn, t.net = conn, capture.conn
	defer func() { _ = conn.CloseNow() }()
	if !speaks {
		v.turnAway(t, &edge.Error{Code: dialog.ErrorVersion, Message: "this server speaks the WebSocket subprotocol " + wire.Protocol + "; offer it when connecting"})
		return
	}
	v.serve(r.Context(), t)
}

// checkUpgrade refuses requests that are no WebSocket handshakes.
func checkUpgrade(r *http.Request) error {
	if r.Method == http.MethodGet && hasToken(r.Header, "Connection", "upgrade") && hasToken(r.Header, "Upgrade", "websocket") {
		return nil
	}
	return &edge.Error{Code: dialog.ErrorProtocol, Message: "this is a WebSocket: connect with ws:// or wss:// and the subprotocol " + wire.Protocol}
}

// credentials collects what the request shows: the header counts before the query.
func credentials(r *http.Request) edge.Credentials {
	c := edge.Credentials{Remote: r.RemoteAddr, Header: r.Header}
	scheme, token, _ := strings.Cut(strings.TrimSpace(r.Header.Get("Authorization")), " ")
	if strings.EqualFold(scheme, "Bearer") {
		c.Token = strings.TrimSpace(token)
	}
	if c.Token == "" {
		c.Token = r.URL.Query().Get("token")
	}
	return c
}

// rest delays the answer to an address that connects too often.
func (h *handler) rest(ctx context.Context) {
	select {
	case h.resting <- struct{}{}:
	default:
		return
	}
	defer func() { <-h.resting }()
	timer := time.NewTimer(refusalRest)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// refuse answers a request that does not become a connection.
func (h *handler) refuse(w http.ResponseWriter, r *http.Request, status int, err error) {
	var told *edge.Error
	if !errors.As(err, &told) {
		told = &edge.Error{Code: dialog.ErrorInternal, Message: "the server failed", Err: err}
	}
	if told.Code == dialog.ErrorInternal {
		status = http.StatusInternalServerError
	}
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="edged"`)
	}
	if told.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(told.RetryAfter.Seconds()))))
	}
	h.server.CountRefusal(told.Code)
	h.refusals.Info().Err(told).Int("status", status).Str("remote", r.RemoteAddr).Msg("connection refused")
	edge.WriteRefusal(w, status, told)
}

// offers reports whether the client offers the subprotocol.
func offers(r *http.Request, protocol string) bool {
	return hasToken(r.Header, "Sec-Websocket-Protocol", protocol)
}

// hasToken reports whether a comma-separated header has the token, whatever its
// case.
func hasToken(header http.Header, key, token string) bool {
	for _, line := range header.Values(key) {
		for part := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(part), token) {
				return true
			}
		}
	}
	return false
}

// hijacker keeps hold of the network connection below the WebSocket, which is
// the only way to cut off a peer that a write is stuck at, and meters its bytes.
type hijacker struct {
	http.ResponseWriter
	limits edge.Limits
	conn   net.Conn
}

func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, brw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	h.conn = conn
	return h.limits.Meter(conn), brw, nil
}
