package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/rs/zerolog"

	"edged/edge"
	"edged/edge/ws"
	"edged/firmware-protocol/wire"
	"edged/internal/loader"
)

// serveCmd is "edged serve".
type serveCmd struct {
	configured
	Listen    string `placeholder:"ADDR" help:"Listen on host:port; port 0 takes a free one."`
	ReadyFile string `type:"path" placeholder:"FILE" help:"Write the WebSocket URL to this file once devices can connect."`
}

// Run serves until ctx is done. At each hangup it reads the configuration again.
func (c *serveCmd) Run(ctx context.Context, out streams, hangups hangups) error {
	hangup, stop := hangups.wait() // those that come before there is a server wait for it
	defer stop()
	flags := make(map[string]string)
	if c.Listen != "" {
		flags["server.listen"] = c.Listen
	}
	sources := c.sources(flags)
	cfg, err := loader.Load(sources)
	if err != nil {
		return err
	}
	notices := zerolog.New(zerolog.ConsoleWriter{Out: out.stderr, TimeFormat: time.TimeOnly, NoColor: true}).With().Timestamp().Logger()
	auth, err := authenticator(cfg)
	if err != nil {
		return err
	}
	guard := edge.NewRevocable(auth)
	listener, err := listen(ctx, cfg, guard)
	if err != nil {
		return err
	}
	defer listener.Close()
	engines, err := loadEngines(cfg.Models)
	if err != nil {
		return err
	}
	defer engines.Close()
	sessions, err := openSessionLog(cfg.Log, out.stdout, notices)
	if err != nil {
		return err
	}
	defer sessions.Close()
	meters := newMeters()
	operators, err := openOperators(ctx, cfg.Operators, listener.Addr(), sessions, meters.handlers(), notices)
	if err != nil {
		return err
	}
	defer operators.Close()
	dialogues, err := newDialogues(ctx, cfg, engines.Engines, sessions.Logger())
	if err != nil {
		return err
	}
	defer dialogues.Close()
	server, err := newServer(cfg, guard, dialogues, notices)
	if err != nil {
		return err
	}
	dialogues.observe = meters.sessions.Observer
	meters.read(server, engines.gate, sessions.ring)
	operators.mount(server)
	reloading := &reloader{sources: sources, cfg: cfg, dialogues: dialogues, guard: guard, server: server, counts: meters.reloads, notices: notices}
	defer reloading.start(ctx, hangup)()
	if err := c.announce(out.stderr, cfg, "ws://"+listener.Addr().String()+wire.Path); err != nil {
		return err
	}
	return server.Serve(ctx, listener)
}

// announce tells a person, and a program through the ready file, how to connect.
func (c *serveCmd) announce(w io.Writer, cfg *loader.Config, url string) error {
	fmt.Fprintf(w, "edged is ready: %s (subprotocol %s)\n", url, wire.Protocol)
	fmt.Fprintf(w, "try it: bin/edged device --url %s --in testdata/audio/NAME.wav --out reply.wav\n", url)
	if cfg.Server.Anonymous {
		fmt.Fprintln(w, "devices need no token (server.anonymous)")
	}
	if cfg.Server.Transcripts {
		fmt.Fprintln(w, "the session log on standard output holds what people say (server.transcripts)")
	}
	if c.ReadyFile == "" {
		return nil
	}
	return os.WriteFile(c.ReadyFile, []byte(url+"\n"), 0o644)
}

// listen opens the server's socket, if it may be opened there.
func listen(ctx context.Context, cfg *loader.Config, guard edge.Authenticator) (net.Listener, error) {
	address := cfg.Server.Listen
	if err := edge.CheckListen(address, edge.Config{Authenticator: guard, AllowAnonymous: cfg.Server.Public}); err != nil {
		return nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w; --listen takes another address", address, err)
	}
	return listener, nil
}

// newServer joins edge and session: every device that the edge lets in has its
// dialogue.
func newServer(cfg *loader.Config, guard edge.Authenticator, dialogues *dialogues, notices zerolog.Logger) (*edge.Server, error) {
	server, err := edge.New(edge.Config{
		Authenticator:  guard,
		AllowAnonymous: cfg.Server.Public,
		MaxSessions:    cfg.Server.MaxSessions,
		Limits: edge.Limits{
			HelloTimeout:     cfg.Server.HelloTimeout,
			IdleTimeout:      cfg.Server.IdleTimeout,
			ControlPerSecond: cfg.Server.Limits.ControlPerSecond,
			AudioRate:        cfg.Server.Limits.AudioRate,
		},
		SessionsPerAddress: cfg.Server.Limits.SessionsPerAddress,
		ConnectsPerMinute:  cfg.Server.Limits.ConnectsPerMinute,
		Log:                notices,
		Handler:            dialogues.serve,
		Resume:             dialogues.resume,
	})
	if err != nil {
		return nil, err
	}
	server.Handle(wire.Path, ws.Handler(server, ws.Config{
		Origins:         cfg.Server.Origins,
		LoopbackOrigins: cfg.Server.Anonymous,
	}))
	return server, nil
}
