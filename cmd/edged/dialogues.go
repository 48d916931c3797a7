package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/rs/zerolog"

	"edged/dialog"
	"edged/edge"
	"edged/internal/loader"
	"edged/session"
	"edged/session/log"
)

// dialogues gives every connected device its session, the one that it comes back
// to or a new one.
type dialogues struct {
	cfg     *loader.Config
	engines session.Engines
	log     zerolog.Logger
	host    *session.Host
	phrases map[string]*session.Phrasebook // by profile
}

// newDialogues has the phrases of all profiles spoken, so that a session can say
// them when its synthesiser fails. Whoever calls it calls Close.
func newDialogues(ctx context.Context, cfg *loader.Config, engines session.Engines, log zerolog.Logger) (*dialogues, error) {
	d := &dialogues{cfg: cfg, engines: engines, log: log, host: session.NewHost(), phrases: make(map[string]*session.Phrasebook)}
	for name := range cfg.Profiles {
		book, err := session.Prepare(ctx, engines, profile(cfg, name))
		if err != nil {
			return nil, err
		}
		d.phrases[name] = book
	}
	return d, nil
}

// Close ends the sessions that wait for their devices.
func (d *dialogues) Close() { d.host.Close() }

// serve is the handler of the edge.
func (d *dialogues) serve(ctx context.Context, leg *edge.Leg) error {
	hello := leg.Hello()
	p := profile(d.cfg, hello.Profile)
	journal, err := d.journal(hello)
	if err != nil {
		return err
	}
	return d.host.Serve(ctx, countingLeg{leg}, session.Config{
		Engines: d.engines,
		Profile: p,
		Log:     log.NewRecorder(d.log, hello.Session, hello.Device, d.cfg.Server.Transcripts),
		Phrases: d.phrases[p.Name],
		Journal: journal,
	})
}

// resume answers the edge for a device that comes back.
func (d *dialogues) resume(hello dialog.Hello) (dialog.Resumed, bool) {
	return d.host.Resume(context.Background(), hello)
}

// journal opens the journal of a new session, nil if none is kept.
func (d *dialogues) journal(hello dialog.Hello) (io.Writer, error) {
	if d.cfg.Server.JournalDir == "" || hello.Resume != nil {
		return nil, nil
	}
	path := filepath.Join(d.cfg.Server.JournalDir, hello.Session+".journal")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("journal of session %s: %w; server.journal_dir must be a directory that can be written", hello.Session, err)
	}
	return file, nil
}

// countingLeg is a leg that tells the session what it dropped.
type countingLeg struct{ *edge.Leg }

// Drops implements session.Counting.
func (l countingLeg) Drops() map[string]uint64 {
	stats := l.Stats()
	drops := make(map[string]uint64)
	for reason, n := range stats.Drops {
		drops[string(reason)] += n
	}
	for reason, n := range map[string]uint64{
		"late": stats.Jitter.Late, "duplicate": stats.Jitter.Duplicate, "lost": stats.Jitter.Lost,
		"overflow": stats.Jitter.Overflow, "implausible": stats.Jitter.Implausible, "invalid": stats.Jitter.Invalid,
	} {
		if n > 0 {
			drops[reason] += n
		}
	}
	return drops
}
