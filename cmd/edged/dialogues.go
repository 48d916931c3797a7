package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"sync/atomic"

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
	engines  session.Engines
	log      zerolog.Logger
	host     *session.Host
	standing atomic.Pointer[standing]
	observe  func() log.Observer // of each new session; nil: nobody observes
}

// standing is what new sessions begin with. It is replaced whole by a reload; a
// session keeps what it began with to its end.
type standing struct {
	cfg     *loader.Config
	phrases map[string]*session.Phrasebook // by profile
}

// newDialogues prepares the configuration. Whoever calls it calls Close.
func newDialogues(ctx context.Context, cfg *loader.Config, engines session.Engines, log zerolog.Logger) (*dialogues, error) {
	d := &dialogues{engines: engines, log: log, host: session.NewHost(cfg.Server.MaxSessions)}
	begun, err := d.prepare(ctx, cfg)
	if err != nil {
		return nil, err
	}
	d.standing.Store(begun)
	return d, nil
}

// prepare has the phrases of all profiles spoken, so that a session can say them
// when its synthesiser fails; those of a profile that says them as before are there
// already.
func (d *dialogues) prepare(ctx context.Context, cfg *loader.Config) (*standing, error) {
	s, before := &standing{cfg: cfg, phrases: make(map[string]*session.Phrasebook)}, d.standing.Load()
	for name, p := range cfg.Profiles {
		if before != nil {
			old, ok := before.cfg.Profiles[name]
			if ok && old.TTS == p.TTS && old.Language == p.Language && maps.Equal(old.Phrases, p.Phrases) {
				s.phrases[name] = before.phrases[name]
				continue
			}
		}
		book, err := session.Prepare(ctx, d.engines, profile(cfg, name))
		if err != nil {
			return nil, err
		}
		s.phrases[name] = book
	}
	return s, nil
}

// Close ends the sessions that wait for their devices.
func (d *dialogues) Close() { d.host.Close() }

// serve is the handler of the edge.
func (d *dialogues) serve(ctx context.Context, leg *edge.Leg) error {
	hello, begun := leg.Hello(), d.standing.Load()
	p := profile(begun.cfg, hello.Profile)
	journal, err := openJournal(begun.cfg.Server.JournalDir, hello)
	if err != nil {
		return err
	}
	return d.host.Serve(ctx, countingLeg{leg}, session.Config{
		Engines: d.engines,
		Profile: p,
		Log:     log.NewRecorder(d.log, hello.Session, hello.Device, begun.cfg.Server.Transcripts, d.observers()...),
		Phrases: begun.phrases[p.Name],
		Journal: journal,
	})
}

// observers see the events of one session.
func (d *dialogues) observers() []log.Observer {
	if d.observe == nil {
		return nil
	}
	return []log.Observer{d.observe()}
}

// resume answers the edge for a device that comes back.
func (d *dialogues) resume(hello dialog.Hello) (dialog.Resumed, bool) {
	return d.host.Resume(context.Background(), hello)
}

// openJournal opens the journal of a new session, nil if none is kept.
func openJournal(dir string, hello dialog.Hello) (io.Writer, error) {
	if dir == "" || hello.Resume != nil {
		return nil, nil
	}
	path := filepath.Join(dir, hello.Session+".journal")
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
