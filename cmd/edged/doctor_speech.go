package main

import (
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"edged/edge"
	"edged/firmware-protocol/wire"
	"edged/internal/doctor"
	"edged/internal/edgetest"
	"edged/internal/loader"
	"edged/session"
)

// speak asks the spoken question: of the server that --url names, of the one that
// is up where this one would listen, or of one that is started for it.
func (e *examination) speak(ctx context.Context) []doctor.Finding {
	if !e.cmd.Speech {
		return without("no question was asked (--no-speech)")(ctx)
	}
	if e.url == "" && e.ports != nil && e.ports.Running != "" {
		e.url = "ws://" + e.ports.Running + wire.Path
	}
	if e.url != "" && e.wouldReplace() {
		return without("no question was asked: the server that is up knows devices by their own tokens only, and to ask as one of them would end the connection that it has; --token names one that is free")(ctx)
	}
	engines, err := e.engines(e.cfg.Models)
	if err != nil && e.url != "" {
		// Another server has a recogniser of its own; the question needs a voice.
		engines, err = e.engines(loader.Models{TTS: e.cfg.Models.TTS})
	}
	if err != nil {
		return without("no question was asked, since the engines do not load: see engines")(ctx)
	}
	defer engines.Close()
	if e.url != "" {
		return e.ask(ctx, engines.Engines, edgetest.Config{URL: e.url})
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return []doctor.Finding{{Level: doctor.Problem, Found: fmt.Sprintf("no port of 127.0.0.1 can be listened on: %v", err),
			Why: "no server can be started here", Fix: doctor.Fix{Command: "ip address show lo"}}}
	}
	return e.serveOnce(ctx, engines.Engines, listener, edgetest.Config{URL: "ws://" + listener.Addr().String() + wire.Path})
}

// serveOnce serves the configuration for as long as the question takes.
func (e *examination) serveOnce(ctx context.Context, engines session.Engines, listener net.Listener, device edgetest.Config) (found []doctor.Finding) {
	failed := func(err error) []doctor.Finding {
		return []doctor.Finding{{Level: doctor.Problem, Found: fmt.Sprintf("the server does not start: %v", err),
			Why: "no device is served", Fix: doctor.Fix{Text: "see what the checks above say"}}}
	}
	defer listener.Close()
	cfg := *e.cfg
	cfg.Server.JournalDir = "" // nobody said anything
	guard, err := authenticator(&cfg)
	if err != nil {
		return failed(err)
	}
	if len(cfg.Devices)+len(cfg.Server.SigningKeys) == 0 {
		guard = edge.Open{AnyAddress: true} // who else may connect is another check's matter
	}
	dialogues, err := newDialogues(ctx, &cfg, engines, zerolog.Nop())
	if err != nil {
		return failed(err)
	}
	defer dialogues.Close()
	server, err := newServer(&cfg, guard, dialogues, zerolog.Nop())
	if err != nil {
		return failed(err)
	}
	serving, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- server.Serve(serving, listener) }()
	defer func() {
		stop()
		if err := <-served; err != nil {
			found = append(found, failed(err)...)
		}
	}()
	return e.ask(ctx, engines, device)
}

// ask is the simulated device.
func (e *examination) ask(ctx context.Context, engines session.Engines, device edgetest.Config) []doctor.Finding {
	p := profile(e.cfg, loader.DefaultProfile)
	question, err := doctor.Say(ctx, engines.TTS, p.TTS, doctor.Question)
	if err != nil {
		return []doctor.Finding{{Level: doctor.Problem, Found: fmt.Sprintf("the voice cannot speak: %v", err),
			Why: "no reply is spoken", Fix: doctor.Fix{Text: "see engines, and try another voice", Key: "profiles.default.tts"}}}
	}
	if device.Device, device.Token, err = e.credentials(); err != nil {
		return []doctor.Finding{{Level: doctor.Problem, Found: fmt.Sprintf("no token can be signed: %v", err),
			Why: "no device can connect", Fix: doctor.Fix{Key: "server.signing_keys"}}}
	}
	return doctor.Trip{Device: device, PCM: question, Recognise: func(ctx context.Context, pcm []int16) (string, error) {
		return doctor.Hear(ctx, engines.ASR, p.ASR, pcm)
	}}.Look(ctx)
}

// credentials are those of the command line, or good ones of the configuration: a
// signed token of the doctor's own before one that belongs to a device, which might
// be connected.
func (e *examination) credentials() (device, token string, err error) {
	switch s := e.cfg.Server; {
	case e.cmd.Token != "":
		return e.holder(e.cmd.Token), e.cmd.Token, nil
	case len(s.SigningKeys) > 0:
		tokens, err := signedTokens(e.cfg)
		if err != nil {
			return "", "", err
		}
		token, err := tokens.Sign(edge.Identity{Device: e.cmd.Device}, 5*time.Minute)
		return e.cmd.Device, token, err
	case s.Anonymous:
		return e.cmd.Device, "", nil
	}
	for _, id := range slices.Sorted(maps.Keys(e.cfg.Devices)) {
		return id, e.cfg.Devices[id].Token.Reveal(), nil
	}
	return e.cmd.Device, "", nil
}

// wouldReplace reports whether the only credentials are those of a device that may
// be connected: a server lets the newest connection of a device end the older ones.
func (e *examination) wouldReplace() bool {
	s := e.cfg.Server
	return e.cmd.Token == "" && len(s.SigningKeys) == 0 && !s.Anonymous && len(e.cfg.Devices) > 0
}

// holder is the device that a token belongs to, as far as it can be told, or else the
// one of the command line.
func (e *examination) holder(token string) string {
	for id, d := range e.cfg.Devices {
		if d.Token.Reveal() == token {
			return id
		}
	}
	if device := doctor.Holder(token); device != "" {
		return device
	}
	return e.cmd.Device
}
