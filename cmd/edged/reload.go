package main

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"syscall"

	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"

	"edged/edge"
	"edged/internal/loader"
	"edged/internal/metrics"
)

// hangups returns a channel that tells when the configuration is to be read again,
// and what ends that. Nil: it never is.
type hangups func() (hangup <-chan os.Signal, stop func())

// wait is hangups for whoever may have none.
func (h hangups) wait() (hangup <-chan os.Signal, stop func()) {
	if h == nil {
		return nil, func() {}
	}
	return h()
}

// sighups are those that the process is sent. One that says that its terminal was
// closed ends it, as an interrupt does: nobody is left who could.
func sighups() (<-chan os.Signal, func()) {
	sent, hangup := make(chan os.Signal, 1), make(chan os.Signal, 1) // one that waits stands for all
	signal.Notify(sent, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for s := range sent {
			if hungUp(os.Stdin) {
				_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
				continue
			}
			select {
			case hangup <- s:
			default:
			}
		}
	}()
	return hangup, func() { signal.Stop(sent); close(sent); <-done }
}

// hungUp reports whether the file is a terminal that was closed.
func hungUp(file *os.File) bool {
	_, err := unix.IoctlGetWinsize(int(file.Fd()), unix.TIOCGWINSZ)
	return errors.Is(err, unix.EIO)
}

// reloader takes over into a running server what may change in it: profiles,
// devices and signing keys. It does so whole or not at all.
type reloader struct {
	sources   loader.Sources
	cfg       *loader.Config // in force
	dialogues *dialogues
	guard     *edge.Revocable
	server    *edge.Server
	counts    *metrics.Reloads
	notices   zerolog.Logger
	count     int // of reloads, those that failed included
}

// start reloads at each hangup until ctx is done or stop is called, which waits for
// the reload that is going on.
func (r *reloader) start(ctx context.Context, hangup <-chan os.Signal) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.run(ctx, hangup)
	}()
	return func() { cancel(); <-done }
}

// run reloads at each hangup until ctx is done.
func (r *reloader) run(ctx context.Context, hangup <-chan os.Signal) {
	for {
		select {
		case <-hangup:
			r.reload(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// reload reads the configuration again and puts it in force, or says why not and
// leaves everything as it is.
func (r *reloader) reload(ctx context.Context) {
	r.count++
	next, err := loader.Reload(r.cfg, r.sources)
	if err != nil {
		r.refuse(err)
		return
	}
	auth, err := authenticator(next)
	if err != nil {
		r.refuse(err)
		return
	}
	begun, err := r.dialogues.prepare(ctx, next)
	if err != nil {
		r.refuse(err)
		return
	}
	// Nothing can fail from here on. Profiles come first: whom the new tokens let in
	// finds its profile.
	r.dialogues.standing.Store(begun)
	r.guard.Replace(auth)
	ended := r.server.Recheck(ctx)
	r.counts.Applied()
	was := r.cfg
	r.cfg = next
	line := r.notices.Info().Int("reload", r.count)
	changes(line, "profiles", was.Profiles, next.Profiles)
	changes(line, "devices", was.Devices, next.Devices)
	changes(line, "signing_keys", was.Server.SigningKeys, next.Server.SigningKeys)
	line.Int("connections_ended", ended).Msg("configuration reloaded: sessions that begin from now on have it")
}

// changes adds to a line which names are new, changed and gone.
func changes[V any](line *zerolog.Event, key string, was, is map[string]V) {
	var changed []string
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if old, ok := was[name]; !ok {
			changed = append(changed, "+"+name)
		} else if !reflect.DeepEqual(old, is[name]) {
			changed = append(changed, "~"+name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if _, ok := is[name]; !ok {
			changed = append(changed, "-"+name)
		}
	}
	if changed != nil {
		line.Strs(key, changed)
	}
}

// refuse says why the configuration is not taken over, problem by problem.
func (r *reloader) refuse(err error) {
	r.counts.Refused()
	var problems loader.Problems
	if !errors.As(err, &problems) {
		r.notices.Error().Int("reload", r.count).Err(err).Msg("configuration not reloaded: the one in force stays")
		return
	}
	r.notices.Error().Int("reload", r.count).Int("problems", len(problems)).Msg("configuration not reloaded: the one in force stays")
	for _, p := range problems {
		r.notices.Error().Int("reload", r.count).Msg(p.Error())
	}
}
