package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"github.com/rs/zerolog"

	"edged/edge"
	"edged/edge/admin"
	"edged/internal/loader"
	"edged/session/log"
	"edged/session/log/digest"
)

// operators is the operators' HTTP API of a server.
type operators struct {
	handler *admin.Handler // nil if the API is off
	// end ends the listener of its own, nil without one.
	end       func()
	tokenFile string // made by this process, "" if there is none
	url       string // of the server, "" if the API is off
}

// openOperators opens the API on the configured listener, or prepares it for the
// devices' one; then mount is to be called. extra are other handlers for
// operators, by path. Whoever calls it calls Close.
func openOperators(ctx context.Context, cfg loader.Operators, devices net.Addr, sessions *sessionLog, extra map[string]http.Handler, notices zerolog.Logger) (*operators, error) {
	o := &operators{}
	address := devices
	var own net.Listener
	if cfg.Listen != "" {
		if err := edge.CheckListen(cfg.Listen, edge.Config{}); err != nil && cfg.Token == "" {
			return nil, fmt.Errorf("operators.listen: %s is open to others than this machine, which needs operators.token", cfg.Listen)
		}
		var err error
		if own, err = new(net.ListenConfig).Listen(ctx, "tcp", cfg.Listen); err != nil {
			return nil, fmt.Errorf("operators.listen: %w", err)
		}
		address = own.Addr()
	}
	token, err := o.token(cfg, address)
	if err != nil || token == "" {
		notices.Info().AnErr("reason", err).Msg("the operators' API is off: operators.token is not set")
		if own != nil {
			return nil, errors.Join(err, own.Close())
		}
		return o, nil
	}
	o.handler, err = admin.New(admin.Config{Token: token, Events: feed{sessions.ring}, Sessions: directory{sessions.book}, Tails: cfg.Tails, Extra: extra})
	if err != nil {
		return nil, err
	}
	if own != nil {
		o.serve(ctx, own, notices)
	}
	o.url = "http://" + address.String()
	told := notices.Info().Str("url", o.url)
	if o.tokenFile != "" {
		told = told.Str("token_file", o.tokenFile)
	}
	told.Msg("operators: edged tail, edged sessions")
	return o, nil
}

// serve serves the API on a listener of its own until Close: longer than ctx, so
// that operators see the sessions end.
func (o *operators) serve(ctx context.Context, own net.Listener, notices zerolog.Logger) {
	serving, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := o.handler.Serve(serving, own); err != nil {
			notices.Error().Err(err).Msg("the operators' API has failed")
		}
	}()
	o.end = func() { cancel(); <-done }
}

// mount serves the API where devices connect, unless it has a listener of its
// own.
func (o *operators) mount(server *edge.Server) {
	if o.handler != nil && o.end == nil {
		o.handler.Mount(server)
	}
}

// Close ends the API and waits for its requests.
func (o *operators) Close() {
	if o.end != nil {
		o.end()
	}
	if o.handler != nil {
		o.handler.Close()
	}
	if o.tokenFile != "" {
		_ = os.Remove(o.tokenFile) // it opens nothing any more
	}
}

// token returns the configured token. Without one, a server that only this
// machine can reach makes one, for whoever can read its user's files.
func (o *operators) token(cfg loader.Operators, address net.Addr) (string, error) {
	if cfg.Token != "" {
		return cfg.Token.Reveal(), nil
	}
	tcp, ok := address.(*net.TCPAddr)
	if !ok || !tcp.IP.IsLoopback() {
		return "", nil
	}
	path, err := tokenFile(tcp.Port)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	_ = os.Remove(path) // that of a server that was killed; it may have another mode
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	token := rand.Text()
	if _, err := fmt.Fprintln(file, token); err != nil {
		return "", errors.Join(err, file.Close(), os.Remove(path))
	}
	o.tokenFile = path
	return token, file.Close()
}

// tokenFile is where a server on a port of this machine puts the token that it
// has made, and where its user's commands look for it.
func tokenFile(port int) (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "edged", fmt.Sprintf("operator-%d.token", port)), nil
}

// feed makes an admin.Feed of the ring.
type feed struct{ ring *log.Ring }

// Tail implements admin.Feed.
func (f feed) Tail(from admin.From) (admin.Tail, error) {
	start := log.Start{Since: from.Since}
	if from.After != "" {
		id, err := log.ParseID(from.After)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", admin.ErrPosition, err)
		}
		start = log.Start{After: id}
	}
	return feedTail{f.ring.Tail(start)}, nil
}

// feedTail makes an admin.Tail of a tail of the ring.
type feedTail struct{ *log.Tail }

func (t feedTail) Next(ctx context.Context) (admin.Line, error) {
	e, err := t.Tail.Next(ctx)
	if err != nil {
		return admin.Line{}, err
	}
	return feedLine(e), nil
}

func (t feedTail) Ready() (admin.Line, bool) {
	e, ok := t.Tail.Ready()
	if !ok {
		return admin.Line{}, false
	}
	return feedLine(e), true
}

func (t feedTail) Position() string { return t.Tail.Position().String() }

func feedLine(e log.Entry) admin.Line {
	h := e.Head()
	return admin.Line{
		ID: e.ID.String(), Event: string(h.Event), Session: h.Session, Device: h.Device,
		JSON: e.Line, Gap: h.Event == log.NameGap,
	}
}

// directory makes an admin.Directory of the book of sessions.
type directory struct{ book *digest.Book }

// Sessions implements admin.Directory.
func (d directory) Sessions(device string) any { return d.book.Sessions(device) }

// Session implements admin.Directory.
func (d directory) Session(id string) (any, error) {
	detail, err := d.book.Session(id)
	switch {
	case errors.Is(err, digest.ErrUnknown):
		return nil, fmt.Errorf("%w: %w", admin.ErrUnknown, err)
	case errors.Is(err, digest.ErrAmbiguous):
		return nil, fmt.Errorf("%w: %w", admin.ErrAmbiguous, err)
	}
	return detail, err
}
